//! `cargo xtask run`: the editor on a flow, or the same flow in the terminal where there is no display.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::needs::{self, Purpose};
use crate::steps::{Step, cargo, note};
use crate::{editor, platform, repo};

/// An example that works with no key and no network, and has something of everything: a pause, a stream, a tool, a cycle.
pub(crate) const EXAMPLE: &str = "chat-loop";

/// What answers the example's question where nobody can.
const ANSWERS: &[&str] = &["Hello", "What is 23 × 17?"];

/// The exit code of `plait` when the run waits for an answer.
const WAITING: i32 = 3;

/// Opens `flow`, or the example.
pub(crate) fn run(flow: Option<&Path>, terminal: bool, release: bool) -> Result<()> {
    let flow = flow.map(absolute).transpose()?;
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
    let Some(flow) = flow else { return example_in_terminal(release) };
    let mut run = plait(&["run"], release);
    run.arg(flow);
    aloud(run).map(drop)
}

/// The example talks with the person at the terminal; where there is none, it gets its answers from here.
fn example_in_terminal(release: bool) -> Result<()> {
    let mut run = plait(&["run", EXAMPLE], release);
    let alone = !std::io::stdin().is_terminal();
    if alone {
        for answer in ANSWERS {
            run.args(["--answer", answer]);
        }
    }
    if aloud(run)? == Ending::Waiting && alone {
        note("Nobody is here to go on with the conversation, so it is ended");
        aloud(plait(&["resume", "last", "--end"], release))?;
    }
    Ok(())
}

#[derive(PartialEq)]
enum Ending {
    Finished,
    Waiting,
}

fn aloud(command: Command) -> Result<Ending> {
    note(&format!("$ plait {}", shown(&command)));
    match Step::new("plait", command).hand_over_for_code()? {
        0 => Ok(Ending::Finished),
        WAITING => Ok(Ending::Waiting),
        code => bail!("plait ended with exit code {code}"),
    }
}

fn plait(args: &[&str], release: bool) -> Command {
    let mut command = Command::new(repo::binary("plait", release));
    command.args(args);
    command
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

/// The flow's absolute path, because the programs start in the root of the repository.
pub(crate) fn absolute(flow: &Path) -> Result<PathBuf> {
    if flow.is_dir() {
        bail!("{} is a directory; name a .flow.json file", flow.display());
    }
    flow.canonicalize().with_context(|| format!("there is no flow at {}", flow.display()))
}
