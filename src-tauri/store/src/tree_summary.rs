//! The summary of a run tree: what the lists and the index know of its runs. A fold over its journals, kept at the beginning of the
//! file of a tree that has ended, so that who has no index need not read what follows.

use std::collections::BTreeMap;
use std::path::Path;

use plait_core::error::Fault;
use plait_core::id::{ConversationId, ReplyKey};
use plait_journal::{CallEvent, Entry, Event};
use serde::{Deserialize, Serialize};

use crate::fault;
use crate::journal_reader::{EntryDecoder, TreeFile};
use crate::log_file::Key;
use crate::record::RunRecord;
use crate::tree::{self, run_key};

#[derive(Serialize, Deserialize)]
pub(crate) struct RunSummary {
    pub(crate) record: RunRecord,
    /// The replies that it bought: the seqs of the events, and the keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) replies: Vec<(u64, ReplyKey)>,
}

/// The key and the seq of a reply that was bought: a reused one stands in another journal already.
pub(crate) fn bought_reply(entry: &Entry) -> Option<(u64, &ReplyKey)> {
    match &entry.event {
        Event::Call(_, CallEvent::ModelReplied { key: Some(key), reused: None, .. }) => {
            Some((entry.seq?, key))
        }
        _ => None,
    }
}

/// The summaries of the runs of a tree.
#[derive(Default)]
pub(crate) struct TreeSummary(pub(crate) BTreeMap<Key, RunSummary>);

impl TreeSummary {
    /// The summary at the beginning of a file, and the size of the file. None if the file has none that this version can read. Faults `store.newer`,
    /// `store.io`.
    pub(crate) fn read(path: &Path) -> Result<Option<(Self, u64)>, Fault> {
        let Some((text, size)) = tree::read_summary(path)? else { return Ok(None) };
        let Ok(runs) = serde_json::from_slice::<Vec<RunSummary>>(&text) else { return Ok(None) };
        let runs: Result<_, Fault> =
            runs.into_iter().map(|run| Ok((run_key(&run.record.run)?, run))).collect();
        Ok(runs.ok().map(|runs| (Self(runs), size)))
    }

    /// Reads the journals of a tree, as far as they can be read.
    pub(crate) fn fold(tree: &TreeFile) -> Result<Self, Fault> {
        let mut runs = BTreeMap::new();
        for (key, layout) in &tree.layout.runs {
            let mut reader = tree.entries(*key, false)?;
            let mut summary: Option<RunSummary> = None;
            loop {
                match (reader.next(), &mut summary) {
                    (Ok(None), _) => break,
                    (Ok(Some(entry)), Some(summary)) => {
                        summary.record.apply(&entry);
                        let bought = bought_reply(&entry);
                        summary.replies.extend(bought.map(|(seq, key)| (seq, key.clone())));
                    }
                    (Ok(Some(entry)), none) => {
                        let record = RunRecord::begin(&entry);
                        *none = record.map(|record| RunSummary { record, replies: Vec::new() });
                    }
                    // Without its first event nobody knows what it was; without another, what follows still counts.
                    (Err(fault), None) if fault.code.domain() == "journal" => break,
                    (Err(fault), Some(_)) if fault.code.domain() == "journal" => {}
                    (Err(fault), _) => return Err(fault),
                }
            }
            if let Some(mut summary) = summary {
                summary.record.events = layout.next_seq;
                runs.insert(*key, summary);
            }
        }
        let payers: Vec<(Key, Option<ConversationId>)> =
            runs.keys().map(|key| (*key, payer(&runs, *key))).collect();
        for (key, payer) in payers {
            if let Some(run) = runs.get_mut(&key) {
                run.record.paid_by = payer;
            }
        }
        Ok(Self(runs))
    }

    /// What records that were added to a tree say of its runs: the records of those runs, and the replies that they bought in these
    /// entries. `None` if they do not follow what is known.
    pub(crate) fn of_added(
        added: &[u8],
        known: &dyn Fn(&Key) -> Option<RunRecord>,
        decoder: &mut EntryDecoder,
    ) -> Option<Self> {
        let mut runs = BTreeMap::<Key, RunSummary>::new();
        for (header, payload) in tree::entry_frames(added) {
            for (seq, line) in (header.seq..).zip(tree::lines(payload)) {
                let entry = decoder.decode(seq, line, tree::refers_to_values(&header)).ok()?;
                if !runs.contains_key(&header.owner) {
                    let Some(record) = known(&header.owner).filter(|_| seq > 0) else {
                        let mut record = RunRecord::begin(&entry)?;
                        record.paid_by = payer_of_child(&record, &runs, known)?;
                        runs.insert(header.owner, RunSummary { record, replies: Vec::new() });
                        continue;
                    };
                    runs.insert(header.owner, RunSummary { record, replies: Vec::new() });
                }
                let run = runs.get_mut(&header.owner)?;
                if run.record.events != seq {
                    return None;
                }
                run.record.apply(&entry);
                run.replies.extend(bought_reply(&entry).map(|(seq, key)| (seq, key.clone())));
            }
        }
        Some(Self(runs))
    }

    /// The text of the summary of the runs that stay in a file.
    pub(crate) fn text_of(path: &Path, keep: &dyn Fn(&Key) -> bool) -> Result<Vec<u8>, Fault> {
        let Self(runs) = Self::fold(&TreeFile::open(path)?)?;
        let kept: Vec<_> = runs.iter().filter(|(key, _)| keep(key)).map(|(_, run)| run).collect();
        serde_json::to_vec(&kept).map_err(|error| fault::of_io("compress a journal", &error.into()))
    }
}

/// The conversation that pays for a run that has just begun, if its parent is known. The outer `None` says that it is not.
#[expect(clippy::option_option, reason = "a run without a conversation is not one whose parent is unknown")]
fn payer_of_child(
    child: &RunRecord,
    runs: &BTreeMap<Key, RunSummary>,
    known: &dyn Fn(&Key) -> Option<RunRecord>,
) -> Option<Option<ConversationId>> {
    let Some(parent) = &child.parent_run_id else { return Some(None) };
    let parent = run_key(parent).ok()?;
    let parent = runs.get(&parent).map(|run| run.record.clone()).or_else(|| known(&parent))?;
    Some(parent.conversation.or(parent.paid_by))
}

/// The conversation that pays for a child run: that of the nearest ancestor which has one.
fn payer(runs: &BTreeMap<Key, RunSummary>, key: Key) -> Option<ConversationId> {
    let parent = |key: &Key| run_key(runs.get(key)?.record.parent_run_id.as_ref()?).ok();
    // A tree is no deeper than it has runs.
    let mut next = parent(&key);
    for _ in 0..runs.len() {
        let record = &runs.get(&next?)?.record;
        if record.conversation.is_some() {
            return record.conversation.clone();
        }
        next = parent(&next?);
    }
    None
}
