//! Takes screenshots of the real window on an example, dark and light, for the README and for looking at.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::editor;
use crate::needs::{self, Purpose};
use crate::steps::{Step, cargo, note};

/// Takes the pictures into a directory.
pub(crate) fn take(into: &Path) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("this system's webview cannot be driven, so the window is driven on Linux only");
    }
    needs::provide(&[Purpose::Window, Purpose::Editor, Purpose::Driver])?;
    editor::build()?;
    let into = std::path::absolute(into).with_context(|| format!("{} is not a path", into.display()))?;
    let build = cargo(&["build", "--package", "plait-desktop", "--package", "plait-window-tests"]);
    Step::new("Build the window (the first time takes some minutes)", build).quietly()?;
    let mut screenshot =
        cargo(&["run", "--quiet", "--package", "plait-window-tests", "--bin", "screenshot", "--"]);
    screenshot.arg(&into);
    Step::new("Take the screenshots", screenshot).aloud()?;
    note(&format!("The pictures are in {}", into.display()));
    Ok(())
}
