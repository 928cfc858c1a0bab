//! What an event costs that must be durable: one append and its flush through the store, beside a bare write and fdatasync
//! of the same bytes to a file that grows alike. They alternate, so that both meet the same disk; creating the files is
//! not counted.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-store --bench sync` does alone.

#[path = "../../nodes/benches/workload/workload.rs"]
mod workload;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::executor::block_on;
use plait_core::id::{Activation, Epoch, RunId};
use plait_journal::{Entry, Event, FinishMetadata, Journal, NodeEvent};
use plait_store::Store;
use plait_testing::RunStart;
use serde_json::json;
use workload::{BenchError, Figures, is_selected};

const ROUNDS: usize = 2_000;

fn main() -> Result<(), BenchError> {
    if !is_selected("sync") {
        return Ok(());
    }
    // Below the build directory, since a system's temporary directory may be memory.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(home.path())?;
    let run = RunId::from(uuid::Uuid::now_v7().to_string());
    let mut journal = store.journal(&run)?;
    journal.append(&[started(&run)])?;
    block_on(journal.flush())?;
    let mut file = File::create_new(home.path().join("bare"))?;
    file.write_all(&[b'x'; 400])?;
    file.sync_all()?;
    let (mut stored, mut bare) = (Vec::new(), Vec::new());
    for seq in 1..=ROUNDS as u64 {
        let entry = finished(seq);
        let mut bytes = serde_json::to_vec(&entry)?;
        // The frame of a record.
        bytes.extend_from_slice(&[b'x'; 49]);
        let began = Instant::now();
        file.write_all(&bytes)?;
        file.sync_data()?;
        bare.push(began.elapsed());
        let began = Instant::now();
        journal.append(&[entry])?;
        block_on(journal.flush())?;
        stored.push(began.elapsed());
    }
    let mut figures = Figures::default();
    figures.add("sync", "write and fdatasync", median(&mut bare), "µs");
    figures.add("sync", "append and flush", median(&mut stored), "µs");
    Ok(figures.write("sync")?)
}

fn started(run: &RunId) -> Entry {
    Entry { seq: Some(0), at: 1_700_000_000_000, event: RunStart::new(run.clone()).into(), interrupted_ms: 0 }
}

fn finished(seq: u64) -> Entry {
    let event = Event::Node(
        Activation { node: "node".into(), epoch: Epoch::root() },
        NodeEvent::Finished {
            outputs: [("out".into(), Arc::new(json!(seq)))].into(),
            messages: BTreeMap::new(),
            metadata: FinishMetadata::default(),
        },
    );
    Entry { seq: Some(seq), at: 1_700_000_000_000, event, interrupted_ms: 0 }
}

/// The median, in microseconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}
