//! `kill -9` in a conversational loop: in the middle of an iteration, while it is paused, between iterations, and after
//! any event. After each interruption, resuming gives the history, the counters and the prompts of an uninterrupted
//! run, and no reply that the journal has is requested again. With `PLAIT_CRASH_ROUNDS` the process is killed after
//! every event, else after every fourth.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::sync::Arc;
use std::time::Duration;

use plait_journal::{Event, LoopEvent, NodeEvent};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::journal::Journal;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

const TALK: &str = r#"version: "0.1"
name: Talk
agents:
  scripted: {provider: openai, model: scripted}
steps:
  - kind: loop
    name: talk
    loop:
      kind: times
      times: 3
      conversation: true
      body:
        - {kind: step, name: clarify, agent: scripted, prompt: "Question {{index}}"}
        - {kind: hitl, name: ask, prompt: "{{previous}}?"}
        - {kind: step, name: finalize, agent: scripted}
"#;

const ANSWERS: [&str; 3] = ["U0", "U1", "U2"];

/// The messages of each call, as `role: text`.
const PROMPTS: [(&str, &[&str]); 6] = [
    ("clarify 0", &["user: Plan.", "user: Question 0"]),
    ("finalize 0", &["user: Plan.", "user: U0"]),
    ("clarify 1", &["user: Plan.", "user: U0", "assistant: F0", "user: Question 1"]),
    ("finalize 1", &["user: Plan.", "user: U0", "assistant: F0", "user: U1"]),
    (
        "clarify 2",
        &["user: Plan.", "user: U0", "assistant: F0", "user: U1", "assistant: F1", "user: Question 2"],
    ),
    ("finalize 2", &["user: Plan.", "user: U0", "assistant: F0", "user: U1", "assistant: F1", "user: U2"]),
];

fn call_of(request: &Value) -> String {
    let text = last_message_text(request);
    match (text.strip_prefix("Question "), text.strip_prefix('U')) {
        (Some(iteration), _) => format!("clarify {iteration}"),
        (_, Some(iteration)) => format!("finalize {iteration}"),
        _ => panic!("unexpected request: {request}"),
    }
}

/// `C0` for the first question, `F0` for the first answer, and so on.
fn reply(request: &Value, _: usize) -> ServerReply {
    let call = call_of(request);
    let (step, iteration) = call.split_once(' ').unwrap();
    ServerReply::Text(format!("{}{iteration}", step[..1].to_uppercase()))
}

/// How often each call reached the server. Every request of a call must be the same, also one that was repeated.
fn received(server: &ModelServer) -> BTreeMap<String, usize> {
    let expected: BTreeMap<&str, &[&str]> = PROMPTS.into();
    let mut counts = BTreeMap::new();
    for request in server.calls() {
        let call = call_of(&request);
        let messages = request["messages"].as_array().unwrap().iter();
        let messages: Vec<String> = messages
            .map(|one| format!("{}: {}", one["role"].as_str().unwrap(), one["content"].as_str().unwrap()))
            .collect();
        assert_eq!(messages, expected[call.as_str()], "{call}");
        *counts.entry(call).or_default() += 1;
    }
    counts
}

/// A home with the pipeline and the server in its settings.
fn home(server: &ModelServer) -> (Home, String) {
    let home = Home::default();
    with_store_lock(|| Handle::current().block_on(home.set_provider_url(&server.url)));
    let file = home.file("talk.yaml", TALK);
    (home, file)
}

fn run_args<'a>(file: &'a str, answers: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", file, "--json", "--input", "Plan."];
    args.extend(answers.iter().flat_map(|answer| ["--answer", answer]));
    args
}

/// Starts a command and kills its process at the first printed event that `is_moment` accepts. Whether there was one.
fn kill_at(home: &Home, args: &[&str], mut is_moment: impl FnMut(&Value) -> bool) -> bool {
    let mut child = home.spawn(args);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let found =
        lines.map_while(Result::ok).any(|line| is_moment(&serde_json::from_str(&line).unwrap_or_default()));
    // It may have ended already.
    let _ = child.kill();
    child.wait().unwrap();
    found
}

fn is(event: &Value, event_type: &str, node: &str, iteration: u32) -> bool {
    event["type"] == event_type && event["node"] == node && event["epoch"] == json!([iteration])
}

/// The texts of each `history.appended`.
fn appended(journal: &Journal) -> Vec<Vec<String>> {
    let turns = journal.events().filter_map(|event| match event {
        Event::Loop(_, LoopEvent::HistoryAppended { turns, .. }) => Some(turns),
        _ => None,
    });
    turns.map(|turns| turns.iter().map(|turn| turn.content.text()).collect()).collect()
}

/// The answers that a journal does not have yet.
fn missing_answers(journal: &Journal) -> &'static [&'static str] {
    let given = journal.events().filter(|event| matches!(event, Event::Node(_, NodeEvent::Answered { .. })));
    &ANSWERS[given.count()..]
}

/// Resumes the killed run with the missing answers, and checks everything that must not depend on the interruption.
fn resume(home: &Home, file: &str, server: &ModelServer) {
    let before = home.stored_journal();
    let calls_before = received(server);
    let output: CliOutput = match &before {
        // It had not started.
        None => home.plait(&run_args(file, &ANSWERS)),
        Some(journal) if journal.view().outline.status.is_final() => {
            CliOutput { code: 0, out: String::new(), err: String::new() }
        }
        Some(journal) => {
            let mut args = vec!["resume", file, "--json"];
            args.extend(missing_answers(journal).iter().flat_map(|answer| ["--answer", answer]));
            home.plait(&args)
        }
    };
    assert_eq!(output.code, 0, "{output:#?}");
    let after = home.stored_journal().unwrap();
    let before = before.map(|journal| journal.0).unwrap_or_default();
    assert!(after.0.starts_with(&before), "the journal was rewritten");

    // The history, the counters and the result.
    assert_eq!(
        appended(&after),
        [vec!["Plan."], vec!["U0", "F0"], vec!["U1", "F1"], vec!["U2", "F2"]],
        "{output:#?}"
    );
    let expected = |event_type: &str| [0, 1, 2].map(|iteration| format!("{event_type} talk#{iteration}"));
    for event_type in ["iteration.started", "iteration.finished"] {
        assert_eq!(after.node_events(&[event_type]), expected(event_type));
    }
    assert_eq!(after.output("talk", "iterations"), json!(3));
    assert_eq!(after.output("talk", "result"), "F2");
    let replies = ["clarify", "finalize"].map(|node| {
        let mut replies = after.node_events(&["model.replied"]);
        replies.retain(|reply| reply.contains(node));
        replies.len()
    });
    assert_eq!(replies, [3, 3]);

    // The server received each call once, except the interrupted one.
    let calls = received(server);
    assert_eq!(calls.len(), PROMPTS.len(), "{calls:?}");
    let bought = Journal(before).node_events(&["model.replied"]);
    for (call, count) in &calls {
        let recorded = format!("model.replied {}", call.replace(' ', "#"));
        let already = calls_before.get(call).copied().unwrap_or_default();
        let expected = if bought.contains(&recorded) { already } else { already + 1 };
        assert_eq!(*count, expected, "{call}");
        assert!(*count <= 2, "{call}: {count}");
    }
}

/// Runs `scenario` with a server on a thread that may block.
async fn with_server(
    rule: impl Fn(&Value, usize) -> ServerReply + Send + Sync + 'static,
    scenario: impl FnOnce(ModelServer) + Send + 'static,
) {
    let server = ModelServer::start(rule).await;
    tokio::task::spawn_blocking(|| scenario(server)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loop_killed_in_the_middle_of_an_iteration_resumes_in_it() {
    // The first reply to the second answer never comes.
    let rule = |request: &Value, before: usize| match (call_of(request).as_str(), before) {
        ("finalize 1", 3) => ServerReply::NoResponse,
        _ => reply(request, before),
    };
    with_server(rule, |server| {
        let (home, file) = home(&server);
        let killed = kill_at(&home, &run_args(&file, &ANSWERS), |event| {
            let is_called = is(event, "prompt.rendered", "finalize", 1);
            while is_called && server.calls().len() < 4 {
                std::thread::sleep(Duration::from_millis(5));
            }
            is_called
        });
        assert!(killed && received(&server)["finalize 1"] == 1);
        resume(&home, &file, &server);
        let calls = received(&server);
        assert_eq!(calls["finalize 1"], 2, "the call that was cut off is made again: {calls:?}");
        assert_eq!([0, 1, 2].map(|iteration| calls[&format!("clarify {iteration}")]), [1, 1, 1]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loop_killed_while_paused_waits_in_its_iteration_again() {
    with_server(reply, |server| {
        let (home, file) = home(&server);
        let killed =
            kill_at(&home, &run_args(&file, &ANSWERS[..1]), |event| is(event, "run.paused", "ask", 1));
        assert!(killed);
        // Without an answer it waits for the same one, and nothing is bought.
        let waiting = home.plait(&["resume", &file, "--json"]);
        assert_eq!((waiting.code, waiting.last_type().as_str()), (3, "run.waiting"), "{waiting:#?}");
        assert_eq!(received(&server).len(), 3);
        resume(&home, &file, &server);
        assert!(received(&server).values().all(|count| *count == 1), "{:?}", received(&server));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loop_killed_between_iterations_goes_on_with_the_next() {
    for event_type in ["iteration.finished", "history.appended"] {
        with_server(reply, move |server| {
            let (home, file) = home(&server);
            let killed = kill_at(&home, &run_args(&file, &ANSWERS), |event| match event_type {
                "iteration.finished" => is(event, event_type, "talk", 0),
                _ => event["type"] == event_type && event["turns"][0]["content"] == "U0",
            });
            assert!(killed, "{event_type}");
            resume(&home, &file, &server);
            let calls = received(&server);
            assert_eq!([0, 2].map(|iteration| calls[&format!("clarify {iteration}")]), [1, 1], "{calls:?}");
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loop_killed_after_any_event_resumes_to_the_same_end() {
    let server = ModelServer::start(reply).await;
    let lines = tokio::task::spawn_blocking(move || {
        let (home, file) = home(&server);
        let output = home.plait(&run_args(&file, &ANSWERS));
        assert_eq!(output.code, 0, "{output:#?}");
        assert!(received(&server).values().all(|count| *count == 1));
        output.events().len()
    })
    .await
    .unwrap();
    let two = Arc::new(Semaphore::new(2));
    let mut kills = JoinSet::new();
    // Every fourth event, or every one.
    let step = if std::env::var_os("PLAIT_CRASH_ROUNDS").is_some() { 1 } else { 4 };
    for length in (0..lines).step_by(step) {
        let two = Arc::clone(&two);
        kills.spawn(async move {
            let _turn = two.acquire().await.unwrap();
            with_server(reply, move |server| {
                let (home, file) = home(&server);
                let mut seen = 0;
                kill_at(&home, &run_args(&file, &ANSWERS), |_| {
                    seen += 1;
                    seen > length
                });
                resume(&home, &file, &server);
            })
            .await;
        });
    }
    while let Some(done) = kills.join_next().await {
        if let Err(broke) = done {
            std::panic::resume_unwind(broke.into_panic());
        }
    }
}
