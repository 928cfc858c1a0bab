//! `dialog.*`: the system's file dialogs. Only a window has them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// `dialog.open`: asks for a flow file.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct OpenDialog {}

/// `dialog.save`: asks where to save a flow or an exported conversation.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SaveDialog {
    /// The name to begin with.
    pub suggested: String,
}

/// What the person chose.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct PickedPath {
    /// The file, or nothing when the dialog was closed.
    pub path: Option<String>,
}

impl Command for OpenDialog {
    const NAME: &'static str = "dialog.open";
    type Reply = PickedPath;

    async fn run(self, app: &Plait) -> Result<PickedPath, ErrorReply> {
        Ok(PickedPath { path: app.dialogs()?.open().await? })
    }
}

impl Command for SaveDialog {
    const NAME: &'static str = "dialog.save";
    type Reply = PickedPath;

    async fn run(self, app: &Plait) -> Result<PickedPath, ErrorReply> {
        Ok(PickedPath { path: app.dialogs()?.save(&self.suggested).await? })
    }
}
