//! Watching a run while it streams: a late watcher gets all text so far, a slow one loses only deltas, and none delays the
//! run.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use plait_api::runs::{RunRequest, StartRun};
use plait_api::{Options, Plait, Watch};
use plait_core::error::Fault;
use plait_core::id::Activation;
use plait_journal::{Entry, Event, NodeEvent};
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, Providers};
use tokio::sync::Semaphore;

use crate::support::flow;

/// More chunks than a watcher's buffer.
const CHUNKS: usize = 10_000;

/// Streams numbers, one per permit.
#[derive(Clone)]
struct GatedProvider(Arc<Semaphore>);

fn full_text() -> String {
    (0..CHUNKS).map(chunk).collect()
}

fn chunk(at: usize) -> String {
    format!("{at} ")
}

#[async_trait]
impl Provider for GatedProvider {
    async fn call(&self, _: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        for at in 0..CHUNKS {
            self.0.acquire().await.unwrap().forget();
            sink(Chunk::Text(chunk(at)));
        }
        Ok(ModelReply { text: full_text(), ..ModelReply::default() })
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

impl Providers for GatedProvider {
    fn get(&self, _: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(self.clone()))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

fn delta_text(entry: &Entry) -> Option<&str> {
    match &entry.event {
        Event::Node(_, NodeEvent::Delta { text, .. }) => Some(text),
        _ => None,
    }
}

/// All entries up to the end of the run.
async fn read_to_end(watch: &mut Watch) -> Vec<Entry> {
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
async fn late_slow_and_prompt_watchers_get_every_event() {
    let home = tempfile::tempdir().unwrap();
    let gate = Arc::new(Semaphore::new(0));
    let mut options = Options::new(home.path(), plait_app::parts());
    options.providers = Some(Arc::new(GatedProvider(Arc::clone(&gate))));
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
        received.extend(delta_text(&entry));
        seen.push(entry);
    }

    // A late watcher gets the events, then all text so far as one delta.
    let mut late = app.runs().watch(&run, 0).await.unwrap();
    let first = late.next_batch(Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(first.last().and_then(delta_text), Some(received.as_str()));

    gate.add_permits(CHUNKS);
    seen.extend(read_to_end(&mut prompt).await);
    let journal = seqs(&seen);
    assert_eq!(journal, (0..journal.len() as u64).collect::<Vec<_>>());

    let mut late_received = received;
    let late_rest = read_to_end(&mut late).await;
    late_received.extend(late_rest.iter().filter_map(delta_text));
    assert!(
        late_received == full_text() || late_received.len() < full_text().len(),
        "deltas may be lost, never duplicated"
    );
    assert_eq!([seqs(&first), seqs(&late_rest)].concat(), journal);

    // A slow watcher is read only now, with more chunks than its buffer.
    let slow_seen = read_to_end(&mut slow).await;
    assert_eq!(seqs(&slow_seen), journal, "every event, once, in order");
    let events = |entries: &[Entry]| -> Vec<Entry> {
        entries.iter().filter(|entry| entry.seq.is_some()).cloned().collect()
    };
    assert_eq!(events(&slow_seen), events(&seen));
    let after_end = slow_seen.iter().position(
        |entry| matches!(entry.event, Event::Node(_, NodeEvent::Finished { .. }) if delta_text(entry).is_none()),
    );
    assert!(after_end.is_some());
    app.close().await.unwrap();
}

#[tokio::test]
async fn prompt_watcher_gets_the_whole_stream() {
    let home = tempfile::tempdir().unwrap();
    let mut options = Options::new(home.path(), plait_app::parts());
    options.providers = Some(Arc::new(GatedProvider(Arc::new(Semaphore::new(CHUNKS)))));
    let app = Plait::open(options).unwrap();
    let run =
        app.call(StartRun(RunRequest { flow: flow("one-call"), ..RunRequest::default() })).await.unwrap().run;
    let mut watch = app.runs().watch(&run, 0).await.unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = watch.next_batch(Duration::from_millis(5)).await {
        batches.push(batch.unwrap());
    }
    for batch in &batches {
        let pieces = batch.iter().filter(|entry| delta_text(entry).is_some()).count();
        assert!(pieces <= 2, "deltas of one reply are merged");
    }
    let all: Vec<Entry> = batches.concat();
    let journal = seqs(&all);
    assert_eq!(journal, (0..journal.len() as u64).collect::<Vec<_>>());
    // Deltas come before the end of their node.
    let end = all.iter().position(
        |entry| matches!(&entry.event, Event::Node(Activation { node, .. }, NodeEvent::Finished { .. }) if node.as_str() == "chat"),
    );
    let last = all.iter().rposition(|entry| delta_text(entry).is_some());
    assert!(last < end, "{last:?} {end:?}");
    // Close the store before its directory is deleted.
    app.close().await.unwrap();
}
