//! Installs system packages with the system's package manager, after printing their purpose. Without root access it
//! prints the exact command and stops.

use std::process::Command;

use anyhow::{Result, bail};

use super::Requirement;
use crate::platform::{self, Manager, Root};
use crate::steps::{self, Step};

pub(crate) fn install(missing: &[&Requirement]) -> Result<()> {
    println!("Missing on this machine:");
    for requirement in missing {
        println!("  - {}: {}", requirement.name, requirement.used_for);
    }
    let Some(manager) = Manager::find() else {
        bail!(
            "none of apt-get, dnf, pacman and brew was found, so these cannot be installed automatically. \
             Install them by hand and try again."
        );
    };
    let mut packages: Vec<&str> =
        missing.iter().flat_map(|requirement| requirement.packages(manager)).copied().collect();
    packages.sort_unstable();
    packages.dedup();
    if packages.is_empty() {
        bail!("{manager:?} has no packages for these. Install them by hand and try again.");
    }

    let root = if manager.needs_root() { platform::root() } else { Root::Already };
    let commands = as_root(manager.commands(&packages), root != Root::Already);
    let command_lines: Vec<String> = commands.iter().map(|words| words.join(" ")).collect();
    if root == Root::None {
        bail!(
            "installing needs root, and sudo is not available. Run this as root, then try again:\n\n    {}\n",
            command_lines.join(" && ")
        );
    }
    for (words, command_line) in commands.iter().zip(&command_lines) {
        let [program, args @ ..] = words.as_slice() else { continue };
        let mut command = Command::new(program);
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        if root == Root::Sudo {
            // sudo may ask for a password, so it gets the terminal.
            steps::print_note(&format!("$ {command_line}"));
            Step::new(command_line, command).run_in_foreground()?;
        } else {
            Step::new(command_line, command).run()?;
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
            "{names} is missing from the Rust toolchain, and rustup was not found. Install it by hand and try again."
        );
    }
    let mut command = Command::new("rustup");
    command.args(["component", "add"]).args(missing);
    Step::new(format!("rustup component add {names}"), command).run()
}

fn as_root(commands: Vec<Vec<String>>, sudo: bool) -> Vec<Vec<String>> {
    let prefix = if sudo { vec!["sudo".to_owned()] } else { Vec::new() };
    commands.into_iter().map(|words| [prefix.clone(), words].concat()).collect()
}

#[cfg(test)]
mod tests;
