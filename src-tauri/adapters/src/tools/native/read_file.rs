//! `read_file`: a text file in the flow's folder.
//!
//! The folder is opened as a capability: neither `..` nor a link nor an absolute path leads out of it, even if links change
//! during the call.

use std::io::{self, Read as _};
use std::path::{Component, Path};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use plait_engine::error::{ErrorCode, Fault};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::tool::NativeTool;

/// Larger files would fill a model's window.
const MAX_BYTES: u64 = 256 << 10;

pub(super) struct ReadFile;

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
        tokio::task::spawn_blocking(move || read(&folder, &arguments.path)).await.map_err(|error| {
            Fault::new(ErrorCode::ToolUnreadable, format!("Reading was aborted: {error}."))
        })?
    }
}

fn read(folder: &str, path: &str) -> Result<Value, Fault> {
    if leads_out(Path::new(path)) {
        return Err(outside(path));
    }
    let folder = Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| {
        Fault::new(ErrorCode::ToolNoFolder, format!("The flow's folder can't be opened: {error}."))
    })?;
    let failed = |error: io::Error| to_fault(path, &error);
    // Checked before opening: opening a pipe would block until it has a writer.
    let metadata = folder.metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a folder" } else { "not a regular file" };
        return Err(Fault::new(ErrorCode::ToolUnreadable, format!("`{path}` is {what}.")));
    }
    let mut bytes = Vec::new();
    // One extra byte detects a file that has grown since.
    folder.open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(failed)?;
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

/// Whether a path leaves its folder lexically, without resolving links.
fn leads_out(path: &Path) -> bool {
    let mut depth = 0_usize;
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => return true,
            Component::CurDir => {}
            Component::Normal(_) => depth += 1,
            Component::ParentDir => match depth.checked_sub(1) {
                Some(up) => depth = up,
                None => return true,
            },
        }
    }
    false
}

fn outside(path: &str) -> Fault {
    Fault::new(ErrorCode::ToolOutsideFolder, format!("`{path}` is not in the flow's folder."))
        .hint("Only files in the flow's folder and its subfolders can be read. Use a relative path.")
}

fn to_fault(path: &str, error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::NotFound => {
            Fault::new(ErrorCode::ToolNotFound, format!("There is no file `{path}` in the flow's folder."))
        }
        // An error from the capability has no OS error code; an error from the system has one.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => outside(path),
        _ => Fault::new(ErrorCode::ToolUnreadable, format!("`{path}` can't be read: {error}.")),
    }
}
