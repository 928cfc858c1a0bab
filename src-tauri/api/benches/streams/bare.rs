//! The least a client can do: read all streams and count what comes.

use cpu_time::ProcessTime;
use futures::future::try_join_all;

use super::{STREAMS, TOKENS, Taken, Wrong};

/// Reads all of them at once.
pub fn read(server: &str) -> Result<Taken, Wrong> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    let begun = ProcessTime::now();
    runtime.block_on(try_join_all((0..STREAMS).map(|_| one(&client, server))))?;
    Ok(Taken { cpu_ms: begun.elapsed().as_secs_f64() * 1e3, late_ms: None })
}

async fn one(client: &reqwest::Client, server: &str) -> Result<(), Wrong> {
    let url = format!("{server}/v1/chat/completions");
    let mut answer = client.post(url).header("content-type", "application/json").body("{}").send().await?;
    let mut bytes = 0;
    while let Some(piece) = answer.chunk().await? {
        bytes += piece.len();
    }
    if bytes < TOKENS * 100 {
        return Err(format!("a stream ended after {bytes} bytes").into());
    }
    Ok(())
}
