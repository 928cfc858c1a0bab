//! Reads all records of a file. Refuses to know what they mean.

use std::path::Path;

use plait_core::error::Fault;

use crate::fault;
use crate::log_file::{FrameHeader, Item, OpenError, Scanner};

/// Calls `visit` with each record of the file; it returns whether it could read the record. False if a part of the file can't be
/// read. One that does not exist has no records. Faults `store.newer`, `store.io`.
pub(crate) fn visit_records(
    path: &Path,
    visit: &mut dyn FnMut(&FrameHeader, &[u8]) -> bool,
) -> Result<bool, Fault> {
    let failed = |error: std::io::Error| fault::of_io("read a file of records", &error);
    let mut scanner = match Scanner::open(path) {
        Ok(scanner) => scanner,
        Err(OpenError::Newer(version)) => return Err(fault::newer(path, version)),
        Err(OpenError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(OpenError::Io(error)) => return Err(failed(error)),
    };
    let mut is_whole = true;
    while let Some(item) = scanner.next().map_err(failed)? {
        is_whole &= match item {
            Item::Record { header, payload, .. } => visit(&header, payload),
            Item::Damage(_) => false,
        };
    }
    Ok(is_whole)
}
