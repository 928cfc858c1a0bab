//! `kill -9` at 200 moments of a flow with chats, tools and a pause, each followed by a resume: the end is that of a run
//! that was never disturbed, no reply that was kept is asked for again, and no message is doubled.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plait_api::engine::id::Activation;
use plait_api::engine::journal::{CallEvent, Event};
use plait_api::engine::run::view::RunStatus;
use plait_api::runs::{ListRuns, RunDetail, ShowRun};
use plait_api::{Options, Plait};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::support::binary::{CliOutput, Home, with_store};
use crate::support::fixture;
use crate::support::journal::Journal;
use crate::support::server::{Answer, ModelServer, question};

const MOMENTS: u64 = 200;
const ANSWER: &str = "And then?";

/// Which model call of the flow a request is, as `node/step`.
fn call_of(request: &Value) -> &'static str {
    let last =
        request["messages"].as_array().and_then(|messages| messages.last()).cloned().unwrap_or_default();
    let asked = question(request);
    match last["role"].as_str() {
        Some("tool") => "sum/1",
        _ if asked.starts_with("What is") => "sum/0",
        _ if asked.starts_with("Judge") => "critic/0",
        _ if asked == ANSWER => "reply/0",
        _ if asked.starts_with("Sum up") => "last/0",
        _ => panic!("nobody asks this: {request}"),
    }
}

fn reply(request: &Value, _: usize) -> Answer {
    let slowly = |text: &str| Answer::Slow(Duration::from_millis(4), text.to_owned());
    match call_of(request) {
        "sum/0" => Answer::Tool {
            name: "calculator".into(),
            arguments: serde_json::json!({ "expression": "6 * 7" }),
        },
        "sum/1" => slowly("It is forty two."),
        "critic/0" => slowly("Fair enough."),
        "reply/0" => slowly("Then we rest a while."),
        _ => slowly("All good things come to an end."),
    }
}

/// How often each call was made.
fn counted(server: &ModelServer) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for request in server.calls() {
        *counts.entry(call_of(&request)).or_default() += 1;
    }
    counts
}

/// Everything about a run that must not depend on whether it was disturbed.
#[derive(Debug, PartialEq)]
struct End {
    status: RunStatus,
    outputs: Value,
    histories: BTreeMap<String, Vec<(String, String, String)>>,
    finished: BTreeMap<String, usize>,
    replies: BTreeSet<String>,
}

fn end(journal: &Journal) -> End {
    let view = journal.view();
    let histories = view.contexts.iter().map(|(id, context)| {
        let messages = &context.record.message_history;
        let summary = |message: &plait_api::engine::context::Message| {
            (message.id.to_string(), format!("{:?}", message.role), message.content.text())
        };
        (id.to_string(), messages.iter().map(|message| summary(message)).collect())
    });
    End {
        status: view.status,
        outputs: serde_json::to_value(&view.outputs).unwrap(),
        histories: histories.collect(),
        finished: journal.finished(),
        replies: replied(journal),
    }
}

/// The calls whose reply the journal keeps. One that it kept twice was bought twice.
fn replied(journal: &Journal) -> BTreeSet<String> {
    let mut kept = BTreeSet::new();
    for event in journal.events() {
        if let Event::Call(Activation { node, .. }, CallEvent::ModelReplied { step, .. }) = event {
            assert!(kept.insert(format!("{node}/{step}")), "{node}/{step} is in the journal twice");
        }
    }
    kept
}

/// The journal of the only run in a home, if it got as far as having one.
fn journal(home: &Home) -> Option<Journal> {
    let read = async {
        let plait = Plait::open(Options::new(home.path())).unwrap();
        let run = plait.call(ListRuns::default()).await.unwrap().pop()?.run;
        let RunDetail { entries, .. } = plait.call(ShowRun { run }).await.unwrap();
        plait.close().await.unwrap();
        Some(Journal(entries))
    };
    with_store(|| Handle::current().block_on(read))
}

fn run_args(path: &str) -> [&str; 5] {
    ["run", path, "--json", "--answer", ANSWER]
}

/// When to kill.
enum Moment {
    After(Duration),
    Line(usize),
}

/// Starts the flow and kills it.
fn kill_at(home: &Home, path: &str, moment: &Moment) {
    let mut child = home.spawn(&run_args(path));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    match *moment {
        Moment::After(time) => std::thread::sleep(time),
        Moment::Line(count) => {
            lines.by_ref().take(count).for_each(drop);
        }
    }
    // It may have ended by itself.
    let _ = child.kill();
    child.wait().unwrap();
}

/// Kills a run and takes it up again. Says whether it was killed in its midst.
fn disturb(seed: u64, server: &ModelServer, lines: usize, whole: Duration, undisturbed: &End) -> bool {
    let mut chance = fastrand::Rng::with_seed(seed);
    let home = Home::default();
    with_store(|| Handle::current().block_on(home.provider_at(&server.url)));
    let path = fixture("flows/crash.flow.json").display().to_string();
    let moment = match seed % 2 {
        0 => Moment::Line(chance.usize(0..=lines)),
        _ => Moment::After(whole.mul_f64(chance.f64() * 1.1)),
    };
    kill_at(&home, &path, &moment);

    let before = journal(&home);
    let kept = before.as_ref().map(replied).unwrap_or_default();
    let calls_before = counted(server);
    let said: CliOutput = match &before {
        // Not even begun: nothing is lost by beginning.
        None => home.plait(&run_args(&path)),
        Some(journal) if journal.view().status.is_final() => {
            CliOutput { code: 0, out: String::new(), err: String::new() }
        }
        Some(_) => home.plait(&["resume", "last", "--json", "--answer", ANSWER]),
    };
    assert_eq!(said.code, 0, "seed {seed}: {said:#?}");
    let after = journal(&home).unwrap();
    assert_eq!(end(&after), *undisturbed, "seed {seed}");
    let midst = before.as_ref().is_some_and(|journal| !journal.view().status.is_final());
    let before = before.map(|journal| journal.0).unwrap_or_default();
    assert!(after.0.starts_with(&before), "seed {seed}: the journal was rewritten");
    let calls = counted(server);
    for call in kept {
        assert_eq!(calls[call.as_str()], calls_before[call.as_str()], "seed {seed}: {call} was made again");
    }
    assert!(calls.values().all(|count| *count <= 2), "seed {seed}: {calls:?}");
    midst
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_it_ends_as_if_nothing_had_been() {
    let server = ModelServer::start(reply).await;
    let (undisturbed, lines, whole) = tokio::task::spawn_blocking(move || {
        let home = Home::default();
        Handle::current().block_on(home.provider_at(&server.url));
        let path = fixture("flows/crash.flow.json").display().to_string();
        let began = Instant::now();
        let said = home.plait(&run_args(&path));
        let whole = began.elapsed();
        assert_eq!(said.code, 0, "{said:#?}");
        assert!(counted(&server).values().all(|count| *count == 1), "{:?}", counted(&server));
        (end(&journal(&home).unwrap()), said.events().len(), whole)
    })
    .await
    .unwrap();
    assert_eq!(undisturbed.replies.len(), 5);
    assert_eq!(undisturbed.histories["main"].len(), 6);

    let undisturbed = Arc::new(undisturbed);
    let two = Arc::new(Semaphore::new(2));
    let mut work = JoinSet::new();
    for seed in 0..MOMENTS {
        let (two, undisturbed) = (Arc::clone(&two), Arc::clone(&undisturbed));
        work.spawn(async move {
            let _turn = two.acquire().await.unwrap();
            let server = ModelServer::start(reply).await;
            let one = move || disturb(seed, &server, lines, whole, &undisturbed);
            tokio::task::spawn_blocking(one).await
        });
    }
    let mut in_the_midst = 0;
    while let Some(done) = work.join_next().await {
        match done.unwrap() {
            Ok(midst) => in_the_midst += u64::from(midst),
            Err(broke) => std::panic::resume_unwind(broke.into_panic()),
        }
    }
    assert!(in_the_midst > MOMENTS / 2, "only {in_the_midst} of {MOMENTS} were killed in their midst");
}
