//! Installs other engines in `target/` and measures them with scripts of this repository on the same shapes of flow.
//!
//! Nothing is installed system-wide or added to the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::repo;
use crate::steps::{self, Step, print_note};

const RIVET: &str = "@ironclad/rivet-node@1.19.1";
const LANGCHAIN: &str = "langchain-core==1.7.2";
const LANGGRAPH: &[&str] = &["langgraph==1.2.22", "langgraph-checkpoint-sqlite"];

/// The size at which shapes are compared, as in the engine's own benchmarks.
const NODES: u32 = 1_000;
/// The length of the trimmed history, as in the engine's own benchmarks.
const HISTORY_MESSAGES: u32 = 10_000;
/// 18 diamonds and the first node.
const LADDER_NODES: u32 = 55;

/// The measurement of another engine.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Peer {
    /// Name and version of the engine
    #[serde(rename = "peer")]
    pub(crate) name: String,
    /// The shape of the flow, as named in our own benchmarks
    pub(crate) shape: String,
    /// The storage of its journal
    pub(crate) journal: String,
    /// The number of nodes of one run
    pub(crate) nodes: u64,
    /// The median run; `None` if it failed
    pub(crate) nanoseconds: Option<f64>,
    /// Why it failed
    pub(crate) failure: Option<String>,
    /// Whether every node ran; skipping nodes makes a run faster
    pub(crate) complete: bool,
}

impl Peer {
    /// The group of our benchmarks that it is compared with: runs in memory, or stored ones.
    pub(crate) fn group(&self) -> String {
        if self.journal == "none" { self.shape.clone() } else { format!("durable-{}", self.shape) }
    }

    /// Microseconds per node, if it finished.
    #[allow(clippy::cast_precision_loss)] // Counts are far below 2^52.
    pub(crate) fn micros_per_element(&self) -> Option<f64> {
        Some(self.nanoseconds? / 1_000.0 / self.nodes.max(1) as f64)
    }
}

/// Installs and measures all engines. Skips failing engines, with a note.
pub(crate) fn measure() -> Vec<Peer> {
    let mut figures = Vec::new();
    let mut collect = |name: &str, measured: Result<Vec<Peer>>| match measured {
        Ok(measured) => figures.extend(measured),
        Err(error) => print_note(&format!("{name} is skipped: {error:#}")),
    };
    collect("Rivet", rivet());
    collect("LangGraph", langgraph());
    collect("LangChain", langchain());
    figures
}

fn rivet() -> Result<Vec<Peer>> {
    let home = &repo::target().join("peers/rivet");
    std::fs::create_dir_all(home)?;
    let mut install =
        steps::npm(&["install", "--no-save", "--ignore-scripts", "--no-progress", RIVET, "--prefix"]);
    install.arg(home).current_dir(home);
    Step::new(format!("Install {RIVET}"), install).run()?;
    let measure = |shape: &str, nodes: u32, runs: u32| {
        let mut command = Command::new("node");
        command.arg(script("measure_rivet.mjs")).arg(home).args([
            shape,
            &nodes.to_string(),
            &runs.to_string(),
        ]);
        read(&format!("rivet-node: {shape} of {nodes}"), command)
    };
    // A chain longer than about 500 overflows its stack; half the size still tells what a node costs.
    let plain =
        [("chain", NODES / 2), ("chain", NODES), ("fan-out", NODES), ("join", NODES), ("ladder", NODES)];
    let mut figures: Vec<Peer> =
        plain.into_iter().map(|(shape, nodes)| measure(shape, nodes, 5)).collect::<Result<_>>()?;
    figures.push(measure("run-to", LADDER_NODES, 1)?);
    Ok(figures)
}

/// The Python of an environment with these packages.
fn python(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let requirements: String = packages.iter().flat_map(|package| [package, "\n"]).collect();
    let python = if cfg!(windows) { "python.exe" } else { "python" };
    Ok(crate::python::environment(&format!("peers/{name}"), &requirements)?.join(python))
}

fn langchain() -> Result<Vec<Peer>> {
    let mut command = Command::new(python("langchain", &[LANGCHAIN])?);
    command.arg(script("measure_langchain.py")).args([HISTORY_MESSAGES.to_string(), "3".to_owned()]);
    Ok(vec![read(&format!("LangChain: trimming {HISTORY_MESSAGES} messages"), command)?])
}

fn langgraph() -> Result<Vec<Peer>> {
    let python = python("langgraph", LANGGRAPH)?;
    let measure = |shape: &str, journal: &str, runs: u32| {
        let mut command = Command::new(&python);
        command.arg(script("measure_langgraph.py")).args([
            shape,
            &NODES.to_string(),
            &runs.to_string(),
            journal,
        ]);
        read(&format!("LangGraph: {shape} of {NODES}, journal: {journal}"), command)
    };
    let shapes = ["chain", "fan-out", "join", "ladder"];
    let mut figures: Vec<Peer> =
        shapes.into_iter().map(|shape| measure(shape, "none", 3)).collect::<Result<_>>()?;
    for shape in ["chain", "fan-out"] {
        figures.push(measure(shape, "sqlite", 1)?);
    }
    Ok(figures)
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

/// Runs a script and parses the last line of its output as JSON.
fn read(title: &str, command: Command) -> Result<Peer> {
    let lines = Step::new(title, command).capture_output()?;
    let line = lines.last().with_context(|| format!("{title}: it printed nothing"))?;
    serde_json::from_str(line).with_context(|| format!("{title}: it printed `{line}`"))
}
