//! Where everything is in the file of a run tree, and what of it can't be read.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use flate2::read::GzDecoder;
use parking_lot::Mutex;
use plait_core::error::Fault;

use super::{
    BLOCK, BLOCK_BYTES, COMPRESSED, DIRECTORY, ENTRIES, GAPLESS, HAS_REFERENCES, SUMMARY, SUMMARY_VERSION,
    VALUE,
};
use crate::fault;
use crate::large_value::ValueHash;
use crate::log_file::{Damage, FrameHeader, Item, Key, OpenError, Scanner, read_frame, read_record_bytes};

/// Spans of plain records grow up to this size, so that reading may begin amid a journal.
const SPAN_BYTES: u64 = 64 << 10;

/// A part of a file with entries of a run: records of that run alone, or one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first_seq: u64,
    pub(crate) bytes: Range<u64>,
}

/// The journal of one run in the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunLayout {
    pub(crate) spans: Vec<Span>,
    pub(crate) next_seq: u64,
    /// The entries that can't be read.
    pub(crate) lost: Vec<Range<u64>>,
}

/// Where the large values are. Shared with readers; values are only ever added.
pub(crate) type Values = Arc<Mutex<HashMap<ValueHash, u64>>>;

/// The places of everything in one file.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about a file")]
pub(crate) struct TreeLayout {
    pub(crate) runs: BTreeMap<Key, RunLayout>,
    pub(crate) values: Values,
    pub(crate) damage: Vec<Damage>,
    /// Whether a damaged record could have been of any run.
    pub(crate) has_unknown_damage: bool,
    /// The size of the file.
    pub(crate) size: u64,
    /// Where the last whole record ends; a torn end is behind it.
    pub(crate) end: u64,
    pub(crate) torn: bool,
    pub(crate) sealed: bool,
    pub(crate) has_summary: bool,
}

/// The file of a tree, if there is one.
pub(crate) fn open_file(path: &Path) -> Result<Option<File>, Fault> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

#[allow(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn failed(error: io::Error) -> Fault {
    fault::of_io("read a journal", &error)
}

impl TreeLayout {
    /// Reads a file. One that does not exist is empty. Faults `store.newer`, `store.io`.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        open_file(path)?.map_or_else(|| Ok(Self::default()), |file| Self::of_file(path, file))
    }

    /// The same of an open file. Another file may be at `path` meanwhile.
    pub(crate) fn of_file(path: &Path, file: File) -> Result<Self, Fault> {
        let mut layout = Self::default();
        let mut scanner = match Scanner::over(file) {
            Ok(scanner) => scanner,
            Err(OpenError::Newer(version)) => return Err(fault::newer(path, version)),
            Err(OpenError::Io(error)) => return Err(failed(error)),
        };
        let (mut directory, mut is_gapless) = (Vec::new(), false);
        while let Some(item) = scanner.next().map_err(failed)? {
            match item {
                Item::Record { header, payload, .. } if header.kind == DIRECTORY => {
                    directory = read_directory(payload);
                    is_gapless = header.flags & GAPLESS != 0;
                }
                Item::Record { offset, header, payload } => {
                    layout.has_summary |= is_summary(&header);
                    if header.kind != BLOCK {
                        layout.add(&header, offset..offset + header.record_bytes(), payload);
                    } else if is_gapless && !directory.is_empty() {
                        for (run, seqs) in directory.drain(..) {
                            layout.run(run).add(seqs, offset..offset + header.record_bytes(), false);
                        }
                    } else if layout.add_block(offset..offset + header.record_bytes(), payload).is_err() {
                        let bytes = offset..offset + header.record_bytes();
                        layout.add_damage(Damage { bytes, header: Some(header) }, &directory);
                    }
                    directory.clear();
                }
                Item::Damage(damage) => {
                    layout.add_damage(damage, &directory);
                    directory.clear();
                }
            }
        }
        layout.size = scanner.length();
        let end = scanner.end();
        (layout.end, layout.torn) = (end.end, end.torn);
        layout.sealed = scanner.header().is_some_and(|header| header.sealed);
        if layout.sealed && layout.torn {
            // It was whole when it got its name.
            layout.add_damage(Damage { bytes: end.end..end.end, header: None }, &directory);
        }
        Ok(layout)
    }

    pub(crate) fn is_damaged(&self) -> bool {
        !self.damage.is_empty()
    }

    /// The seq after the last entry of a run.
    pub(crate) fn next_seq(&self, run: &Key) -> u64 {
        self.runs.get(run).map_or(0, |run| run.next_seq)
    }

    /// Takes records into account that were added to the file. False if one of them is not whole, or none of a tree that is being
    /// written.
    pub(crate) fn extend(&mut self, added: &[u8]) -> bool {
        let end = self.size + added.len() as u64;
        if self.torn || self.sealed {
            return false;
        }
        for (header, payload) in frames(added) {
            if !matches!(header.kind, ENTRIES | VALUE) {
                return false;
            }
            let bytes = self.size..self.size + header.record_bytes();
            self.size = bytes.end;
            self.add(&header, bytes, payload);
        }
        self.end = self.size;
        self.size == end
    }

    /// Takes a record into account that is not in a block.
    pub(super) fn add(&mut self, header: &FrameHeader, bytes: Range<u64>, payload: &[u8]) {
        match header.kind {
            ENTRIES => self.run(header.owner).add(header.seqs(), bytes, true),
            VALUE => {
                if let Some(hash) = payload.first_chunk() {
                    self.values.lock().insert(*hash, bytes.start);
                }
            }
            _ => {}
        }
    }

    fn run(&mut self, run: Key) -> &mut RunLayout {
        self.runs.entry(run).or_default()
    }

    fn add_block(&mut self, bytes: Range<u64>, payload: &[u8]) -> io::Result<()> {
        let records = unpack(payload)?;
        for (header, _) in frames(&records) {
            if header.kind == ENTRIES {
                self.run(header.owner).add(header.seqs(), bytes.clone(), false);
            }
        }
        Ok(())
    }

    fn add_damage(&mut self, damage: Damage, directory: &[(Key, Range<u64>)]) {
        match damage.header {
            Some(header) if header.kind == ENTRIES => {
                self.run(header.owner).lose(header.seqs());
            }
            // What refers to the value says so when it is read.
            Some(header) if header.kind == VALUE => {}
            // What they speak of can be read.
            Some(header) if header.kind == DIRECTORY || header.kind == SUMMARY => {}
            _ if !directory.is_empty() => {
                for (run, seqs) in directory {
                    self.run(*run).lose(seqs.clone());
                }
            }
            _ => self.has_unknown_damage = true,
        }
        self.damage.push(damage);
    }
}

impl RunLayout {
    fn add(&mut self, seqs: Range<u64>, bytes: Range<u64>, may_grow: bool) {
        if seqs.end <= self.next_seq {
            // There already; nothing writes a journal twice.
            return;
        }
        if seqs.start > self.next_seq {
            self.lose(self.next_seq..seqs.start);
        }
        self.next_seq = seqs.end;
        match self.spans.last_mut() {
            Some(last) if last.bytes == bytes => {}
            Some(last)
                if may_grow
                    && last.bytes.end == bytes.start
                    && bytes.end - last.bytes.start <= SPAN_BYTES =>
            {
                last.bytes.end = bytes.end;
            }
            _ => self.spans.push(Span { first_seq: seqs.start, bytes }),
        }
    }

    /// Entries that can't be read.
    fn lose(&mut self, seqs: Range<u64>) {
        let seqs = seqs.start.max(self.next_seq)..seqs.end;
        if seqs.is_empty() {
            return;
        }
        self.next_seq = seqs.end;
        match self.lost.last_mut() {
            Some(last) if last.end == seqs.start => last.end = seqs.end,
            _ => self.lost.push(seqs),
        }
    }
}

/// The records of entries in a text of records: each payload has one JSON text per line.
pub(crate) fn entry_frames(records: &[u8]) -> impl Iterator<Item = (FrameHeader, &[u8])> {
    frames(records).filter(|(header, _)| header.kind == ENTRIES)
}

/// The records in a text of records. Ends at the first that is not whole.
pub(super) fn frames(mut records: &[u8]) -> impl Iterator<Item = (FrameHeader, &[u8])> {
    std::iter::from_fn(move || {
        let (header, payload) = read_frame(records)?;
        records = records.get(usize::try_from(header.record_bytes()).ok()?..)?;
        Some((header, payload))
    })
}

/// Whether a record is a summary that this version reads.
pub(super) fn is_summary(header: &FrameHeader) -> bool {
    header.kind == SUMMARY && header.flags == SUMMARY_VERSION
}

/// The records in a block.
pub(super) fn unpack(payload: &[u8]) -> io::Result<Vec<u8>> {
    // A block is closed once it has so much.
    let mut records = Vec::with_capacity(2 * BLOCK_BYTES);
    GzDecoder::new(payload).read_to_end(&mut records)?;
    Ok(records)
}

fn read_directory(payload: &[u8]) -> Vec<(Key, Range<u64>)> {
    let entry = |bytes: &[u8]| {
        let (run, seqs) = bytes.split_first_chunk::<16>()?;
        let (from, to) = seqs.split_first_chunk::<8>()?;
        Some((*run, u64::from_le_bytes(*from)..u64::from_le_bytes(*to.first_chunk()?)))
    };
    payload.chunks_exact(32).filter_map(entry).collect()
}

/// The bytes of a directory.
pub(super) fn directory(ranges: &BTreeMap<Key, Range<u64>>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ranges.len() * 32);
    for (run, seqs) in ranges {
        bytes.extend_from_slice(run);
        bytes.extend_from_slice(&seqs.start.to_le_bytes());
        bytes.extend_from_slice(&seqs.end.to_le_bytes());
    }
    bytes
}

/// Reads the records of a run in one of its spans from the file: each payload has one JSON text per line. Records that can't be read any
/// more are left out.
pub(crate) fn visit_entry_frames(
    file: &mut File,
    span: &Span,
    run: Key,
    visit: &mut dyn FnMut(&FrameHeader, &[u8]),
) -> io::Result<()> {
    file.seek(SeekFrom::Start(span.bytes.start))?;
    let mut bytes = Vec::new();
    file.by_ref().take(span.bytes.end - span.bytes.start).read_to_end(&mut bytes)?;
    let mut visit_entries = |header: &FrameHeader, payload: &[u8]| {
        if header.kind == ENTRIES && header.owner == run {
            visit(header, payload);
        }
    };
    for (header, payload) in frames(&bytes) {
        if header.kind == BLOCK {
            for (header, payload) in frames(&unpack(payload)?) {
                visit_entries(&header, payload);
            }
        } else {
            visit_entries(&header, payload);
        }
    }
    Ok(())
}

/// Whether lines of a record refer to large values.
pub(crate) fn refers_to_values(header: &FrameHeader) -> bool {
    header.flags & HAS_REFERENCES != 0
}

/// The lines of a text, without what ends them.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// The text of the large value at `offset`, and whether it refers to others. `Err` describes the damage.
pub(crate) fn load_value(
    file: &mut File,
    offset: Option<u64>,
    hash: &ValueHash,
) -> Result<(Vec<u8>, bool), String> {
    let offset = offset.ok_or("a large value of it can't be read")?;
    file.seek(SeekFrom::Start(offset)).map_err(|error| error.to_string())?;
    let bytes = read_record_bytes(file).map_err(|error| error.to_string())?;
    let damaged = || format!("the large value at byte {offset} can't be read");
    let (header, payload) = read_frame(&bytes).ok_or_else(damaged)?;
    let (found, text) = payload.split_first_chunk::<32>().ok_or_else(damaged)?;
    if header.kind != VALUE || found != hash {
        return Err(damaged());
    }
    let text =
        if header.flags & COMPRESSED == 0 { text.to_vec() } else { unpack(text).map_err(|_| damaged())? };
    Ok((text, header.flags & HAS_REFERENCES != 0))
}
