//! A conversation of 5,050 turns (`userInput ⟲ chat`, offline provider, the store's journal): what a turn takes as the
//! conversation grows, and what it takes on disk. Then one of 1,000 turns over as many runs.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-adapters --bench conversation` does alone. It is one long run, so
//! the figures are medians of stretches of it, beside those of the same conversation with its journal in memory.

#![allow(clippy::cast_precision_loss, reason = "sizes and times are far below 2^52")]

#[path = "conversation/across_runs.rs"]
mod across_runs;
#[path = "talk/talk.rs"]
mod talk;
#[path = "../../nodes/benches/workload/workload.rs"]
mod workload;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use plait_adapters::ProviderRegistry;
use plait_journal::{Journal, MemoryJournal};
use plait_store::Store;
use serde_json::json;
use talk::SAID;
use tokio::runtime::Runtime;
use workload::{BenchError, Figures, is_selected};

/// All of it fits the model's window, so that every call is given the whole history.
const TURNS: usize = 5_050;
/// Ranges of turns to compare by their medians.
const STRETCHES: [(usize, usize); 5] =
    [(10, 110), (500, 600), (1_000, 1_100), (1_900, 2_000), (4_950, 5_050)];

fn main() -> Result<(), BenchError> {
    if !is_selected("conversation") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let mut figures = Figures::default();
    let in_memory = runtime.block_on(converse("memory", MemoryJournal::default(), TURNS))?;
    tell(&mut figures, "journal in memory", &in_memory);
    let (_, half) = stored(&runtime, TURNS / 2)?;
    let (times, whole) = stored(&runtime, TURNS)?;
    tell(&mut figures, "journal on disk", &times);
    // What was said, and what was answered: the offline provider's echo says it again, and a few words before.
    let text = TURNS * (2 * SAID.len() + "You said: ".len());
    figures.add("conversation-size", "half of the turns", megabytes(half), "MB");
    figures.add("conversation-size", "all turns", megabytes(whole), "MB");
    figures.add("conversation-size", "text of all turns", megabytes(text as u64), "MB");
    across_runs::measure(&runtime, &mut figures)?;
    Ok(figures.write("conversation")?)
}

/// Talks with the store's journal. Gives what each turn took, and how many bytes the store has once it is closed: an open one
/// keeps what it has not moved to its place yet.
fn stored(runtime: &Runtime, turns: usize) -> Result<(Vec<Duration>, u64), BenchError> {
    // Below the build directory, since a system's temporary directory may be memory.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(home.path())?;
    let run = uuid::Uuid::now_v7().to_string();
    let times = runtime.block_on(converse(&run, store.journal(&run.as_str().into())?, turns))?;
    drop(store);
    Ok((times, size(home.path())))
}

fn tell(figures: &mut Figures, by: &str, times: &[Duration]) {
    for (from, to) in STRETCHES {
        figures.add("conversation", &format!("{by}, turns {from}–{to}"), median(&times[from..to]), "µs");
    }
}

/// The median, in microseconds.
fn median(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Talks, and gives what each turn took, from the answer to the next question.
async fn converse(
    run: &str,
    journal: impl Journal + 'static,
    turns: usize,
) -> Result<Vec<Duration>, BenchError> {
    let echo = json!({ "provider": "offline", "model": "echo" });
    let model = (echo, ProviderRegistry::new(&BTreeMap::new())?);
    talk::hold(
        run,
        journal,
        model,
        |_| (),
        async |talk| {
            let mut times = Vec::with_capacity(turns);
            for _ in 0..turns {
                let began = Instant::now();
                talk.say(SAID).await?;
                times.push(began.elapsed());
            }
            Ok(times)
        },
    )
    .await
}

/// How many bytes the files below `path` take.
fn size(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let one = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(one).sum()
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
