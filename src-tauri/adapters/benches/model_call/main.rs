//! Plait's own time per model call: from `node.started` until the server has the whole request, in a conversation of 1,000
//! messages. The baseline serializes and sends the same body with plain reqwest. The two alternate.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-adapters --bench model_call` runs it alone. Both send to the same
//! server in this process, each over its own persistent connection.

mod server;
#[path = "../talk/talk.rs"]
mod talk;
#[path = "../../../nodes/benches/workload/workload.rs"]
mod workload;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use plait_adapters::providers::ProviderKind;
use plait_adapters::{ProviderRegistry, ProviderSettings};
use plait_core::id::Activation;
use plait_journal::{Event, NodeEvent};
use plait_store::Store;
use serde_json::{Value, json};
use server::{Received, Server};
use talk::SAID;
use workload::{BenchError, Figures, is_selected};

/// Turns before the first measured call; each has two messages.
const TURNS_BEFORE: usize = 500;
const MEASURED_CALLS: usize = 200;

fn main() -> Result<(), BenchError> {
    if !is_selected("model-call") {
        return Ok(());
    }
    // Several threads, as in the application: a request does not wait for the journal.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (mut engine, mut bare) = runtime.block_on(measure())?;
    engine.sort_unstable();
    bare.sort_unstable();
    let mut figures = Figures::default();
    for (by, times) in [("engine", engine), ("bare", bare)] {
        figures.add("model-call", by, times[times.len() / 2].as_secs_f64() * 1e6, "µs");
    }
    Ok(figures.write("model_call")?)
}

/// The duration of each call, by Plait and by plain reqwest.
async fn measure() -> Result<(Vec<Duration>, Vec<Duration>), BenchError> {
    let server = Server::start()?;
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(home.path())?;
    let run = uuid::Uuid::now_v7().to_string();
    let journal = store.journal(&run.as_str().into())?;
    let settings = ProviderSettings {
        base_url: Some(format!("{}/v1", server.address())),
        ..ProviderSettings::of(ProviderKind::OpenAi)
    };
    let providers = ProviderRegistry::new(&BTreeMap::from([("server".to_owned(), settings)]))?;
    let start = json!({ "provider": "server", "model": "m" });

    let started: Arc<Mutex<Option<Instant>>> = Arc::default();
    let start_time = Arc::clone(&started);
    let record_start = move |event: &Event| {
        if let Event::Node(Activation { node, .. }, NodeEvent::Started { .. }) = event
            && node.as_str() == "chat"
        {
            *start_time.lock() = Some(Instant::now());
        }
    };
    let client =
        BareClient { client: reqwest::Client::builder().no_proxy().build()?, url: server.chat_url() };
    let talk = talk::hold(&run, journal, (start, providers), record_start, async |talk| {
        for _ in 0..TURNS_BEFORE {
            talk.say(SAID).await?;
            server.next_request()?;
        }
        let (mut engine, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..MEASURED_CALLS {
            talk.say(SAID).await?;
            let Received { at, body } = server.next_request()?;
            let started = *started.lock();
            engine.push(at - started.ok_or("the chat was never started")?);
            let body: Value = serde_json::from_slice(&body)?;
            let messages = body["messages"].as_array().map_or(0, Vec::len);
            if messages < 2 * TURNS_BEFORE {
                return Err(format!("only {messages} messages were sent").into());
            }
            bare.push(client.time(&body, &server).await?);
        }
        Ok((engine, bare))
    });
    Box::pin(talk).await
}

struct BareClient {
    client: reqwest::Client,
    url: String,
}

impl BareClient {
    /// Sends the body and returns the time until the server had all of it.
    async fn time(&self, body: &Value, server: &Server) -> Result<Duration, BenchError> {
        let began = Instant::now();
        let bytes = serde_json::to_vec(body)?;
        let request = self.client.post(&self.url).header("content-type", "application/json").body(bytes);
        request.send().await?.bytes().await?;
        Ok(server.next_request()?.at - began)
    }
}
