//! What was sent to a model, as journals keep it: the parts of a prompt, their tokens, and what was left out.
//!
//! The prompt pipeline of the node types writes these records; the lens and the forecast read them.

mod block;
mod block_settings;
mod loop_conversation;
mod record;
mod refusal;

pub use block::{Block, BlockCut, BlockItem, BlockSource};
pub use block_settings::{BlockCaps, BlockKind, BlockSettings, DEFAULT_ORDER};
pub use loop_conversation::{LoopConversationRecord, OmissionReason, OmittedTurns, SentTurn};
pub use record::{Omitted, PromptPart, PromptPurpose, PromptRecord, RequestSettings};
pub use refusal::RefusedPrompt;

/// The text of the message with the images of tool results. It follows the results.
pub const TOOL_IMAGES: &str = "The images of the tool results above, in their order.";
