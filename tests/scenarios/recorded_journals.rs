//! Journals outlive versions: journals of each revision of the engine can be resumed, or retried where a revision
//! decides differently.
//!
//! With `PLAIT_WRITE_JOURNALS=1` the journals of the current revision are recorded again. Never change journals of
//! earlier revisions.

pub mod recorded_run;

use std::collections::BTreeMap;
use std::path::PathBuf;

use futures::{StreamExt as _, stream};
use plait_api::ErrorReply;
use plait_api::codes;
use plait_api::flows::examples;
use plait_api::runs::{ResumeRun, RetryRun};
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_journal::{ENGINE_REVISION, Entry, Event, RunEvent};
use serde_json::{Value, json};

use crate::support::app::{App, PauseResponse};
use crate::support::binary::Home;
use crate::support::{fixture, flow};
use recorded_run::RecordedRun;

/// The flows that are recorded, with the answers to their questions.
fn recorded_flows() -> Vec<(&'static str, Flow, Vec<PauseResponse>)> {
    let example = |id: &'static str, answers: Vec<PauseResponse>| (id, examples::flow(id).unwrap(), answers);
    let end = || PauseResponse::End;
    vec![
        example("approval", vec![PauseResponse::Value(json!({ "approved": true }))]),
        example("branch-and-join", vec![]),
        example("chat-loop", vec!["Hello.".into(), "What is 23 × 17?".into(), end()]),
        example("draft-and-critique", vec![]),
        example("error-handling", vec![]),
        example("second-opinion", vec![]),
        example("sort-letters", vec![]),
        example("sub-flows", vec![]),
        example("named-sources", vec!["Twelve.".into(), "In the garden.".into()]),
        ("chat-cycle", flow("chat-cycle"), vec!["one".into(), "two".into(), end()]),
        ("isolated-context", flow("isolated-context"), vec![]),
        ("parallel-chats", flow("parallel-chats"), vec![]),
        ("three-turns", flow("three-turns"), vec![]),
    ]
}

fn folder(revision: u32) -> PathBuf {
    fixture(&format!("journals/revision-{revision}"))
}

/// The recorded runs of all revisions, with their names.
fn recorded() -> Vec<(String, RecordedRun)> {
    let mut all = Vec::new();
    for revision in 1..=ENGINE_REVISION {
        for file in std::fs::read_dir(folder(revision)).unwrap() {
            let path = file.unwrap().path();
            let run = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            all.push((format!("{revision}/{}", path.file_stem().unwrap().display()), run));
        }
    }
    all
}

/// The answers that a recorded run got.
fn answers(name: &str) -> Vec<PauseResponse> {
    let id = name.rsplit('/').next().unwrap();
    recorded_flows().into_iter().find(|(known, ..)| *known == id).unwrap().2
}

/// How often each kind of event happened to each activation. Independent branches may interleave in any order.
fn counts(entries: &[Entry]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for entry in entries {
        let event = serde_json::to_value(&entry.event).unwrap();
        *counts.entry(format!("{} {} {}", event["type"], event["node"], event["epoch"])).or_default() += 1;
    }
    counts
}

fn outputs(entries: &[Entry]) -> Value {
    match &entries.last().unwrap().event {
        Event::Run(RunEvent::Finished { outputs, .. }) => serde_json::to_value(outputs).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn current_revision_is_recorded() {
    if std::env::var_os("PLAIT_WRITE_JOURNALS").is_none() {
        let missing = recorded_flows()
            .into_iter()
            .find(|(name, ..)| !folder(ENGINE_REVISION).join(format!("{name}.json")).exists());
        assert!(missing.is_none(), "run the tests with PLAIT_WRITE_JOURNALS=1: {:?}", missing.unwrap().0);
        return;
    }
    std::fs::create_dir_all(folder(ENGINE_REVISION)).unwrap();
    for (name, flow, answers) in recorded_flows() {
        let app = App::offline();
        let run = app.start(&flow).await;
        let journal = app.follow(&run, answers).await;
        assert_eq!(journal.view().outline.status, RunStatus::Finished, "{name}");
        let home = app.close().await;
        let recorded = RecordedRun::from_store(home.path(), &run);
        let text = serde_json::to_string_pretty(&recorded).unwrap() + "\n";
        std::fs::write(folder(ENGINE_REVISION).join(format!("{name}.json")), text).unwrap();
    }
}

/// Most of the time goes into waiting for the disk and for the simulator: this many runs wait at once.
const RUNS_AT_ONCE: usize = 8;

#[tokio::test]
async fn every_recorded_run_resumes_to_its_end() {
    let recorded = recorded();
    assert!(recorded.len() >= recorded_flows().len(), "{} recorded runs", recorded.len());
    let prefixes = recorded.iter().flat_map(|(name, run)| {
        let whole = run.entries();
        // About four places of each journal, and each at which it waited.
        let step = whole.len().div_ceil(4);
        let waits = |at: usize| matches!(whole[at - 1].event, Event::Run(RunEvent::Waiting { .. }));
        let lengths: Vec<usize> = (1..whole.len()).filter(|at| at % step == 1 || waits(*at)).collect();
        lengths.into_iter().map(move |length| (name.as_str(), run, length))
    });
    stream::iter(prefixes)
        .for_each_concurrent(RUNS_AT_ONCE, |(name, run, length)| assert_prefix_resumes(name, run, length))
        .await;
}

async fn assert_prefix_resumes(name: &str, run: &RecordedRun, length: usize) {
    let whole = run.entries();
    let home = tempfile::tempdir().unwrap();
    let id = run.write_prefix(home.path(), length);
    let app = App::offline_in(home);
    let resumed = app.plait.call(ResumeRun { run: id.clone() }).await;
    if let Err(refused) = resumed {
        return assert_retry_reuses_all(&app, &id, &refused, name).await;
    }
    let left = answers(name).split_off(run.answers_in(length));
    let journal = app.follow(&id, left).await;
    assert_eq!(journal.0[..length], whole[..length], "{name} after {length}");
    assert_eq!(outputs(&journal.0), outputs(&whole), "{name} after {length}");
    // Activations that were open when the journal stopped start again.
    let restarts = |counts: BTreeMap<String, usize>| -> Vec<String> {
        counts.into_keys().filter(|key| !key.contains("child.")).collect()
    };
    assert_eq!(restarts(counts(&journal.0)), restarts(counts(&whole)), "{name} after {length}");
}

/// A run of an earlier revision that cannot be resumed must say so, and a retry of it must not repeat its paid calls.
async fn assert_retry_reuses_all(app: &App, id: &RunId, refused: &ErrorReply, name: &str) {
    assert!(!name.starts_with(&format!("{ENGINE_REVISION}/")), "{name}: {refused:?}");
    assert_eq!(refused.code, codes::JOURNAL_OTHER_REVISION, "{name}");
    let bought = app.journal(id).await.view().totals.model_calls;
    let retried = app.plait.call(RetryRun { run: id.clone() }).await.unwrap().run;
    let journal = app.follow(&retried, Vec::<PauseResponse>::new()).await;
    assert_eq!(journal.view().totals.reused_calls, bought, "{name}");
}

/// `chat-loop`, as a revision would have recorded it that decided differently: in the first iteration it did not say which
/// edge the question came in by.
fn recorded_by_another_revision() -> RecordedRun {
    let text = std::fs::read_to_string(folder(ENGINE_REVISION).join("chat-loop.json")).unwrap();
    let mut run: RecordedRun = serde_json::from_str(&text).unwrap();
    let journal = &mut run.journals[0];
    journal[0]["revision"] = json!(ENGINE_REVISION + 1);
    let ready = journal
        .iter_mut()
        .find(|entry| entry["type"] == "node.ready" && entry["inputs"].is_object())
        .unwrap();
    ready.as_object_mut().unwrap().remove("inputs");
    run
}

/// The length of a journal at its n-th wait.
fn length_at_wait(run: &RecordedRun, number: usize) -> usize {
    let is_wait = |entry: &Entry| matches!(entry.event, Event::Run(RunEvent::Waiting { .. }));
    let waits =
        run.entries().iter().enumerate().filter(|(_, entry)| is_wait(entry)).map(|(at, _)| at).nth(number);
    waits.unwrap() + 1
}

#[tokio::test]
async fn run_of_a_revision_that_decided_differently_goes_on_as_a_retry() {
    let recorded = recorded_by_another_revision();
    let home = tempfile::tempdir().unwrap();
    let id = recorded.write_prefix(home.path(), length_at_wait(&recorded, 2));
    let app = App::offline_in(home);
    let refused = app.plait.call(ResumeRun { run: id.clone() }).await.unwrap_err();
    assert_eq!(refused.code, codes::JOURNAL_OTHER_REVISION);

    let retried: RunId = app.plait.call(RetryRun { run: id }).await.unwrap().run;
    let journal = app.follow(&retried, [PauseResponse::End]).await;
    assert_eq!(outputs(&journal.0), outputs(&recorded.entries()));
    let totals = journal.view().totals;
    assert_eq!(totals.model_calls, 0, "every reply was bought before");
    assert!(totals.reused_calls >= 2, "{totals:?}");
}

#[test]
fn terminal_says_what_to_do_with_a_run_of_another_revision() {
    let recorded = recorded_by_another_revision();
    let home = Home::default();
    let id = recorded.write_prefix(home.path(), length_at_wait(&recorded, 1));
    let refused = home.plait(&["resume", id.as_str(), "--answer", "What is 23 × 17?"]);
    assert_eq!(refused.code, 1, "{refused:#?}");
    assert!(refused.err.contains("journal.other_revision"), "{refused:#?}");
    assert!(refused.err.contains("plait retry"), "{refused:#?}");
    let retried = home.plait(&["retry", id.as_str(), "--answer", "What is 23 × 17?"]);
    assert_eq!(retried.code, 3, "{retried:#?}");
    let ended = home.plait(&["resume", "last", "--end"]);
    assert_eq!(ended.code, 0, "{ended:#?}");
}
