//! Events and runs to store.

use plait_core::id::{Activation, Epoch, RunId};
use plait_journal::{Entry, Event, FinishMetadata, FlowRef, Journal, JournalLines, LineHead, NodeEvent};
use plait_store::Store;
use plait_testing::RunStart;
use serde_json::json;
use std::sync::Arc;

/// A run's id; larger numbers are later runs.
pub(crate) fn run_id(number: u64) -> RunId {
    let timestamp = uuid::Timestamp::from_unix(uuid::NoContext, 1_700_000_000 + number, 0);
    uuid::Uuid::new_v7(timestamp).to_string().into()
}

pub(crate) fn started(run: &RunId) -> Event {
    RunStart::new(run.clone()).into()
}

pub(crate) fn started_as(run: &RunId, flow: FlowRef) -> Event {
    RunStart { flow, ..RunStart::new(run.clone()) }.into()
}

/// A node that finished with `text` on its output.
pub(crate) fn finished(node: &str, text: &str) -> Event {
    Event::Node(
        Activation { node: node.into(), epoch: Epoch::root() },
        NodeEvent::Finished {
            outputs: [("out".into(), Arc::new(json!(text)))].into(),
            messages: std::collections::BTreeMap::new(),
            metadata: FinishMetadata::default(),
        },
    )
}

pub(crate) fn entry(seq: u64, event: Event) -> Entry {
    Entry { seq: Some(seq), at: 1_700_000_000_000 + seq, event, interrupted_ms: 0 }
}

/// A journal's entries: the first, then `texts` as finished nodes.
pub(crate) fn entries(run: &RunId, texts: impl IntoIterator<Item = String>) -> Vec<Entry> {
    std::iter::once(started(run))
        .chain(texts.into_iter().map(|text| finished("n", &text)))
        .zip(0..)
        .map(|(event, seq)| entry(seq, event))
        .collect()
}

/// All entries, which are the same when they are read as lines.
pub(crate) fn read(store: &Store, run: &RunId) -> Vec<Entry> {
    let entries: Vec<Entry> =
        store.read_journal(run, 0).expect("opened").collect::<Result<_, _>>().expect("whole");
    let lines = store.journal_lines(run).expect("read");
    assert_eq!(lines.count(), entries.len());
    assert!((0..lines.count()).all(|index| lines.entry(index).as_ref() == entries.get(index)));
    assert!((0..lines.count()).all(|index| LineHead::read(lines.line(index)).is_some()));
    entries
}

pub(crate) fn flush(journal: &mut impl Journal) {
    futures::executor::block_on(journal.flush()).expect("flushed");
}

/// The file of a run tree.
pub(crate) fn journal_path(home: &std::path::Path, root: &RunId) -> std::path::PathBuf {
    let months = std::fs::read_dir(home.join("runs")).expect("folder").flatten();
    let name = format!("{root}.journal");
    months.map(|month| month.path().join(&name)).find(|path| path.exists()).expect("a journal")
}

/// A copy of a data directory as it is at this moment. A file that goes while it is copied, such as one that the index
/// has merged into another, is left out.
pub(crate) fn copy(home: &std::path::Path) -> tempfile::TempDir {
    fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
        for item in std::fs::read_dir(from).expect("folder").flatten() {
            let to = to.join(item.file_name());
            if item.file_type().expect("known").is_dir() {
                std::fs::create_dir(&to).expect("made");
                copy_folder(&item.path(), &to);
            } else if item.file_name() != "lock"
                && let Err(error) = std::fs::copy(item.path(), to)
            {
                assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{}", item.path().display());
            }
        }
    }
    let folder = tempfile::tempdir().expect("folder");
    copy_folder(home, folder.path());
    folder
}
