//! How long a reply with 16 tool calls takes until the model has all their results, when each tool takes 100 ms: the calls run at
//! the same time, and each has its events in a journal on disk.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-adapters --bench tool_calls` does alone.

#[expect(dead_code, reason = "there is no conversation here")]
#[path = "talk/talk.rs"]
mod talk;
#[path = "../../nodes/benches/workload/workload.rs"]
mod workload;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use parking_lot::Mutex;
use plait_adapters::ProviderRegistry;
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_journal::InputOverrides;
use plait_llm::context::{Role, ToolCall};
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, Provider, Providers, StopReason};
use plait_llm::tool::{ToolHost, ToolInvocation, ToolSpec};
use plait_nodes::registry;
use plait_run::host::Host;
use plait_run::plan::plan;
use plait_run::{Driver, RunSetup};
use plait_store::Store;
use serde_json::{Value, json};
use workload::{BenchError, Figures, is_selected, run_info, started_event};

const CALLS: usize = 16;
const TOOL_DURATION: Duration = Duration::from_millis(100);
const ROUNDS: usize = 20;

fn main() -> Result<(), BenchError> {
    if !is_selected("tool-calls") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(home.path())?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(runtime.block_on(measure(&store))?);
    }
    times.sort_unstable();
    let mut figures = Figures::default();
    figures.add("tool-calls", "16 of 100 ms each", times[times.len() / 2].as_secs_f64() * 1e3, "ms");
    Ok(figures.write("tool_calls")?)
}

/// The time from the reply that calls the tools to the request that has their results.
async fn measure(store: &Store) -> Result<Duration, BenchError> {
    let run = uuid::Uuid::now_v7().to_string();
    let plan = plan(&flow()?, &registry(), None, &InputOverrides::new())
        .map_err(|problems| format!("the benchmark's flow is invalid: {problems:?}"))?;
    let model = Arc::<Model>::default();
    let setup = RunSetup {
        plan: Arc::new(plan),
        info: run_info(&run),
        host: Host {
            providers: Arc::new(OneProvider(Arc::clone(&model))),
            tools: Arc::new(SlowTools),
            ..talk::host(ProviderRegistry::new(&BTreeMap::new())?)
        },
        spent_by_children: std::collections::BTreeMap::new(),
        trials: None,
        journal: Box::new(store.journal(&run.as_str().into())?),
        watcher: Box::new(|_| ()),
    };
    let (driver, _handle) = Driver::start(setup, started_event(&run))?;
    talk::finished(driver.drive().await?)?;
    let requests = model.0.lock();
    match requests.as_slice() {
        [(called, 0), (answered, CALLS)] => Ok(*answered - *called),
        other => Err(format!("unexpected requests: {other:?}").into()),
    }
}

fn flow() -> Result<Flow, BenchError> {
    let edge = |source: &str, output: &str, target: &str, input: &str| json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    Ok(serde_json::from_value(json!({
        "version": 1,
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "model", "model": "m" } },
            "tools": { "type": "tools", "config": { "tools": ["wait"] } },
            "say": { "type": "text", "config": { "template": "Wait." } },
            "chat": { "type": "chat" },
        },
        "edges": {
            "a": edge("start", "context", "chat", "context"),
            "b": edge("tools", "tools", "chat", "tools"),
            "c": edge("say", "text", "chat", "message"),
        },
    }))?)
}

/// Calls the tool 16 times, then ends. Keeps when it was asked, and how many results it got.
#[derive(Default)]
struct Model(Mutex<Vec<(Instant, usize)>>);

#[async_trait]
impl Provider for Model {
    async fn call(&self, request: ModelRequest, _sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let results = request.messages.iter().filter(|message| message.role == Role::Tool).count();
        self.0.lock().push((Instant::now(), results));
        if results > 0 {
            return Ok(ModelReply { text: "Done.".to_owned(), ..ModelReply::default() });
        }
        let call = |id: usize| ToolCall { id: id.to_string(), name: "wait".to_owned(), arguments: json!({}) };
        let tool_calls = (1..=CALLS).map(call).collect();
        Ok(ModelReply { tool_calls, stop_reason: StopReason::ToolCalls, ..ModelReply::default() })
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

struct OneProvider(Arc<Model>);

impl Providers for OneProvider {
    fn get(&self, _name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::clone(&self.0) as Arc<dyn Provider>)
    }

    fn names(&self) -> Vec<String> {
        vec!["model".to_owned()]
    }
}

struct SlowTools;

#[async_trait]
impl ToolHost for SlowTools {
    fn list(&self) -> Vec<ToolSpec> {
        vec![ToolSpec::new("wait", "Waits.", json!({ "type": "object" }), "native")]
    }

    async fn call(&self, _call: ToolInvocation) -> Result<Value, Fault> {
        tokio::time::sleep(TOOL_DURATION).await;
        Ok(json!("waited"))
    }
}
