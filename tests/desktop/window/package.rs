//! The packages: the Debian one installed into an empty root, and its programs used from there; the RPM one with the same files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use plait_window_tests::environment::clean_command;
use plait_window_tests::run_test;

use crate::newcomer::{build_by_keyboard, build_by_mouse};

/// The variables with the paths of the packages. `cargo xtask test --only window` makes them.
const DEBIAN: &str = "PLAIT_PACKAGE_DEB";
const RPM: &str = "PLAIT_PACKAGE_RPM";

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
    /// Installs the package with a package database of its own. Its dependencies come from the system.
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

fn named_package(variable: &str) -> Result<PathBuf> {
    Ok(PathBuf::from(std::env::var_os(variable).with_context(|| format!("{variable} names no package"))?))
}

/// The output of a program. Fails if the program does.
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
        let package = named_package(DEBIAN)?;
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
        build_by_mouse("package-mouse", &window).await?;
        build_by_keyboard("package-keyboard", &window).await
    })
    .await
}

#[test]
#[ignore = "needs packages, which `cargo xtask test --only window` makes"]
fn package_for_rpm_holds_the_files_of_the_debian_one() -> Result<()> {
    let contents = print_of(Command::new("dpkg-deb").arg("--contents").arg(named_package(DEBIAN)?))?;
    // Each line begins with the mode and ends with the path.
    let of_debian = contents.lines().filter(|line| !line.starts_with('d'));
    let of_debian: BTreeSet<String> = of_debian
        .filter_map(|line| line.split(' ').next_back())
        .map(|path| format!("/{}", path.trim_start_matches("./")))
        // Where each system's zsh looks.
        .map(|path| path.replace("zsh/vendor-completions", "zsh/site-functions"))
        .collect();
    let package = named_package(RPM)?;
    let format = "[%{FILEMODES:perms} %{FILENAMES}\\n]";
    let listed = print_of(Command::new("rpm").args(["-qp", "--queryformat", format]).arg(&package))?;
    let files =
        listed.lines().filter_map(|line| line.split_once(' ')).filter(|(mode, _)| !mode.starts_with('d'));
    assert_eq!(files.map(|(_, path)| path.to_owned()).collect::<BTreeSet<_>>(), of_debian);
    assert!(of_debian.contains("/usr/bin/plait-desktop"), "{of_debian:?}");

    let needs = print_of(Command::new("rpm").args(["-qpR"]).arg(&package))?;
    for library in ["libwebkit2gtk-4.1.so.0", "libgtk-3.so.0"] {
        assert!(needs.contains(library), "{needs}");
    }
    Ok(())
}
