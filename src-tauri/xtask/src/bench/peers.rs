//! Installs other engines below `target/` and measures them with our own scripts, on the same shapes of flow.
//!
//! Nothing of them is installed for the system or kept in the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::repo;
use crate::steps::{self, Step, note};

const RIVET: &str = "@ironclad/rivet-node@1.19.1";
const LANGCHAIN: &str = "langchain-core==1.7.2";
const LANGGRAPH: &[&str] = &["langgraph==1.2.22", "langgraph-checkpoint-sqlite"];

/// The size that shapes are compared at, here and in the engine's own benchmarks.
const NODES: u32 = 1_000;
/// How long the history is that is trimmed, here and there.
const MESSAGES: u32 = 10_000;
/// 18 diamonds and the node on top.
const STACK: u32 = 55;

/// What another engine needs for one run.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Peer {
    /// Its name and version
    #[serde(rename = "peer")]
    pub(crate) name: String,
    /// The shape of the flow, in the words of our own benchmarks
    pub(crate) shape: String,
    /// What it keeps its journal in
    pub(crate) journal: String,
    /// How many nodes one run has
    pub(crate) nodes: u64,
    /// The median run; nothing if it broke off
    pub(crate) nanoseconds: Option<f64>,
    /// Why it broke off
    pub(crate) failure: Option<String>,
    /// Whether every node ran; an engine that leaves some out is fast for that reason
    pub(crate) complete: bool,
}

impl Peer {
    /// What of ours it is compared with: runs in memory, or stored ones.
    pub(crate) fn group(&self) -> String {
        if self.journal == "none" { self.shape.clone() } else { format!("durable-{}", self.shape) }
    }

    /// Microseconds for one node, if it came to its end.
    #[allow(clippy::cast_precision_loss)] // Nobody measures 2^52 nodes.
    pub(crate) fn each(&self) -> Option<f64> {
        Some(self.nanoseconds? / 1_000.0 / self.nodes.max(1) as f64)
    }
}

/// Installs and measures all of them. One that cannot be installed or run is left out, and said so.
pub(crate) fn measure() -> Result<Vec<Peer>> {
    let home = repo::target().join("peers");
    std::fs::create_dir_all(&home)?;
    let mut figures = Vec::new();
    let mut take = |name: &str, measured: Result<Vec<Peer>>| match measured {
        Ok(measured) => figures.extend(measured),
        Err(error) => note(&format!("{name} is left out: {error:#}")),
    };
    take("Rivet", rivet(&home.join("rivet")));
    take("LangGraph", langgraph(&home.join("langgraph")));
    take("LangChain", langchain(&home.join("langchain")));
    Ok(figures)
}

fn rivet(home: &Path) -> Result<Vec<Peer>> {
    std::fs::create_dir_all(home)?;
    let mut install =
        steps::npm(&["install", "--no-save", "--ignore-scripts", "--no-progress", RIVET, "--prefix"]);
    install.arg(home).current_dir(home);
    Step::new(format!("Install {RIVET}"), install).quietly()?;
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
    figures.push(measure("run-to", STACK, 1)?);
    Ok(figures)
}

/// A Python of its own with these packages.
fn python(home: &Path, packages: &[&str]) -> Result<PathBuf> {
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(home);
    Step::new("Make a Python environment", make).quietly()?;
    let python = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    Step::new(format!("Install {}", packages.join(" and ")), install).quietly()?;
    Ok(python)
}

fn langchain(home: &Path) -> Result<Vec<Peer>> {
    let mut command = Command::new(python(home, &[LANGCHAIN])?);
    command.arg(script("measure_langchain.py")).args([MESSAGES.to_string(), "3".to_owned()]);
    Ok(vec![read(&format!("LangChain: trimming {MESSAGES} messages"), command)?])
}

fn langgraph(home: &Path) -> Result<Vec<Peer>> {
    let python = python(home, LANGGRAPH)?;
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

/// Runs a script and reads the line of JSON it prints last.
fn read(title: &str, command: Command) -> Result<Peer> {
    let said = Step::new(title, command).for_its_output()?;
    let line = said.last().with_context(|| format!("{title}: it printed nothing"))?;
    serde_json::from_str(line).with_context(|| format!("{title}: it printed `{line}`"))
}
