//! Installs the editor's packages and builds its pages. Skips steps that are up to date.

use anyhow::Result;

use crate::repo;
use crate::steps::{Step, npm, print_note};

/// Installs the editor's packages exactly as locked, unless that was done for this lock file.
pub(crate) fn install_packages() -> Result<()> {
    let lock = repo::newest_modification(&repo::ui().join("package-lock.json"));
    let installed = repo::newest_modification(&repo::ui().join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= lock {
        print_note("The editor's packages are installed");
        return Ok(());
    }
    Step::new("Install the editor's packages", npm(&["ci", "--no-progress"])).run()
}

/// Builds the editor's pages into `ui/dist` if a source is newer.
pub(crate) fn build() -> Result<()> {
    install_packages()?;
    let built = repo::newest_modification(&repo::ui().join("dist/index.html"));
    if built.is_some() && built >= repo::newest_modification(&repo::ui()) {
        print_note("The editor is built");
        return Ok(());
    }
    Step::new("Build the editor", npm(&["run", "build"])).run()
}
