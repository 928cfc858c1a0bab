//! Converts errors of the disk and the database to faults. Owns the `store.*` codes.

use std::io;
use std::path::Path;

use plait_engine::error::{ErrorCode, Fault};

/// The fault for an I/O error while `doing` something (for example "write the journal") in the store.
pub(super) fn of_io(doing: &str, error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Fault::new(ErrorCode::StoreFull, format!("The disk is full: Plait could not {doing} ({error})."))
                .hint("Free some space, then go on with the run. Everything written before is kept.")
        }
        _ => Fault::new(ErrorCode::StoreIo, format!("Plait could not {doing}: {error}.")).hint(
            "Check the disk and the permissions of the data directory. Everything written before is kept.",
        ),
    }
}

/// The fault for an error of the database.
pub(super) fn of_sled(doing: &str, error: &sled::Error) -> Fault {
    match error {
        sled::Error::Io(error) => of_io(doing, error),
        sled::Error::Corruption { .. } => corrupt(doing, &error.to_string()),
        other => Fault::new(ErrorCode::StoreIo, format!("Plait could not {doing}: {other}.")),
    }
}

/// The fault for a database whose files are damaged.
pub(super) fn corrupt(doing: &str, detail: &str) -> Fault {
    Fault::new(ErrorCode::StoreCorrupt, format!("Plait could not {doing}: the store's files are damaged ({detail})."))
        .hint("Move the data directory's `db` folder elsewhere and start again; flows are files of their own and are not touched.")
}

/// The fault for a store that another process has.
pub(super) fn locked(home: &Path, owner: &str) -> Fault {
    let who = if owner.is_empty() { "another process".to_owned() } else { format!("process {owner}") };
    Fault::new(ErrorCode::StoreLocked, format!("The data directory `{}` is in use by {who}.", home.display())).hint(
        "Close the other Plait (window or terminal) first, or choose another directory with `--home` or PLAIT_HOME.",
    )
}
