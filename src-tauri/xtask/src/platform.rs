//! Properties of this machine: package manager, display, root access. Changes nothing.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A package manager of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    /// Debian, Ubuntu and derivatives
    Apt,
    /// Fedora and derivatives
    Dnf,
    /// Arch and derivatives
    Pacman,
    /// macOS
    Brew,
}

impl Manager {
    /// The package manager of this machine.
    pub(crate) fn find() -> Option<Self> {
        let known =
            [(Self::Apt, "apt-get"), (Self::Dnf, "dnf"), (Self::Pacman, "pacman"), (Self::Brew, "brew")];
        known.into_iter().find(|(_, program)| which(program).is_some()).map(|(manager, _)| manager)
    }

    /// The commands that install `packages`, in order, without the `sudo`.
    pub(crate) fn commands(self, packages: &[&str]) -> Vec<Vec<String>> {
        let install: &[&str] = match self {
            Self::Apt => &["apt-get", "install", "--yes", "--no-install-recommends"],
            Self::Dnf => &["dnf", "install", "--assumeyes", "--setopt=install_weak_deps=False"],
            Self::Pacman => &["pacman", "--sync", "--needed", "--noconfirm"],
            Self::Brew => &["brew", "install"],
        };
        let own = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut commands = Vec::new();
        if self == Self::Apt {
            // A new container has no package lists.
            commands.push(own(&["apt-get", "update"]));
        }
        commands.push([own(install), own(packages)].concat());
        commands
    }

    /// Whether installing needs root.
    pub(crate) fn needs_root(self) -> bool {
        self != Self::Brew
    }
}

/// Whether the system is Debian, and not one derived from it, whose packages differ.
pub(crate) fn is_debian() -> bool {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    release.lines().any(|line| line == "ID=debian")
}

/// How to get root access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// This process is root
    Already,
    /// `sudo` works, possibly after asking for a password
    Sudo,
    /// Not available
    None,
}

/// How to get root access. Does not prompt.
pub(crate) fn root() -> Root {
    if is_root() {
        return Root::Already;
    }
    if which("sudo").is_none() {
        return Root::None;
    }
    let without_password = succeeds("sudo", &["--non-interactive", "true"]);
    if without_password || std::io::stdin().is_terminal() { Root::Sudo } else { Root::None }
}

/// Whether a display is available.
pub(crate) fn has_display() -> bool {
    let set = |name: &str| crate::environment::variable(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// The full path of a program in `PATH`.
pub(crate) fn which(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&crate::environment::variable("PATH")?)
        .map(|dir| dir.join(&file))
        .find(|path| path.is_file())
}

/// Whether a program starts and exits with success. Discards its output.
pub(crate) fn succeeds(program: &str, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
