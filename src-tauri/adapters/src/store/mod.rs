//! The store: run index, journals, flows as they ran, settings, recent flows and drafts, in one sled database with
//! large values as plain files beside it.
//!
//! One process owns a store at a time. All methods block, but only for memory or one disk read, except
//! [`Store::flush`] and a journal's `flush`, which are awaited.

pub mod record;

use std::path::Path;

use futures::future::BoxFuture;
use plait_engine::error::Fault;
use plait_engine::id::RunId;
use plait_engine::journal::Journal;
use plait_engine::run::Entry;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use record::RunRecord;

/// The open store. Clones share it; it closes when the last one and the last journal are dropped.
#[derive(Clone)]
pub struct Store;

/// Which runs to list.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Only runs of the flow whose file this was.
    pub flow_path: Option<String>,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}

/// A flow that was opened before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecentFlow {
    /// Its file.
    pub path: String,
    /// Its name.
    pub name: String,
    /// When it was last opened, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub opened_at: u64,
}

/// An unsaved state of a flow, kept so that a crash loses nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// What it is a draft of: the editor's id for an open flow.
    pub key: String,
    /// The flow's file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// The hash of that file as the draft began from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_hash: Option<String>,
    /// When it was kept, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub saved_at: u64,
    /// The document's text.
    pub text: String,
}

impl Store {
    /// Opens (or makes) the store in the data directory `home`. Faults: `store.locked` while another process has it,
    /// `store.full`, `store.io`, `store.corrupt`.
    pub fn open(home: &Path) -> Result<Self, Fault> {
        Err(unbuilt(home))
    }
    /// The journal of a run, to append to; a new one or one to go on with. Faults: `run.bad_id` (not a UUID),
    /// `run.busy` (it already has a writer), `store.*`.
    pub fn journal(&self, run: &RunId) -> Result<RunJournal, Fault> {
        Err(unbuilt(run))
    }
    /// The entries of a run from `from_seq` on, including those appended but not yet flushed. A torn or garbled entry
    /// comes as a fault `journal.corrupt` that names its seq, and is the last; what stands before it is given.
    pub fn read_journal(&self, run: &RunId, from_seq: u64) -> Result<Entries, Fault> {
        Err(unbuilt((run, from_seq)))
    }
    /// The record of a run. Fault `run.unknown`.
    pub fn run(&self, run: &RunId) -> Result<RunRecord, Fault> {
        Err(unbuilt(run))
    }
    /// The run whose id begins with `prefix`. Faults `run.unknown`, `run.ambiguous`.
    pub fn find_run(&self, prefix: &str) -> Result<RunId, Fault> {
        Err(unbuilt(prefix))
    }
    /// Runs, newest first.
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, Fault> {
        Err(unbuilt(filter))
    }
    /// Forgets a run: record, journal and large values. Faults `run.unknown`, `run.busy`.
    pub fn remove_run(&self, run: &RunId) -> Result<(), Fault> {
        Err(unbuilt(run))
    }
    /// Keeps a flow document as it is about to run, once per content; gives its hash. Written before any fact appended
    /// later, so a journal that survives a crash never refers to a document that did not.
    pub fn put_flow(&self, text: &str) -> Result<String, Fault> {
        Err(unbuilt(text))
    }
    /// The document of that hash. Fault `flow.unknown`.
    pub fn flow(&self, hash: &str) -> Result<String, Fault> {
        Err(unbuilt(hash))
    }
    /// The settings; empty at first.
    pub fn settings(&self) -> Result<Map<String, Value>, Fault> {
        Err(unbuilt(()))
    }
    /// Replaces the settings.
    pub fn put_settings(&self, settings: &Map<String, Value>) -> Result<(), Fault> {
        Err(unbuilt(settings))
    }
    /// Flows opened before, the latest first.
    pub fn recent_flows(&self) -> Result<Vec<RecentFlow>, Fault> {
        Err(unbuilt(()))
    }
    /// Puts a flow at the head of the recent ones; the oldest of more than 50 drop out.
    pub fn touch_recent(&self, flow: &RecentFlow) -> Result<(), Fault> {
        Err(unbuilt(flow))
    }
    /// Takes a flow off the recent ones.
    pub fn forget_recent(&self, path: &str) -> Result<(), Fault> {
        Err(unbuilt(path))
    }
    /// Keeps a draft, in place of any of the same key. On disk when this returns.
    pub fn put_draft(&self, draft: &Draft) -> Result<(), Fault> {
        Err(unbuilt(draft))
    }
    /// All drafts, the latest first.
    pub fn drafts(&self) -> Result<Vec<Draft>, Fault> {
        Err(unbuilt(()))
    }
    /// Drops a draft; no fault if there is none.
    pub fn remove_draft(&self, key: &str) -> Result<(), Fault> {
        Err(unbuilt(key))
    }
    /// Resolves when everything given to the store so far survives a crash.
    pub fn flush(&self) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(std::future::ready(Err(unbuilt(()))))
    }
}

/// The journal of one run, to append to. While it lives the run counts as running.
pub struct RunJournal;

impl Journal for RunJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        Err(unbuilt(entries))
    }
    fn flush(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(std::future::ready(Err(unbuilt(()))))
    }
}

/// The entries of a journal, in order.
pub struct Entries;

impl Iterator for Entries {
    type Item = Result<Entry, Fault>;
    fn next(&mut self) -> Option<Self::Item> {
        None
    }
}

fn unbuilt(argument: impl std::fmt::Debug) -> Fault {
    Fault::new("store.io", format!("being written ({argument:?})"))
}
