use plait_core::id::{Activation, Epoch, NodeId};
use plait_llm::tool::ToolProgress;

use super::*;
use crate::codes;

#[tokio::test]
async fn watch_of_a_stopped_run_returns_the_error() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let broadcast = RunBroadcast::new();
    broadcast.open(0);
    broadcast.stop(ErrorReply::new(codes::STORE_FULL, "The disk is full."));
    let run = RunId::from("0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10");
    let mut watch = Watch::new(store, run, broadcast, 0).expect("watching");
    let error = watch.next().await.expect("an item").expect_err("why it was stopped");
    assert_eq!(error.code, "store.full");
    assert!(watch.next().await.is_none());
}

fn delta(node: &str, text: &str) -> Entry {
    let (node, epoch) = (NodeId::from(node), Epoch::root());
    Entry {
        seq: None,
        at: 0,
        event: Event::Node(
            Activation { node, epoch },
            NodeEvent::Delta { text: text.to_owned(), reasoning: String::new() },
        ),
        interrupted_ms: 0,
    }
}

#[test]
fn batch_merges_consecutive_partial_output_of_each_activation() {
    let started =
        Event::Node(Activation { node: "c".into(), epoch: Epoch::root() }, NodeEvent::Started { attempt: 1 });
    let mut batch = Vec::new();
    for entry in [
        delta("a", "1"),
        delta("b", "2"),
        delta("a", "3"),
        Entry { seq: Some(7), at: 0, event: started.clone(), interrupted_ms: 0 },
        delta("a", "4"),
        delta("b", "5"),
        delta("b", "6"),
    ] {
        push_merged(&mut batch, entry);
    }
    let events: Vec<_> = batch.into_iter().map(|entry| entry.event).collect();
    let expected = [delta("a", "13"), delta("b", "2")].map(|entry| entry.event).into_iter();
    let after = [delta("a", "4"), delta("b", "56")].map(|entry| entry.event);
    assert_eq!(events, expected.chain([started]).chain(after).collect::<Vec<_>>());
}

#[test]
fn batch_keeps_the_latest_progress_of_each_call() {
    let progress = |id: &str, progress: f64| Entry {
        seq: None,
        at: 0,
        event: Event::Call(
            Activation { node: "c".into(), epoch: Epoch::root() },
            CallEvent::ToolProgressed {
                step: 0,
                call_id: id.to_owned(),
                progress: ToolProgress { progress, ..ToolProgress::default() },
            },
        ),
        interrupted_ms: 0,
    };
    let waiting = |progress: f64| Entry {
        seq: None,
        at: 0,
        event: Event::Node(
            Activation { node: "c".into(), epoch: Epoch::root() },
            NodeEvent::Progressed { progress: ToolProgress { progress, ..ToolProgress::default() } },
        ),
        interrupted_ms: 0,
    };
    let mut batch = Vec::new();
    for entry in [
        progress("a", 1.0),
        waiting(1.0),
        progress("b", 1.0),
        progress("a", 2.0),
        waiting(2.0),
        delta("c", "x"),
        progress("a", 3.0),
    ] {
        push_merged(&mut batch, entry);
    }
    let expected =
        [progress("a", 2.0), waiting(2.0), progress("b", 1.0), delta("c", "x"), progress("a", 3.0)];
    assert_eq!(batch, expected);
}
