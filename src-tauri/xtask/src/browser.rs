//! Finds the Chromium that the editor's tests use. Starts nothing.

use std::path::PathBuf;

use crate::platform::which;

/// The variable that chooses a browser, here and in the Playwright configuration.
pub(crate) const BROWSER_VARIABLE: &str = "PLAIT_CHROMIUM";

/// The selected browser, or the first one found.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(chosen) = crate::environment::variable(BROWSER_VARIABLE) {
        return Some(chosen.into());
    }
    // The shell draws no window of its own: the tests take a third less time with it.
    let names =
        ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
    names.iter().find_map(|name| which(name)).or_else(|| {
        let bundles = [
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            "/Applications/Chromium.app/Contents/MacOS/Chromium",
        ];
        bundles.iter().map(PathBuf::from).find(|path| path.is_file())
    })
}
