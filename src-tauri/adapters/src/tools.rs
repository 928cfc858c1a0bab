//! Tools that models can call: the hosts that run them, and the redaction of what tools return.

mod bad_arguments;
mod environment;
mod flow_guard;
mod hosts;
mod http;
pub mod mcp;
mod native;
mod posted;
mod redacting;

pub use environment::{ToolEnvironment, ToolSecret, ToolSettings};
pub use flow_guard::FlowGuard;
pub use hosts::ToolHosts;
pub use http::HttpTools;
pub use mcp::McpServers;
pub use native::NativeTools;
pub use redacting::RedactingTools;
