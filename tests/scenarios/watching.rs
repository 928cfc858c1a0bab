//! Watching a run while it streams: who comes late sees all that was said so far, who is slow loses nothing but pieces of
//! it, and nobody holds up the run.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use plait_api::engine::error::Fault;
use plait_api::engine::id::Activation;
use plait_api::engine::journal::{Entry, Event, NodeEvent};
use plait_api::engine::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, Providers};
use plait_api::runs::{RunRequest, StartRun};
use plait_api::{Options, Plait, Watch};
use tokio::sync::Semaphore;

use crate::support::flow;

/// More pieces than a watcher may be behind.
const PIECES: usize = 10_000;

/// Streams numbers, each when it is let.
#[derive(Clone)]
struct Gated(Arc<Semaphore>);

fn whole() -> String {
    (0..PIECES).map(piece).collect()
}

fn piece(at: usize) -> String {
    format!("{at} ")
}

#[async_trait]
impl Provider for Gated {
    async fn call(&self, _: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        for at in 0..PIECES {
            self.0.acquire().await.unwrap().forget();
            sink(Chunk::Text(piece(at)));
        }
        Ok(ModelReply { text: whole(), ..ModelReply::default() })
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

impl Providers for Gated {
    fn get(&self, _: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(self.clone()))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

fn said(entry: &Entry) -> Option<&str> {
    match &entry.event {
        Event::Node(_, NodeEvent::Delta { text, .. }) => Some(text),
        _ => None,
    }
}

/// Everything up to the run's end.
async fn rest(watch: &mut Watch) -> Vec<Entry> {
    let mut entries = Vec::new();
    while let Some(entry) = watch.next().await {
        entries.push(entry.unwrap());
    }
    entries
}

fn seqs(entries: &[Entry]) -> Vec<u64> {
    entries.iter().filter_map(|entry| entry.seq).collect()
}

#[tokio::test]
async fn late_slow_and_prompt_watchers() {
    let home = tempfile::tempdir().unwrap();
    let gate = Arc::new(Semaphore::new(0));
    let mut options = Options::new(home.path());
    options.providers = Some(Arc::new(Gated(Arc::clone(&gate))));
    let app = Plait::open(options).unwrap();
    let run =
        app.call(StartRun(RunRequest { flow: flow("one-call"), ..RunRequest::default() })).await.unwrap().run;

    let mut prompt = app.runs().watch(&run, 0).await.unwrap();
    let mut slow = app.runs().watch(&run, 0).await.unwrap();
    gate.add_permits(100);
    let mut received = String::new();
    let mut seen = Vec::new();
    while !received.ends_with("99 ") {
        let entry = prompt.next().await.unwrap().unwrap();
        received.extend(said(&entry));
        seen.push(entry);
    }

    // Late, in the middle of the reply: all that was said so far, after the events and in one piece.
    let mut late = app.runs().watch(&run, 0).await.unwrap();
    let first = late.next_batch(Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(first.last().and_then(said), Some(received.as_str()));

    gate.add_permits(PIECES);
    seen.extend(rest(&mut prompt).await);
    let journal = seqs(&seen);
    assert_eq!(journal, (0..journal.len() as u64).collect::<Vec<_>>());

    let mut late_received = received;
    let late_rest = rest(&mut late).await;
    late_received.extend(late_rest.iter().filter_map(said));
    assert!(
        late_received == whole() || late_received.len() < whole().len(),
        "pieces may be lost, never doubled"
    );
    assert_eq!([seqs(&first), seqs(&late_rest)].concat(), journal);

    // Slow: it was not read from until now, and more came than it can be behind.
    let slow_seen = rest(&mut slow).await;
    assert_eq!(seqs(&slow_seen), journal, "every event, once, in order");
    let events = |entries: &[Entry]| -> Vec<Entry> {
        entries.iter().filter(|entry| entry.seq.is_some()).cloned().collect()
    };
    assert_eq!(events(&slow_seen), events(&seen));
    let after_end = slow_seen.iter().position(
        |entry| matches!(entry.event, Event::Node(_, NodeEvent::Finished { .. }) if said(entry).is_none()),
    );
    assert!(after_end.is_some());
    app.close().await.unwrap();
}

#[tokio::test]
async fn a_stream_that_is_read_at_once_is_whole() {
    let home = tempfile::tempdir().unwrap();
    let mut options = Options::new(home.path());
    options.providers = Some(Arc::new(Gated(Arc::new(Semaphore::new(PIECES)))));
    let app = Plait::open(options).unwrap();
    let run =
        app.call(StartRun(RunRequest { flow: flow("one-call"), ..RunRequest::default() })).await.unwrap().run;
    let mut watch = app.runs().watch(&run, 0).await.unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = watch.next_batch(Duration::from_millis(5)).await {
        batches.push(batch.unwrap());
    }
    for batch in &batches {
        let pieces = batch.iter().filter(|entry| said(entry).is_some()).count();
        assert!(pieces <= 2, "pieces of one reply come joined");
    }
    let all: Vec<Entry> = batches.concat();
    let journal = seqs(&all);
    assert_eq!(journal, (0..journal.len() as u64).collect::<Vec<_>>());
    // What is streamed comes before the node's end and never after it.
    let end = all.iter().position(
        |entry| matches!(&entry.event, Event::Node(Activation { node, .. }, NodeEvent::Finished { .. }) if node.as_str() == "chat"),
    );
    let last = all.iter().rposition(|entry| said(entry).is_some());
    assert!(last < end, "{last:?} {end:?}");
    // The store is to be shut before its directory goes.
    app.close().await.unwrap();
}
