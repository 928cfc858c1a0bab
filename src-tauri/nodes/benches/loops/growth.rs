//! What grows with the iterations of a loop: memory, journal, and the time between two calls of a conversation.
//!
//! Peaks of memory are measured in a process of their own (Linux only).

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_journal::{Entry, Event, Journal, LoopEvent};
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, Provider, Providers, StopReason};

use crate::flows;
use crate::workload::{BenchError, Figures, RUN, drive, drive_with};

/// The iterations to compare by memory and journal.
const FEW: u32 = 1_000;
const MANY: u32 = 10_000;
/// The history lengths at which a conversation is measured, and how many iterations around them.
const LENGTHS: [usize; 2] = [100, 10_000];
const WINDOW: usize = 100;
/// The variable that makes a process run one loop and print its peak.
const ITERATIONS: &str = "PLAIT_BENCH_LOOP";

/// Measures all of it, or in the process of a peak that peak alone.
pub fn measure(figures: &mut Figures) -> Result<(), BenchError> {
    #[expect(clippy::cast_precision_loss, reason = "sizes of files, far below 2^53 bytes")]
    let per_iteration = |from: u64, to: u64| (to - from) as f64 / f64::from(FEW);
    let journal = SizeJournal::default();
    drive(&flows::times(MANY)?, RUN, journal.clone())?;
    let ends = journal.0.lock().ends.clone();
    let end = |iterations: u32| ends.get(iterations as usize - 1).copied().ok_or("an iteration is missing");
    figures.add("loop", "journal, first 1,000", per_iteration(end(1)?, end(FEW + 1)?), "B");
    figures.add("loop", "journal, last 1,000", per_iteration(end(MANY - FEW)?, end(MANY)?), "B");
    if cfg!(target_os = "linux") {
        let grown = peak_kb(MANY)? - peak_kb(FEW)?;
        figures.add("loop", "peak memory of an iteration", grown / f64::from(MANY - FEW), "KB");
    }
    for length in LENGTHS {
        let mut median = |by: &str, use_history: bool| {
            let gap = gap_micros(length, use_history)?;
            figures.add(&format!("conversation_loop_{length}"), by, gap, "µs");
            Ok::<_, BenchError>(())
        };
        median("with history", true)?;
        median("without history", false)?;
    }
    Ok(())
}

/// If this process was started to have its peak measured: runs the loop, prints the peak, and says so.
pub fn was_peak() -> Result<bool, BenchError> {
    let Ok(iterations) = std::env::var(ITERATIONS) else { return Ok(false) };
    drive(&flows::times(iterations.parse()?)?, RUN, SizeJournal::default())?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
    println!("{}", peak.ok_or("the system reports no peak")?.trim());
    Ok(true)
}

/// The peak memory of a process that runs a loop, in KB.
fn peak_kb(iterations: u32) -> Result<f64, BenchError> {
    let output = Command::new(std::env::current_exe()?).env(ITERATIONS, iterations.to_string()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| format!("expected a peak, got `{text}`").into())
}

/// The median time between two calls of the agent at this length of the history, in microseconds.
fn gap_micros(length: usize, use_history: bool) -> Result<f64, BenchError> {
    let iterations = u32::try_from(length + WINDOW / 2)?;
    let parrot = Parrot::default();
    let providers = Arc::new(parrot.clone());
    drive_with(&flows::conversation(iterations, use_history)?, RUN, SizeJournal::default(), providers)?;
    let calls = parrot.0.lock();
    let around = calls.len().checked_sub(WINDOW).and_then(|from| calls.get(from..)).ok_or("too few calls")?;
    let mut gaps: Vec<_> = around.windows(2).map(|pair| pair[1].duration_since(pair[0])).collect();
    gaps.sort_unstable();
    Ok(gaps[gaps.len() / 2].as_secs_f64() * 1e6)
}

/// Keeps only how many bytes the entries would take, at the end of each iteration.
#[derive(Clone, Default)]
struct SizeJournal(Arc<Mutex<Sizes>>);

#[derive(Default)]
struct Sizes {
    bytes: u64,
    ends: Vec<u64>,
}

impl Journal for SizeJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        let mut sizes = self.0.lock();
        for entry in entries {
            sizes.bytes += serde_json::to_vec(entry).map_or(0, |text| text.len() as u64);
            if matches!(entry.event, Event::Loop(_, LoopEvent::IterationFinished { .. })) {
                let bytes = sizes.bytes;
                sizes.ends.push(bytes);
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }
}

/// A provider that always says the same, and when it was called.
#[derive(Clone, Default)]
struct Parrot(Arc<Mutex<Vec<Instant>>>);

#[async_trait]
impl Provider for Parrot {
    async fn call(&self, _request: ModelRequest, _sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        self.0.lock().push(Instant::now());
        Ok(ModelReply { text: "Hello.".to_owned(), stop_reason: StopReason::End, ..ModelReply::default() })
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

impl Providers for Parrot {
    fn get(&self, _name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(self.clone()))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}
