//! The Debian package: installed into an empty root, and its programs used from there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use plait_window_tests::environment::clean_command;
use plait_window_tests::run_test;

use crate::draw_and_run::draw_run_save_and_reopen;
use crate::newcomer::{build_by_keyboard, build_by_mouse};

/// The variable with the path of the package. `cargo xtask test --only window` makes it.
const PACKAGE: &str = "PLAIT_PACKAGE";

/// What belongs to an installed application beside its programs.
const PARTS: &[&str] = &[
    "usr/share/man/man1/plait.1",
    "usr/share/man/man1/plait-run.1",
    "usr/share/bash-completion/completions/plait",
    "usr/share/zsh/vendor-completions/_plait",
    "usr/share/fish/vendor_completions.d/plait.fish",
    "usr/share/icons/hicolor/128x128/apps/plait-desktop.png",
    "usr/share/icons/hicolor/scalable/apps/plait-desktop.svg",
    "usr/share/icons/hicolor/scalable/mimetypes/application-vnd.plait.flow+json.svg",
    "usr/share/doc/plait/LICENSE-MIT",
];

/// Removed with everything in it.
struct Root(tempfile::TempDir);

impl Root {
    /// Installs the package with a package database of its own. What it depends on is taken from the system.
    fn install(package: &Path) -> Result<Self> {
        let root = Self(tempfile::Builder::new().prefix("plait-root-").tempdir()?);
        for folder in ["var/lib/dpkg/updates", "var/lib/dpkg/info", "var/log"] {
            fs::create_dir_all(root.path(folder))?;
        }
        fs::write(root.path("var/lib/dpkg/status"), "")?;
        let mut dpkg = Command::new("dpkg");
        dpkg.arg(format!("--root={}", root.0.path().display())).args(["--force-depends", "--force-not-root"]);
        dpkg.arg(format!("--log={}", root.path("var/log/dpkg.log").display())).arg("--install").arg(package);
        print_of(&mut dpkg)?;
        Ok(root)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }
}

/// What a program prints. Fails if the program does.
fn print_of(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {error}");
    Ok(String::from_utf8(output.stdout)?)
}

#[tokio::test]
#[ignore = "needs a package, which `cargo xtask test --only window` makes"]
async fn package_installs_into_an_empty_root_and_its_window_runs_a_drawn_flow() -> Result<()> {
    run_test(async {
        let package = PathBuf::from(std::env::var_os(PACKAGE).context("no package is named")?);
        let depends = print_of(Command::new("dpkg-deb").arg("--field").arg(&package).arg("Depends"))?;
        assert_eq!(depends.trim(), "libwebkit2gtk-4.1-0, libgtk-3-0");

        let root = Root::install(&package)?;
        for part in PARTS {
            assert!(root.path(part).is_file(), "{part} is missing");
        }
        let entry = fs::read_to_string(root.path("usr/share/applications/Plait.desktop"))?;
        assert!(entry.contains("\nExec=plait-desktop %f\n"), "{entry}");
        assert!(entry.contains("\nMimeType=application/vnd.plait.flow+json;\n"), "{entry}");
        print_of(Command::new("update-mime-database").arg(root.path("usr/share/mime")))?;
        let globs = fs::read_to_string(root.path("usr/share/mime/globs2"))?;
        assert!(globs.contains("60:application/vnd.plait.flow+json:*.flow.json"), "{globs}");

        let home = tempfile::tempdir()?;
        let mut run = clean_command(root.path("usr/bin/plait"));
        run.args(["run", "hello", "--home"]).arg(home.path());
        assert!(!print_of(&mut run)?.trim().is_empty());

        let window = root.path("usr/bin/plait-desktop");
        draw_run_save_and_reopen("package", &window).await?;
        build_by_mouse("package-mouse", &window).await?;
        build_by_keyboard("package-keyboard", &window).await
    })
    .await
}
