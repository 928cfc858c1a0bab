//! Programs that are being recorded, as runs: what each log amounts to so far. The log is what there is on disk; the run is played anew
//! from all of it whenever it has grown, since a further call can change the draft of the flow (a chat becomes a cycle), and with it the
//! events before. Watchers are asked to begin again then (`record.redrafted`); otherwise they get what is new.
//!
//! Every process that reads the data directory does this for itself: a recorder only writes its log, and waits for nobody.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plait_core::id::RunId;
use plait_store::ObservedChange;
use tokio::sync::watch;

use super::{PROGRAMS_FOLDER, new_run, read_log};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::runs::program_logs::{Follower, KnownLog};
use crate::runs::service::RunService;

/// How often logs are looked at while somebody wants to know.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(250);
/// Reading long logs again and again takes at most one part in this many of the time.
const READING_DUTY_FACTOR: u32 = 4;

/// A log in the folder.
struct FoundLog {
    path: PathBuf,
    bytes: u64,
    /// Whether its recorder works.
    is_written: bool,
}

impl RunService {
    pub(super) fn programs_folder(&self) -> PathBuf {
        self.parts.store.home().join(PROGRAMS_FOLDER)
    }

    /// Looks at the logs: shows those that are being written, and makes runs of those whose recorders were killed. A log that cannot be
    /// read stays for a person to look at.
    pub(in crate::runs) async fn look_at_programs(&self) -> Result<(), ErrorReply> {
        let _one_at_a_time = self.program_logs.looking.lock().await;
        let folder = self.programs_folder();
        let found = run_blocking(move || Ok(list_logs(&folder))).await?;
        self.forget_gone(&found)?;
        for log in found {
            if log.is_written || self.parts.store.is_read_only() {
                // What cannot be read yet is read when it has grown.
                let _ = self.show_log(&log).await;
            } else {
                self.keep_left(&log.path).await;
            }
        }
        Ok(())
    }

    /// Makes a run of a log whose recorder has ended.
    async fn keep_left(&self, path: &Path) {
        match self.keep_log(path.to_owned()).await {
            Ok(kept) => {
                self.program_logs.kept.lock().insert(path.to_owned(), kept);
                self.active.announce_change();
            }
            Err(error) if error.code == codes::RECORD_NO_CALLS => {
                // It is no run. If it cannot be removed, the next look tries again.
                let _ = fs::remove_file(path);
            }
            Err(_) => {}
        }
    }

    /// Shows what a log amounts to, if it has grown.
    async fn show_log(&self, log: &FoundLog) -> Result<(), ErrorReply> {
        let known = {
            let mut logs = self.program_logs.known.lock();
            let known = logs.get_mut(&log.path);
            known.map(|known| {
                known.is_written = log.is_written;
                known.clone()
            })
        };
        if known.as_ref().is_some_and(|known| known.bytes == log.bytes) {
            return Ok(());
        }
        let (recorded, _) = read_log(log.path.clone()).await?;
        let run = known.as_ref().map(|known| known.run.clone());
        let run = run.or_else(|| recorded.run.clone()).unwrap_or_else(new_run);
        let was_shown = known.is_some_and(|known| known.is_shown);
        let (bytes, is_written) = (log.bytes, log.is_written);
        let mut now = KnownLog { bytes, run: run.clone(), is_shown: was_shown, is_written };
        self.program_logs.known.lock().insert(log.path.clone(), now.clone());
        let mut observed = self.observed_in(&recorded, None).await?;
        // Its end is not known before it is kept.
        observed.is_whole = false;
        let (service, host, id) = (self.clone(), self.host_of_observed(&run), run.clone());
        let (change, entries) = run_blocking(move || {
            let played = service.play_observed(&id, host, observed)?;
            let change = service.parts.store.observe_run(&id, &played.entries, played.document)?;
            Ok((change, played.entries))
        })
        .await?;
        now.is_shown = true;
        self.program_logs.known.lock().insert(log.path.clone(), now);
        let count = entries.len();
        match change {
            ObservedChange::Grown(_) if !was_shown => {
                self.active.broadcast(&run).open(count as u64);
                self.active.announce_change();
            }
            ObservedChange::Grown(new) => {
                self.active.broadcast(&run).send(&entries[count.saturating_sub(new)..]);
            }
            ObservedChange::Replaced => self.redraft(&run, count as u64),
        }
        Ok(())
    }

    /// Tells those who watch a run that it is another one now, with this many events.
    pub(super) fn redraft(&self, run: &RunId, events: u64) {
        let broadcast = self.active.broadcast(run);
        broadcast.stop(
            ErrorReply::new(
                codes::RECORD_REDRAFTED,
                format!("The draft of run {run} has changed with what its program did."),
            )
            .hint("Read the run again from its beginning."),
        );
        // Who asks from now on gets the new one.
        broadcast.open(events);
    }

    /// Shows no longer what has no log any more: another process has made a run of it.
    fn forget_gone(&self, found: &[FoundLog]) -> Result<(), ErrorReply> {
        let mut known = self.program_logs.known.lock();
        let is_gone = |path: &PathBuf| !found.iter().any(|log| log.path == *path);
        let gone: Vec<PathBuf> = known.keys().filter(|path| is_gone(path)).cloned().collect();
        for path in gone {
            if let Some(log) = known.remove(&path) {
                self.parts.store.forget_observed(&log.run)?;
                self.active.announce_change();
            }
        }
        Ok(())
    }

    /// Looks at the logs again and again until the application closes.
    pub(in crate::runs) fn follow_programs(&self) {
        let mut follower = self.program_logs.follower.lock();
        if follower.is_some() || self.active.is_closing() {
            return;
        }
        let (stop, mut stopped) = watch::channel(());
        let service = self.clone();
        let task = tokio::spawn(async move {
            let mut pause = FOLLOW_INTERVAL;
            loop {
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    _ = stopped.changed() => return,
                }
                let begun = Instant::now();
                // The next look may read what this one could not.
                let _ = service.look_at_programs().await;
                pause = FOLLOW_INTERVAL.max(begun.elapsed() * READING_DUTY_FACTOR);
            }
        });
        *follower = Some(Follower { stop, task });
    }
}

/// The logs of a folder. Those of recorders that work are locked.
fn list_logs(folder: &Path) -> Vec<FoundLog> {
    let logs = fs::read_dir(folder).into_iter().flatten().flatten();
    let found = logs.filter_map(|log| {
        let file = File::open(log.path()).ok()?;
        let bytes = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
        let is_written = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        Some(FoundLog { path: log.path(), bytes, is_written })
    });
    found.collect()
}
