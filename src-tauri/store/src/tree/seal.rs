//! Rewrites the file of a tree that has ended: the records in compressed blocks, each value once. The new file is written
//! beside the old one, synced, and renamed, so that a crash leaves one or the other, and a reader has one or the other.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use plait_core::error::Fault;

use super::layout::{TreeLayout, directory};
use super::{BLOCK, BLOCK_BYTES, COMPRESSED, DIRECTORY, ENTRIES, GAPLESS, SUMMARY, SUMMARY_VERSION, VALUE};
use crate::disk::Disk;
use crate::fault;
use crate::log_file::{
    FileHeader, FileKind, FrameHeader, Item, Key, OpenError, Scanner, begin_frame, end_frame, read_frame,
};

/// So much of the new file is held in memory.
const CHUNK_BYTES: usize = 1 << 20;

/// Gives the summary of the runs that stay.
pub(crate) type Summarize<'a> = dyn Fn() -> Result<Vec<u8>, Fault> + 'a;

/// Rewrites the file at `path`, which nobody writes: as that of a tree that has ended, which begins with its `summary`, or as one that
/// may be continued. `keep` says which runs stay. Gives the size of the new file; none, and the file is as it was, if it is damaged, or
/// sealed with a summary already and nothing leaves. Faults `store.*`.
pub(crate) fn rewrite(
    disk: &dyn Disk,
    path: &Path,
    root: Key,
    keep: &dyn Fn(&Key) -> bool,
    summary: Option<&Summarize<'_>>,
) -> Result<Option<u64>, Fault> {
    let layout = TreeLayout::read(path)?;
    let leaves = layout.runs.keys().any(|run| !keep(run));
    if layout.is_damaged() || layout.end == 0 || (layout.has_summary && !leaves) {
        return Ok(None);
    }
    let summary = summary.map(|summarize| summarize()).transpose()?;
    let temporary = path.with_extension("tmp");
    let header = FileHeader { kind: FileKind::RunTree, sealed: summary.is_some(), id: root };
    let written = write(disk, path, &temporary, header, keep, summary.as_deref()).and_then(|size| {
        disk.rename(&temporary, path)?;
        path.parent().map_or(Ok(()), |folder| disk.sync_folder(folder))?;
        Ok(size)
    });
    written.map(Some).map_err(|error| {
        // A leftover only costs space until the store is opened again.
        let _ = disk.remove(&temporary);
        fault::of_io("compress a journal", &error)
    })
}

fn write(
    disk: &dyn Disk,
    path: &Path,
    temporary: &Path,
    header: FileHeader,
    keep: &dyn Fn(&Key) -> bool,
    summary: Option<&[u8]>,
) -> io::Result<u64> {
    disk.remove(temporary)?;
    let mut writer =
        Writer { root: header.id, out: header.bytes().to_vec(), block: Vec::new(), ranges: BTreeMap::new() };
    if let Some(summary) = summary {
        writer.add_summary(summary)?;
    }
    let file = disk.open(temporary, true)?;
    let mut scanner = Scanner::open(path).map_err(|error| match error {
        OpenError::Io(error) => error,
        OpenError::Newer(_) => io::Error::other("a newer version wrote the file"),
    })?;
    let mut size = 0;
    while let Some(item) = scanner.next()? {
        let Item::Record { header, payload, .. } = item else {
            return Err(io::Error::other("the journal is damaged"));
        };
        match header.kind {
            BLOCK => {
                let mut records = Vec::new();
                io::Read::read_to_end(&mut flate2::read::GzDecoder::new(payload), &mut records)?;
                let mut rest = records.as_slice();
                while let Some((header, payload)) = read_frame(rest) {
                    writer.add(&header, payload, keep)?;
                    rest = rest
                        .get(usize::try_from(header.record_bytes()).unwrap_or(rest.len())..)
                        .unwrap_or(&[]);
                }
            }
            DIRECTORY | SUMMARY => {}
            // A value may be another run's as well: it stays as long as the tree.
            VALUE => writer.add_value(header, payload)?,
            _ => writer.add(&header, payload, keep)?,
        }
        if writer.out.len() >= CHUNK_BYTES {
            file.append(&writer.out)?;
            size += writer.out.len() as u64;
            writer.out.clear();
        }
    }
    writer.close_block()?;
    file.append(&writer.out)?;
    size += writer.out.len() as u64;
    file.sync()?;
    Ok(size)
}

struct Writer {
    root: Key,
    out: Vec<u8>,
    /// The records of the next block.
    block: Vec<u8>,
    /// Its entries, by run: without gaps.
    ranges: BTreeMap<Key, Range<u64>>,
}

impl Writer {
    fn add(&mut self, header: &FrameHeader, payload: &[u8], keep: &dyn Fn(&Key) -> bool) -> io::Result<()> {
        if header.kind != ENTRIES || !keep(&header.owner) {
            return Ok(());
        }
        let seqs = header.seqs();
        if self.ranges.get(&header.owner).is_some_and(|range| range.end != seqs.start) {
            self.close_block()?;
        }
        let start = begin_frame(&mut self.block);
        self.block.extend_from_slice(payload);
        finish(&mut self.block, start, *header)?;
        self.ranges.entry(header.owner).or_insert_with(|| seqs.clone()).end = seqs.end;
        if self.block.len() >= BLOCK_BYTES { self.close_block() } else { Ok(()) }
    }

    fn add_value(&mut self, header: FrameHeader, payload: &[u8]) -> io::Result<()> {
        // Before the entries that refer to it.
        self.close_block()?;
        let start = begin_frame(&mut self.out);
        let (hash, text) = payload.split_at(32.min(payload.len()));
        if header.flags & COMPRESSED != 0 {
            self.out.extend_from_slice(payload);
            return finish(&mut self.out, start, header);
        }
        self.out.extend_from_slice(hash);
        let packed = pack(text)?;
        let shorter = packed.len() < text.len();
        self.out.extend_from_slice(if shorter { &packed } else { text });
        let flags = if shorter { header.flags | COMPRESSED } else { header.flags };
        finish(&mut self.out, start, header.with_flags(flags))
    }

    fn add_summary(&mut self, text: &[u8]) -> io::Result<()> {
        let start = begin_frame(&mut self.out);
        self.out.extend_from_slice(&pack(text)?);
        let header = FrameHeader::new(SUMMARY, self.root, 0, 0).with_flags(SUMMARY_VERSION);
        finish(&mut self.out, start, header)
    }

    fn close_block(&mut self) -> io::Result<()> {
        let (block, ranges) = (std::mem::take(&mut self.block), std::mem::take(&mut self.ranges));
        if block.is_empty() {
            return Ok(());
        }
        let start = begin_frame(&mut self.out);
        self.out.extend_from_slice(&directory(&ranges));
        finish(&mut self.out, start, FrameHeader::new(DIRECTORY, self.root, 0, 0).with_flags(GAPLESS))?;
        let start = begin_frame(&mut self.out);
        self.out.extend_from_slice(&pack(&block)?);
        finish(&mut self.out, start, FrameHeader::new(BLOCK, self.root, 0, 0))
    }
}

/// Quickly rather than well: this is done beside other work.
fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packing = GzEncoder::new(Vec::new(), Compression::fast());
    packing.write_all(bytes)?;
    packing.finish()
}

fn finish(out: &mut Vec<u8>, start: usize, header: FrameHeader) -> io::Result<()> {
    if end_frame(out, start, header) { Ok(()) } else { Err(io::Error::other("a record is too large")) }
}
