//! Tools that models can call: the hosts that run them, and the redaction of what tools return.

mod hosts;
mod native;
mod redacting;

pub use hosts::ToolHosts;
pub use native::NativeTools;
pub use redacting::RedactingTools;
