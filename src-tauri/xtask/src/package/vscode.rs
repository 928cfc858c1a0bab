//! The extension for VS Code: `packaging/vscode` with the schemas of this version, packed by `vsce`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::repo;
use crate::steps::{Step, install_npm_packages};

/// The folder of the extension.
const FOLDER: &str = "packaging/vscode";
/// The packer of extensions, a package of that folder.
const VSCE: &str = if cfg!(windows) { "vsce.cmd" } else { "vsce" };
/// What is packed, and where it is in the repository.
const FILES: &[(&str, &str)] = &[
    ("package.json", "packaging/vscode/package.json"),
    ("extension.js", "packaging/vscode/extension.js"),
    ("README.md", "packaging/vscode/README.md"),
    ("icon.png", "icons/128x128.png"),
    ("LICENSE", "LICENSE-MIT"),
];
/// The schemas, and the arguments of the command that prints each.
const SCHEMAS: &[(&str, &[&str])] = &[
    ("flow.schema.json", &["schema"]),
    ("pipeline.schema.json", &["schema", "--pipeline"]),
    ("suite.schema.json", &["schema", "--suite"]),
];

/// Packs the extension, with the schemas that `plait` prints. Returns the package.
pub(super) fn make(plait: &Path) -> Result<PathBuf> {
    install_npm_packages(FOLDER, "the packer of extensions")?;
    let parts = repo::target().join("vscode");
    if parts.exists() {
        fs::remove_dir_all(&parts).with_context(|| format!("cannot empty {}", parts.display()))?;
    }
    fs::create_dir_all(parts.join("schemas"))?;
    for (file, source) in FILES {
        fs::copy(repo::root().join(source), parts.join(file))
            .with_context(|| format!("cannot copy {source}"))?;
    }
    for (file, args) in SCHEMAS {
        let schema = File::create(parts.join("schemas").join(file))?;
        let status = Command::new(plait).args(*args).stdout(Stdio::from(schema)).status()?;
        if !status.success() {
            bail!("`plait {}` failed", args.join(" "));
        }
    }
    let package = repo::target().join("plait.vsix");
    let mut pack = Command::new(repo::root().join(FOLDER).join("node_modules/.bin").join(VSCE));
    pack.args(["package", "--no-dependencies", "--allow-missing-repository", "--out"]).arg(&package);
    pack.current_dir(&parts);
    Step::new("Package the extension for VS Code", pack).run()?;
    Ok(package)
}
