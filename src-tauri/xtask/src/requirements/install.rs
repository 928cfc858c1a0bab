//! Installs packages of the system, and says what and why before it does.
//! Where it may not, it prints the exact command and stops; it never works around the package manager.

use std::process::Command;

use anyhow::{Result, bail};

use super::Need;
use crate::platform::{self, Manager, Root};
use crate::steps::{self, Step};

/// Installs what brings `missing`.
pub(crate) fn install(missing: &[&Need]) -> Result<()> {
    println!("Missing on this machine:");
    for need in missing {
        println!("  - {}: {}", need.name, need.why);
    }
    let Some(manager) = Manager::find() else {
        bail!(
            "none of apt-get, dnf, pacman and brew is here, so these cannot be installed for you. \
             Install them by hand and try again."
        );
    };
    let mut packages: Vec<&str> = missing.iter().flat_map(|need| need.packages(manager)).copied().collect();
    packages.sort_unstable();
    packages.dedup();
    if packages.is_empty() {
        bail!("{manager:?} has no packages for these. Install them by hand and try again.");
    }

    let root = if manager.needs_root() { platform::root() } else { Root::Already };
    let commands = as_root(manager.commands(&packages), root != Root::Already);
    let written: Vec<String> = commands.iter().map(|words| words.join(" ")).collect();
    if root == Root::None {
        bail!(
            "installing needs root, and there is no sudo to be had here. Run this as root, then try again:\n\n    {}\n",
            written.join(" && ")
        );
    }
    for (words, written) in commands.iter().zip(&written) {
        let [program, args @ ..] = words.as_slice() else { continue };
        let mut command = Command::new(program);
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        if root == Root::Sudo {
            // sudo may ask for a password, so it gets the terminal.
            steps::note(&format!("$ {written}"));
            Step::new(written, command).hand_over()?;
        } else {
            Step::new(written, command).quietly()?;
        }
    }
    Ok(())
}

/// Adds components to the Rust toolchain.
pub(crate) fn components(missing: &[&str]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    if platform::which("rustup").is_none() {
        bail!(
            "{names} is missing from the Rust toolchain, and rustup is not here to add it. Install it by hand and try again."
        );
    }
    let mut command = Command::new("rustup");
    command.args(["component", "add"]).args(missing);
    Step::new(format!("rustup component add {names}"), command).quietly()
}

fn as_root(commands: Vec<Vec<String>>, sudo: bool) -> Vec<Vec<String>> {
    let prefix = if sudo { vec!["sudo".to_owned()] } else { Vec::new() };
    commands.into_iter().map(|words| [prefix.clone(), words].concat()).collect()
}

#[cfg(test)]
mod tests;
