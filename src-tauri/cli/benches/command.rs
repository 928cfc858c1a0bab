//! The whole command that a person runs: `plait run FILE --json` and `plait check FILE` on a chain, and a cycle of many
//! iterations. Time and peak memory of the process, start and end included. Linux only: elsewhere memory is not measured.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait --bench command` this one.

#[path = "../../nodes/benches/workload/figures.rs"]
mod figures;

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use figures::{Figures, is_selected};
use serde_json::{Map, Value, json};

/// Nodes of the chain, and iterations of the cycle.
const SIZE: u32 = 100_000;
/// Nodes of the chain that is replayed.
const REPLAYED: u32 = 10_000;
/// Commands are measured this often; the shortest time counts, since other work on the machine only adds to it.
const SAMPLES: usize = 3;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The time and memory of one command.
struct Measured {
    time: Duration,
    peak_bytes: f64,
}

fn main() -> Result<()> {
    if !is_selected("command") {
        return Ok(());
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let mut figures = Figures::default();
    // The cost of a process without work.
    let empty = measure(folder.path(), &["check", &write(folder.path(), "empty", &chain(1, same))?])?;
    let flows = [
        ("chain", chain(SIZE, same)),
        ("chain of different templates", chain(SIZE, different)),
        ("cycle", cycle(SIZE)),
    ];
    for (name, flow) in flows {
        let file = write(folder.path(), name, &flow)?;
        let run = measure(folder.path(), &["run", &file, "--json"])?;
        add(&mut figures, &format!("run of a {name}"), &run, &empty);
        if name != "cycle" {
            add(
                &mut figures,
                &format!("check of a {name}"),
                &measure(folder.path(), &["check", &file])?,
                &empty,
            );
        }
    }
    add_replay(&mut figures, folder.path())?;
    Ok(figures.write("command")?)
}

/// A replay of a recording, compared with the run that was recorded.
fn add_replay(figures: &mut Figures, folder: &Path) -> Result<()> {
    let flow = write(folder, "recorded", &chain(REPLAYED, same))?;
    let recording = folder.join("recorded.plait-recording").display().to_string();
    measure(folder, &["run", &flow, "--record", &recording])?;
    let run = measure(folder, &["run", &flow, "--json"])?;
    let replay = measure(folder, &["replay", &recording, "--json"])?;
    let ratio = replay.time.as_secs_f64() / run.time.as_secs_f64();
    figures.add("command", "replay of 10,000 nodes, compared with their run", ratio, "×");
    Ok(())
}

/// The figures of a command, for each node or iteration.
fn add(figures: &mut Figures, what: &str, measured: &Measured, empty: &Measured) {
    let size = f64::from(SIZE);
    let time = measured.time.saturating_sub(empty.time);
    figures.add("command", what, time.as_secs_f64() * 1e6 / size, "µs");
    let bytes = (measured.peak_bytes - empty.peak_bytes) / size;
    figures.add("command", &format!("{what}, peak memory"), bytes / 1024.0, "KB");
}

fn measure(folder: &Path, arguments: &[&str]) -> Result<Measured> {
    let mut best: Option<Measured> = None;
    for _ in 0..SAMPLES {
        let home = tempfile::tempdir_in(folder)?;
        let begin = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_plait"))
            .args(arguments)
            .env("PLAIT_HOME", home.path())
            .env("PLAIT_KEYCHAIN", "off")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut peak_bytes = 0.0;
        let status = loop {
            if let Some(bytes) = peak_memory(child.id()) {
                peak_bytes = bytes;
            }
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let time = begin.elapsed();
        if !status.success() {
            let output = child.wait_with_output()?;
            return Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        if best.as_ref().is_none_or(|best| time < best.time) {
            best = Some(Measured { time, peak_bytes });
        }
    }
    best.ok_or_else(|| "nothing was measured".into())
}

/// The most memory that a process has had so far.
fn peak_memory(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"))?;
    peak.trim().parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0)
}

fn write(folder: &Path, name: &str, flow: &Value) -> Result<String> {
    let path = folder.join(format!("{name}.flow.json"));
    std::fs::write(&path, flow.to_string())?;
    Ok(path.display().to_string())
}

/// The template of every node.
fn same(_: u32) -> String {
    "{{value}}".to_owned()
}

/// A template of its own for each node, with the same output.
fn different(at: u32) -> String {
    format!("{{{{!-- {at} --}}}}{{{{value}}}}")
}

/// A text that each node passes to the next.
fn chain(nodes: u32, template: fn(u32) -> String) -> Value {
    let id = |at: u32| format!("n{at:06}");
    let mut all = Map::from_iter([(id(0), json!({ "type": "text", "config": { "template": "Hello" } }))]);
    let mut edges = Map::new();
    for at in 1..nodes {
        all.insert(id(at), json!({ "type": "text", "config": { "template": template(at) } }));
        edges.insert(format!("e{at:06}"), edge(&id(at - 1), &id(at)));
    }
    json!({ "version": 1, "name": "chain", "nodes": all, "edges": edges })
}

/// A node that feeds itself.
fn cycle(iterations: u32) -> Value {
    json!({
        "version": 1,
        "name": "cycle",
        "nodes": {
            "start": { "type": "text", "config": { "template": "Hello" } },
            "again": {
                "type": "text",
                "config": { "template": "{{value}}" },
                "limits": { "maxEpochs": iterations },
            },
        },
        "edges": { "1": edge("start", "again"), "2": edge("again", "again") },
    })
}

fn edge(source: &str, target: &str) -> Value {
    json!({ "source": source, "sourceOutput": "text", "target": target, "targetInput": "value" })
}
