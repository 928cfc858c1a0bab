//! Run trees of many runs: all runs end when the root is canceled, also runs that are just starting.

use std::time::Duration;

use plait_api::runs::CancelRun;
use plait_journal::view::RunStatus;
use plait_store::RunFilter;
use serde_json::{Value, json};

use super::sub;
use crate::support::app::App;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::provider::RecordingProvider;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A flow that calls the one in `file` this many times at once.
fn calling(file: &str, times: usize) -> Value {
    let calls = (0..times).map(|at| (format!("sub{at}"), sub(file)));
    let text = json!({ "type": "manualInput", "config": { "text": "go" } });
    let nodes: serde_json::Map<String, Value> = calls.chain([("text".to_owned(), text)]).collect();
    let edges: Vec<String> = (0..times).map(|at| format!("text.value -> sub{at}.value")).collect();
    flow_json("wide", nodes.into(), &edges.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Levels of flows. Each calls the next level several times; the lowest flows wait for a day.
fn tree_of(widths: &[usize]) -> (FlowFolder, usize) {
    let leaf = flow_json(
        "leaf",
        json!({ "text": { "type": "manualInput" }, "wait": { "type": "delay", "config": { "ms": 86_400_000 } } }),
        &["text.value -> wait.in"],
    );
    let folder = FlowFolder::with_files(&[("leaf.flow.json", &leaf)]);
    let mut runs = 1;
    for (level, &width) in widths.iter().enumerate().rev() {
        let called =
            if level + 1 == widths.len() { "leaf".to_owned() } else { format!("level{}", level + 1) };
        folder.write(&format!("level{level}.flow.json"), &calling(&format!("{called}.flow.json"), width));
        runs = runs * width + 1;
    }
    (folder, runs)
}

/// Cancels the root when this many runs have started, and asserts that the whole tree has ended then.
async fn assert_all_end(widths: &[usize], cancel_at: impl FnOnce(usize) -> usize) {
    let (folder, count) = tree_of(widths);
    let app = App::with(&RecordingProvider::echo());
    let run = folder.start(&app, "level0.flow.json", "").await;
    let runs = || app.plait.store().runs(&RunFilter::default()).unwrap();
    let cancel_at = cancel_at(count);
    while runs().len() < cancel_at {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    app.plait.call(CancelRun { run: run.clone() }).await.unwrap();
    app.plait.runs().settled(&run).await;
    let ended = runs();
    assert!(ended.len() >= cancel_at);
    assert!(ended.iter().all(|run| run.status == RunStatus::Cancelled));
    assert!(ended.iter().all(|record| !app.plait.runs().is_active(&record.run)));
    // Nothing starts afterwards.
    app.plait.store().flush().await.unwrap();
    assert_eq!(runs().len(), ended.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_ends_all_runs_of_a_wide_tree() {
    assert_all_end(&[3, 4, 4, 4], |count| count).await;
}

/// Most runs have not begun when the root is canceled. They do not begin then.
#[tokio::test(flavor = "multi_thread")]
async fn cancel_ends_a_tree_that_is_starting() {
    assert_all_end(&[3, 4, 4, 4], |count| count / 3).await;
}
