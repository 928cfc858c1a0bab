//! What a call of an MCP tool over standard input and output costs with its two durable events, beside the same call by a bare
//! client of the SDK and two syncs. The server is a script for Node that echoes; each side has one of its own.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-adapters --bench mcp` does alone. It needs Node.

#[path = "../../nodes/benches/workload/workload.rs"]
mod workload;

use std::path::Path;
use std::time::{Duration, Instant};

use plait_adapters::{KeyStore, McpServers};
use plait_core::id::{Activation, Epoch, RunId};
use plait_journal::{Entry, Event, FinishMetadata, Journal, NodeEvent};
use plait_llm::tool::{ToolHost as _, ToolInvocation};
use plait_store::Store;
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;
use serde_json::json;
use workload::{BenchError, Figures, is_selected, started_event};

const ROUNDS: u64 = 1_000;
/// When every event happened.
const AT_MS: u64 = 1_700_000_000_000;

fn main() -> Result<(), BenchError> {
    if !is_selected("mcp") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure())
}

async fn measure() -> Result<(), BenchError> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mcp/scripted-server.mjs");
    // Below the build directory, since a system's temporary directory may be memory.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(home.path())?;
    let (servers, _) = McpServers::open(&store, &KeyStore::in_memory());
    let entry = json!({ "mcpServers": { "s": { "command": "node", "args": [&script] } } });
    servers.add(&entry.to_string(), None, false).await?;
    let tools = servers.list_server("s").await?;
    let tool = tools.into_iter().find(|tool| tool.name == "act").ok_or("the tool is missing")?;
    let call = ToolInvocation::new(tool, json!({ "do": "structured" }));

    let mut command = tokio::process::Command::new("node");
    command.arg(&script).stderr(std::process::Stdio::null());
    let bare = ().serve(TokioChildProcess::new(command)?).await?;
    let mut params = CallToolRequestParams::new("act");
    params.arguments = json!({ "do": "structured" }).as_object().cloned();

    let run = RunId::from(uuid::Uuid::now_v7().to_string());
    let mut journal = store.journal(&run)?;
    journal.append(&[Entry {
        seq: Some(0),
        at: AT_MS,
        event: started_event(run.as_str()),
        interrupted_ms: 0,
    }])?;
    let (mut own, mut others, mut syncs) = (Vec::new(), Vec::new(), Vec::new());
    // They alternate, so that all meet the same machine.
    for round in 0..ROUNDS {
        let began = Instant::now();
        bare.call_tool(params.clone()).await?;
        others.push(began.elapsed());
        let began = Instant::now();
        for half in 0..2 {
            journal.append(&[entry_of(round * 4 + half + 1)])?;
            journal.flush().await?;
        }
        syncs.push(began.elapsed());
        let began = Instant::now();
        journal.append(&[entry_of(round * 4 + 3)])?;
        journal.flush().await?;
        servers.call(call.clone()).await?;
        journal.append(&[entry_of(round * 4 + 4)])?;
        journal.flush().await?;
        own.push(began.elapsed());
    }
    servers.close().await;
    let mut figures = Figures::default();
    figures.add("mcp", "call and two syncs", median(&mut own), "µs");
    figures.add("mcp", "bare call", median(&mut others), "µs");
    figures.add("mcp", "two syncs", median(&mut syncs), "µs");
    Ok(figures.write("mcp")?)
}

fn entry_of(seq: u64) -> Entry {
    let event = Event::Node(
        Activation { node: "node".into(), epoch: Epoch::root() },
        NodeEvent::Finished {
            outputs: std::collections::BTreeMap::default(),
            messages: std::collections::BTreeMap::default(),
            metadata: FinishMetadata::default(),
        },
    );
    Entry { seq: Some(seq), at: AT_MS, event, interrupted_ms: 0 }
}

/// The median, in microseconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}
