//! The environment of the process, as the window reads it.

#![expect(clippy::disallowed_methods, reason = "this file reads the environment")]

use std::path::PathBuf;

/// In debug builds, the path that every dialog returns without being shown. For tests.
const TEST_DIALOG_VARIABLE: &str = "PLAIT_TEST_DIALOG";

/// The data directory, if one is chosen.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::var_os("PLAIT_HOME").map(PathBuf::from)
}

/// Whether a window can be shown.
pub(crate) fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// What dialogs return in tests.
pub(crate) fn test_dialog() -> Option<PathBuf> {
    if cfg!(debug_assertions) { std::env::var_os(TEST_DIALOG_VARIABLE).map(PathBuf::from) } else { None }
}
