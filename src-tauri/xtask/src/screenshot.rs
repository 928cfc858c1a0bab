//! Takes screenshots of the real window with an example, dark and light, for the README.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::editor;
use crate::requirements::{self, Purpose};
use crate::steps::{Step, cargo, print_note};

/// Takes the screenshots and writes them to a directory.
pub(crate) fn take(into: &Path) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("this system's webview cannot be driven, so the window is driven on Linux only");
    }
    requirements::ensure_installed(&[Purpose::Window, Purpose::Editor, Purpose::Driver])?;
    editor::build()?;
    let into = std::path::absolute(into).with_context(|| format!("{} is not a path", into.display()))?;
    let build = cargo(&["build", "--package", "plait-desktop", "--package", "plait-window-tests"]);
    Step::new("Build the window (the first time takes some minutes)", build).run()?;
    let mut screenshot =
        cargo(&["run", "--quiet", "--package", "plait-window-tests", "--bin", "screenshot", "--"]);
    screenshot.arg(&into);
    Step::new("Take the screenshots", screenshot).run_with_output()?;
    print_note(&format!("The screenshots are in {}", into.display()));
    Ok(())
}
