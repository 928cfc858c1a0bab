//! Where things stand in the repository. Knows paths, runs nothing.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // src-tauri/xtask is two levels below the root, by the layout of this repository.
    here.ancestors().nth(2).unwrap_or(here)
}

/// The editor's sources, with the only `package.json`.
pub(crate) fn ui() -> PathBuf {
    root().join("ui")
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A binary as built with or without optimizations.
pub(crate) fn binary(name: &str, release: bool) -> PathBuf {
    let profile = if release { "release" } else { "debug" };
    target().join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// When the newest file below `path` was last changed; `None` if there is none.
/// Directories that are made from the others (`node_modules`, `dist`, reports) do not count.
pub(crate) fn newest(path: &Path) -> Option<SystemTime> {
    const MADE: &[&str] = &["node_modules", "dist", "dist-mock", "test-results", "playwright-report"];
    let meta = path.symlink_metadata().ok()?;
    if !meta.is_dir() {
        return meta.modified().ok();
    }
    std::fs::read_dir(path)
        .ok()?
        .flatten()
        .filter(|entry| !MADE.iter().any(|made| entry.file_name() == *made))
        .filter_map(|entry| newest(&entry.path()))
        .max()
}
