use plait_core::error::ErrorCode;
use std::sync::{Mutex, PoisonError};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::*;
use crate::host::Clock;
use plait_core::id::{Activation, Epoch, NodeId};

/// A clock that stands still.
struct Stopped(u64);

impl Clock for Stopped {
    fn now_ms(&self) -> u64 {
        self.0
    }

    fn sleep(&self, _: std::time::Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    fn random(&self) -> f64 {
        0.5
    }
}

/// A journal with a flush that waits for the other end.
struct Slow(Option<oneshot::Receiver<()>>);

impl Journal for Slow {
    fn append(&mut self, _: &[Entry]) -> Result<(), Fault> {
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        let on_disk = self.0.take();
        Box::pin(async {
            if let Some(on_disk) = on_disk {
                on_disk
                    .await
                    .map_err(|_| Fault::new(ErrorCode::from_wire("test.gone"), "The test is over."))?;
            }
            Ok(())
        })
    }
}

#[test]
fn a_question_is_shown_when_it_is_on_disk_and_what_follows_waits_behind_it() {
    let (on_disk, wait) = oneshot::channel();
    let shown: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&shown);
    let watcher: Watcher = Box::new(move |entries| {
        let types = entries.iter().map(|entry| serde_json::to_value(&entry.event).unwrap()["type"].clone());
        seen.lock().unwrap_or_else(PoisonError::into_inner).extend(types);
    });
    let shown = || shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let clock = Arc::new(Stopped(0));
    let mut recorder = Recorder::new(Box::new(Slow(Some(wait))), watcher, clock, Arc::default(), &[]);
    let node = NodeId::from("ask");
    let epoch = Epoch::root();

    recorder
        .append([Event::Node(
            Activation { node: node.clone(), epoch: epoch.clone() },
            NodeEvent::Started { attempt: 1 },
        )])
        .unwrap();
    assert_eq!(shown(), ["node.started"]);

    let paused = Event::Node(
        Activation { node: node.clone(), epoch: epoch.clone() },
        NodeEvent::Paused { prompt: "?".into(), schema: json!({}), answered: false, tool: None },
    );
    recorder.append([paused]).unwrap();
    recorder.append([Event::Node(Activation { node, epoch }, NodeEvent::Started { attempt: 1 })]).unwrap();
    assert_eq!(shown(), ["node.started"], "the question would be gone after a crash");

    let mut flushed = Box::pin(recorder.flush());
    assert!(flushed.as_mut().now_or_never().is_none());
    assert_eq!(shown(), ["node.started"]);
    on_disk.send(()).unwrap();
    futures::executor::block_on(flushed).unwrap();
    assert_eq!(shown(), ["node.started", "run.paused", "node.started"]);
}

#[test]
fn first_entry_after_an_interruption_says_how_long_it_was() {
    let started = || {
        Event::Node(
            Activation { node: "work".into(), epoch: Epoch::root() },
            NodeEvent::Started { attempt: 1 },
        )
    };
    let before = [Entry { seq: Some(4), at: 1_000, event: started(), interrupted_ms: 0 }];
    let shown = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&shown);
    let watcher: Watcher = Box::new(move |entries| {
        let interruptions = entries.iter().map(|entry| (entry.seq, entry.interrupted_ms));
        seen.lock().unwrap_or_else(PoisonError::into_inner).extend(interruptions);
    });
    let clock = Arc::new(Stopped(6_500));
    let mut recorder = Recorder::new(Box::new(Slow(None)), watcher, clock, Arc::default(), &before);
    recorder.append([started(), started()]).unwrap();
    recorder.append([started()]).unwrap();
    let shown = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(shown, [(Some(5), 5_500), (Some(6), 0), (Some(7), 0)]);
}
