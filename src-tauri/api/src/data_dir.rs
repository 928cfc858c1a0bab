//! Finds the data directory, for the window and the terminal. Creates nothing.
use std::path::PathBuf;

use directories::ProjectDirs;

use crate::ErrorReply;
use crate::codes;

/// The data directory as an absolute path: `home` (from `--home` or `PLAIT_HOME`), or the default of the platform.
/// `store.no_home` when there is none.
pub fn data_dir(home: Option<PathBuf>) -> Result<PathBuf, ErrorReply> {
    if let Some(home) = home.filter(|home| !home.as_os_str().is_empty()) {
        return std::path::absolute(&home).map_err(|error| {
            ErrorReply::new(
                codes::STORE_IO,
                format!("`{}` cannot be used as the data directory: {error}.", home.display()),
            )
        });
    }
    ProjectDirs::from("", "", "Plait").map(|dirs| dirs.data_dir().to_owned()).ok_or_else(|| {
        ErrorReply::new(codes::STORE_NO_HOME, "No home directory was found for the data of Plait.")
            .hint("Set the data directory with --home DIR or PLAIT_HOME.")
    })
}
