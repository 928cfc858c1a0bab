//! Where Plait keeps its data, for the window and the terminal alike: what a person named, or what the platform has
//! for that. Creates nothing.

use std::path::PathBuf;

use directories::ProjectDirs;

use crate::ErrorReply;

/// The data directory: the one `given` by `--home` or `PLAIT_HOME`, made absolute, else the platform's.
/// `store.no_home` when there is none.
pub fn home(given: Option<PathBuf>) -> Result<PathBuf, ErrorReply> {
    if let Some(home) = given.filter(|home| !home.as_os_str().is_empty()) {
        return std::path::absolute(&home).map_err(|error| {
            ErrorReply::new(
                "store.io",
                format!("`{}` is not a directory to keep data in: {error}.", home.display()),
            )
        });
    }
    ProjectDirs::from("", "", "Plait").map(|dirs| dirs.data_dir().to_owned()).ok_or_else(|| {
        ErrorReply::new("store.no_home", "This system names no home directory to keep data in.")
            .hint("Name one with --home DIR or PLAIT_HOME.")
    })
}
