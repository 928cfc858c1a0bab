//! Gets the editor ready: its packages installed as locked, its pages built. Skips what is up to date.

use anyhow::Result;

use crate::repo;
use crate::steps::{Step, note, npm};

/// Installs the editor's packages exactly as locked, if that has not been done for this lock file.
pub(crate) fn packages() -> Result<()> {
    let lock = repo::newest(&repo::ui().join("package-lock.json"));
    let installed = repo::newest(&repo::ui().join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= lock {
        note("The editor's packages are installed");
        return Ok(());
    }
    Step::new("Install the editor's packages", npm(&["ci", "--no-progress"])).quietly()
}

/// Builds the editor's pages into `ui/dist`, if a source is newer than them.
pub(crate) fn build() -> Result<()> {
    packages()?;
    let built = repo::newest(&repo::ui().join("dist/index.html"));
    if built.is_some() && built >= repo::newest(&repo::ui()) {
        note("The editor is built");
        return Ok(());
    }
    Step::new("Build the editor", npm(&["run", "build"])).quietly()
}
