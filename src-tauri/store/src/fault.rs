//! Converts errors of the disk to faults. Owns the `store.*` codes.

use std::io;
use std::path::Path;

use plait_core::error::Fault;

use crate::codes;

/// A fault on its way through the file operations, which know errors of the system alone.
#[derive(Debug)]
struct CarriedFault(Fault);

impl std::fmt::Display for CarriedFault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0.message)
    }
}

impl std::error::Error for CarriedFault {}

/// An error that [`of_io`] gives back as this fault.
pub(crate) fn io_error_of(fault: Fault) -> io::Error {
    io::Error::other(CarriedFault(fault))
}

/// The fault for an I/O error while `doing` something (for example "write the journal") in the store.
pub(crate) fn of_io(doing: &str, error: &io::Error) -> Fault {
    if let Some(CarriedFault(fault)) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        return fault.clone();
    }
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Fault::new(codes::STORE_FULL, format!("The disk is full: Plait could not {doing} ({error})."))
                .hint("Free some space, then go on with the run. Everything written before is kept.")
        }
        _ => Fault::new(codes::STORE_IO, format!("Plait could not {doing}: {error}.")).hint(
            "Check the disk and the permissions of the data directory. Everything written before is kept.",
        ),
    }
}

/// The fault for a data directory of the form before journal files.
pub(crate) fn old_form(folder: &Path) -> Fault {
    Fault::new(
        codes::STORE_OLD_FORM,
        format!("`{}` is a database of an earlier, unreleased form of Plait.", folder.display()),
    )
    .hint(
        "Move the data directory elsewhere, or choose another one with `--home` or PLAIT_HOME. Flows are files of their \
         own and are not touched.",
    )
}

/// The fault for a store that another process has.
pub(crate) fn locked(home: &Path, owner: &str) -> Fault {
    let who = if owner.is_empty() { "another process".to_owned() } else { format!("process {owner}") };
    Fault::new(codes::STORE_LOCKED, format!("The data directory `{}` is in use by {who}.", home.display())).hint(
        "Close the other Plait (window or terminal) first, or choose another directory with `--home` or PLAIT_HOME.",
    )
}

/// The fault for a file that a newer version of Plait wrote.
pub(crate) fn newer(path: &Path, version: u16) -> Fault {
    Fault::new(
        codes::STORE_NEWER,
        format!("A newer version of Plait wrote `{}` (form {version}).", path.display()),
    )
    .hint("Use that version, or another data directory. The file was not changed.")
}
