//! Contexts: conversations that nodes share. Each has one writer, its manager; all others read snapshots.

mod call_model;
pub mod conversation;
mod edit;
mod history;
mod manager;
mod message;
mod record;

pub use call_model::{CallOverrides, resolve_model_config, resolve_provider_and_model};
pub use conversation::{Conversation, ConversationRef};
pub use edit::{EditedMessage, MessageEdit, edited_messages, with_edits};
pub use history::{History, MessageStats, MessageSum};
pub use manager::{ContextChange, ContextManager, Contexts, Question, Transaction, Writes};
pub use message::{Content, KeptHash, Message, MessageHash, Part, Role, SharedMessage, ToolCall};
pub use record::{ContextHandle, ContextRecord, ContextType, MAIN, Snapshot};
