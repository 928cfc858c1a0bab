//! Journals. An input is the file of a run tree, as the store keeps it, or the entries of a run as lines of JSON.
//! Unreadable entries are reported; readable ones have a view.

use std::fs;

use anyhow::Context as _;
use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::view::RunView;
use plait_journal::{Entry, Event, Journal as _, RunEvent};
use plait_store::Store;
use plait_store::record::RunRecord;
use plait_store::{RunFilter, doctor};
use tempfile::TempDir;

use super::{Handler, files, gist, magnitude};

pub(super) const WORDS: &[&str] = &[
    "\"seq\":",
    "\"type\":\"node.started\"",
    "\"type\":\"node.finished\"",
    "\"type\":\"run.paused\"",
    "\"type\":\"run.waiting\"",
    "\"type\":\"loop.iteration\"",
    "\"type\":\"child.waiting\"",
    "\"type\":\"model.replied\"",
    "\"type\":\"turn.committed\"",
    "\"epoch\":[0,1]",
    "\"outputs\":",
    "\n",
];

/// The run of all files.
const RUN: &str = "0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10";
/// Where the store keeps its file: by the month of the run's id.
const FILE: &str = "runs/2024-12";
/// One file of this many is salvaged: salvaging writes and syncs, so it takes much longer than reading.
const SALVAGE_EVERY: usize = 8;
/// The first bytes of the file of a run tree; entries are JSON.
const JSON_BEGINS_WITH: &[u8] = b"{";

pub(super) struct JournalHandler {
    home: TempDir,
}

impl JournalHandler {
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self { home: tempfile::tempdir().context("make a temporary folder")? })
    }

    /// Puts the input where the store keeps a run tree, and reads everything.
    fn read_file(&self, input: &[u8]) -> anyhow::Result<String> {
        let home = self.home.path().join("data");
        let folder = home.join(FILE);
        // There is none in the beginning.
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&folder).context("make a folder for the journal")?;
        fs::write(folder.join(RUN).with_extension("journal"), input).context("write the journal")?;
        let opened = match Store::open_for_reading(&home) {
            Ok(store) => store,
            Err(fault) => return Ok(fault.code.to_string()),
        };
        let runs = opened.runs(&RunFilter::default()).map_or(0, |runs| runs.len());
        let read: Result<Vec<Entry>, Fault> =
            opened.read_journal(&RunId::from(RUN), 0).and_then(Iterator::collect);
        let read = match read {
            Ok(entries) => {
                view(&entries);
                format!("{}", magnitude(entries.len()))
            }
            Err(fault) => gist(&fault.message),
        };
        drop(opened);
        if !input.len().is_multiple_of(SALVAGE_EVERY) {
            return Ok(format!("file {runs} {read}"));
        }
        let salvaged = doctor::check(&home, true, &mut |_, _| ()).map(|report| report.has_losses());
        let left = Store::open(&home)
            .and_then(|store| store.runs(&RunFilter::default()))
            .map_or(0, |runs| runs.len());
        Ok(format!("salvaged {runs} {read} {:?} {left}", salvaged.map_err(|fault| fault.code)))
    }
}

impl Handler for JournalHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        if !input.starts_with(JSON_BEGINS_WITH) {
            return self.read_file(input);
        }
        let lines = input.split(|&byte| byte == b'\n');
        let parsed: Result<Vec<Entry>, _> =
            lines.filter(|line| !line.is_empty()).map(serde_json::from_slice).collect();
        Ok(match parsed {
            Ok(entries) => format!("entries {} {}", magnitude(entries.len()), view(&entries)),
            Err(error) => format!("{:?}", error.classify()),
        })
    }
}

/// Folds entries as lists and views do.
fn view(entries: &[Entry]) -> String {
    let view = RunView::of(entries);
    let Some((first, rest)) = entries.split_first() else { return String::new() };
    if let Some(mut record) = RunRecord::begin(first) {
        for entry in rest {
            record.apply(entry);
        }
    }
    let again: Vec<String> =
        entries.iter().map(|entry| serde_json::to_string(entry).expect("an entry can be written")).collect();
    for (text, entry) in again.iter().zip(entries) {
        let entry_again: Entry = serde_json::from_str(text).expect("what was written can be read");
        assert_eq!(entry_again, *entry, "what was written reads as the same entry");
    }
    format!("{:?}", view.outline.status)
}

/// The journals of the fold's vectors, as lines and as files.
pub(super) fn seeds() -> anyhow::Result<Vec<Vec<u8>>> {
    let mut seeds = Vec::new();
    for text in files(&["tests/fixtures/folds"])? {
        let vector: serde_json::Value = serde_json::from_slice(&text)?;
        let lines: Vec<String> =
            vector["journal"].as_array().into_iter().flatten().map(ToString::to_string).collect();
        let mut entries: Vec<Entry> =
            lines.iter().map(|line| serde_json::from_str(line)).collect::<Result<_, _>>()?;
        seeds.push(lines.join("\n").into_bytes());
        if let Some(Entry { event: Event::Run(RunEvent::Started { run, .. }), .. }) = entries.first_mut() {
            *run = RUN.into();
            seeds.extend(file_of(&entries)?);
        }
    }
    Ok(seeds)
}

/// The file that the store writes for these entries. None for vectors that no store would take.
fn file_of(entries: &[Entry]) -> anyhow::Result<Option<Vec<u8>>> {
    let home = tempfile::tempdir()?;
    let store = Store::open(home.path())?;
    let durable: Vec<Entry> = entries.iter().filter(|entry| entry.seq.is_some()).cloned().collect();
    let appended = store.journal(&RUN.into())?.append(&durable);
    drop(store);
    let path = home.path().join(FILE).join(RUN).with_extension("journal");
    if appended.is_err() || !path.is_file() {
        return Ok(None);
    }
    Ok(Some(fs::read(&path).with_context(|| format!("read {}", path.display()))?))
}
