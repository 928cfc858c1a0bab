//! The folders of a flow: which files its tools may read and write.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use crate::diagnostic::Diagnostic;

/// Maximum folders that a flow declares.
const MAX_FOLDERS: usize = 20;

/// A folder that the flow declares. Without any, tools may read the folder of the flow's file and write nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FolderAccess {
    /// The folder, relative to that of the flow's file, for example `notes`. It must be in the flow's project.
    pub path: String,
    /// Whether tools may also write files in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub write: bool,
}

/// The problems with the folders of a flow.
pub fn check(folders: &[FolderAccess]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut report = |pointer: String, message: String| {
        let hint = "Use paths relative to the flow's file, like `notes`, or remove the entry.";
        problems.push(Diagnostic::error(codes::SETTINGS_FOLDERS, pointer, message).hint(hint));
    };
    if folders.len() > MAX_FOLDERS {
        report("/settings/folders".to_owned(), format!("A flow declares at most {MAX_FOLDERS} folders."));
    }
    for (index, folder) in folders.iter().enumerate() {
        let path = folder.path.trim();
        let is_absolute = path.starts_with(['/', '\\']) || path.get(1..2) == Some(":");
        if path.is_empty() || is_absolute {
            let message = format!("`{path}` is not the path of a folder relative to the flow's file.");
            report(format!("/settings/folders/{index}/path"), message);
        }
    }
    problems
}
