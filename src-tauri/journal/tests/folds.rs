//! The vectors that hold this fold of events and the window's to one another: a journal in, a view out.
//!
//! With `PLAIT_WRITE_FOLDS=1` the views are written again; look at the difference before committing it.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by them"
)]

use std::path::{Path, PathBuf};

use plait_journal::Entry;
use plait_journal::view::RunView;
use plait_llm::models::{Cost, TokenUsage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize, Serialize)]
struct Vector {
    about: String,
    journal: Vec<Value>,
    view: Value,
}

fn vectors() -> Vec<(PathBuf, Vector)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/folds");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let vector = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            (path, vector)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() >= 18, "the vectors are missing");
    found
}

fn journal(vector: &Vector) -> Vec<Entry> {
    vector.journal.iter().map(|entry| serde_json::from_value(entry.clone()).unwrap()).collect()
}

#[test]
fn each_journal_gives_its_view() {
    for (path, mut vector) in vectors() {
        let view = serde_json::to_value(RunView::of(&journal(&vector))).unwrap();
        if std::env::var_os("PLAIT_WRITE_FOLDS").is_some() {
            vector.view = view;
            std::fs::write(&path, serde_json::to_string_pretty(&vector).unwrap() + "\n").unwrap();
        } else {
            assert_eq!(view, vector.view, "{}", path.display());
        }
    }
}

/// The window folds entries as they are on the wire; so what the vectors say must be what Rust would write.
#[test]
fn each_journal_is_as_rust_writes_it() {
    for (path, vector) in vectors() {
        let written: Vec<Value> =
            journal(&vector).iter().map(|entry| serde_json::to_value(entry).unwrap()).collect();
        assert_eq!(written, vector.journal, "{}", path.display());
    }
}

#[test]
fn a_view_survives_being_written_and_read() {
    for (path, vector) in vectors() {
        let view = RunView::of(&journal(&vector));
        let read: RunView = serde_json::from_value(serde_json::to_value(&view).unwrap()).unwrap();
        assert_eq!(read, view, "{}", path.display());
    }
}

/// The counts and sums that are kept up to date step by step are what one would get by counting at the end.
#[test]
fn counts_and_sums_agree_with_the_nodes() {
    for (path, vector) in vectors() {
        let journal = journal(&vector);
        for length in 0..=journal.len() {
            let view = RunView::of(&journal[..length]);
            let counts = serde_json::to_value(view.counts).unwrap();
            for (state, count) in counts.as_object().unwrap() {
                let found = view
                    .nodes
                    .values()
                    .filter(|node| serde_json::to_value(node.state).unwrap() == state.as_str())
                    .count();
                assert_eq!(count.as_u64(), Some(found as u64), "{state} in {} at {length}", path.display());
            }
            let (mut tokens, mut cost) = (TokenUsage::default(), Cost::default());
            for epoch in view.nodes.values().flat_map(|node| &node.epochs) {
                tokens += epoch.usage;
                cost += epoch.cost;
            }
            let totals = (view.totals.tokens, view.totals.cost);
            assert_eq!((tokens, cost), totals, "{} at {length}", path.display());
            for (id, node) in &view.nodes {
                let shown = node.shown().unwrap();
                assert_eq!(shown.state, node.state, "{id} in {}", path.display());
                let latest =
                    node.epochs.iter().rfind(|epoch| serde_json::to_value(epoch.state).unwrap() != "skipped");
                assert_eq!(shown, latest.or(node.epochs.last()).unwrap(), "{id} in {}", path.display());
            }
            for (id, context) in &view.contexts {
                let history = &context.record.message_history;
                let found: u64 = history.iter().map(|message| u64::from(message.tokens)).sum();
                assert_eq!(context.tokens, found, "{id} in {}", path.display());
            }
        }
    }
}
