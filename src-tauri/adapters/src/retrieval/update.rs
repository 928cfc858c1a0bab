//! Brings the index of a base up to date: reads new and changed files, removes deleted ones. Several threads read and
//! split; a file that cannot be read is recorded with the reason and stops nothing.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_llm::retriever::IndexProgress;
use tantivy::IndexWriter;
use tokio_util::sync::CancellationToken;

use super::chunking::{Chunk, split};
use super::document::{self, Workers, max_bytes};
use super::files::{FoundFile, Roots, stopped};
use super::index::{ChunkIndex, FileRecord, fault};
use crate::documents::bad_file;
use crate::redaction::Redaction;

/// More threads wait for the writer.
const MAX_THREADS: usize = 4;
/// The number of files or bytes from which on several threads write.
const LARGE_FILES: usize = 200;
const LARGE_BYTES: u64 = 8 << 20;

/// What an update works with.
pub(super) struct Update<'a> {
    pub(super) name: &'a str,
    pub(super) roots: &'a Roots,
    pub(super) index: &'a ChunkIndex,
    pub(super) redaction: &'a Redaction,
    pub(super) workers: Option<&'a Workers>,
    /// Whether files that did not change are indexed again, too.
    pub(super) all: bool,
    pub(super) cancel: &'a CancellationToken,
    pub(super) progress: &'a (dyn Fn(IndexProgress) + Send + Sync),
}

impl Update<'_> {
    /// Updates the index. If it is stopped, the files that were indexed until then stay indexed. Blocks. Faults
    /// `knowledge.index`, `knowledge.stopped`, `knowledge.too_large`.
    pub(super) fn run(&self) -> Result<(), Fault> {
        let report = |done, total, bytes| {
            (self.progress)(IndexProgress { base: self.name.to_owned(), done, total, bytes });
        };
        let known = self.index.files()?;
        let found = self.roots.list(self.cancel, |count| {
            if count % 256 == 0 {
                report(count, None, 0);
            }
        })?;
        let names: HashSet<&str> = found.iter().map(|file| file.source.as_str()).collect();
        let gone: Vec<&str> = known.keys().map(String::as_str).filter(|name| !names.contains(name)).collect();
        let changed: Vec<&FoundFile> =
            found.iter().filter(|file| self.all || is_changed(file, &known)).collect();
        let (total, unchanged) = (found.len() as u64, (found.len() - changed.len()) as u64);
        report(unchanged, Some(total), 0);
        if gone.is_empty() && changed.is_empty() {
            return Ok(());
        }
        let size: u64 = changed.iter().map(|file| file.size.min(max_bytes(Path::new(&file.source)))).sum();
        let mut writer = self.index.writer(changed.len() > LARGE_FILES || size > LARGE_BYTES)?;
        for name in gone {
            self.index.remove_file(&writer, name);
        }
        let (done, bytes) = (AtomicU64::new(unchanged), AtomicU64::new(0));
        let result = self.index_files(&changed, &writer, |file| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let bytes = bytes.fetch_add(file.size, Ordering::Relaxed) + file.size;
            report(done, Some(total), bytes);
        });
        writer.commit().map_err(|error| fault("write the index", &error))?;
        writer.wait_merging_threads().map_err(|error| fault("write the index", &error))?;
        self.index.reload()?;
        result
    }

    fn index_files(
        &self,
        files: &[&FoundFile],
        writer: &IndexWriter,
        on_done: impl Fn(&FoundFile) + Sync,
    ) -> Result<(), Fault> {
        let next = AtomicUsize::new(0);
        let failure: Mutex<Option<Fault>> = Mutex::default();
        let work = || {
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.cancel.is_cancelled() {
                    failure.lock().get_or_insert_with(stopped);
                }
                if failure.lock().is_some() {
                    return;
                }
                if let Err(error) = self.index_file(file, writer) {
                    failure.lock().get_or_insert_with(|| fault("write the index", &error));
                    return;
                }
                on_done(file);
            }
        };
        let threads =
            thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(files.len());
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        failure.into_inner().map_or(Ok(()), Err)
    }

    fn index_file(&self, file: &FoundFile, writer: &IndexWriter) -> tantivy::Result<()> {
        // A library that panics on a file costs this file.
        let read = catch_unwind(AssertUnwindSafe(|| self.read(file)));
        let read = read.unwrap_or_else(|_| Err(bad_file("a part of Plait failed on it; please report it")));
        let (chunks, skipped) = match read {
            Ok(chunks) => (chunks, None),
            Err(fault) => (Vec::new(), Some(self.redaction.fault(fault))),
        };
        let record = FileRecord {
            source: file.source.clone(),
            size: file.size,
            modified: file.modified,
            chunks: chunks.len() as u64,
            skipped,
        };
        self.index.put_file(writer, &record, &chunks)
    }

    fn read(&self, file: &FoundFile) -> Result<Vec<Chunk>, Fault> {
        let document =
            read_redacted(Path::new(&file.source), || self.roots.read(file), self.workers, self.redaction)?;
        Ok(split(&document))
    }
}

/// The text of a document as it is indexed and shown: without secrets, which would be indexed, stored and shown with it.
pub(super) fn read_redacted(
    name: &Path,
    bytes: impl FnOnce() -> Result<Vec<u8>, Fault>,
    workers: Option<&Workers>,
    redaction: &Redaction,
) -> Result<document::Document, Fault> {
    let mut document = document::read(name, &bytes()?, workers)?;
    if let std::borrow::Cow::Owned(redacted) = redaction.text(&document.text) {
        document.text = redacted;
    }
    Ok(document)
}

fn is_changed(file: &FoundFile, known: &HashMap<String, FileRecord>) -> bool {
    known.get(&file.source).is_none_or(|record| (record.size, record.modified) != (file.size, file.modified))
}
