//! Whole runs of real node types against a scripted world, polled by hand: the journal, and concurrent nodes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by them")]

mod attached_turns;
mod conversation_paths;
mod conversations;
mod cycles;
mod debugger;
mod deep;
mod disabled;
mod hitl_history;
mod integers;
mod joins;
mod loop_origins;
mod loops;
mod memory;
mod pauses;
mod pinned_turns;
mod pins;
mod quota_parts;
mod quotas;
mod transcript;
mod turns;
mod waits;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::executor::LocalPool;
use futures::future::BoxFuture;
use futures::task::LocalSpawnExt;
use serde_json::{Value, json};

use plait_core::error::Fault;
use plait_run::{Driver, RunHandle, RunSetup};

use plait_core::id::Activation;
use plait_journal::{Answer, Entry, Event, InputOverrides, Journal, NodeEvent};
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, Providers};
use plait_llm::tool::{ToolHost, ToolInvocation, ToolSpec};
use plait_run::host::subflow::Subflows;
use plait_run::host::{Clock, Host, RunInfo};
use plait_run::plan::plan;
use plait_testing::{FakeClock, FakeProvider, FakeSubflows, RunStart, flow_of};

/// A world around one flow after another.
struct Stage {
    provider: Arc<FakeProvider>,
    subflows: Arc<FakeSubflows>,
    host: Host,
    kept: SharedJournal,
}

impl Stage {
    /// One in which waiting takes no time.
    fn new() -> Self {
        Self::with(Arc::new(FakeClock::default()))
    }

    fn with(clock: Arc<dyn Clock>) -> Self {
        let provider = Arc::new(FakeProvider::default());
        let subflows = Arc::new(FakeSubflows::default());
        let host = Host {
            providers: Arc::new(Both(Arc::clone(&provider))),
            tools: Arc::new(Deep),
            retriever: Arc::new(plait_llm::retriever::NoRetriever),
            memories: plait_llm::long_term_memory::NoMemoryStore::shared(),
            attachments: plait_core::attachment::NoAttachmentStore::shared(),
            clock,
            evaluator: Arc::new(plait_core::expression::in_process::InProcess),
            subflows: Arc::clone(&subflows) as Arc<dyn Subflows>,
            earlier: plait_journal::earlier_run::EarlierTree::default(),
            debugger: plait_run::debugger::Debugger::default(),
            quotas: plait_llm::quota::QuotaChain::default(),
        };
        Self { provider, subflows, host, kept: SharedJournal::default() }
    }

    fn setup(&self, nodes: &Value, edges: &Value, settings: &Value, to: Option<&str>) -> RunSetup {
        let edges: Vec<_> = edges.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let flow = flow_of(nodes, &edges, settings);
        let registry = plait_nodes::registry();
        let plan = plan(&flow, &registry, to.map(Into::into).as_ref(), &InputOverrides::new()).unwrap();
        RunSetup {
            plan: Arc::new(plan),
            info: RunInfo {
                run: "run".into(),
                user: plait_core::user::UserName::default(),
                flow_name: "flow".to_owned(),
                folder: None,
                input: None,
                conversation: None,
                grants: None,
                ignores_pins: false,
                earlier: None,
            },
            host: self.host.clone(),
            spent_by_children: std::collections::BTreeMap::new(),
            trials: None,
            journal: Box::new(self.kept.clone()),
            watcher: Box::new(|_| ()),
        }
    }

    fn start(&self, nodes: &Value, edges: &Value, settings: &Value) -> (Driver, RunHandle) {
        Driver::start(self.setup(nodes, edges, settings, None), started()).unwrap()
    }

    /// Runs a flow as far as it goes without anybody's help. Gives its events.
    fn play(&self, nodes: &Value, edges: &Value, settings: &Value) -> Vec<Value> {
        let (driver, _handle) = self.start(nodes, edges, settings);
        drive(driver);
        self.events()
    }

    /// Runs a flow. Whenever nothing else can go on, `answer` chooses one of the open pauses and the answer to it; without a
    /// value, the pause is ended. Gives the events.
    fn play_answering(
        &self,
        nodes: &Value,
        edges: &Value,
        settings: &Value,
        answer: impl FnMut(&[Activation]) -> Option<(Activation, Option<Value>)>,
    ) -> Vec<Value> {
        let (driver, handle) = self.start(nodes, edges, settings);
        self.drive_answering(driver, &handle, answer)
    }

    /// The same for a run that has started.
    fn drive_answering(
        &self,
        driver: Driver,
        handle: &RunHandle,
        mut answer: impl FnMut(&[Activation]) -> Option<(Activation, Option<Value>)>,
    ) -> Vec<Value> {
        self.drive_with_answers(driver, handle, |open| {
            let (pause, value) = answer(open)?;
            Some((pause, value.map_or(Answer::End, |value| Answer::Value(Arc::new(value)))))
        })
    }

    /// The same with answers that may have attachments.
    fn drive_with_answers(
        &self,
        driver: Driver,
        handle: &RunHandle,
        mut answer: impl FnMut(&[Activation]) -> Option<(Activation, Answer)>,
    ) -> Vec<Value> {
        let mut pool = LocalPool::new();
        pool.spawner().spawn_local(driver.drive().map(|end| assert!(end.is_ok(), "{end:?}"))).unwrap();
        pool.run_until_stalled();
        let mut open: Vec<Activation> = Vec::new();
        let mut seen = 0;
        loop {
            for entry in &self.kept.0.lock().unwrap()[seen..] {
                seen += 1;
                match &entry.event {
                    Event::Node(activation, NodeEvent::Paused { .. }) => open.push(activation.clone()),
                    Event::Node(
                        activation,
                        NodeEvent::Answered { .. } | NodeEvent::Failed { .. } | NodeEvent::Skipped { .. },
                    ) => open.retain(|at| at != activation),
                    _ => {}
                }
            }
            if open.is_empty() {
                break;
            }
            let Some((pause, answer)) = answer(&open) else { break };
            let handle = handle.clone();
            let answering = async move {
                let answered = match answer {
                    Answer::Value(value) => handle.answer(pause, Value::clone(&value)).await,
                    Answer::Attached { value, attachments } => {
                        handle.answer_with(pause, Value::clone(&value), attachments).await
                    }
                    Answer::End => handle.end(pause).await,
                };
                answered.unwrap();
            };
            pool.spawner().spawn_local(answering).unwrap();
            pool.run_until_stalled();
        }
        self.events()
    }

    fn entries(&self) -> Vec<Entry> {
        self.kept.0.lock().unwrap().clone()
    }

    fn events(&self) -> Vec<Value> {
        self.entries().iter().map(|entry| serde_json::to_value(&entry.event).unwrap()).collect()
    }
}

/// Drives a run as far as it goes without anybody's help.
fn drive(driver: Driver) {
    let mut pool = LocalPool::new();
    let whole = driver.drive().map(|end| assert!(end.is_ok(), "{end:?}"));
    pool.spawner().spawn_local(whole).unwrap();
    pool.run_until_stalled();
}

fn started() -> Event {
    RunStart::new("run").into()
}

/// The events of one node, except events that only say that it runs.
fn of<'a>(node: &str, events: &'a [Value]) -> Vec<&'a Value> {
    let plain = [json!("node.ready"), json!("node.started"), json!("prompt.rendered")];
    events.iter().filter(|event| event["node"] == node && !plain.contains(&event["type"])).collect()
}

fn types(events: &[&Value]) -> Vec<String> {
    events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[derive(Clone, Default)]
struct SharedJournal(Arc<Mutex<Vec<Entry>>>);

impl Journal for SharedJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        self.0.lock().unwrap().extend_from_slice(entries);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }
}

/// The provider `stalls` says a little and never ends; all others are the fake one.
struct Both(Arc<FakeProvider>);

impl Providers for Both {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(if name == "stalls" { Arc::new(Stalls) } else { Arc::clone(&self.0) as Arc<dyn Provider> })
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

struct Stalls;

#[async_trait]
impl Provider for Stalls {
    async fn call(&self, _: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        sink(Chunk::Text("Well, I".to_owned()));
        futures::future::pending().await
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

/// A value in so many lists.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(0), |inside, _| json!([inside]))
}

/// One tool with a result inside very many lists.
struct Deep;

#[async_trait]
impl ToolHost for Deep {
    fn list(&self) -> Vec<ToolSpec> {
        vec![ToolSpec::new("deep", "Deep.", json!({ "type": "object" }), "native")]
    }

    async fn call(&self, _: ToolInvocation) -> Result<Value, Fault> {
        Ok(nested(126))
    }
}

/// A clock on which nothing that waits comes to its end.
#[derive(Default)]
struct Still {
    now: AtomicU64,
    asked: Mutex<Vec<Duration>>,
}

impl Clock for Still {
    fn now_ms(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.asked.lock().unwrap().push(duration);
        Box::pin(futures::future::pending())
    }

    fn random(&self) -> f64 {
        0.0
    }
}
