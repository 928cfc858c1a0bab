//! The reference of a loop over a list: a program that spawns a task for each item, so many at once, and records the same events.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use plait_core::Value;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_journal::{
    Entry, Event, FinishMetadata, Journal, LoopEvent, MemoryJournal, NodeEvent, NodeOutputs, RunEvent,
    SourceRef,
};
use plait_run::host::Clock;
use serde_json::json;
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;

use crate::workload::{BenchError, RUN, SystemClock, started_event};

/// Passes the numbers below `items` through one task each, and records the events that a run of the flow records.
pub fn run(items: usize, concurrency: usize, journal: MemoryJournal) -> Result<(), BenchError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(spawn_tasks(items, concurrency, journal))
}

async fn spawn_tasks(items: usize, concurrency: usize, journal: MemoryJournal) -> Result<(), BenchError> {
    let mut recorder = Recorder { journal, next: 0 };
    recorder.append([started_event(RUN)])?;
    let list: Arc<Value> = Arc::new((0..items).collect::<Vec<_>>().into());
    recorder.node("list", &Epoch::root(), &[], outputs([("value", Arc::clone(&list))]))?;
    recorder.append([
        ready("loop", &Epoch::root(), &[("items", source("list", &Epoch::root(), "value"))]),
        Event::Node(at("loop", &Epoch::root()), NodeEvent::Started { attempt: 1 }),
    ])?;
    let recorder = Arc::new(Mutex::new(recorder));
    let permits = Arc::new(Semaphore::new(concurrency));
    let mut tasks = JoinSet::new();
    for index in 0..items {
        let (recorder, permits, list) = (Arc::clone(&recorder), Arc::clone(&permits), Arc::clone(&list));
        tasks.spawn(async move {
            let _permit = permits.acquire().await?;
            let item = Arc::new(list.get(index).cloned().unwrap_or_default());
            let epoch = Epoch::root().child(u32::try_from(index)?);
            let started = Event::Loop(at("loop", &epoch), LoopEvent::IterationStarted);
            recorder.lock().await.append([started])?;
            // The work of the task: it passes the item on.
            let inputs = [("in", source("loop", &epoch, "item"))];
            recorder.lock().await.node("body", &epoch, &inputs, outputs([("out", Arc::clone(&item))]))?;
            let finished = LoopEvent::IterationFinished { error: None, exit: false };
            recorder.lock().await.append([Event::Loop(at("loop", &epoch), finished)])?;
            Ok::<_, Box<dyn Error + Send + Sync>>((index, item))
        });
    }
    let mut results = vec![Value::Null; items];
    while let Some(done) = tasks.join_next().await {
        let (index, item) = done?.map_err(|error| error.to_string())?;
        results[index] = Value::clone(&item);
    }
    let results = Arc::new(Value::from(results));
    let mut end = recorder.lock().await;
    let latest = results.as_array().and_then(|results| results.last()).cloned().unwrap_or_default();
    let ends = outputs([
        ("result", Arc::new(latest)),
        ("results", Arc::clone(&results)),
        ("iterations", Arc::new(json!(items))),
    ]);
    end.append([finished("loop", &Epoch::root(), ends)])?;
    let passed = outputs([("out", results)]);
    end.node("after", &Epoch::root(), &[("in", source("loop", &Epoch::root(), "results"))], passed.clone())?;
    let outputs = [("after".into(), passed)].into_iter().collect();
    end.append([Event::Run(RunEvent::Finished { outputs, origins: Origins::NONE })])?;
    Ok(())
}

struct Recorder {
    journal: MemoryJournal,
    next: u64,
}

impl Recorder {
    fn append<const N: usize>(&mut self, events: [Event; N]) -> Result<(), Fault> {
        let (at, mut seq) = (SystemClock.now_ms(), self.next..);
        self.next += N as u64;
        self.journal.append(&events.map(|event| Entry { seq: seq.next(), at, event, interrupted_ms: 0 }))
    }

    /// The three events of a node that works at once.
    fn node(
        &mut self,
        node: &str,
        epoch: &Epoch,
        inputs: &[(&str, SourceRef)],
        outputs: NodeOutputs,
    ) -> Result<(), Fault> {
        self.append([
            ready(node, epoch, inputs),
            Event::Node(at(node, epoch), NodeEvent::Started { attempt: 1 }),
        ])?;
        self.append([finished(node, epoch, outputs)])
    }
}

fn at(node: &str, epoch: &Epoch) -> Activation {
    Activation { node: node.into(), epoch: epoch.clone() }
}

fn source(node: &str, epoch: &Epoch, port: &str) -> SourceRef {
    SourceRef { node: node.into(), epoch: epoch.clone(), port: port.into() }
}

fn ready(node: &str, epoch: &Epoch, inputs: &[(&str, SourceRef)]) -> Event {
    let inputs = inputs.iter().map(|(port, source)| ((*port).into(), vec![source.clone()]));
    Event::Node(at(node, epoch), NodeEvent::Ready { inputs: inputs.collect() })
}

fn finished(node: &str, epoch: &Epoch, outputs: NodeOutputs) -> Event {
    let metadata = FinishMetadata::default();
    Event::Node(at(node, epoch), NodeEvent::Finished { outputs, messages: BTreeMap::new(), metadata })
}

fn outputs<const N: usize>(values: [(&str, Arc<Value>); N]) -> NodeOutputs {
    values.into_iter().map(|(port, value)| (port.into(), value)).collect()
}
