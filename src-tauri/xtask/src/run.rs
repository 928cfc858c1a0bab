//! `cargo xtask run`: the editor on a flow, or the same flow in the terminal where there is no display.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::needs::{self, Purpose};
use crate::steps::{Step, cargo, note};
use crate::{editor, platform, repo};

/// An example that works with no key and no network, and has something of everything: all three strands, a pause, a
/// stream.
const EXAMPLE: &str = "tool-brief";

/// What answers the example's question where nobody can: in a terminal that is none.
const ANSWER: &str = "What can you do for me?";

/// Opens `flow`, or the example.
pub(crate) fn run(flow: Option<&Path>, terminal: bool, release: bool) -> Result<()> {
    let flow = flow.map(given).transpose()?;
    if terminal || !platform::has_display() {
        if !terminal {
            note(
                "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set): \
                 the flow runs in this terminal instead",
            );
        }
        return in_terminal(flow.as_deref(), release);
    }
    needs::provide(&[Purpose::Window, Purpose::Editor])?;
    editor::build()?;
    build("plait-desktop", release)?;
    let mut window = Command::new(repo::binary("plait-desktop", release));
    match &flow {
        Some(flow) => window.arg(flow),
        None => window.args(["--example", EXAMPLE]),
    };
    Step::new("Plait", window).hand_over()
}

fn in_terminal(flow: Option<&Path>, release: bool) -> Result<()> {
    build("plait", release)?;
    let mut run = Command::new(repo::binary("plait", release));
    run.arg("run");
    match flow {
        Some(flow) => run.arg(flow),
        None => run.arg(EXAMPLE),
    };
    if flow.is_none() && !std::io::stdin().is_terminal() {
        run.args(["--answer", ANSWER]);
    }
    note(&format!("$ plait {}", shown(&run)));
    Step::new("plait run", run).hand_over()
}

fn build(package: &str, release: bool) -> Result<()> {
    let mut build = cargo(&["build", "--package", package]);
    if release {
        build.arg("--release");
    }
    Step::new(format!("Build {package} (the first time takes some minutes)"), build).quietly()
}

/// A command's arguments as a person would type them.
fn shown(command: &Command) -> String {
    let word = |word: &OsStr| {
        let word = word.to_string_lossy();
        if word.contains(' ') { format!("'{word}'") } else { word.into_owned() }
    };
    command.get_args().map(word).collect::<Vec<_>>().join(" ")
}

/// The person's flow as an absolute path, because the programs start in the repository.
fn given(flow: &Path) -> Result<PathBuf> {
    if flow.is_dir() {
        bail!("{} is a directory; name a .flow.json file", flow.display());
    }
    flow.canonicalize().with_context(|| format!("there is no flow at {}", flow.display()))
}
