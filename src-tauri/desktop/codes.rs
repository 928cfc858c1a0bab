//! The error codes of the window. Those of the crates below are here as well.

pub use plait_api::codes::*;

plait_core::error_codes! {
    "File dialogs and windows" {
        DIALOG_NOT_A_FILE = "dialog.not_a_file",
            "The chosen item is not a file on this machine.",
            "Choose a local file.";
        DIALOG_NOT_UNICODE = "dialog.not_unicode",
            "The name of the chosen file is not valid Unicode.",
            "Rename the file.";
        WINDOW_CLOSE = "window.close",
            "The window could not be closed.",
            "Quit Plait from its menu.";
        WINDOW_OPEN = "window.open",
            "Another window could not be opened.",
            "Open the flow in a tab of this window instead.";
    }
}
