//! How the file of a run tree is cut into the records that a database has.

use std::collections::BTreeSet;

use plait_core::error::Fault;
use plait_core::id::RunId;
use uuid::Uuid;

use super::run_key;
use super::texts::visit_frame;
use crate::codes;
use crate::hashes_in_texts::hashes_in;
use crate::log_file::{FILE_HEADER_BYTES, read_frame};
use crate::run_database::TreeRecord;

/// The kind of the header of a file.
const HEADER: u8 = 0;

impl<'b> TreeRecord<'b> {
    /// Cuts a part of a tree's file that begins at `position` into its records. Fault `journal.corrupt` if it is not made of whole
    /// records.
    pub fn split(root: &RunId, position: u64, part: &'b [u8]) -> Result<Vec<Self>, Fault> {
        let root_key = run_key(root)?;
        let (mut records, mut position, mut rest) = (Vec::new(), position, part);
        let damaged = |position: u64| {
            let message = format!("The records of run {root} are damaged at byte {position}.");
            Fault::new(codes::JOURNAL_CORRUPT, message).hint("`plait doctor` says what is lost.")
        };
        while !rest.is_empty() {
            let whole = if position == 0 {
                let run = Uuid::from_bytes(root_key);
                let header = rest.get(..FILE_HEADER_BYTES);
                header.map(|bytes| Self { position, kind: HEADER, run, seq: 0, count: 0, bytes })
            } else {
                read_frame(rest).and_then(|(header, _)| {
                    let bytes = rest.get(..usize::try_from(header.record_bytes()).ok()?)?;
                    let run = Uuid::from_bytes(header.owner);
                    Some(Self {
                        position,
                        kind: header.kind,
                        run,
                        seq: header.seq,
                        count: header.count,
                        bytes,
                    })
                })
            };
            let record = whole.ok_or_else(|| damaged(position))?;
            position += record.bytes.len() as u64;
            rest = &rest[record.bytes.len()..];
            records.push(record);
        }
        Ok(records)
    }

    /// Adds what the record names that could be the hash of a flow or an attachment. False if a part of it can't be read, which may
    /// name any.
    pub fn add_hashes(&self, found: &mut BTreeSet<String>) -> bool {
        if self.kind == HEADER {
            return true;
        }
        let mut add = |text: &[u8]| found.extend(hashes_in(text).map(str::to_owned));
        read_frame(self.bytes).is_some_and(|(header, payload)| visit_frame(&header, payload, &mut add))
    }
}
