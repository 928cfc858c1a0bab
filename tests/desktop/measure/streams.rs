//! The latency of a token from a local server to the painted frame, with ten concurrent replies of 200 tokens per second.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use plait_window_tests::{App, Home};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::print_figure;

#[path = "../../../src-tauri/api/benches/streams/server.rs"]
#[allow(dead_code, reason = "the benchmark of the processor's time runs it as a process of its own")]
mod server;

/// Why the server failed.
type BenchError = Box<dyn std::error::Error>;

const STREAMS: usize = 10;
/// Tokens of one stream: twelve seconds.
const TOKENS: usize = 2_400;
/// The time between two tokens.
const TOKEN_INTERVAL: Duration = Duration::from_millis(5);

/// After each painted frame, records the age of the oldest token that this frame is the first to show.
const MEASURE_SCRIPT: &str = r"(() => {
    const pace = 5, late = [], frames = [], newest = new Map();
    const channel = new MessageChannel();
    const next = () => requestAnimationFrame(() => channel.port2.postMessage(0));
    channel.port1.onmessage = () => {
        const now = performance.timeOrigin + performance.now();
        frames.push(now);
        // A token is the time it was sent, in microseconds modulo half an hour, in base 36.
        const range = 36 ** 6;
        const sentAt = (word) => now - ((Math.round(now * 1000) - Number.parseInt(word, 36)) % range) / 1000;
        for (const stream of document.querySelectorAll('[data-type=chat] .stream[data-live] span')) {
            // The first word may be truncated.
            const shown = stream.textContent.split(' ').filter((word) => word.length === 6).map(sentAt);
            if (shown.length === 0) continue;
            const before = newest.get(stream) ?? shown[0] - pace;
            const first = shown[0] <= before ? shown.find((sent) => sent > before) : before + pace;
            if (first === undefined) continue;
            late.push(now - first);
            newest.set(stream, shown.at(-1));
        }
        next();
    };
    next();
    window.streamsSeen = { late, frames };
    return true;
})()";

/// Prints the latencies of the tokens.
pub(crate) async fn measure(editor: &Path) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    let server_task = tokio::spawn(server::accept_all(listener));
    let home = Home::new()?;
    let file = home.file("streams.flow.json");
    std::fs::write(&file, flow().to_string())?;
    let app = App::open_binary("measure", editor, &home, &[&file.display().to_string()]).await?;
    let providers = json!({ "server": { "kind": "openAi", "baseUrl": url } });
    app.rpc("settings.set", json!({ "settings": { "providers": providers } })).await?;
    app.wait_for_test_id("node-chat0").await?;
    let run = app.wait_for_test_id("run-button").await?;
    app.click(&run).await?;
    app.wait_for("[data-type=chat] .stream[data-live] span").await?;
    // By then the run's panels have opened.
    tokio::time::sleep(Duration::from_secs(1)).await;
    app.evaluate(MEASURE_SCRIPT).await?;
    tokio::time::sleep(Duration::from_secs(9)).await;
    let seen = app.evaluate("window.streamsSeen").await?;
    let mut late = numbers(&seen["late"])?;
    let frames = numbers(&seen["frames"])?;
    let mut apart: Vec<f64> = frames.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (by, share) in [("median", 0.5), ("99 of 100", 0.99), ("slowest", 1.0)] {
        print_figure("streams-on-screen", by, quantile(&mut late, share)?, "ms");
    }
    print_figure("streams-on-screen", "a frame", quantile(&mut apart, 0.5)?, "ms");
    print_figure("streams-on-screen", "longest frame", quantile(&mut apart, 1.0)?, "ms");
    server_task.abort();
    app.close().await
}

fn numbers(list: &Value) -> Result<Vec<f64>> {
    Ok(list.as_array().context("no list")?.iter().filter_map(Value::as_f64).collect())
}

fn quantile(values: &mut [f64], share: f64) -> Result<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1).context("no token was seen")?;
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few thousand values, and a share of them"
    )]
    Ok(values[(last as f64 * share).round() as usize])
}

/// Ten contexts with one chat each.
fn flow() -> Value {
    let (mut nodes, mut edges, mut layout) = (json!({}), json!({}), json!({}));
    for at in 0..STREAMS {
        let (start, chat) = (format!("start{at}"), format!("chat{at}"));
        nodes[&start] = json!({
            "type": "contextStart",
            "config": { "provider": "server", "model": "m", "contextId": format!("context{at}") },
        });
        nodes[&chat] = json!({ "type": "chat", "config": { "prompt": "Go on." } });
        edges[format!("e{at}")] =
            json!({ "source": start, "sourceOutput": "context", "target": chat, "targetInput": "context" });
        let (x, y) = (at % 2 * 600, at / 2 * 170);
        layout[&start] = json!({ "x": x, "y": y });
        layout[&chat] = json!({ "x": x + 280, "y": y });
    }
    json!({ "version": 1, "name": "Streams", "nodes": nodes, "edges": edges, "layout": layout, "settings": { "maxConcurrency": 32 } })
}
