//! What reaches a model: one pipeline of small steps, from a context and its inputs to the final messages.

mod record;
pub mod tokens;

pub use record::{PromptPart, PromptRecord};
