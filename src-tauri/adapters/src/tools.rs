//! Tools that models can call: Plait's native tools, and the redaction of what tools return.

mod native;
mod redacting;

pub use native::NativeTools;
pub use redacting::RedactingTools;
