//! Measures the real window: the first paint compared with an empty window, panning compared with bare React Flow, and the
//! latency of tokens on screen. `cargo xtask bench` builds what it needs (with optimizations) and runs it.
//!
//! Usage: measure EDITOR EMPTY BARE (two binaries and the URL of the bare page). Prints one line of JSON per figure:
//! `{"group", "by", "value", "unit"}`.

mod pan;
mod start;
mod streams;

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::json;

fn main() -> Result<()> {
    let mut args = std::env::args_os().skip(1);
    let mut next = |what: &str| {
        args.next().with_context(|| format!("usage: measure EDITOR EMPTY BARE: {what} is missing"))
    };
    let (editor, empty) = (PathBuf::from(next("EDITOR")?), PathBuf::from(next("EMPTY")?));
    let bare = next("BARE")?.into_string().ok().context("BARE is not an address")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        start::measure(&editor, &empty).await?;
        streams::measure(&editor).await?;
        pan::measure(&editor, &empty, &bare).await
    })
}

fn print_figure(group: &str, by: &str, value: f64, unit: &str) {
    println!("{}", json!({ "group": group, "by": by, "value": value, "unit": unit }));
}
