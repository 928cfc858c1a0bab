//! `cargo xtask package`: packages of the window and the terminal command, made by Tauri's bundler from the `bundle` section of
//! `tauri.conf.json`; and the extension for VS Code.

mod vscode;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::requirements::{self, Purpose};
use crate::steps::{Step, cargo, print_note};
use crate::{editor, repo};

/// Tauri's command line, a package of the editor's folder.
const TAURI: &str = if cfg!(windows) { "tauri.cmd" } else { "tauri" };

/// What Tauri downloads before it can make an `AppImage`, in its cache.
const APPIMAGE_TOOL: &str = "linuxdeploy-x86_64.AppImage";

/// What is added to `tauri.conf.json` for packages of tests.
const UNCOMPRESSED: &str = r#"{ "bundle": { "linux": { "rpm": { "compression": { "type": "none" } } } } }"#;

/// The completion scripts by shell, with the names that shells expect.
const COMPLETIONS: &[(&str, &str)] = &[("bash", "plait"), ("zsh", "_plait"), ("fish", "plait.fish")];

/// Builds both programs and packages them. Prints where the packages are. With `debug`, without optimizations: for tests of the
/// packages.
pub(crate) fn run(debug: bool) -> Result<()> {
    requirements::ensure_installed(&[Purpose::Window, Purpose::Editor])?;
    editor::build()?;
    // The selection of the tests, or else of the packages alone: another selection would compile the dependencies
    // again.
    let kind = if debug { "--tests" } else { "--release" };
    let args = ["build", "--workspace", "--lib", "--bins", kind];
    Step::new("Compile Plait (the first time takes some minutes)", cargo(&args)).run()?;
    let mut packages = make(debug)?;
    packages.push(vscode::make(&repo::binary("plait", !debug))?);
    for package in packages {
        println!("{}", package.display());
    }
    Ok(())
}

/// Packages the programs, which must be built. Returns the packages. With `debug`, what only tests look at is packed in less time.
pub(crate) fn make(debug: bool) -> Result<Vec<PathBuf>> {
    write_parts(&repo::binary("plait", !debug))?;
    let formats = formats();
    // Not by npm, which would run it in its own folder: the configuration is in the root.
    let mut bundle = Command::new(repo::ui().join("node_modules/.bin").join(TAURI));
    bundle.args(["bundle", "--ci", "--bundles", &formats.join(",")]).current_dir(repo::root());
    if debug {
        bundle.args(["--debug", "--config", UNCOMPRESSED]);
    }
    let output = repo::target().join(if debug { "debug" } else { "release" }).join("bundle");
    if output.exists() {
        fs::remove_dir_all(&output).with_context(|| format!("cannot empty {}", output.display()))?;
    }
    Step::new(format!("Package Plait ({})", formats.join(", ")), bundle).run()?;
    let mut packages = Vec::new();
    for format in formats {
        packages.extend(files_in(&output.join(format))?);
    }
    if packages.is_empty() {
        bail!("there is no package in {}", output.display());
    }
    Ok(packages)
}

fn formats() -> Vec<&'static str> {
    if cfg!(target_os = "macos") {
        return vec!["app", "dmg"];
    }
    if cfg!(windows) {
        return vec!["nsis"];
    }
    let mut formats = vec!["deb", "rpm"];
    let cache = crate::environment::variable("XDG_CACHE_HOME").map(PathBuf::from);
    let cache =
        cache.or_else(|| crate::environment::variable("HOME").map(|home| PathBuf::from(home).join(".cache")));
    if cache.is_some_and(|cache| cache.join("tauri").join(APPIMAGE_TOOL).is_file()) {
        formats.push("appimage");
    } else {
        print_note(&format!("AppImage: skipped, {APPIMAGE_TOOL} is not in Tauri's cache"));
    }
    formats
}

/// Writes the other parts of the packages into `target/package`: the terminal command, its manual pages and its
/// completions.
fn write_parts(plait: &Path) -> Result<()> {
    let parts = repo::root().join("target/package");
    if parts.exists() {
        fs::remove_dir_all(&parts).with_context(|| format!("cannot empty {}", parts.display()))?;
    }
    for folder in ["bin", "completions"] {
        fs::create_dir_all(parts.join(folder))?;
    }
    fs::copy(plait, parts.join("bin/plait")).with_context(|| format!("cannot copy {}", plait.display()))?;
    let mut manual = Command::new(plait);
    manual.args(["man", "--dir"]).arg(parts.join("man1"));
    Step::new("Write the manual pages", manual).run()?;
    for (shell, file) in COMPLETIONS {
        let script = fs::File::create(parts.join("completions").join(file))?;
        let status = Command::new(plait).args(["completions", shell]).stdout(Stdio::from(script)).status()?;
        if !status.success() {
            bail!("`plait completions {shell}` failed");
        }
    }
    Ok(())
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<_>>()?;
    // Beside a package, the bundler leaves the folder that it was made from.
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}
