//! A copy of what can be read of a damaged file: of each run the entries up to the first that is lost.

use std::collections::HashSet;

use plait_core::error::Fault;
use plait_journal::Entry;

use crate::codes;
use crate::journal_reader::TreeFile;
use crate::large_value::ValueHash;
use crate::log_file::{FileHeader, FileKind, Key};
use crate::tree::{EncodedEntries, run_id};

/// How many entries go into one record.
const ENTRIES_PER_RECORD: usize = 16;

/// The bytes of the copy; none if no run of the file can be read. Faults `store.*`.
pub(super) fn readable_copy(root: Key, tree: &TreeFile) -> Result<Option<Vec<u8>>, Fault> {
    let mut out = FileHeader { kind: FileKind::RunTree, sealed: false, id: root }.bytes().to_vec();
    let empty = out.len();
    let mut stored = HashSet::new();
    for key in tree.layout.runs.keys() {
        let mut reader = tree.entries(*key, false)?;
        let mut batch = Vec::new();
        loop {
            match reader.next() {
                Ok(Some(entry)) => batch.push(entry),
                Ok(None) => break,
                Err(lost) if lost.code == codes::JOURNAL_CORRUPT => break,
                Err(fault) => return Err(fault),
            }
            if batch.len() >= ENTRIES_PER_RECORD {
                add(&mut out, *key, &batch, &mut stored)?;
                batch.clear();
            }
        }
        add(&mut out, *key, &batch, &mut stored)?;
    }
    Ok((out.len() > empty).then_some(out))
}

fn add(out: &mut Vec<u8>, run: Key, entries: &[Entry], stored: &mut HashSet<ValueHash>) -> Result<(), Fault> {
    let Some(first) = entries.first() else { return Ok(()) };
    let seq = first.seq.unwrap_or_default();
    let encoded = EncodedEntries::of(&run_id(run), entries)?;
    let is_new = |hash: &ValueHash, _| stored.insert(*hash);
    let written = encoded.write(out, run, seq, is_new);
    written.map(drop).ok_or_else(|| Fault::new(codes::JOURNAL_UNWRITABLE, "An event is larger than 4 GB."))
}
