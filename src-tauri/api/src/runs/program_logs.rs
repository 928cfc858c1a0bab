//! What this process knows of the logs of programs that are being recorded. Reads no log.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::flow::Flow;
use plait_core::id::RunId;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use ts_rs::TS;

/// A run of a program.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct KeptProgram {
    pub run: RunId,
    /// How many calls of models it has.
    #[ts(type = "number")]
    pub calls: usize,
    /// What was observed and is not in the run, and what the draft does otherwise.
    pub notes: Vec<String>,
    /// The first draft of a flow that does the same.
    pub flow: Flow,
}

/// The logs of programs that this process has seen.
#[derive(Clone, Default)]
pub(super) struct ProgramLogs(Arc<Shared>);

#[derive(Default)]
pub(super) struct Shared {
    pub(super) known: Mutex<BTreeMap<PathBuf, KnownLog>>,
    /// What was made of whole logs before their recorders asked for it.
    pub(super) kept: Mutex<BTreeMap<PathBuf, KeptProgram>>,
    /// Held while logs are looked at.
    pub(super) looking: tokio::sync::Mutex<()>,
    pub(super) follower: Mutex<Option<Follower>>,
}

#[derive(Clone)]
pub(super) struct KnownLog {
    /// As far as it was read.
    pub(super) bytes: u64,
    pub(super) run: RunId,
    /// Whether the run is shown. It is not before it has a call.
    pub(super) is_shown: bool,
    /// Whether its recorder works.
    pub(super) is_written: bool,
}

pub(super) struct Follower {
    /// Dropped to end it.
    pub(super) stop: watch::Sender<()>,
    pub(super) task: JoinHandle<()>,
}

impl Deref for ProgramLogs {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl ProgramLogs {
    /// What was made of a log already, once.
    pub(super) fn take_kept(&self, log: &Path) -> Option<KeptProgram> {
        self.kept.lock().remove(log)
    }

    /// A log is gone.
    pub(super) fn forget(&self, log: &Path) {
        self.known.lock().remove(log);
    }

    /// The log of a run that is shown.
    pub(super) fn of_run(&self, run: &RunId) -> Option<PathBuf> {
        let known = self.known.lock();
        known.iter().find(|(_, log)| log.is_shown && log.run == *run).map(|(path, _)| path.clone())
    }

    /// Whether a run is that of a program that is being recorded.
    pub(super) fn is_recording(&self, run: &RunId) -> bool {
        self.known.lock().values().any(|log| log.is_shown && log.is_written && log.run == *run)
    }

    /// Ends following.
    pub(super) async fn close(&self) {
        let follower = self.follower.lock().take();
        if let Some(Follower { stop, task }) = follower {
            drop(stop);
            // One that panicked has ended.
            let _ = task.await;
        }
    }
}
