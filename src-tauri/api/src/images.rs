//! `image.save`: a picture that the page has drawn, as a file where the person wants it.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plait_store::flow_files;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::dialogs::{DialogService, PickedPath};

/// `image.save`: asks where to save an image and writes the file atomically. Replies with its path, `null` when the dialog was
/// closed; then nothing is written.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SaveImage {
    /// The initial file name. It ends with `.svg` or `.png`.
    pub suggested: String,
    /// The bytes of the image in base64.
    pub data: String,
}

impl Command for SaveImage {
    const NAME: &'static str = "image.save";
    type Service = DialogService;
    type Reply = PickedPath;

    async fn run(self, service: &DialogService) -> Result<PickedPath, ErrorReply> {
        let bytes = STANDARD.decode(&self.data).map_err(|error| {
            ErrorReply::new(
                codes::COMMAND_ARGUMENTS,
                format!("The bytes of an image are not in base64: {error}."),
            )
        })?;
        let path = service.dialogs()?.save(&self.suggested).await?;
        if let Some(path) = path.clone().map(PathBuf::from) {
            run_blocking(move || Ok(flow_files::write_bytes(&path, &bytes)?)).await?;
        }
        Ok(PickedPath { path })
    }
}
