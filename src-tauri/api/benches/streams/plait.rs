//! Plait: ten concurrent chats in one run, watched like the window watches a run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cpu_time::ProcessTime;
use plait_api::runs::{RunRequest, StartRun};
use plait_api::settings::{SetSettings, Settings};
use plait_api::tokens::CountTokens;
use plait_api::{Options, Plait};
use plait_journal::{Entry, Event, NodeEvent};
use serde_json::{Map, json};

use super::server::age;
use super::{BenchError, Measurement, STREAMS, TOKENS};

/// The minimum time between two batches for the window.
const FRAME: Duration = Duration::from_millis(16);

/// Runs the flow and measures the latency of each token.
pub fn run(server: &str) -> Result<Measurement, BenchError> {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).map_err(|error| error.message)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let providers = json!({ "server": { "kind": "openAi", "baseUrl": format!("{server}/v1") } });
        let settings = Settings { providers: serde_json::from_value(providers)?, ..Settings::default() };
        plait.call(SetSettings { settings }).await.map_err(|error| error.message)?;
        // Load the tokenizer first, as the window does.
        let text = "Go on.".to_owned();
        plait.call(CountTokens { model: "m".to_owned(), text }).await.map_err(|error| error.message)?;
        let started = ProcessTime::now();
        let run = plait.call(flow()?).await.map_err(|error| error.message)?.run;
        let mut watch = plait.runs().watch(&run, 0).await.map_err(|error| error.message)?;
        let mut latencies = Vec::with_capacity(STREAMS * TOKENS);
        while let Some(batch) = watch.next_batch(FRAME).await {
            let batch = batch.map_err(|error| error.message)?;
            // Serialized as for the window.
            serde_json::to_vec(&batch)?;
            latencies.extend(batch.iter().flat_map(ages));
        }
        let cpu_ms = started.elapsed().as_secs_f64() * 1e3;
        plait.close().await.map_err(|error| error.message)?;
        if latencies.len() != STREAMS * TOKENS {
            return Err(format!("received {} of {} tokens", latencies.len(), STREAMS * TOKENS).into());
        }
        latencies.sort_unstable();
        let percentile = latencies[latencies.len() - latencies.len() / 1_000 - 1];
        Ok(Measurement { cpu_ms, latency_ms: Some(Duration::from_micros(percentile).as_secs_f64() * 1e3) })
    })
}

/// The ages of the tokens in an entry, in microseconds.
fn ages(entry: &Entry) -> Vec<u64> {
    match &entry.event {
        Event::Node(_, NodeEvent::Delta { text, .. }) => text.split_whitespace().filter_map(age).collect(),
        _ => Vec::new(),
    }
}

/// Ten contexts with one chat each.
fn flow() -> Result<StartRun, BenchError> {
    let (mut nodes, mut edges, mut overrides) = (Map::new(), Map::new(), BTreeMap::new());
    for at in 0..STREAMS {
        let (start, chat) = (format!("start{at}"), format!("chat{at}"));
        let config = json!({ "provider": "server", "model": "m", "contextId": format!("context{at}") });
        nodes.insert(start.clone(), json!({ "type": "contextStart", "config": config }));
        nodes.insert(chat.clone(), json!({ "type": "chat" }));
        overrides
            .insert(chat.as_str().into(), BTreeMap::from([("message".into(), Arc::new(json!("Go on.")))]));
        let edge =
            json!({ "source": start, "sourceOutput": "context", "target": chat, "targetInput": "context" });
        edges.insert(format!("e{at}"), edge);
    }
    let flow = serde_json::from_value(json!({ "version": 1, "nodes": nodes, "edges": edges }))?;
    Ok(StartRun(RunRequest { flow, overrides, ..RunRequest::default() }))
}
