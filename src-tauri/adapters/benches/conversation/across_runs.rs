//! A conversation of 1,000 turns, each in a run of its own that remembers the ones before (`contextStart → chat`): what a
//! turn takes as the conversation grows, and what all of it takes on disk beside its text.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use plait_adapters::ProviderRegistry;
use plait_core::flow::Flow;
use plait_core::id::ConversationId;
use plait_journal::InputOverrides;
use plait_llm::context::Conversation;
use plait_nodes::registry;
use plait_run::host::RunInfo;
use plait_run::plan::{Plan, plan};
use plait_run::{Driver, RunSetup};
use plait_store::NewConversation;
use plait_store::Store;
use plait_testing::RunStart;
use serde_json::json;
use tokio::runtime::Runtime;

use super::talk::{finished, host, tell_failure};
use super::workload::{BenchError, Figures, run_info};
use super::{median, megabytes, size};

const TURNS: usize = 1_000;
/// Ranges of turns to compare by their medians.
const STRETCHES: [(usize, usize); 3] = [(10, 60), (480, 530), (950, 1_000)];

/// The text of a turn: about 700 bytes, different in each turn; the echo doubles it.
fn said(turn: usize) -> String {
    let mut chance = fastrand::Rng::with_seed(turn as u64);
    let word = |chance: &mut fastrand::Rng| -> String {
        let length = chance.usize(2..9);
        (0..length).map(|_| chance.lowercase()).collect()
    };
    (0..110).map(|_| word(&mut chance)).collect::<Vec<_>>().join(" ")
}

/// Measures it, and notes the figures.
pub fn measure(runtime: &Runtime, figures: &mut Figures) -> Result<(), BenchError> {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(home.path())?;
    let new = NewConversation {
        flow: "name:benchmark".to_owned(),
        flow_name: "benchmark".to_owned(),
        user: "local".to_owned(),
        at: 0,
    };
    let conversation = store.create_conversation(new)?.id;
    let empty = size(home.path());
    let mut times = Vec::with_capacity(TURNS);
    let mut text = 0;
    for turn in 0..TURNS {
        let said = said(turn);
        text += 2 * said.len() + "You said: ".len();
        let began = Instant::now();
        runtime.block_on(run(&store, &conversation, &said))?;
        times.push(began.elapsed());
    }
    if store.conversation(&conversation)?.messages != 2 * TURNS as u64 {
        return Err("the conversation does not hold each turn once".into());
    }
    drop(store);
    let whole = size(home.path()) - empty;
    for (from, to) in STRETCHES {
        figures.add(
            "conversation-runs",
            &format!("a run each, turns {from}–{to}"),
            median(&times[from..to]),
            "µs",
        );
    }
    figures.add("conversation-runs-size", "on disk, journals of all runs included", megabytes(whole), "MB");
    figures.add("conversation-runs-size", "its text", megabytes(text as u64), "MB");
    Ok(())
}

async fn run(store: &Store, id: &ConversationId, said: &str) -> Result<(), BenchError> {
    let run = uuid::Uuid::now_v7().to_string();
    let at = Arc::new(store.conversation(id)?.at());
    let conversation = Conversation { at: Arc::clone(&at), past: Arc::new(store.past(id)?) };
    let first = RunStart { conversation: Some(at), ..RunStart::new(run.as_str()) }.into();
    let setup = RunSetup {
        plan: Arc::new(plan_flow(said)?),
        info: RunInfo { conversation: Some(conversation), ..run_info(&run) },
        host: host(ProviderRegistry::new(&BTreeMap::new())?),
        spent_by_children: std::collections::BTreeMap::new(),
        trials: None,
        journal: Box::new(store.journal(&run.as_str().into())?),
        watcher: Box::new(|entries| entries.iter().for_each(|entry| tell_failure(&entry.event))),
    };
    let (driver, _handle) = Driver::start(setup, first)?;
    finished(driver.drive().await?)
}

/// The flow, asking this.
fn plan_flow(said: &str) -> Result<Plan, BenchError> {
    let flow: Flow = serde_json::from_value(json!({
        "version": 1,
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "offline", "model": "echo" } },
            "chat": { "type": "chat" },
        },
        "edges": {
            "a": { "source": "start", "sourceOutput": "context", "target": "chat", "targetInput": "context" },
        },
    }))?;
    let set: InputOverrides =
        BTreeMap::from([("chat".into(), BTreeMap::from([("message".into(), Arc::new(json!(said)))]))]);
    Ok(plan(&flow, &registry(), None, &set)
        .map_err(|problems| format!("the benchmark's own flow is wrong: {problems:?}"))?)
}
