//! `cargo xtask run`: the editor on a flow, or the same flow in the terminal where there is no display.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::needs::{self, Purpose};
use crate::steps::{Step, cargo, note};
use crate::{editor, platform, repo};

/// A flow that works with no key and no network.
const EXAMPLE: &str = "tests/fixtures/examples/first-steps.flow.json";

/// What is typed for the person when the example runs in the terminal.
const GREETING: &str = "Hello from the terminal";

/// Opens `flow`, or the example.
pub(crate) fn run(flow: Option<&Path>, terminal: bool, release: bool) -> Result<()> {
    let chosen = match flow {
        Some(flow) => given(flow)?,
        None => repo::root().join(EXAMPLE),
    };
    if terminal || !platform::has_display() {
        if !terminal {
            note(
                "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), so the flow runs in this terminal",
            );
        }
        return in_terminal(&chosen, flow.is_none(), release);
    }
    needs::provide(&[Purpose::Window, Purpose::Editor])?;
    editor::build()?;
    let mut build = cargo(&["build", "--package", "plait-desktop"]);
    if release {
        build.arg("--release");
    }
    Step::new("Build the window (the first time takes some minutes)", build).quietly()?;
    note(&format!("Opening {}", chosen.display()));
    let mut window = std::process::Command::new(repo::window_binary(release));
    window.arg(&chosen);
    Step::new("Plait", window).hand_over()
}

fn in_terminal(flow: &Path, example: bool, release: bool) -> Result<()> {
    let mut build = cargo(&["build", "--package", "plait"]);
    let mut run = cargo(&["run", "--quiet", "--package", "plait"]);
    if release {
        build.arg("--release");
        run.arg("--release");
    }
    Step::new("Build plait (the first time takes some minutes)", build).quietly()?;
    run.args(["--", "run"]).arg(flow);
    if example {
        run.args(["--input", GREETING]);
    }
    note(&format!("$ plait run {}", flow.display()));
    Step::new("plait run", run).hand_over()
}

/// The person's flow as an absolute path, because the window may start elsewhere.
fn given(flow: &Path) -> Result<PathBuf> {
    if flow.is_dir() {
        bail!("{} is a directory; name a .flow.json file", flow.display());
    }
    flow.canonicalize().with_context(|| format!("there is no flow at {}", flow.display()))
}
