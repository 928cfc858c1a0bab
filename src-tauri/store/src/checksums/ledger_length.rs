//! The length of the ledger that `checksums.json` has: the ledger only grows, so one that is shorter was cut. It is recorded before a run
//! is removed, since from then on the ledger alone knows what that run has spent.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use serde_json::json;

use super::{Checksums, REVIEW, load, load_or_snapshot, write};
use crate::codes;
use crate::disk::Disk;
use crate::shared::Shared;

/// The entry of the ledger. It has one element: the length in bytes, or [`SHORT`].
const SPENDING: &str = "spending";
/// Stands for a ledger that was too short when a process opened it. It may have grown since.
const SHORT: &str = "short";

fn length(home: &Path) -> u64 {
    crate::ledger::path_in(home).metadata().map_or(0, |found| found.len())
}

/// Whether the ledger was cut.
fn is_short(checksums: &Checksums, home: &Path) -> bool {
    let recorded = checksums.get(SPENDING).and_then(BTreeSet::first);
    recorded
        .is_some_and(|recorded| recorded.parse().map_or(recorded == SHORT, |least: u64| length(home) < least))
}

/// Refuses a ledger that something other than Plait has cut. Faults `store.changed_outside`, `store.corrupt`, `store.io`.
pub(crate) fn check_ledger(home: &Path) -> Result<(), Fault> {
    let checksums = load(home)?.unwrap_or_default();
    if is_short(&checksums, home) { Err(short_fault(home)) } else { Ok(()) }
}

fn short_fault(home: &Path) -> Fault {
    let path = crate::ledger::path_in(home);
    let message = format!(
        "`{}` was cut outside of Plait, so what removed runs have spent is not known any more.",
        path.display()
    );
    Fault::new(codes::STORE_CHANGED_OUTSIDE, message)
        .hint(REVIEW)
        .details(json!({ "document": SPENDING, "hash": length(home).to_string() }))
}

/// Remembers that the ledger was cut before this process appends to it.
pub(crate) fn mark_short_ledger(disk: &dyn Disk, home: &Path) {
    let Ok(Some(mut checksums)) = load(home) else { return };
    if is_short(&checksums, home) {
        checksums.insert(SPENDING.to_owned(), BTreeSet::from([SHORT.to_owned()]));
        // On a full disk nothing is appended to the ledger either.
        let _ = write(disk, home, &checksums);
    }
}

/// Records how much of the ledger is synced, unless it was cut. Faults `store.*`.
pub(crate) fn record_ledger(shared: &Shared) -> Result<(), Fault> {
    record(shared, |checksums| !is_short(checksums, &shared.home))
}

/// Records the length of a ledger that Plait has replaced, unless it was cut before. Faults `store.*`.
pub(crate) fn record_replaced_ledger(shared: &Shared) -> Result<(), Fault> {
    record(shared, |checksums| !checksums.get(SPENDING).is_some_and(|recorded| recorded.contains(SHORT)))
}

fn record(shared: &Shared, may_record: impl FnOnce(&Checksums) -> bool) -> Result<(), Fault> {
    let _alone = shared.changing_checksums.lock();
    let mut checksums = load_or_snapshot(&shared.home)?;
    if !may_record(&checksums) {
        return Ok(());
    }
    // What is not synced may be missing after a power failure.
    checksums.insert(SPENDING.to_owned(), BTreeSet::from([shared.ledger.synced_length().to_string()]));
    write(&*shared.disk, &shared.home, &checksums)
}

/// Accepts a ledger that was cut. `shown`: the length that a person has accepted, if it may not be another one. Returns the file if it
/// was cut. Faults `store.*`.
pub(super) fn accept(shared: &Shared, shown: Option<&str>) -> Result<Option<PathBuf>, Fault> {
    let home = &shared.home;
    let _alone = shared.changing_checksums.lock();
    let mut checksums = load_or_snapshot(home)?;
    let now = length(home);
    if shown.is_some_and(|shown| shown != now.to_string()) {
        return Err(short_fault(home));
    }
    if !is_short(&checksums, home) {
        return Ok(None);
    }
    checksums
        .insert(SPENDING.to_owned(), BTreeSet::from([now.min(shared.ledger.synced_length()).to_string()]));
    write(&*shared.disk, home, &checksums)?;
    Ok(Some(crate::ledger::path_in(home)))
}
