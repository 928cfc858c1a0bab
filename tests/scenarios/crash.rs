//! `kill -9` at 200 points of a flow with chats, tools and a pause, each followed by a resume, in half of the cases
//! after the index was deleted: the outcome is the same as in an uninterrupted run, no journaled reply is requested
//! again, and no message is duplicated. `PLAIT_CRASH_ROUNDS` sets the number of kills.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plait_core::id::Activation;
use plait_journal::view::RunStatus;
use plait_journal::{CallEvent, Event};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::fixture;
use crate::support::journal::Journal;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

const ANSWER: &str = "And then?";

/// How often a run is killed.
fn kills() -> u64 {
    std::env::var("PLAIT_CRASH_ROUNDS").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

/// The model call that a request belongs to, as `node/step`.
fn call_of(request: &Value) -> &'static str {
    let last =
        request["messages"].as_array().and_then(|messages| messages.last()).cloned().unwrap_or_default();
    let text = last_message_text(request);
    match last["role"].as_str() {
        Some("tool") => "sum/1",
        _ if text.starts_with("What is") => "sum/0",
        _ if text.starts_with("Judge") => "critic/0",
        _ if text == ANSWER => "reply/0",
        _ if text.starts_with("Sum up") => "last/0",
        _ => panic!("unexpected request: {request}"),
    }
}

fn reply(request: &Value, _: usize) -> ServerReply {
    let slow = |text: &str| ServerReply::Slow(Duration::from_millis(4), text.to_owned());
    match call_of(request) {
        "sum/0" => ServerReply::Tool {
            name: "calculator".into(),
            arguments: serde_json::json!({ "expression": "6 * 7" }),
        },
        "sum/1" => slow("It is forty two."),
        "critic/0" => slow("Fair enough."),
        "reply/0" => slow("Then we rest a while."),
        _ => slow("All good things come to an end."),
    }
}

/// How many times each call was made.
fn call_counts(server: &ModelServer) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for request in server.calls() {
        *counts.entry(call_of(&request)).or_default() += 1;
    }
    counts
}

/// Everything about a run that must not depend on interruptions.
#[derive(Debug, PartialEq)]
struct Outcome {
    status: RunStatus,
    outputs: Value,
    histories: BTreeMap<String, Vec<(String, String, String)>>,
    finished: BTreeMap<String, usize>,
    replies: BTreeSet<String>,
}

fn outcome(journal: &Journal) -> Outcome {
    let view = journal.view();
    let histories = view.contexts.iter().map(|(id, context)| {
        let messages = &context.record.message_history;
        let summary = |message: &plait_llm::context::Message| {
            (message.id.to_string(), format!("{:?}", message.role), message.content.text())
        };
        (id.to_string(), messages.iter().map(|message| summary(message)).collect())
    });
    Outcome {
        status: view.outline.status,
        outputs: serde_json::to_value(&view.outline.outputs).unwrap(),
        histories: histories.collect(),
        finished: journal.finish_counts(),
        replies: recorded_replies(journal),
    }
}

/// The calls with a reply in the journal. Panics if a call has two.
fn recorded_replies(journal: &Journal) -> BTreeSet<String> {
    let mut kept = BTreeSet::new();
    for event in journal.events() {
        if let Event::Call(Activation { node, .. }, CallEvent::ModelReplied { step, .. }) = event {
            assert!(kept.insert(format!("{node}/{step}")), "{node}/{step} is in the journal twice");
        }
    }
    kept
}

fn run_args(path: &str) -> [&str; 5] {
    ["run", path, "--json", "--answer", ANSWER]
}

enum KillPoint {
    After(Duration),
    Line(usize),
}

/// Starts the flow and kills it.
fn kill_at(home: &Home, path: &str, kill_point: &KillPoint) {
    let mut child = home.spawn(&run_args(path));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    match *kill_point {
        KillPoint::After(time) => std::thread::sleep(time),
        KillPoint::Line(count) => {
            lines.by_ref().take(count).for_each(drop);
        }
    }
    // It may have ended already.
    let _ = child.kill();
    child.wait().unwrap();
}

/// Kills a run and resumes it. Returns whether it was killed while running.
fn kill_and_resume(
    seed: u64,
    server: &ModelServer,
    lines: usize,
    whole: Duration,
    expected: &Outcome,
) -> bool {
    let mut rng = fastrand::Rng::with_seed(seed);
    let home = Home::default();
    with_store_lock(|| Handle::current().block_on(home.set_provider_url(&server.url)));
    let path = fixture("flows/crash.flow.json").display().to_string();
    let kill_point = match seed % 2 {
        0 => KillPoint::Line(rng.usize(0..=lines)),
        _ => KillPoint::After(whole.mul_f64(rng.f64() * 1.1)),
    };
    kill_at(&home, &path, &kill_point);
    if seed % 4 >= 2 {
        // There is none if it was killed before its first event.
        let _ = std::fs::remove_dir_all(home.path().join("index"));
    }

    let before = home.stored_journal();
    let kept = before.as_ref().map(recorded_replies).unwrap_or_default();
    let calls_before = call_counts(server);
    let output: CliOutput = match &before {
        // It had not started.
        None => home.plait(&run_args(&path)),
        Some(journal) if journal.view().outline.status.is_final() => {
            CliOutput { code: 0, out: String::new(), err: String::new() }
        }
        Some(_) => home.plait(&["resume", "last", "--json", "--answer", ANSWER]),
    };
    assert_eq!(output.code, 0, "seed {seed}: {output:#?}");
    let after = home.stored_journal().unwrap();
    assert_eq!(outcome(&after), *expected, "seed {seed}");
    let was_running = before.as_ref().is_some_and(|journal| !journal.view().outline.status.is_final());
    let before = before.map(|journal| journal.0).unwrap_or_default();
    assert!(after.0.starts_with(&before), "seed {seed}: the journal was rewritten");
    let calls = call_counts(server);
    for call in kept {
        assert_eq!(calls[call.as_str()], calls_before[call.as_str()], "seed {seed}: {call} was made again");
    }
    assert!(calls.values().all(|count| *count <= 2), "seed {seed}: {calls:?}");
    was_running
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_killed_at_any_point_resumes_to_the_same_end() {
    let server = ModelServer::start(reply).await;
    let (expected, lines, whole) = tokio::task::spawn_blocking(move || {
        let home = Home::default();
        Handle::current().block_on(home.set_provider_url(&server.url));
        let path = fixture("flows/crash.flow.json").display().to_string();
        let began = Instant::now();
        let output = home.plait(&run_args(&path));
        let whole = began.elapsed();
        assert_eq!(output.code, 0, "{output:#?}");
        assert!(call_counts(&server).values().all(|count| *count == 1), "{:?}", call_counts(&server));
        (outcome(&home.stored_journal().unwrap()), output.events().len(), whole)
    })
    .await
    .unwrap();
    assert_eq!(expected.replies.len(), 5);
    assert_eq!(expected.histories["main"].len(), 6);

    let expected = Arc::new(expected);
    let two = Arc::new(Semaphore::new(2));
    let mut work = JoinSet::new();
    let kills = kills();
    for seed in 0..kills {
        let (two, expected) = (Arc::clone(&two), Arc::clone(&expected));
        work.spawn(async move {
            let _turn = two.acquire().await.unwrap();
            let server = ModelServer::start(reply).await;
            let one = move || kill_and_resume(seed, &server, lines, whole, &expected);
            tokio::task::spawn_blocking(one).await
        });
    }
    let mut killed_while_running = 0;
    while let Some(done) = work.join_next().await {
        match done.unwrap() {
            Ok(was_running) => killed_while_running += u64::from(was_running),
            Err(broke) => std::panic::resume_unwind(broke.into_panic()),
        }
    }
    assert!(
        killed_while_running > kills / 2,
        "only {killed_while_running} of {kills} were killed while running"
    );
}
