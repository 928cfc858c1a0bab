//! `cargo xtask run`: opens the editor with a flow, or runs the flow in the terminal if there is no display.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::requirements::{self, Purpose};
use crate::steps::{Step, cargo, print_note};
use crate::{editor, platform, repo};

/// An example that needs no key and no network and has a pause, a stream, a tool and a cycle.
pub(crate) const EXAMPLE: &str = "chat-loop";

/// The answers to the example's pauses if standard input is not a terminal.
const ANSWERS: &[&str] = &["Hello", "What is 23 × 17?"];

/// The exit code of `plait` if the run waits for an answer.
const WAITING_EXIT_CODE: i32 = 3;

/// Opens `flow`, or the example.
pub(crate) fn run(flow: Option<&Path>, terminal: bool, release: bool) -> Result<()> {
    let flow = flow.map(absolute).transpose()?;
    if terminal || !platform::has_display() {
        if !terminal {
            print_note(
                "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): \
                 the flow runs in this terminal instead",
            );
        }
        return in_terminal(flow.as_deref(), release);
    }
    requirements::ensure_installed(&[Purpose::Window, Purpose::Editor])?;
    editor::build()?;
    build("plait-desktop", release)?;
    let mut window = Command::new(repo::binary("plait-desktop", release));
    match &flow {
        Some(flow) => window.arg(flow),
        None => window.args(["--example", EXAMPLE]),
    };
    Step::new("Plait", window).run_in_foreground()
}

fn in_terminal(flow: Option<&Path>, release: bool) -> Result<()> {
    build("plait", release)?;
    let Some(flow) = flow else { return example_in_terminal(release) };
    let mut run = plait(&["run"], release);
    run.arg(flow);
    run_plait(run).map(drop)
}

/// Runs the example, with prepared answers if standard input is not a terminal.
fn example_in_terminal(release: bool) -> Result<()> {
    let mut run = plait(&["run", EXAMPLE], release);
    let is_unattended = !std::io::stdin().is_terminal();
    if is_unattended {
        for answer in ANSWERS {
            run.args(["--answer", answer]);
        }
    }
    if run_plait(run)? == RunOutcome::Waiting && is_unattended {
        print_note("There is no terminal to continue the conversation, so it is ended");
        run_plait(plait(&["resume", "last", "--end"], release))?;
    }
    Ok(())
}

#[derive(PartialEq)]
enum RunOutcome {
    Finished,
    Waiting,
}

fn run_plait(command: Command) -> Result<RunOutcome> {
    print_note(&format!("$ plait {}", display_args(&command)));
    match Step::new("plait", command).foreground_exit_code()? {
        0 => Ok(RunOutcome::Finished),
        WAITING_EXIT_CODE => Ok(RunOutcome::Waiting),
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
    Step::new(format!("Build {package} (the first time takes some minutes)"), build).run()
}

/// The arguments of a command, quoted for display.
fn display_args(command: &Command) -> String {
    let word = |word: &OsStr| {
        let word = word.to_string_lossy();
        if word.contains(' ') { format!("'{word}'") } else { word.into_owned() }
    };
    command.get_args().map(word).collect::<Vec<_>>().join(" ")
}

/// The absolute path of a flow, because programs start in the root of the repository.
pub(crate) fn absolute(flow: &Path) -> Result<PathBuf> {
    if flow.is_dir() {
        bail!("{} is a directory; name a .flow.json file", flow.display());
    }
    flow.canonicalize().with_context(|| format!("there is no flow at {}", flow.display()))
}
