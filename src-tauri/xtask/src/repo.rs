//! Paths of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // src-tauri/xtask is two levels below the root, by the layout of this repository.
    here.ancestors().nth(2).unwrap_or(here)
}

/// The editor's folder, with the only `package.json`.
pub(crate) fn ui() -> PathBuf {
    root().join("ui")
}

/// The path from the root and the text of each file that git tracks, if it has one of these endings.
pub(crate) fn texts(endings: &[&str]) -> Result<Vec<(String, String)>> {
    let output = Command::new("git").args(["ls-files"]).current_dir(root()).output();
    let output = output.context("cannot run git ls-files")?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let selected = names.lines().filter(|name| endings.iter().any(|ending| name.ends_with(ending)));
    // A file that was deleted and not committed yet is still listed.
    Ok(selected
        .filter_map(|name| Some((name.to_owned(), fs::read_to_string(root().join(name)).ok()?)))
        .collect())
}

/// The text of the file at a path from the root.
pub(crate) fn text(name: &str) -> Result<String> {
    fs::read_to_string(root().join(name)).with_context(|| format!("cannot read {name}"))
}

/// Cargo's build directory.
pub(crate) fn target() -> PathBuf {
    crate::environment::variable("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

pub(crate) fn binary(name: &str, release: bool) -> PathBuf {
    let profile = if release { "release" } else { "debug" };
    target().join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The time of the newest file in `path`; `None` if there is none. Generated directories are ignored.
pub(crate) fn newest_modification(path: &Path) -> Option<SystemTime> {
    const GENERATED: &[&str] = &["node_modules", "dist", "dist-browser", "test-results", "playwright-report"];
    let meta = path.symlink_metadata().ok()?;
    if !meta.is_dir() {
        return meta.modified().ok();
    }
    fs::read_dir(path)
        .ok()?
        .flatten()
        .filter(|entry| !GENERATED.iter().any(|generated| entry.file_name() == *generated))
        .filter_map(|entry| newest_modification(&entry.path()))
        .max()
}
