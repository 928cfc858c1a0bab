//! The ledger: what each run has spent, also after the run was removed. One append-only, checksummed file, `spending.log`. Usage and
//! quotas are sums of it, and of what runs have spent since (`StoreCore::spending`).
//!
//! A record holds everything that one run has spent so far; the one with the most events counts. It is written when a run comes to
//! rest: when its tree is closed for writing, or when the store opens and finds it (after a crash). A run that does not rest is not
//! removed, and the ledger is synced before one is. Removing a run removes nothing here. Replies that a run reused are the spending of
//! the run that bought them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::hash::ContentHasher;
use plait_core::id::ConversationId;
use plait_core::quota::Amount;
use plait_journal::Spending;
use serde::{Deserialize, Serialize};

use crate::disk::Disk;
use crate::fault;
use crate::ledger_prefix::{LedgerPrefix, hash_prefix};
use crate::log_file::{
    Damage, FileHeader, FileKind, FrameHeader, Item, Key, LogAppender, OpenError, Scanner, begin_frame,
    end_frame,
};
use crate::record::{RunRecord, UnansweredCall};

/// The kind of its records.
const SPENDING: u8 = 1;

/// What one run has spent, as usage and quotas count it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunSpending {
    /// The conversation that pays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// What its calls used and cost, by quarter of an hour (since the Unix epoch) and `provider/model`.
    pub spent: BTreeMap<u64, BTreeMap<String, Spending>>,
    /// What calls without a report stay charged with in quotas, by quarter of an hour.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unreported: BTreeMap<u64, Amount>,
    /// Calls that were sent and not answered, with what quotas hold for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<UnansweredCall>,
}

impl RunSpending {
    fn is_empty(&self) -> bool {
        self.spent.is_empty() && self.unreported.is_empty() && self.unanswered.is_empty()
    }
}

impl From<&RunRecord> for RunSpending {
    fn from(record: &RunRecord) -> Self {
        Self {
            conversation: record.conversation.clone().or_else(|| record.paid_by.clone()),
            spent: record.spent.clone(),
            unreported: record.unreported.clone(),
            unanswered: record.unanswered.clone(),
        }
    }
}

/// The spending of a run's first events.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct LedgerEntry {
    /// How many events.
    events: u64,
    pub(crate) spending: RunSpending,
}

impl LedgerEntry {
    fn of(record: &RunRecord) -> Self {
        Self { events: record.events, spending: record.into() }
    }
}

/// The entries by run.
pub(crate) type LedgerEntries = BTreeMap<Key, LedgerEntry>;

/// Takes a run into account, unless the entries know more of it.
pub(crate) fn enter(entries: &mut LedgerEntries, run: Key, record: &RunRecord) -> bool {
    let is_newer = entries.get(&run).is_none_or(|known| known.events < record.events);
    let entry = is_newer.then(|| LedgerEntry::of(record)).filter(|entry| !entry.spending.is_empty());
    let is_entered = entry.is_some();
    entries.extend(entry.map(|entry| (run, entry)));
    is_entered
}

/// The open ledger.
pub(crate) struct Ledger {
    disk: Arc<dyn Disk>,
    state: Mutex<State>,
}

struct State {
    entries: LedgerEntries,
    log: LogAppender,
    /// The hash of the file as Plait writes it, with what is buffered.
    hasher: ContentHasher,
    damage: Vec<Damage>,
    /// Whether something else had changed the file when it was read, and no person has accepted it.
    is_changed: bool,
}

/// The file of the ledger in the data directory `home`.
pub(crate) fn path_in(home: &Path) -> PathBuf {
    home.join("spending.log")
}

fn header() -> FileHeader {
    FileHeader { kind: FileKind::Spending, sealed: false, id: Key::default() }
}

/// Appends the record of an entry.
fn encode(out: &mut Vec<u8>, run: Key, entry: &LedgerEntry) -> io::Result<()> {
    let start = begin_frame(out);
    serde_json::to_writer(&mut *out, entry)?;
    let is_written = end_frame(out, start, FrameHeader::new(SPENDING, run, entry.events, 1));
    if is_written { Ok(()) } else { Err(io::Error::other("a record is too large")) }
}

#[allow(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn failed(error: io::Error) -> Fault {
    fault::of_io("keep what runs have spent", &error)
}

impl State {
    fn read(path: PathBuf) -> Result<Self, Fault> {
        let (mut entries, mut damage, mut end) = (LedgerEntries::new(), Vec::new(), 0);
        match Scanner::open(&path) {
            Ok(mut scanner) => {
                while let Some(item) = scanner.next().map_err(failed)? {
                    match item {
                        Item::Record { header, payload, .. } => {
                            // Another version may have written records that this one doesn't know.
                            let read =
                                serde_json::from_slice(payload).ok().filter(|_| header.kind == SPENDING);
                            entries.extend(read.map(|entry: LedgerEntry| (header.owner, entry)));
                        }
                        Item::Damage(found) => damage.push(found),
                    }
                }
                end = scanner.end().end;
            }
            Err(OpenError::Newer(version)) => return Err(fault::newer(&path, version)),
            Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            Err(OpenError::Io(error)) => return Err(failed(error)),
        }
        let (_, mut hasher) = hash_prefix(&path, end).map_err(failed)?;
        let log = if end > 0 { LogAppender::open(path, end) } else { LogAppender::create(path, header()) };
        hasher.append(&log.buffer);
        Ok(Self { entries, log, hasher, damage, is_changed: false })
    }
}

impl Ledger {
    /// Reads the ledger of the data directory `home`. Faults `store.newer`, `store.io`.
    pub(crate) fn load(disk: Arc<dyn Disk>, home: &Path) -> Result<Self, Fault> {
        Ok(Self { disk, state: Mutex::new(State::read(path_in(home))?) })
    }

    /// Reads the file again, after a person has accepted what something else wrote. Faults `store.newer`, `store.io`.
    pub(crate) fn reload(&self) -> Result<(), Fault> {
        let mut state = self.state.lock();
        *state = State::read(state.log.path().to_owned())?;
        Ok(())
    }

    /// Something else had changed the file when it was read.
    pub(crate) fn mark_changed(&self) {
        self.state.lock().is_changed = true;
    }

    pub(crate) fn is_changed(&self) -> bool {
        self.state.lock().is_changed
    }

    pub(crate) fn entries(&self) -> LedgerEntries {
        self.state.lock().entries.clone()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.state.lock().log.path().to_owned()
    }

    /// The parts of the file that can't be read.
    pub(crate) fn damage(&self) -> Vec<Damage> {
        self.state.lock().damage.clone()
    }

    /// Enters what these runs have spent. Faults `store.*`; what could not be written is written with the next change.
    pub(crate) fn enter<'r>(
        &self,
        runs: impl IntoIterator<Item = (Key, &'r RunRecord)>,
    ) -> Result<(), Fault> {
        let State { entries, log, hasher, .. } = &mut *self.state.lock();
        let mut has_changes = false;
        for (run, record) in runs {
            if enter(entries, run, record)
                && let Some(entry) = entries.get(&run)
            {
                let start = log.buffer.len();
                if let Err(error) = encode(&mut log.buffer, run, entry) {
                    log.buffer.truncate(start);
                    return Err(failed(error));
                }
                hasher.append(&log.buffer[start..]);
                has_changes = true;
            }
        }
        if has_changes { log.write_out(&*self.disk).map_err(failed) } else { Ok(()) }
    }

    /// Returns when everything entered survives a power failure: the file as it is then. Faults `store.*`.
    pub(crate) fn sync(&self) -> Result<LedgerPrefix, Fault> {
        let State { entries, log, hasher, .. } = &mut *self.state.lock();
        if entries.is_empty() && log.written() == 0 {
            return Ok(LedgerPrefix::new(0, &ContentHasher::default()));
        }
        log.sync(&*self.disk).map_err(failed)?;
        Ok(LedgerPrefix::new(log.synced(), hasher))
    }

    /// A file with what can be read.
    pub(crate) fn readable_copy(&self) -> Result<Vec<u8>, Fault> {
        let mut copy = header().bytes().to_vec();
        for (run, entry) in &self.state.lock().entries {
            encode(&mut copy, *run, entry).map_err(failed)?;
        }
        Ok(copy)
    }

    /// The file was replaced by this readable copy, as a person wanted it who knows what is lost.
    pub(crate) fn forget_damage(&self, copy: &[u8]) {
        let mut state = self.state.lock();
        state.damage.clear();
        state.is_changed = false;
        state.log = LogAppender::open(state.log.path().to_owned(), copy.len() as u64);
        state.hasher = ContentHasher::default();
        state.hasher.append(copy);
    }
}
