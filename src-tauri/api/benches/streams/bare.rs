//! The baseline: a client that reads all streams and counts bytes.

use cpu_time::ProcessTime;
use futures::future::try_join_all;

use super::{BenchError, Measurement, STREAMS, TOKENS};

/// Reads all streams concurrently.
pub fn read(server: &str) -> Result<Measurement, BenchError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    let started = ProcessTime::now();
    runtime.block_on(try_join_all((0..STREAMS).map(|_| read_stream(&client, server))))?;
    Ok(Measurement { cpu_ms: started.elapsed().as_secs_f64() * 1e3, latency_ms: None })
}

async fn read_stream(client: &reqwest::Client, server: &str) -> Result<(), BenchError> {
    let url = format!("{server}/v1/chat/completions");
    let mut response = client.post(url).header("content-type", "application/json").body("{}").send().await?;
    let mut bytes = 0;
    while let Some(chunk) = response.chunk().await? {
        bytes += chunk.len();
    }
    if bytes < TOKENS * 100 {
        return Err(format!("a stream ended after {bytes} bytes").into());
    }
    Ok(())
}
