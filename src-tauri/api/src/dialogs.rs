//! What only a window can do for a command: ask a person for a file.

mod commands;

pub use commands::{OpenDialog, PickedPath, SaveDialog};

use async_trait::async_trait;

use crate::ErrorReply;

/// The system's file dialogs.
#[async_trait]
pub trait Dialogs: Send + Sync {
    /// Asks for a flow file to open; nothing when the dialog was closed.
    async fn open(&self) -> Result<Option<String>, ErrorReply>;
    /// Asks where to save a flow or an exported conversation, beginning with the name `suggested`; nothing when the dialog was closed.
    async fn save(&self, suggested: &str) -> Result<Option<String>, ErrorReply>;
}
