//! The programs and libraries that a machine needs, and checks for them. `install` installs them.

mod install;

use anyhow::{Context, Result, bail};

use crate::platform::{Manager, is_debian, succeeds, which};
use crate::{browser, steps};

/// The use of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Checking the Rust code
    Lint,
    /// Building the window
    Window,
    /// Building and checking the editor
    Editor,
    /// Testing the editor in a browser
    Browser,
    /// Testing the real window
    Driver,
    /// Watching what programs start and open
    Trace,
    /// Testing hosts whose runs are in a database
    Database,
}

impl Purpose {
    /// Everything that `run` and `test` can need.
    pub(crate) const ALL: &[Self] =
        &[Self::Lint, Self::Window, Self::Editor, Self::Browser, Self::Driver, Self::Trace, Self::Database];
}

/// A program or library that a machine needs.
pub(crate) struct Requirement {
    pub(crate) name: &'static str,
    /// Its use, for a message
    pub(crate) used_for: &'static str,
    purpose: Purpose,
    present: fn() -> bool,
    packages: fn(Manager) -> &'static [&'static str],
}

impl Requirement {
    /// The packages of `manager` that contain it. Empty if there are none.
    pub(crate) fn packages(&self, manager: Manager) -> &'static [&'static str] {
        (self.packages)(manager)
    }
}

/// The oldest version of Node that the editor's tools support.
const MIN_NODE_VERSION: (u32, u32) = (20, 19);

const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        name: "pkg-config",
        used_for: "finds the webview's libraries for the build of the window",
        purpose: Purpose::Window,
        present: || !cfg!(target_os = "linux") || which("pkg-config").is_some(),
        packages: |manager| match manager {
            Manager::Apt => &["pkg-config"],
            Manager::Dnf => &["pkgconf-pkg-config"],
            Manager::Pacman => &["pkgconf"],
            Manager::Brew => &[],
        },
    },
    Requirement {
        name: "WebKitGTK 4.1 (development files)",
        used_for: "the webview of the window",
        purpose: Purpose::Window,
        present: || {
            !cfg!(target_os = "linux") || succeeds("pkg-config", &["--exists", "webkit2gtk-4.1", "gtk+-3.0"])
        },
        packages: |manager| match manager {
            Manager::Apt => &["libwebkit2gtk-4.1-dev"],
            Manager::Dnf => &["webkit2gtk4.1-devel"],
            Manager::Pacman => &["webkit2gtk-4.1"],
            Manager::Brew => &[],
        },
    },
    Requirement {
        name: "Chromium",
        used_for: "runs the editor's tests",
        purpose: Purpose::Browser,
        present: || browser::find().is_some(),
        packages: |manager| match manager {
            Manager::Apt if is_debian() => &["chromium-headless-shell"],
            Manager::Apt | Manager::Dnf | Manager::Pacman | Manager::Brew => &["chromium"],
        },
    },
    Requirement {
        name: "WebKitWebDriver",
        used_for: "drives the real window in tests",
        purpose: Purpose::Driver,
        present: || which("WebKitWebDriver").is_some(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Dnf => &["webkit2gtk-driver"],
            Manager::Pacman => &["webkit2gtk-4.1"],
            Manager::Brew => &[],
        },
    },
    Requirement {
        name: "Xvfb",
        used_for: "the display for tests of the window",
        purpose: Purpose::Driver,
        present: || which("Xvfb").is_some(),
        packages: |manager| match manager {
            Manager::Apt => &["xvfb"],
            Manager::Dnf => &["xorg-x11-server-Xvfb"],
            Manager::Pacman => &["xorg-server-xvfb"],
            Manager::Brew => &[],
        },
    },
    Requirement {
        name: "xwininfo",
        used_for: "reads the titles of windows in tests",
        purpose: Purpose::Driver,
        present: || which("xwininfo").is_some(),
        packages: |manager| match manager {
            Manager::Apt => &["x11-utils"],
            Manager::Dnf => &["xwininfo"],
            Manager::Pacman => &["xorg-xwininfo"],
            Manager::Brew => &[],
        },
    },
    Requirement {
        name: "rpm",
        used_for: "reads the RPM package in tests",
        purpose: Purpose::Driver,
        present: || which("rpm").is_some(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Dnf => &["rpm"],
            Manager::Pacman => &["rpm-tools"],
            Manager::Brew => &[],
        },
    },
    Requirement {
        name: "dbus-run-session",
        used_for: "the message bus for tests of the window",
        purpose: Purpose::Driver,
        present: || which("dbus-run-session").is_some(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Dnf => &["dbus-daemon"],
            Manager::Pacman => &["dbus"],
            Manager::Brew => &[],
        },
    },
    Requirement {
        name: "strace",
        used_for: "shows in tests that opening a flow starts and requests nothing",
        purpose: Purpose::Trace,
        present: || !cfg!(target_os = "linux") || which("strace").is_some(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Dnf | Manager::Pacman => &["strace"],
            Manager::Brew => &[],
        },
    },
    Requirement {
        name: "PostgreSQL",
        used_for: "holds the runs of hosts with workers in tests",
        purpose: Purpose::Database,
        present: || cfg!(not(unix)) || has_postgres(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Pacman => &["postgresql"],
            Manager::Dnf => &["postgresql-server"],
            Manager::Brew => &["postgresql@17"],
        },
    },
    Requirement {
        name: "ip",
        used_for: "cuts a node of Restate off from the others in a test",
        purpose: Purpose::Database,
        present: || !cfg!(target_os = "linux") || which("ip").is_some(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Pacman => &["iproute2"],
            Manager::Dnf => &["iproute"],
            Manager::Brew => &[],
        },
    },
];

/// Whether the programs of a PostgreSQL server are in `PATH`, or where Debian has them.
fn has_postgres() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    which("initdb").is_some()
        || versions.into_iter().any(|version| version.path().join("bin/initdb").exists())
}

/// Installs the missing requirements of `purposes`.
///
/// Fails with the exact command to run if it cannot install, and if Node is missing or too old: distributions ship very
/// different versions, so the choice is left to the developer.
pub(crate) fn ensure_installed(purposes: &[Purpose]) -> Result<()> {
    if purposes.contains(&Purpose::Editor) || purposes.contains(&Purpose::Browser) {
        check_node()?;
    }
    if purposes.contains(&Purpose::Lint) {
        install::components(&missing_components())?;
    }
    let missing = missing(purposes);
    if missing.is_empty() {
        steps::print_note("All system requirements are installed");
        return Ok(());
    }
    install::install(&missing)?;
    let still = self::missing(purposes);
    if !still.is_empty() {
        let names: Vec<_> = still.iter().map(|need| need.name).collect();
        bail!("still missing after the installation: {}. Install by hand and try again.", names.join(", "));
    }
    Ok(())
}

fn missing(purposes: &[Purpose]) -> Vec<&'static Requirement> {
    REQUIREMENTS.iter().filter(|need| purposes.contains(&need.purpose) && !(need.present)()).collect()
}

/// Components that a minimal toolchain lacks.
fn missing_components() -> Vec<&'static str> {
    let components = [("rustfmt", "fmt"), ("clippy", "clippy")];
    let missing = components.into_iter().filter(|(_, command)| !succeeds("cargo", &[command, "--version"]));
    missing.map(|(component, _)| component).collect()
}

fn check_node() -> Result<()> {
    let (major, minor) = MIN_NODE_VERSION;
    let hint = format!("Install Node {major}.{minor} or newer from https://nodejs.org and try again.");
    if which("npm").is_none() {
        bail!("npm is missing; it builds the editor. {hint}");
    }
    let output = std::process::Command::new("node")
        .arg("--version")
        .output()
        .with_context(|| format!("Node is missing; it builds the editor. {hint}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    let version = version.trim();
    match parse_version(version) {
        Some(found) if found >= MIN_NODE_VERSION => Ok(()),
        _ => bail!("Node {version} is too old for the editor's tools. {hint}"),
    }
}

/// `v20.19.1` as (20, 19).
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.strip_prefix('v')?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests;
