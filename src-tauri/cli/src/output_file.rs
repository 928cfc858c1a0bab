//! Files that a command writes at its end.

use std::path::Path;

use plait_api::ErrorReply;

use crate::codes;

/// Refuses a file whose folder does not exist, before anything is paid for that it should hold. `output.failed`.
pub(crate) fn check_folder(file: &Path) -> Result<(), ErrorReply> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_none_or(Path::is_dir) {
        return Ok(());
    }
    let message = format!("The folder of `{}` does not exist.", file.display());
    Err(ErrorReply::new(codes::OUTPUT_FAILED, message).hint("Create it, or choose another path."))
}
