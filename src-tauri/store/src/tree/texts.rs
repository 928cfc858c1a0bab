//! Reads all texts in the file of a run tree: entries and large values of all its runs. Refuses to know what they mean.

use std::path::Path;

use plait_core::error::Fault;

use super::layout::{frames, unpack};
use super::{BLOCK, COMPRESSED, ENTRIES, VALUE};
use crate::log_file::FrameHeader;
use crate::visit_records::visit_records;

/// Calls `visit` with each text of the file. False if a part of it can't be read. One that does not exist has no texts. Faults
/// `store.newer`, `store.io`.
pub(crate) fn visit_texts(path: &Path, visit: &mut dyn FnMut(&[u8])) -> Result<bool, Fault> {
    visit_records(path, &mut |header, payload| visit_frame(header, payload, visit))
}

/// Calls `visit` with each text of a record of the file. False if a part of it can't be read.
pub(super) fn visit_frame(header: &FrameHeader, payload: &[u8], visit: &mut dyn FnMut(&[u8])) -> bool {
    if header.kind != BLOCK {
        return visit_record(header, payload, visit);
    }
    let Ok(records) = unpack(payload) else { return false };
    let mut is_whole = true;
    for (header, payload) in frames(&records) {
        is_whole &= visit_record(&header, payload, visit);
    }
    is_whole
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
