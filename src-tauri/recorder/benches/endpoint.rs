//! What the recording endpoint adds to a call and to its first token: the same calls of the same local server, directly and through the
//! endpoint, in turns.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-recorder --bench endpoint` this one.

#[path = "../../nodes/benches/workload/figures.rs"]
mod figures;

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use figures::{Figures, is_selected};
use futures::StreamExt as _;
use plait_core::id::RunId;
use plait_recorder::endpoint::{Answers, Endpoint};
use plait_recorder::exchange::LogWriter;
use plait_recorder::upstream::Upstream;

/// Calls of each kind, each way.
const CALLS: usize = 500;
/// Calls before the first that counts: connections are opened.
const WARM_UP: usize = 20;
const CALLS_AT_ONCE: u32 = 50;
/// The size of a request, as of an agent with tools and some history.
const REQUEST_BYTES: usize = 20_000;
const TOKENS: usize = 40;
const TOKEN_INTERVAL: Duration = Duration::from_millis(1);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    if !is_selected("endpoint") {
        return Ok(());
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let server = format!("http://{}/v1", listener.local_addr()?);
    let router = Router::new().route("/v1/chat/completions", post(whole)).route("/v1/stream", post(stream));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let log = Arc::new(LogWriter::create(
        &folder.path().join("log"),
        0,
        RunId::from("bench"),
        "bench".to_owned(),
        Vec::new(),
    )?);
    let upstream = Upstream::parse(&format!("openai={server}"))?;
    let endpoint = Endpoint::listen(vec![upstream], Answers::Forwarded, Arc::clone(&log)).await?;
    let recorded = endpoint.url("openai");

    let client = reqwest::Client::builder().no_proxy().build()?;
    let request = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"{}"}}]}}"#,
        "x".repeat(REQUEST_BYTES)
    );
    let (mut direct, mut through) = (Vec::new(), Vec::new());
    let (mut direct_first, mut through_first) = (Vec::new(), Vec::new());
    for number in 0..WARM_UP + CALLS {
        let times = [
            call(&client, &format!("{server}/chat/completions"), &request).await?,
            call(&client, &format!("{recorded}/chat/completions"), &request).await?,
            first_token(&client, &format!("{server}/stream"), &request).await?,
            first_token(&client, &format!("{recorded}/stream"), &request).await?,
        ];
        if number >= WARM_UP {
            let all = [&mut direct, &mut through, &mut direct_first, &mut through_first];
            all.into_iter().zip(times).for_each(|(list, time)| list.push(time));
        }
    }
    let mut figures = Figures::default();
    let mut add = |what: &str, direct: &mut [Duration], through: &mut [Duration]| {
        for (place, percent) in [("median", 50), ("95th percentile", 95)] {
            let (alone, recorded) = (percentile(direct, percent), percentile(through, percent));
            figures.add("recording endpoint", &format!("{what}, direct, {place}"), alone, "ms");
            figures.add("recording endpoint", &format!("{what}, added, {place}"), recorded - alone, "ms");
        }
    };
    add("a call", &mut direct, &mut through);
    add("the first token", &mut direct_first, &mut through_first);

    let begun = Instant::now();
    let url = format!("{recorded}/chat/completions");
    let calls = (0..CALLS_AT_ONCE).map(|_| call(&client, &url, &request));
    for time in futures::future::join_all(calls).await {
        time?;
    }
    let each = begun.elapsed().as_secs_f64() * 1_000.0 / f64::from(CALLS_AT_ONCE);
    figures.add("recording endpoint", "one of 50 calls at once", each, "ms");
    endpoint.close().await;
    log.close()?;
    Ok(figures.write("endpoint")?)
}

async fn whole() -> Response {
    let text = "word ".repeat(200);
    let body = format!(r#"{{"choices":[{{"message":{{"content":"{text}"}},"finish_reason":"stop"}}]}}"#);
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

async fn stream() -> Response {
    let tokens = futures::stream::iter(0..TOKENS).then(|number| async move {
        if number > 0 {
            tokio::time::sleep(TOKEN_INTERVAL).await;
        }
        Ok::<_, Infallible>(Bytes::from_static(
            b"data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n",
        ))
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(tokens)).into_response()
}

async fn call(client: &reqwest::Client, url: &str, request: &str) -> Result<Duration> {
    let begun = Instant::now();
    client.post(url).body(request.to_owned()).send().await?.error_for_status()?.bytes().await?;
    Ok(begun.elapsed())
}

async fn first_token(client: &reqwest::Client, url: &str, request: &str) -> Result<Duration> {
    let begun = Instant::now();
    let mut chunks =
        client.post(url).body(request.to_owned()).send().await?.error_for_status()?.bytes_stream();
    chunks.next().await.ok_or("the stream is empty")??;
    let first = begun.elapsed();
    // To its end, so that the connection can be used again.
    while let Some(chunk) = chunks.next().await {
        chunk?;
    }
    Ok(first)
}

/// In milliseconds.
fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort();
    times.get(times.len() * percent / 100).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}
