//! The run index: finding, listing and removing runs. Owns that a record is never behind its journal when somebody sees
//! it, although it is not written with each event.

use std::sync::Arc;

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::RunId;

use super::journal_reader::{self, JournalEntries};
use super::key::{self, RunKey, Space};
use super::record::{RunRecord, RunStatus};
use super::store_core::StoreCore;
use super::writer::{Change, Write};

/// Pieces of a journal removed in one batch.
const REMOVE_BATCH_SIZE: usize = 1024;

/// Which runs to list.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Only runs of the flow whose file this was.
    pub flow_path: Option<String>,
    /// Which place they have in their tree.
    pub which: Which,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}

/// Which runs, by their parents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    #[default]
    All,
    /// Those that no other run began.
    Roots,
}

/// The record of a run.
pub(super) fn run(core: &Arc<StoreCore>, id: &RunId) -> Result<RunRecord, Fault> {
    let key = key::run(id)?;
    core.writer.settle()?;
    current(core, key)?.ok_or_else(|| unknown(id.as_str()))
}

/// Runs, newest first.
pub(super) fn runs(core: &Arc<StoreCore>, filter: &RunFilter) -> Result<Vec<RunRecord>, Fault> {
    core.writer.settle()?;
    let limit = filter.limit.unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for key in keys_under(core, key::of(Space::Run, &[]))?.into_iter().rev() {
        if found.len() >= limit {
            break;
        }
        let Some(record) = current(core, key)? else { continue };
        if filter.which == Which::Roots && record.parent_run_id.is_some() {
            continue;
        }
        if filter.flow_path.is_none() || filter.flow_path == record.flow.path {
            found.push(record);
        }
    }
    Ok(found)
}

/// The runs that a run began, in the order they began.
pub(super) fn children(core: &Arc<StoreCore>, id: &RunId) -> Result<Vec<RunRecord>, Fault> {
    let key = key::run(id)?;
    core.writer.settle()?;
    let mut found = Vec::new();
    for child in child_keys(core, key)? {
        found.extend(current(core, child)?);
    }
    found.sort_by(|a, b| (a.started_at, a.run.as_str()).cmp(&(b.started_at, b.run.as_str())));
    Ok(found)
}

/// How many runs a run began.
pub(super) fn count_children(core: &StoreCore, id: &RunId) -> Result<usize, Fault> {
    core.writer.settle()?;
    Ok(child_keys(core, key::run(id)?)?.len())
}

fn child_keys(core: &StoreCore, parent: RunKey) -> Result<Vec<RunKey>, Fault> {
    keys_under(core, key::of(Space::Child, &parent))
}

/// A run and all that it began, those it began first, and so on down.
fn family(core: &StoreCore, root: RunKey) -> Result<Vec<RunKey>, Fault> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        next += 1;
        found.extend(child_keys(core, parent)?);
    }
    Ok(found)
}

/// The run whose id begins with `prefix`. A child's id begins like its root's: among several the one root is meant.
pub(super) fn find(core: &StoreCore, prefix: &str) -> Result<RunId, Fault> {
    core.writer.settle()?;
    let wanted = prefix.trim().to_lowercase();
    let mut found = keys_under(core, key::of(Space::Run, &[]))?;
    found.retain(|key| key::run_id(*key).as_str().starts_with(&wanted));
    match found.as_slice() {
        [only] => Ok(key::run_id(*only)),
        [] => Err(unknown(prefix)),
        [first, rest @ ..] => {
            // Runs sort by their start, and children behind their root.
            let family = family(core, *first)?;
            if rest.iter().all(|key| family.contains(key)) {
                return Ok(key::run_id(*first));
            }
            Err(Fault::new(
                ErrorCode::RunAmbiguous,
                format!("More than one run's id begins with `{prefix}`."),
            )
            .hint("Give more of it; `plait runs list` shows them."))
        }
    }
}

/// Removes a run and the runs it began: record, journal, large values, and the flow document if no other run had it.
pub(super) fn remove(core: &Arc<StoreCore>, id: &RunId) -> Result<(), Fault> {
    let key = key::run(id)?;
    core.writer.settle()?;
    stored_record(core, key)?.ok_or_else(|| unknown(id.as_str()))?;
    let family = family(core, key)?;
    if family.iter().any(|key| core.live().contains_key(key)) {
        return Err(
            Fault::new(ErrorCode::RunBusy, format!("Run `{id}` is still going on.")).hint("Cancel it first.")
        );
    }
    // Children first: what a crash leaves is found again from the parent.
    family.into_iter().rev().try_for_each(|key| remove_one(core, key))
}

fn remove_one(core: &Arc<StoreCore>, key: RunKey) -> Result<(), Fault> {
    let Some(record) = stored_record(core, key)? else { return Ok(()) };
    // From here on it is gone for everybody; what a crash leaves undone is done when the store is opened.
    let mut changes =
        vec![(key::of(Space::Removing, &key), Some(Vec::new())), (key::of(Space::Run, &key), None)];
    changes.push((key::run_of_flow(&record.flow.hash, key), None));
    if let Some(parent) = &record.parent_run_id {
        changes.push((key::child_of(key::run(parent)?, key), None));
    }
    write(core, changes)?;
    finish_removal(core, key)?;
    clear_flow(core, &record.flow.hash)
}

/// Finishes removals that a crash cut short.
pub(super) fn finish_removals(core: &Arc<StoreCore>) -> Result<(), Fault> {
    keys_under(core, key::of(Space::Removing, &[]))?.into_iter().try_for_each(|key| finish_removal(core, key))
}

fn finish_removal(core: &Arc<StoreCore>, key: RunKey) -> Result<(), Fault> {
    core.blobs.remove(key::run_id(key).as_str())?;
    loop {
        let doomed: Vec<sled::IVec> = core.database.read(|db| {
            db.scan_prefix(key::of(Space::Journal, &key)).keys().take(REMOVE_BATCH_SIZE).collect()
        })?;
        if doomed.is_empty() {
            break;
        }
        write(core, doomed.into_iter().map(|key| (key.to_vec(), None)).collect())?;
        core.writer.settle()?;
    }
    write(core, vec![(key::of(Space::Removing, &key), None)])
}

fn clear_flow(core: &StoreCore, hash: &str) -> Result<(), Fault> {
    core.writer.settle()?;
    let used = core.database.read(|db| {
        db.scan_prefix(key::of(Space::RunOfFlow, hash.as_bytes()))
            .next()
            .transpose()
            .map(|first| first.is_some())
    })?;
    if used || core.kept_flows().contains(hash) {
        return Ok(());
    }
    let at = key::of(Space::Flow, hash.as_bytes());
    if let Some(stored) = core.get(&at)? {
        write(core, vec![(at, None)])?;
        core.blobs.remove_one(super::documents::FLOWS, &stored);
    }
    Ok(())
}

/// The current record: that of the active run, or the stored one brought up to date with its journal.
pub(super) fn current(core: &Arc<StoreCore>, key: RunKey) -> Result<Option<RunRecord>, Fault> {
    let live = core.live().get(&key).cloned();
    if let Some(live) = live {
        return Ok(live.lock().clone());
    }
    // It may have become free a moment ago, with its last words still queued.
    core.writer.settle()?;
    let record = stored_record(core, key)?;
    Ok(record.map(|mut record| {
        if record.status == RunStatus::Running {
            // Nobody else can have it: the store is ours alone.
            record.status = RunStatus::Interrupted;
        }
        record
    }))
}

/// The stored record, brought up to date with its journal as far as that is readable.
pub(super) fn stored_record(core: &Arc<StoreCore>, key: RunKey) -> Result<Option<RunRecord>, Fault> {
    let at = key::of(Space::Run, &key);
    let Some(stored) = core.database.read(|db| db.get(&at))? else { return Ok(None) };
    let run = key::run_id(key);
    let read = core
        .blobs
        .load(run.as_str(), &stored)
        .and_then(|bytes| serde_json::from_slice::<RunRecord>(&bytes).map_err(|error| error.to_string()));
    let mut record = match read {
        Ok(record) => record,
        // The journal tells it all again.
        Err(_) => match JournalEntries::from(core, key, 0)?.next() {
            Some(Ok(first)) => match RunRecord::begin(&first) {
                Some(record) => record,
                None => return Ok(None),
            },
            _ => return Ok(None),
        },
    };
    if record.status.is_final() || journal_reader::next_seq(core, key)? <= record.events {
        return Ok(Some(record));
    }
    for entry in JournalEntries::from(core, key, record.events)?.map_while(Result::ok) {
        record.apply(&entry);
    }
    if let Ok(bytes) = serde_json::to_vec(&record) {
        write(core, vec![(at, Some(bytes))])?;
    }
    Ok(Some(record))
}

/// The runs that the keys with this beginning end in, in their order.
fn keys_under(core: &StoreCore, prefix: Vec<u8>) -> Result<Vec<RunKey>, Fault> {
    let keys = core.database.read(|db| {
        db.scan_prefix(prefix)
            .keys()
            .map(|key| key.map(|key| key::run_of(&key)))
            .collect::<Result<Vec<_>, _>>()
    })?;
    Ok(keys.into_iter().flatten().collect())
}

fn write(core: &StoreCore, changes: Vec<Change>) -> Result<(), Fault> {
    core.writer.write(None, Write::of("index", changes))
}

fn unknown(id: &str) -> Fault {
    Fault::new(ErrorCode::RunUnknown, format!("There is no run `{id}`."))
        .hint("`plait runs list` shows the runs there are.")
}
