//! The lint for features: the terminal command, the window and the tests compile each dependency with the same features.
//!
//! Cargo unites the features of what is built together, so a selection of packages may need a dependency with other features
//! than the whole workspace has it with, and compile it and all that depends on it again. `src-tauri/workspace-hack` prevents that.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use crate::steps::cargo;

/// What people build alone.
const BUILT_ALONE: &[&str] = &["plait", "plait-desktop"];

/// Checks each selection. The error lists the dependencies with their features as the selection has them.
pub(super) fn check() -> Result<()> {
    let whole = dependencies(&["--workspace", "--edges", "normal,build,dev"])?;
    let mut missing = Vec::new();
    for package in BUILT_ALONE {
        let alone = dependencies(&["--package", package, "--edges", "normal,build"])?;
        missing.extend(alone.difference(&whole).map(|found| format!("  {package}: {found}")));
    }
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "dependencies have fewer features in a build of one package than in the workspace. Name the features that the \
         workspace has them with (`cargo tree --workspace --edges all --format '{{p}} {{f}}'`) in \
         src-tauri/workspace-hack/Cargo.toml:\n{}",
        missing.join("\n")
    )
}

/// The dependencies of a selection that come from a registry, each with its features.
fn dependencies(selection: &[&str]) -> Result<BTreeSet<String>> {
    let mut tree = cargo(&["tree", "--locked", "--prefix", "none", "--format", "{p} with {f}"]);
    tree.args(selection);
    let output = tree.output().context("cargo tree cannot be started")?;
    if !output.status.success() {
        bail!("cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // A package of the workspace has its folder in parentheses.
    let of_registry = text.lines().filter(|line| !line.contains(std::path::MAIN_SEPARATOR));
    Ok(of_registry.map(|line| line.replace(" (*)", "").replace(" (proc-macro)", "")).collect())
}
