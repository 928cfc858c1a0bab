//! All texts in the file of a run tree, whatever they mean: entries and large values of all its runs.

use std::path::Path;

use plait_engine::error::Fault;

use super::layout::{frames, unpack};
use super::{BLOCK, COMPRESSED, ENTRIES, VALUE};
use crate::store::fault;
use crate::store::log_file::{FrameHeader, Item, OpenError, Scanner};

/// Calls `visit` with each text of the file. False if a part of it can't be read. One that does not exist has no texts. Faults
/// `store.newer`, `store.io`.
pub(in crate::store) fn visit_texts(path: &Path, visit: &mut dyn FnMut(&[u8])) -> Result<bool, Fault> {
    let failed = |error: std::io::Error| fault::of_io("read a journal", &error);
    let mut scanner = match Scanner::open(path) {
        Ok(scanner) => scanner,
        Err(OpenError::Newer(version)) => return Err(fault::newer(path, version)),
        Err(OpenError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(OpenError::Io(error)) => return Err(failed(error)),
    };
    let mut is_whole = true;
    while let Some(item) = scanner.next().map_err(failed)? {
        let Item::Record { header, payload, .. } = item else {
            is_whole = false;
            continue;
        };
        if header.kind != BLOCK {
            is_whole &= visit_record(&header, payload, visit);
            continue;
        }
        match unpack(payload) {
            Ok(records) => {
                for (header, payload) in frames(&records) {
                    is_whole &= visit_record(&header, payload, visit);
                }
            }
            Err(_) => is_whole = false,
        }
    }
    Ok(is_whole)
}

/// False if the record can't be read.
fn visit_record(header: &FrameHeader, payload: &[u8], visit: &mut dyn FnMut(&[u8])) -> bool {
    match header.kind {
        ENTRIES => visit(payload),
        VALUE => {
            let Some((_, text)) = payload.split_first_chunk::<32>() else { return false };
            if header.flags & COMPRESSED == 0 {
                visit(text);
            } else {
                let Ok(text) = unpack(text) else { return false };
                visit(&text);
            }
        }
        _ => {}
    }
    true
}
