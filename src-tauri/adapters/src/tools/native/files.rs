//! Shared parts of the file tools: opening the flow's folders, and the faults.

use std::io;
use std::path::Path;

use plait_core::error::Fault;
use plait_llm::grant::{CallGrants, GrantTarget, normalize_folder};
use serde_json::Value;

use super::tool::CallContext;
use crate::codes;
use crate::project_files::{AccessError, FileAccess, FlowFolders};

/// Does something with the flow's folders on a thread that may block.
pub(super) async fn blocking(
    access: &FileAccess,
    context: CallContext,
    work: impl FnOnce(&FlowFolders, &CallGrants) -> Result<Value, Fault> + Send + 'static,
) -> Result<Value, Fault> {
    let CallContext { folder, folders, grants, .. } = context;
    let folder = folder.ok_or_else(|| {
        Fault::new(codes::TOOL_NO_FOLDER, "This flow is not saved, so it has no folder to read files from.")
            .hint("Save the flow first. Then the files in its folder can be read.")
    })?;
    let access = access.clone();
    let task = tokio::task::spawn_blocking(move || {
        let folders = access.open_flow_folders(Path::new(&folder), &folders).map_err(|error| match error {
            AccessError::UnsafeFolder { .. } => {
                Fault::new(codes::TOOL_UNSAFE_FOLDER, format!("The flow's folder can't be used: {error}."))
                    .hint("Move the flow and the files it reads into a folder of their own.")
            }
            AccessError::Outside => Fault::new(
                codes::TOOL_OUTSIDE_FOLDER,
                "A folder that the flow's settings declare is not in the flow's project.",
            )
            .hint("The project is the nearest folder around the flow with `.git`, or else that of the flow."),
            error => Fault::new(codes::TOOL_NO_FOLDER, format!("The flow's folder can't be opened: {error}.")),
        })?;
        work(&folders, &grants)
    });
    task.await.map_err(|error| {
        Fault::new(codes::TOOL_UNREADABLE, format!("Working with the file was aborted: {error}."))
    })?
}

/// Checks that the folder of a file may be used: its real folder, behind all links. `path` is absolute. Faults
/// `grant.*`.
pub(super) fn check_grants(grants: &CallGrants, path: &Path, write: bool) -> Result<(), Fault> {
    let folder = path.parent().unwrap_or(path).to_string_lossy();
    // An absolute path without `..` is one of a folder.
    normalize_folder(&folder).map_or(Ok(()), |folder| grants.check(&GrantTarget::Folder(folder), write))
}

/// What went wrong with a file, for the model and the person.
pub(super) fn to_fault(path: &str, error: &AccessError) -> Fault {
    match error {
        AccessError::Outside => {
            Fault::new(codes::TOOL_OUTSIDE_FOLDER, format!("`{path}` is not in the flow's folder."))
                .hint("Only files in the flow's folder, or in the folders that its settings declare, can be used. Use a relative path.")
        }
        AccessError::ReadOnly => {
            Fault::new(codes::TOOL_READ_ONLY_FOLDER, format!("`{path}` is in a folder that may only be read."))
                .hint("Declare a folder in the flow's settings, with writing allowed: `\"folders\": [{\"path\": \"out\", \"write\": true}]`.")
        }
        AccessError::Protected => Fault::new(
            codes::TOOL_PROTECTED_FILE,
            format!("`{path}` is not written: programs act on files of this name."),
        )
        .hint("Use a name that does not begin with a dot, and is not that of a flow."),
        AccessError::SecretFile => Fault::new(
            codes::TOOL_SECRET_FILE,
            format!("`{path}` is not used: files of this name hold secrets."),
        )
        .hint("Put what the model may know into a file of another name."),
        AccessError::HardLink => Fault::new(
            codes::TOOL_HARD_LINK,
            format!("`{path}` is not read: it is a hard link to a file that may be outside of the folder."),
        )
        .hint("Replace the link by a copy of the file."),
        AccessError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            Fault::new(codes::TOOL_NOT_FOUND, format!("There is no file `{path}` in the flow's folder."))
        }
        AccessError::NotAFile(what) => Fault::new(codes::TOOL_UNREADABLE, format!("`{path}` is {what}.")),
        error => Fault::new(codes::TOOL_UNREADABLE, format!("`{path}` can't be read: {error}.")),
    }
}
