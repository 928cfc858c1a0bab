//! Run trees of many runs: all of them end when the root is canceled, also those that are just starting.

use std::time::{Duration, Instant};

use plait_api::engine::run::view::RunStatus;
use plait_api::runs::CancelRun;
use serde_json::{Value, json};

use super::sub;
use crate::support::app::App;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::provider::RecordingProvider;

/// A flow that calls the one in `file` this many times at once.
fn calling(file: &str, times: usize) -> Value {
    let calls = (0..times).map(|at| (format!("sub{at}"), sub(file)));
    let text = json!({ "type": "manualInput", "config": { "text": "go" } });
    let nodes: serde_json::Map<String, Value> = calls.chain([("text".to_owned(), text)]).collect();
    let edges: Vec<String> = (0..times).map(|at| format!("text.value -> sub{at}.value")).collect();
    flow_json("wide", nodes.into(), &edges.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Levels of flows, each of which calls the next so many times; those at the bottom wait for a day.
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

async fn cancel_tree(widths: &[usize], cancel_at: Option<usize>) {
    let (folder, runs) = tree_of(widths);
    let app = App::with(&RecordingProvider::echo());
    let began = Instant::now();
    let run = folder.start(&app, "level0.flow.json", "").await;
    let store = app.plait.store();
    while store.runs(&Default::default()).unwrap().len() < cancel_at.unwrap_or(runs) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    println!("{} runs started within {:?}", store.runs(&Default::default()).unwrap().len(), began.elapsed());
    let began = Instant::now();
    app.plait.call(CancelRun { run: run.clone() }).await.unwrap();
    app.plait.runs().settled(&run).await;
    println!("canceled within {:?}", began.elapsed());
    let all = store.runs(&Default::default()).unwrap();
    println!("{} runs", all.len());
    assert!(all.iter().all(|run| run.status == RunStatus::Cancelled));
    assert!(all.iter().all(|record| !app.plait.runs().is_active(&record.run)));
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_ends_all_runs_of_a_wide_tree() {
    cancel_tree(&[3, 4, 4, 4], None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_ends_a_tree_that_is_starting() {
    cancel_tree(&[3, 4, 4, 4], Some(100)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measure"]
async fn measure_5000() {
    cancel_tree(&[8, 8, 8, 9], None).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measure"]
async fn measure_5000_starting() {
    cancel_tree(&[8, 8, 8, 9], Some(2500)).await;
}
