//! `dialog.*`: the system's file dialogs. Only a window has them.
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::codes;
use crate::command::Command;

/// The system's file dialogs.
#[async_trait]
pub trait Dialogs: Send + Sync {
    /// Asks for a file to open. `title` says what for; without it, a flow. `None` when the dialog was closed.
    async fn open(&self, title: Option<&str>) -> Result<Option<String>, ErrorReply>;
    /// Asks for a folder. `None` when the dialog was closed.
    async fn folder(&self) -> Result<Option<String>, ErrorReply>;
    /// Asks where to save a flow, an exported conversation or an image; `suggested` is the initial file name. `None` when the
    /// dialog was closed.
    async fn save(&self, suggested: &str) -> Result<Option<String>, ErrorReply>;
}

/// The dialogs, where there is a window.
pub struct DialogService(Option<Arc<dyn Dialogs>>);

impl DialogService {
    pub(crate) fn new(dialogs: Option<Arc<dyn Dialogs>>) -> Self {
        Self(dialogs)
    }

    /// `dialog.unavailable` without a window.
    pub(crate) fn dialogs(&self) -> Result<&dyn Dialogs, ErrorReply> {
        self.0.as_deref().ok_or_else(|| {
            ErrorReply::new(codes::DIALOG_UNAVAILABLE, "File dialogs are not available without a window.")
        })
    }
}

/// What the person chose.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct PickedPath {
    /// The file; `null` when the dialog was closed.
    pub path: Option<String>,
}

/// `dialog.open`: asks for a file.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct OpenDialog {
    /// What the file is chosen for; "Open flow" when left out.
    #[serde(default)]
    #[ts(optional)]
    pub title: Option<String>,
}

impl Command for OpenDialog {
    const NAME: &'static str = "dialog.open";
    type Service = DialogService;
    type Reply = PickedPath;

    async fn run(self, service: &DialogService) -> Result<PickedPath, ErrorReply> {
        Ok(PickedPath { path: service.dialogs()?.open(self.title.as_deref()).await? })
    }
}

/// `dialog.folder`: asks for a folder.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct FolderDialog {}

impl Command for FolderDialog {
    const NAME: &'static str = "dialog.folder";
    type Service = DialogService;
    type Reply = PickedPath;

    async fn run(self, service: &DialogService) -> Result<PickedPath, ErrorReply> {
        Ok(PickedPath { path: service.dialogs()?.folder().await? })
    }
}

/// `dialog.save`: asks where to save a flow or an exported conversation.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SaveDialog {
    /// The initial file name.
    pub suggested: String,
}

impl Command for SaveDialog {
    const NAME: &'static str = "dialog.save";
    type Service = DialogService;
    type Reply = PickedPath;

    async fn run(self, service: &DialogService) -> Result<PickedPath, ErrorReply> {
        Ok(PickedPath { path: service.dialogs()?.save(&self.suggested).await? })
    }
}
