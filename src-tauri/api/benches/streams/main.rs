//! Ten replies at once of 200 tokens a second each: the processor's time that Plait takes for them, from the sockets to the
//! batches that a window is sent and the journal on disk, beside a bare client that only reads the streams. And how long
//! a token takes from the server until it is in a batch.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-api --bench streams` does alone. The server, the bare client and Plait
//! are a process each.

mod bare;
#[path = "../../../engine/benches/workload/figures.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod figures;
mod plait;
mod server;

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use figures::{Figures, is_asked_for};
use serde::{Deserialize, Serialize};

/// Anything that keeps the benchmark from going on.
type Wrong = Box<dyn Error>;

const STREAMS: usize = 10;
/// Tokens of one stream: ten seconds of them.
const TOKENS: usize = 2_000;
/// The time between two of them.
const PACE: Duration = Duration::from_millis(5);
/// Tells a process which part it plays, and a client where the server is.
const PART: &str = "PLAIT_BENCH_STREAMS";
const SERVER: &str = "PLAIT_BENCH_SERVER";

/// What a client took.
#[derive(Serialize, Deserialize)]
struct Taken {
    /// Milliseconds of the processor's time
    cpu_ms: f64,
    /// How long the slowest token but one in a thousand took until it could be shown, in milliseconds; nothing of a client
    /// that shows none
    late_ms: Option<f64>,
}

fn main() -> Result<(), Wrong> {
    match std::env::var(PART).as_deref() {
        Ok("server") => return server::serve(),
        Ok("bare") => return told(&bare::read(&std::env::var(SERVER)?)?),
        Ok("engine") => return told(&plait::run(&std::env::var(SERVER)?)?),
        _ => {}
    }
    if !is_asked_for("streams") {
        return Ok(());
    }
    let mut server = Server(part("server")?.stdout(Stdio::piped()).spawn()?);
    let said = server.0.stdout.take().ok_or("the server has no output")?;
    let mut address = String::new();
    BufReader::new(said).read_line(&mut address)?;
    let mut figures = Figures::default();
    for by in ["bare", "engine"] {
        let done = part(by)?.env(SERVER, address.trim()).stderr(Stdio::inherit()).output()?;
        let taken: Taken = serde_json::from_slice(&done.stdout)?;
        figures.note("streams", by, taken.cpu_ms, "ms of processor");
        if let Some(late) = taken.late_ms {
            figures.note("streams-late", by, late, "ms");
        }
    }
    Ok(figures.keep("streams")?)
}

/// Ends with the benchmark.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn part(name: &str) -> Result<Command, Wrong> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(PART, name);
    Ok(command)
}

fn told(taken: &Taken) -> Result<(), Wrong> {
    Ok(serde_json::to_writer(std::io::stdout(), taken)?)
}
