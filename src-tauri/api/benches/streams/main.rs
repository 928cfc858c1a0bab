//! Ten concurrent replies of 200 tokens per second each. Measures the CPU time of Plait, from the sockets to the batches for
//! the window and the journal on disk, compared to a bare client that only reads the streams. Also measures the latency of
//! a token from the server to a batch.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-api --bench streams` this one. The server, the bare client
//! and Plait run in separate processes.

#![allow(clippy::disallowed_methods, reason = "variables control tests and measurements")]

mod bare;
#[path = "../../../nodes/benches/workload/figures.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod figures;
mod plait;
mod server;

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use figures::{Figures, is_selected};
use serde::{Deserialize, Serialize};

/// Why the benchmark failed.
type BenchError = Box<dyn Error>;

const STREAMS: usize = 10;
/// Tokens per stream: ten seconds.
const TOKENS: usize = 2_000;
/// The time between two tokens.
const TOKEN_INTERVAL: Duration = Duration::from_millis(5);
/// The variable with the role of a process, and the one with the URL of the server.
const ROLE: &str = "PLAIT_BENCH_STREAMS";
const SERVER: &str = "PLAIT_BENCH_SERVER";

/// The measurement of a client.
#[derive(Serialize, Deserialize)]
struct Measurement {
    /// CPU time, in milliseconds.
    cpu_ms: f64,
    /// The 99.9th percentile of the latency of a token, in milliseconds. Absent for the bare client.
    latency_ms: Option<f64>,
}

fn main() -> Result<(), BenchError> {
    match std::env::var(ROLE).as_deref() {
        Ok("server") => return server::serve(),
        Ok("bare") => return print(&bare::read(&std::env::var(SERVER)?)?),
        Ok("engine") => return print(&plait::run(&std::env::var(SERVER)?)?),
        _ => {}
    }
    if !is_selected("streams") {
        return Ok(());
    }
    let mut server = Server(child("server")?.stdout(Stdio::piped()).spawn()?);
    let output = server.0.stdout.take().ok_or("the server has no output")?;
    let mut address = String::new();
    BufReader::new(output).read_line(&mut address)?;
    let mut figures = Figures::default();
    for client in ["bare", "engine"] {
        let output = child(client)?.env(SERVER, address.trim()).stderr(Stdio::inherit()).output()?;
        let measurement: Measurement = serde_json::from_slice(&output.stdout)?;
        figures.add("streams", client, measurement.cpu_ms, "ms of processor");
        if let Some(latency) = measurement.latency_ms {
            figures.add("streams-late", client, latency, "ms");
        }
    }
    Ok(figures.write("streams")?)
}

/// Killed when dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // Fails if the process has exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn child(role: &str) -> Result<Command, BenchError> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(ROLE, role);
    Ok(command)
}

fn print(measurement: &Measurement) -> Result<(), BenchError> {
    Ok(serde_json::to_writer(std::io::stdout(), measurement)?)
}
