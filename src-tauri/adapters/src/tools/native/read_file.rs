//! `read_file`: a text file in the flow's folder. Files that hold secrets by their name are refused.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use plait_engine::error::{ErrorCode, Fault};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::tool::NativeTool;
use crate::project_files::{AccessError, FileAccess};

/// Larger files would fill a model's window.
const MAX_BYTES: u64 = 256 << 10;

pub(super) struct ReadFile(pub(super) FileAccess);

/// The arguments of `read_file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The file, relative to the flow's folder, for example `notes/plan.md`.
    path: String,
}

impl NativeTool for ReadFile {
    type Arguments = Arguments;
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Reads a text file in the folder of this flow.";

    async fn call(&self, arguments: Arguments, folder: Option<String>) -> Result<Value, Fault> {
        let folder = folder.ok_or_else(|| {
            Fault::new(
                ErrorCode::ToolNoFolder,
                "This flow is not saved, so it has no folder to read files from.",
            )
            .hint("Save the flow first. Then the files in its folder can be read.")
        })?;
        let access = self.0.clone();
        tokio::task::spawn_blocking(move || read(&access, &folder, &arguments.path)).await.map_err(
            |error| Fault::new(ErrorCode::ToolUnreadable, format!("Reading was aborted: {error}.")),
        )?
    }
}

fn read(access: &FileAccess, folder: &str, path: &str) -> Result<Value, Fault> {
    let folder = access.open_folder(Path::new(folder)).map_err(|error| match error {
        AccessError::UnsafeFolder { .. } => {
            Fault::new(ErrorCode::ToolUnsafeFolder, format!("The flow's folder can't be read from: {error}."))
                .hint("Move the flow and the files it reads into a folder of their own.")
        }
        error => Fault::new(ErrorCode::ToolNoFolder, format!("The flow's folder can't be opened: {error}.")),
    })?;
    let (file, _) = folder.open(Path::new(path)).map_err(|error| to_fault(path, &error))?;
    let bytes = read_bytes(&file).map_err(|error| to_fault(path, &AccessError::from(error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        let limit = MAX_BYTES >> 10;
        return Err(Fault::new(
            ErrorCode::ToolTooLarge,
            format!("`{path}` is larger than the limit of {limit} KB."),
        ));
    }
    String::from_utf8(bytes)
        .map(Value::String)
        .map_err(|_| Fault::new(ErrorCode::ToolNotText, format!("`{path}` is not a text file in UTF-8.")))
}

/// The bytes of a file. One more than [`MAX_BYTES`] if it is larger, even if it grows meanwhile.
fn read_bytes(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn to_fault(path: &str, error: &AccessError) -> Fault {
    match error {
        AccessError::Outside => {
            Fault::new(ErrorCode::ToolOutsideFolder, format!("`{path}` is not in the flow's folder."))
                .hint("Only files in the flow's folder and its subfolders can be read. Use a relative path.")
        }
        AccessError::SecretFile => Fault::new(
            ErrorCode::ToolSecretFile,
            format!("`{path}` is not read: files of this name hold secrets."),
        )
        .hint("Put what the model may know into a file of another name."),
        AccessError::HardLink => Fault::new(
            ErrorCode::ToolHardLink,
            format!("`{path}` is not read: it is a hard link to a file that may be outside of the folder."),
        )
        .hint("Replace the link by a copy of the file."),
        AccessError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            Fault::new(ErrorCode::ToolNotFound, format!("There is no file `{path}` in the flow's folder."))
        }
        AccessError::NotAFile(what) => Fault::new(ErrorCode::ToolUnreadable, format!("`{path}` is {what}.")),
        error => Fault::new(ErrorCode::ToolUnreadable, format!("`{path}` can't be read: {error}.")),
    }
}
