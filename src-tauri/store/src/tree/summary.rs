//! The first record of the file of a tree that has ended: its summary.

use std::path::Path;

use plait_core::error::Fault;

use super::layout::{is_summary, unpack};
use crate::fault;
use crate::log_file::{Item, OpenError, Scanner};

/// The text of the summary of a file, and the size of the file. None if it has none, or a damaged one. Faults `store.newer`, `store.io`.
pub(crate) fn read_summary(path: &Path) -> Result<Option<(Vec<u8>, u64)>, Fault> {
    let failed = |error: std::io::Error| fault::of_io("read a journal", &error);
    let mut scanner = match Scanner::open(path) {
        Ok(scanner) => scanner,
        Err(OpenError::Newer(version)) => return Err(fault::newer(path, version)),
        Err(OpenError::Io(error)) => return Err(failed(error)),
    };
    let sealed = scanner.header().is_some_and(|header| header.sealed);
    let size = scanner.length();
    match scanner.next().map_err(failed)? {
        Some(Item::Record { header, payload, .. }) if sealed && is_summary(&header) => {
            Ok(unpack(payload).ok().map(|text| (text, size)))
        }
        _ => Ok(None),
    }
}
