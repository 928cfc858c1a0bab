//! Plait's own time per model call: from `node.started` until the server has the whole request, in a conversation of 1,000
//! messages; compared with serializing and sending the same body with bare reqwest, by turns.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-adapters --bench model_call` does alone. Both send to the same server
//! in this process, each over one connection that stays open.

mod server;
#[path = "../talk/talk.rs"]
mod talk;
#[path = "../../../engine/benches/workload/workload.rs"]
mod workload;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use plait_adapters::providers::ProviderKind;
use plait_adapters::{ProviderRegistry, ProviderSettings, Store};
use plait_engine::id::Activation;
use plait_engine::journal::{Event, NodeEvent};
use serde_json::{Value, json};
use server::{Received, Server};
use talk::SAID;
use workload::{Figures, Wrong, is_asked_for};

/// How long the conversation is before anything is measured: two messages each.
const TURNS_BEFORE: usize = 500;
const MEASURED: usize = 200;

fn main() -> Result<(), Wrong> {
    if !is_asked_for("model-call") {
        return Ok(());
    }
    // As the product has it: whoever sends does not wait for whoever keeps the journal.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (mut engine, mut bare) = runtime.block_on(measure())?;
    engine.sort_unstable();
    bare.sort_unstable();
    let mut figures = Figures::default();
    for (by, times) in [("engine", engine), ("bare", bare)] {
        figures.note("model-call", by, times[times.len() / 2].as_secs_f64() * 1e6, "µs");
    }
    Ok(figures.keep("model_call")?)
}

/// What each call took, Plait's and the bare ones.
async fn measure() -> Result<(Vec<Duration>, Vec<Duration>), Wrong> {
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
    let seen = Arc::clone(&started);
    let note_start = move |event: &Event| {
        if let Event::Node(Activation { node, .. }, NodeEvent::Started { .. }) = event
            && node.as_str() == "chat"
        {
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
    };
    let bare = Bare { client: reqwest::Client::builder().no_proxy().build()?, url: server.chat_url() };
    talk::hold(&run, journal, (start, providers), note_start, async |talk| {
        for _ in 0..TURNS_BEFORE {
            talk.say(SAID).await?;
            server.received()?;
        }
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..MEASURED {
            talk.say(SAID).await?;
            let Received { at, body } = server.received()?;
            let started = *started.lock().unwrap_or_else(PoisonError::into_inner);
            ours.push(at - started.ok_or("the chat was never started")?);
            let body: Value = serde_json::from_slice(&body)?;
            let messages = body["messages"].as_array().map_or(0, Vec::len);
            if messages < 2 * TURNS_BEFORE {
                return Err(format!("only {messages} messages were sent").into());
            }
            theirs.push(bare.time(&body, &server).await?);
        }
        Ok((ours, theirs))
    })
    .await
}

struct Bare {
    client: reqwest::Client,
    url: String,
}

impl Bare {
    async fn time(&self, body: &Value, server: &Server) -> Result<Duration, Wrong> {
        let began = Instant::now();
        let bytes = serde_json::to_vec(body)?;
        let request = self.client.post(&self.url).header("content-type", "application/json").body(bytes);
        request.send().await?.bytes().await?;
        Ok(server.received()?.at - began)
    }
}
