//! What a machine must have for a purpose, and whether it has it.
//! Knows names and checks; `install` does the installing.

mod install;

use anyhow::{Context, Result, bail};

use crate::platform::{Manager, succeeds, which};
use crate::{browser, steps};

/// What something is needed for.
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
}

impl Purpose {
    /// Everything `run` and `test` could want.
    pub(crate) const ALL: &[Self] = &[Self::Lint, Self::Window, Self::Editor, Self::Browser, Self::Driver];
}

/// One thing a machine must have.
pub(crate) struct Need {
    /// What it is called
    pub(crate) name: &'static str,
    /// Why it is wanted, for the person whose machine it is
    pub(crate) why: &'static str,
    purpose: Purpose,
    present: fn() -> bool,
    packages: fn(Manager) -> &'static [&'static str],
}

impl Need {
    /// The packages that bring it, in the words of `manager`. Empty if the manager has none.
    pub(crate) fn packages(&self, manager: Manager) -> &'static [&'static str] {
        (self.packages)(manager)
    }
}

/// The oldest Node the editor's tools run on.
const NODE: (u32, u32) = (20, 19);

const NEEDS: &[Need] = &[
    Need {
        name: "pkg-config",
        why: "finds the webview's libraries when the window is built",
        purpose: Purpose::Window,
        present: || !cfg!(target_os = "linux") || which("pkg-config").is_some(),
        packages: |manager| match manager {
            Manager::Apt => &["pkg-config"],
            Manager::Dnf => &["pkgconf-pkg-config"],
            Manager::Pacman => &["pkgconf"],
            Manager::Brew => &[],
        },
    },
    Need {
        name: "WebKitGTK 4.1 (development files)",
        why: "is the webview that the window shows the editor in",
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
    Need {
        name: "Chromium",
        why: "runs the editor's tests in a browser",
        purpose: Purpose::Browser,
        present: || browser::find().is_some(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Dnf | Manager::Pacman | Manager::Brew => &["chromium"],
        },
    },
    Need {
        name: "WebKitWebDriver",
        why: "drives the real window in tests",
        purpose: Purpose::Driver,
        present: || which("WebKitWebDriver").is_some(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Dnf => &["webkit2gtk-driver"],
            Manager::Pacman => &["webkit2gtk-4.1"],
            Manager::Brew => &[],
        },
    },
    Need {
        name: "Xvfb",
        why: "gives tests of the window a display of their own",
        purpose: Purpose::Driver,
        present: || which("Xvfb").is_some(),
        packages: |manager| match manager {
            Manager::Apt => &["xvfb"],
            Manager::Dnf => &["xorg-x11-server-Xvfb"],
            Manager::Pacman => &["xorg-server-xvfb"],
            Manager::Brew => &[],
        },
    },
    Need {
        name: "dbus-run-session",
        why: "gives tests of the window a message bus of their own",
        purpose: Purpose::Driver,
        present: || which("dbus-run-session").is_some(),
        packages: |manager| match manager {
            Manager::Apt | Manager::Dnf => &["dbus-daemon"],
            Manager::Pacman => &["dbus"],
            Manager::Brew => &[],
        },
    },
];

/// Sees to it that everything for `purposes` is there, installing what is missing.
///
/// Fails with the exact command to give when it cannot install, and when Node is missing or too old
/// (distributions ship such different versions that choosing one is left to the person).
pub(crate) fn provide(purposes: &[Purpose]) -> Result<()> {
    if purposes.contains(&Purpose::Editor) || purposes.contains(&Purpose::Browser) {
        check_node()?;
    }
    if purposes.contains(&Purpose::Lint) {
        install::components(&missing_components())?;
    }
    let missing = missing(purposes);
    if missing.is_empty() {
        steps::note("Everything the system must provide is there");
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

fn missing(purposes: &[Purpose]) -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| purposes.contains(&need.purpose) && !(need.present)()).collect()
}

/// A minimal toolchain comes without these.
fn missing_components() -> Vec<&'static str> {
    let components = [("rustfmt", "fmt"), ("clippy", "clippy")];
    let missing = components.into_iter().filter(|(_, command)| !succeeds("cargo", &[command, "--version"]));
    missing.map(|(component, _)| component).collect()
}

fn check_node() -> Result<()> {
    let (major, minor) = NODE;
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
        Some(found) if found >= NODE => Ok(()),
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
