//! How much of the ledger must be there: `checksums.json` has a length, and the SHA-256 of that many bytes. The ledger only grows, so a
//! file that begins otherwise was cut or written by something else. Recorded before a run is removed, since from then on the ledger
//! alone knows what that run has spent.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use serde_json::json;

use super::{Checksums, REVIEW, load, load_or_snapshot, write};
use crate::codes;
use crate::disk::Disk;
use crate::fault;
use crate::ledger_prefix::{LedgerPrefix, hash_prefix};
use crate::shared::Shared;

/// The entry of the ledger. It has one element: a [`LedgerPrefix`] or [`CHANGED`].
const SPENDING: &str = "spending";
/// Stands for a ledger that something else had changed when a process opened it. It may have grown since.
const CHANGED: &str = "changed";

fn unreadable(error: &io::Error) -> Fault {
    fault::of_io("read what runs have spent", error)
}

/// Whether something other than Plait has changed the ledger. Fault `store.io`.
fn is_changed(checksums: &Checksums, home: &Path) -> Result<bool, Fault> {
    let Some(recorded) = checksums.get(SPENDING).and_then(BTreeSet::first) else { return Ok(false) };
    // What cannot be read stands for a change as well: a guard that is unknown has not held.
    let Some(prefix) = LedgerPrefix::parse(recorded) else { return Ok(true) };
    let is_kept = prefix.is_kept(&crate::ledger::path_in(home)).map_err(|error| unreadable(&error))?;
    Ok(!is_kept)
}

/// The whole ledger as it is. Fault `store.io`.
fn found(home: &Path) -> Result<LedgerPrefix, Fault> {
    let (length, hasher) =
        hash_prefix(&crate::ledger::path_in(home), u64::MAX).map_err(|error| unreadable(&error))?;
    Ok(LedgerPrefix::new(length, &hasher))
}

/// Refuses a ledger that something other than Plait has cut or written. Faults `store.changed_outside`, `store.corrupt`, `store.io`.
pub(crate) fn check_ledger(home: &Path) -> Result<(), Fault> {
    let checksums = load(home)?.unwrap_or_default();
    if is_changed(&checksums, home)? { Err(changed_fault(home)) } else { Ok(()) }
}

fn changed_fault(home: &Path) -> Fault {
    let path = crate::ledger::path_in(home);
    let message = format!(
        "`{}` was changed outside of Plait, so what removed runs have spent is not known any more.",
        path.display()
    );
    let found = found(home).map(|found| found.to_string()).unwrap_or_default();
    Fault::new(codes::STORE_CHANGED_OUTSIDE, message)
        .hint(REVIEW)
        .details(json!({ "document": SPENDING, "hash": found }))
}

/// Whether the ledger was changed before this process appends to it. Remembers it in the file of the checksums.
pub(crate) fn mark_changed_ledger(disk: &dyn Disk, home: &Path) -> bool {
    // Nothing is recorded with checksums that cannot be read.
    let Ok(Some(mut checksums)) = load(home) else { return false };
    match is_changed(&checksums, home) {
        Ok(false) => false,
        Ok(true) => {
            checksums.insert(SPENDING.to_owned(), BTreeSet::from([CHANGED.to_owned()]));
            // On a full disk nothing is appended to the ledger either.
            let _ = write(disk, home, &checksums);
            true
        }
        // A guard that could not be checked has not held.
        Err(_) => true,
    }
}

/// Records the ledger as Plait has written and synced it, unless something else had changed it. Faults `store.*`.
pub(crate) fn record_ledger(shared: &Shared) -> Result<(), Fault> {
    let synced = shared.ledger.sync()?;
    let _alone = shared.changing_checksums.lock();
    let mut checksums = load_or_snapshot(&shared.home)?;
    if shared.ledger.is_changed() {
        return Ok(());
    }
    checksums.insert(SPENDING.to_owned(), BTreeSet::from([synced.to_string()]));
    write(&*shared.disk, &shared.home, &checksums)
}

/// Accepts a ledger that was changed, and goes on with what stands there. `shown`: what a person has accepted, if it may not be another
/// content. Returns the file if it was changed. What the runs that are there have spent is entered again. Faults `store.*`.
pub(super) fn accept(shared: &Shared, shown: Option<&str>) -> Result<Option<PathBuf>, Fault> {
    let home = &shared.home;
    let _alone = shared.changing_checksums.lock();
    let mut checksums = load_or_snapshot(home)?;
    if shown.is_some_and(|shown| found(home).map(|found| found.to_string()).as_deref() != Ok(shown)) {
        return Err(changed_fault(home));
    }
    if !is_changed(&checksums, home)? {
        return Ok(None);
    }
    shared.ledger.reload()?;
    let runs = shared.index().keys();
    shared.enter_spending(&runs)?;
    let synced = shared.ledger.sync()?;
    checksums.insert(SPENDING.to_owned(), BTreeSet::from([synced.to_string()]));
    write(&*shared.disk, home, &checksums)?;
    Ok(Some(crate::ledger::path_in(home)))
}
