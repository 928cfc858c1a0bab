//! Finds conversations without a file, and writes a new file from the index and from the journals of the runs. A message of a run
//! that was removed stays lost; the others keep their positions.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use plait_journal::{Event, RunEvent, Spending};

use super::Report;
use super::salvage::replace;
use crate::conversation::record::{ConversationRecord, flow_key};
use crate::conversation::{
    self, ConversationFilter, ConversationProjector, ConversationUpdate, Loaded, id_of, key_of,
};
use crate::log_file::Key;
use crate::record::RunRecord;
use crate::store_core::StoreCore;

/// A file of this size may hold no record at all.
const MAX_EMPTY_BYTES: u64 = 4_096;

/// The conversations without a file, or with nothing in it, and what the index knows of them: nothing where it was lost as well.
pub(super) fn find(core: &StoreCore) -> Result<BTreeMap<Key, Option<ConversationRecord>>, Fault> {
    let conversations = &core.shared.conversations;
    let mut present: BTreeMap<Key, u64> =
        conversation::files_in(conversations.folder())?.into_iter().collect();
    present.retain(|key, size| {
        *size > MAX_EMPTY_BYTES
            || !matches!(conversation::load(conversations.folder(), *key, None), Ok(Loaded::Missing))
    });
    let mut missing = BTreeMap::new();
    for record in conversations.list(&ConversationFilter::default())? {
        let key = key_of(&record.id)?;
        if !present.contains_key(&key) {
            missing.insert(key, Some(record));
        }
    }
    let roots: Vec<Key> = core.shared.index().roots().collect();
    for key in roots.into_iter().flat_map(|root| core.shared.conversations_of(root)) {
        if !present.contains_key(&key) && !conversations.is_indexed(key) {
            missing.entry(key).or_insert(None);
        }
    }
    Ok(missing)
}

/// Restores what the journals hold of the missing conversations.
pub(super) fn restore(core: &StoreCore, report: &mut Report) -> Result<(), Fault> {
    let conversations = &core.shared.conversations;
    for (key, known) in find(core)? {
        let id = id_of(key);
        let Recorded { origin, updates } = Recorded::read(core, key)?;
        let count: usize = updates.iter().map(|(_, update)| update.messages.len()).sum();
        let expected = known.as_ref().map(|record| record.messages);
        let Some(record) = known.or(origin).filter(|_| count > 0) else {
            report
                .actions
                .push(format!("Conversation {id} stays missing: no journal holds a message of it."));
            continue;
        };
        let path = conversation::path_in(conversations.folder(), key);
        if path.exists() {
            replace(core, &path, None)?;
        }
        conversations.restore(&record, &updates)?;
        let of = expected.map(|expected| format!(" of {expected}")).unwrap_or_default();
        report.actions.push(format!(
            "Salvaged {count}{of} messages of conversation {id} from the journals of its runs, in `{}`.",
            path.display()
        ));
    }
    Ok(())
}

/// What the journals hold of a conversation.
#[derive(Default)]
struct Recorded {
    /// The conversation as its first run began it.
    origin: Option<ConversationRecord>,
    /// What was added to it, in the order in which it was, each with how many messages there were before it at least.
    updates: Vec<(u64, ConversationUpdate)>,
}

impl Recorded {
    fn read(core: &StoreCore, wanted: Key) -> Result<Self, Fault> {
        let shared = &core.shared;
        let runs: Vec<(Key, RunRecord)> = {
            let index = shared.index();
            let entries = index.roots().flat_map(|root| index.tree(root)).collect::<Vec<_>>().into_iter();
            entries.filter_map(|key| Some((key, index.get(&key)?.record.clone()))).collect()
        };
        let mut recorded = Self::default();
        for (key, run) in runs {
            let Ok(Some(mut projector)) = ConversationProjector::of(key, &run) else { continue };
            if projector.conversation() != wanted {
                continue;
            }
            let mut before = 0;
            let mut reader = shared.read(key, 0)?;
            // As far as the journal can be read, as where a damaged conversation is salvaged.
            while let Ok(Some(entry)) = reader.next() {
                if let Event::Run(RunEvent::Started { conversation: Some(continued), .. }) = &entry.event
                    && projector.adds_turns()
                {
                    before = continued.messages;
                    recorded.origin.get_or_insert_with(|| origin(wanted, &run, &continued.thread));
                }
                recorded.updates.extend(projector.project(&entry).map(|update| (before, update)));
            }
        }
        recorded.updates.sort_by_key(|(_, update)| update.at);
        Ok(recorded)
    }
}

/// A conversation that is known from one of its runs alone.
fn origin(key: Key, run: &RunRecord, thread: &str) -> ConversationRecord {
    ConversationRecord {
        id: id_of(key),
        flow: flow_key(run.flow.path.as_deref(), &run.flow.name),
        flow_name: run.flow.name.clone(),
        user: run.user.to_string(),
        thread_id: thread.to_owned(),
        title: String::new(),
        created_at: run.started_at,
        updated_at: run.started_at,
        messages: 0,
        tokens: 0,
        spent: Spending::default(),
        summary: None,
        forked_from: None,
    }
}
