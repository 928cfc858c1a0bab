//! A conversation of 2,000 turns (`userInput ⟲ chat`, offline provider, the store's journal): what a turn takes as the
//! conversation grows, and what it takes on disk. Then one of 1,000 turns over as many runs.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-adapters --bench conversation` does alone. It is one long run, so
//! the figures are medians of stretches of it, beside those of the same conversation with its journal in memory.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_precision_loss,
    reason = "a benchmark that goes wrong ends"
)]

#[path = "conversation/across_runs.rs"]
mod across_runs;
#[path = "../../engine/benches/workload/mod.rs"]
mod workload;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::channel::mpsc;
use plait_adapters::{NativeTools, ProviderTable, Store, SystemClock};
use plait_engine::flow::Flow;
use plait_engine::host::Host;
use plait_engine::id::Activation;
use plait_engine::journal::{Journal, MemoryJournal};
use plait_engine::node::RunInfo;
use plait_engine::nodes::registry;
use plait_engine::plan::{Given, plan};
use plait_engine::run::{Driver, Fact, RunEnd, RunHandle, RunSetup};
use serde_json::json;
use workload::{Figures, first, is_asked_for};

const TURNS: usize = 2_000;
/// What the person says each time: with the answer about 50 tokens, so that all of it fits the model's window and every
/// call is given the whole history.
const SAID: &str =
    "The three strands of the braid cross once in every round, and each keeps its own colour to the end.";
/// Stretches of turns whose medians are compared.
const STRETCHES: [(usize, usize); 4] = [(10, 110), (500, 600), (1_000, 1_100), (1_900, 2_000)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if !is_asked_for("conversation") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let mut figures = Figures::default();
    let in_memory = runtime.block_on(converse("memory", MemoryJournal::default(), |_| ()))?;
    tell(&mut figures, "journal in memory", &in_memory);

    // Below the build directory, since a system's temporary directory may be memory.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(home.path())?;
    let run = uuid::Uuid::now_v7().to_string();
    let empty = size(home.path());
    let mut middle = 0;
    let times = runtime.block_on(converse(&run, store.journal(&run.as_str().into())?, |turn| {
        if turn == TURNS / 2 {
            middle = size(home.path());
        }
    }))?;
    tell(&mut figures, "journal on disk", &times);
    drop(store);
    let whole = size(home.path());
    // What was said, and what was answered: the offline provider's echo says it again, and a few words before.
    let text = TURNS * (2 * SAID.len() + "You said: ".len());
    figures.note("conversation-size", "first half", megabytes(middle - empty), "MB");
    figures.note("conversation-size", "second half", megabytes(whole - middle), "MB");
    figures.note("conversation-size", "text of both halves", megabytes(text as u64), "MB");
    across_runs::measure(&runtime, &mut figures)?;
    Ok(figures.keep("conversation")?)
}

fn tell(figures: &mut Figures, by: &str, times: &[Duration]) {
    for (from, to) in STRETCHES {
        let mut stretch = times[from..to].to_vec();
        stretch.sort_unstable();
        let median = stretch[stretch.len() / 2].as_secs_f64() * 1e6;
        figures.note("conversation", &format!("{by}, turns {from}–{to}"), median, "µs");
    }
}

/// Talks for all turns and gives what each took, from the answer to the next question; `asked` hears of each question
/// between.
async fn converse(
    run: &str,
    journal: impl Journal + 'static,
    mut asked: impl FnMut(usize),
) -> Result<Vec<Duration>, Box<dyn std::error::Error>> {
    let (questions, mut heard) = mpsc::unbounded::<Activation>();
    let (driver, handle) = begin(run, journal, questions)?;
    let talk = async move {
        let mut times = Vec::with_capacity(TURNS);
        let mut question = heard.next().await.ok_or("no question was asked")?;
        for turn in 0..TURNS {
            asked(turn);
            let began = Instant::now();
            handle.answer(question, json!(SAID)).await?;
            question = heard.next().await.ok_or("no other question was asked")?;
            times.push(began.elapsed());
        }
        handle.end(question).await?;
        Ok::<_, Box<dyn std::error::Error>>(times)
    };
    let (end, times) = futures::join!(driver.drive(), talk);
    assert_eq!(end, Ok(RunEnd::Finished));
    times
}

fn begin(
    run: &str,
    journal: impl Journal + 'static,
    questions: mpsc::UnboundedSender<Activation>,
) -> Result<(Driver, RunHandle), Box<dyn std::error::Error>> {
    let edge = |source: &str, target: &str| json!({ "source": source, "sourceOutput": "context", "target": target, "targetInput": "context" });
    let flow: Flow = serde_json::from_value(json!({
        "version": 1,
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "offline", "model": "echo" } },
            "ask": { "type": "userInput" },
            "chat": { "type": "chat" },
        },
        "edges": { "a": edge("start", "ask"), "b": edge("ask", "chat"), "c": edge("chat", "ask") },
    }))?;
    let plan = plan(&flow, &registry(), None, &Given::new())
        .map_err(|problems| format!("the benchmark's own flow is wrong: {problems:?}"))?;
    let setup = RunSetup {
        plan: Arc::new(plan),
        info: RunInfo {
            run: run.into(),
            flow_name: "benchmark".to_owned(),
            folder: None,
            input: None,
            conversation: None,
        },
        host: Host {
            providers: Arc::new(ProviderTable::new(&std::collections::BTreeMap::new())?),
            tools: Arc::new(NativeTools::new()),
            clock: Arc::new(SystemClock),
            subflows: Arc::new(plait_engine::subflow::NoSubflows),
        },
        journal: Box::new(journal),
        watcher: Box::new(move |entries| {
            for entry in entries {
                if let Fact::RunPaused { node, epoch, .. } = &entry.fact {
                    // Nobody listens any more once the talk is over.
                    let _ = questions.unbounded_send(Activation { node: node.clone(), epoch: epoch.clone() });
                }
            }
        }),
    };
    Ok(Driver::start(setup, first(run))?)
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
