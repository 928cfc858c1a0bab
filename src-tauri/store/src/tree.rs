//! The journals of one run tree: a run and the child runs that it started, interleaved in one append-only file,
//! `runs/<year>-<month>/<root run>.journal`. One file means one sync for all of them, and damage that stays with them.
//!
//! | record | payload | owner, seq, count |
//! |---|---|---|
//! | summary | what lists and the index know of the runs ([`crate::tree_summary`]), compressed; its flags are its version | the root |
//! | entries | the entries of one append, one JSON text per line | the run, the seq of the first, how many |
//! | value | a large value: its hash and its text ([`large_value`]) | the run that stored it first |
//! | directory | which entries the next block holds | the root |
//! | block | the records of up to 32 KB, compressed | the root |
//!
//! An append is one record, so it is there as a whole or not at all. Large values are in the same file as the entries that
//! refer to them: what is copied, synced or removed together stands together. A summary, which is the first record, directories and
//! blocks are only in the file of a tree that has ended ([`seal`]).
//!
//! Owns the form of that file; does not know what entries mean.

mod encode;
mod layout;
mod live;
mod records;
mod seal;
mod summary;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::id::RunId;
use uuid::Uuid;

use crate::codes;
use crate::fault;
use crate::log_file::Key;
pub(crate) use encode::EncodedEntries;
pub(crate) use layout::{
    Span, TreeLayout, Values, entry_frames, lines, load_value, open_file, refers_to_values,
    visit_entry_frames,
};
pub(crate) use live::Tree;
pub(crate) use seal::{Summarize, rewrite};
pub(crate) use summary::read_summary;
pub(crate) use texts::visit_texts;

const ENTRIES: u8 = 1;
const VALUE: u8 = 2;
const DIRECTORY: u8 = 3;
const BLOCK: u8 = 4;
const SUMMARY: u8 = 5;

/// A block holds records of about so many bytes together. One flipped bit costs a block; the compression looks back 32 KB.
const BLOCK_BYTES: usize = 32 << 10;

/// The version of summaries. Older ones are not read.
const SUMMARY_VERSION: u8 = 1;

/// The payload refers to large values.
const HAS_REFERENCES: u8 = 1;
/// The text of a value is compressed.
const COMPRESSED: u8 = 2;
/// The ranges of a directory have no gaps: the block behind it need not be unpacked to know which entries it has.
const GAPLESS: u8 = 1;

/// The run's UUID. Fault `run.bad_id`.
pub(crate) fn run_key(id: &RunId) -> Result<Key, Fault> {
    Uuid::try_parse(id.as_str()).map(Uuid::into_bytes).map_err(|_| {
        Fault::new(codes::RUN_BAD_ID, format!("`{id}` is not a run's id."))
            .hint("Ids look like 0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10; `plait runs list` shows them.")
    })
}

/// The id that a key stands for.
pub(crate) fn run_id(key: Key) -> RunId {
    Uuid::from_bytes(key).to_string().into()
}

/// The folder of the journals.
pub(crate) fn runs_folder(home: &Path) -> PathBuf {
    home.join("runs")
}

/// The root of the tree with the file at `path`; none for other files.
pub(crate) fn root_of_path(path: &Path) -> Option<RunId> {
    let is_journal = path.extension().is_some_and(|extension| extension == "journal");
    let name = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| is_journal)?;
    Uuid::try_parse(name).ok().map(|id| id.to_string().into())
}

/// The file of a run tree in the data directory. The month is that of the root's id, so that no list is needed to find it.
pub(crate) fn path_in(home: &Path, root: Key) -> PathBuf {
    let mut millis = [0; 8];
    millis[2..].copy_from_slice(&root[..6]);
    let at = i64::try_from(u64::from_be_bytes(millis)).ok();
    let at = at.and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok()).unwrap_or_default();
    let month = at.strftime("%Y-%m").to_string();
    runs_folder(home).join(month).join(run_id(root).as_str()).with_extension("journal")
}

/// Where the file of a tree is until the index has forgotten the runs that were in it.
pub(crate) fn removed_path(path: &Path) -> PathBuf {
    path.with_extension("removed")
}

/// The files of the run trees in the data directory.
#[derive(Default)]
pub(crate) struct TreeFiles {
    /// Where they are, and their sizes.
    pub(crate) present: BTreeMap<Key, (PathBuf, u64)>,
    /// The trees that were removed a moment ago, or before a crash.
    pub(crate) removed: BTreeSet<Key>,
}

impl TreeFiles {
    /// Faults `store.io`.
    pub(crate) fn list(home: &Path) -> Result<Self, Fault> {
        Self::list_in(&runs_folder(home)).map_err(|error| fault::of_io("list the journals", &error))
    }

    fn list_in(runs: &Path) -> std::io::Result<Self> {
        let mut files = Self::default();
        for month in list(runs)? {
            if !month.file_type()?.is_dir() {
                continue;
            }
            for item in list(&month.path())? {
                let path = item.path();
                let name = path.file_stem().and_then(|stem| stem.to_str());
                let Some(id) = name.and_then(|name| Uuid::try_parse(name).ok()) else { continue };
                match path.extension().and_then(|extension| extension.to_str()) {
                    Some("journal") => match item.metadata() {
                        Ok(file) => drop(files.present.insert(id.into_bytes(), (path, file.len()))),
                        // Another process has removed it since.
                        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                        Err(error) => return Err(error),
                    },
                    Some("removed") => drop(files.removed.insert(id.into_bytes())),
                    _ => {}
                }
            }
        }
        Ok(files)
    }
}

fn list(folder: &Path) -> std::io::Result<Vec<std::fs::DirEntry>> {
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other?.collect(),
    }
}

/// The fault for an entry that can't be read.
pub(crate) fn corrupt(run: &RunId, seq: u64, why: &str) -> Fault {
    Fault::new(codes::JOURNAL_CORRUPT, format!("Entry {seq} of the journal of run `{run}` is damaged: {why}."))
        .hint("Everything before it can still be read. Start the flow again, or from a node, to go on. `plait doctor` says what is lost.")
        .details(serde_json::json!({ "run": run, "seq": seq }))
}

#[cfg(test)]
mod tests;
