//! Conversations: one append-only file each, with its messages, the summaries of its beginnings and its title.
//!
//! `turn.committed` in a run's journal is the truth. The conversation's file gets what results from it once the journal is
//! on disk, by `(run, seq)`, so that applying it again changes nothing ([`projector`]). What a crash kept from a file is
//! applied when the store opens. A run's journal refers to recalled messages instead of copying them ([`reference`]);
//! otherwise a long conversation would be stored once per run.
//!
//! Owns the files; the engine decides what part of a conversation a run recalls.

mod copy;
mod delete;
mod file;
mod fork;
mod list;
mod projector;
mod reader;
pub(crate) mod reference;

pub mod record;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use plait_core::error::Fault;
use plait_core::id::{ConversationId, RunId};
use plait_journal::Spending;
use plait_llm::context::SharedMessage;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::codes;
use crate::disk::Disk;
use crate::fault;
use crate::index::{Index, List};
use crate::log_file::Key;
use crate::record_index::RecordIndex;
use file::ConversationFile;
pub(crate) use file::{Loaded, load};
pub use fork::ConversationFork;
pub use list::ConversationFilter;
pub(crate) use projector::{ConversationProjector, ConversationUpdate};
pub use reader::StoredConversation;
use record::{ConversationMessage, ConversationRecord, ForkOrigin};

/// The properties of a new conversation.
#[derive(Clone, Debug)]
pub struct NewConversation {
    /// The flow's file, or `name:` followed by its name.
    pub flow: String,
    /// The flow's name.
    pub flow_name: String,
    /// The person who owns it.
    pub user: String,
    /// The creation time, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// What the index holds of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct IndexEntry {
    /// None for one that was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<ConversationRecord>,
    /// The size of its file when the record was taken from it.
    size: u64,
}

impl IndexEntry {
    fn known(&self) -> Option<(ConversationRecord, u64)> {
        Some((self.record.clone()?, self.size))
    }
}

/// All conversations of a data directory.
pub(crate) struct Conversations {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    state: Mutex<State>,
}

pub(crate) struct State {
    index: RecordIndex<IndexEntry>,
    /// The files that were used since the store was opened.
    files: HashMap<Key, ConversationFile>,
}

/// The conversation's UUID. Fault `conversation.unknown` if the id is not a UUID.
pub(crate) fn key_of(id: &ConversationId) -> Result<Key, Fault> {
    Uuid::try_parse(id.as_str()).map(Uuid::into_bytes).map_err(|_| unknown(id.as_str()))
}

pub(crate) fn id_of(key: Key) -> ConversationId {
    Uuid::from_bytes(key).to_string().into()
}

fn unknown(id: &str) -> Fault {
    Fault::new(codes::CONVERSATION_UNKNOWN, format!("There is no conversation `{id}`."))
        .hint("`plait conversations list` lists the conversations; `--conversation new` starts one.")
}

fn corrupt(id: &ConversationId, what: &str) -> Fault {
    Fault::new(codes::CONVERSATION_CORRUPT, format!("Conversation `{id}` is damaged: {what}."))
        .hint("Fork the conversation from an earlier message, or start a new one. `plait doctor` says what is lost.")
        .details(serde_json::json!({ "conversation": id }))
}

/// The file of a conversation in `folder`.
pub(crate) fn path_in(folder: &Path, key: Key) -> PathBuf {
    folder.join(id_of(key).as_str()).with_extension("journal")
}

/// The conversations that have a file in `folder`, and the sizes of the files.
pub(crate) fn files_in(folder: &Path) -> Result<Vec<(Key, u64)>, Fault> {
    let failed = |error: std::io::Error| fault::of_io("list the conversations", &error);
    let listing = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed)?,
    };
    let mut files = Vec::new();
    for item in listing {
        let item = item.map_err(failed)?;
        let path = item.path();
        let id = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| Uuid::try_parse(stem).ok());
        if let Some(id) = id
            && path.extension().is_some_and(|extension| extension == "journal")
        {
            files.push((id.into_bytes(), item.metadata().map_err(failed)?.len()));
        }
    }
    Ok(files)
}

impl Conversations {
    /// Takes what is `stored` in the index, and reads the files that changed since. `rebuild`: reads all files and ignores the index.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        home: &Path,
        stored: BTreeMap<Key, Vec<u8>>,
        index: Arc<Index>,
        rebuild: bool,
    ) -> Result<Self, Fault> {
        let folder = home.join("conversations");
        let mut index = RecordIndex::<IndexEntry>::new(List::Conversations, stored, index);
        for (key, size) in files_in(&folder)? {
            let known = index.get(&key);
            if known.is_some_and(|entry| entry.size == size) && !rebuild {
                continue;
            }
            let record = match load(&folder, key, known.and_then(IndexEntry::known))? {
                Loaded::Missing => continue,
                Loaded::Deleted => None,
                // What it lacks is known from the index alone.
                Loaded::File(_) if known.is_some_and(|entry| entry.size > size) => continue,
                Loaded::File(file) => Some(file.record().clone()),
            };
            index.put(key, IndexEntry { record, size });
        }
        Ok(Self { disk, folder, state: Mutex::new(State { index, files: HashMap::new() }) })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The record that the index has of a conversation, and the size that its file had.
    pub(crate) fn known(&self, key: Key) -> Option<(ConversationRecord, u64)> {
        self.lock().index.get(&key).and_then(IndexEntry::known)
    }

    /// Reads a file that was replaced.
    pub(crate) fn reload(&self, key: Key) -> Result<(), Fault> {
        let mut state = self.lock();
        state.files.remove(&key);
        if let Some((record, _)) = state.index.get(&key).and_then(IndexEntry::known) {
            // The size is that of the damaged file.
            state.index.put_unwritten(key, IndexEntry { record: Some(record), size: 0 });
        }
        self.file(&mut state, key)?;
        state.note(key);
        Ok(())
    }

    /// Whether the index has an entry of a conversation, also of one that was deleted.
    pub(crate) fn is_indexed(&self, key: Key) -> bool {
        self.lock().index.get(&key).is_some()
    }

    /// Writes the file of a conversation that has none. `updates` are applied in order; each has the number of messages that
    /// stood before it at least, so that those of later ones keep their positions where some are lost. On disk when this
    /// returns.
    pub(crate) fn restore(
        &self,
        record: &ConversationRecord,
        updates: &[(u64, ConversationUpdate)],
    ) -> Result<(), Fault> {
        let mut state = self.lock();
        let key = key_of(&record.id)?;
        let mut file =
            ConversationFile::create(path_in(&self.folder, key), key, &file::without_contents(record))?;
        for (before, update) in updates {
            file.leave_gap(*before);
            file.apply(update)?;
        }
        self.disk
            .create_folder(&self.folder)
            .map_err(|error| fault::of_io("restore a conversation", &error))?;
        file.sync(&*self.disk)?;
        state.files.insert(key, file);
        state.note(key);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(crate) fn get(&self, id: &ConversationId) -> Result<ConversationRecord, Fault> {
        self.lock().record(key_of(id)?).cloned().ok_or_else(|| unknown(id.as_str()))
    }

    /// Whether a run can continue the conversation. Faults `conversation.unknown`, `conversation.corrupt`.
    pub(crate) fn check_usable(&self, key: Key) -> Result<(), Fault> {
        let mut state = self.lock();
        let file = self.file(&mut state, key)?.ok_or_else(|| unknown(id_of(key).as_str()))?;
        file.check_writable()
    }

    /// Creates a conversation. On disk when this returns.
    pub(crate) fn create(&self, new: NewConversation) -> Result<ConversationRecord, Fault> {
        self.insert(&mut self.lock(), &new_record(new, None), &[])
    }

    /// Creates a conversation that begins with messages, which `run` brought. On disk when this returns.
    pub(crate) fn create_with(
        &self,
        new: NewConversation,
        run: &RunId,
        messages: Vec<SharedMessage>,
    ) -> Result<ConversationRecord, Fault> {
        let at = new.at;
        let record = new_record(new, None);
        let key = key_of(&record.id)?;
        let of_message = |(place, message)| ConversationUpdate {
            messages: vec![message],
            ..fork::own_update(key, place, run.clone(), at)
        };
        let updates: Vec<_> = (0..).zip(messages).map(of_message).collect();
        self.insert(&mut self.lock(), &record, &updates)
    }

    /// The user's latest conversation with the flow, or a new one.
    pub(crate) fn find_or_create(&self, new: NewConversation) -> Result<ConversationRecord, Fault> {
        let mut state = self.lock();
        let latest = state.latest(&new.flow, &new.user).cloned();
        latest.map_or_else(|| self.insert(&mut state, &new_record(new, None), &[]), Ok)
    }

    /// Changes the title. On disk when this returns.
    pub(crate) fn rename(
        &self,
        id: &ConversationId,
        title: &str,
        at: u64,
    ) -> Result<ConversationRecord, Fault> {
        let title = title.trim();
        if title.is_empty() {
            return Err(Fault::new(codes::CONVERSATION_NO_TITLE, "A conversation needs a title.")
                .hint("Enter a title."));
        }
        let key = key_of(id)?;
        let mut state = self.lock();
        let file = self.file(&mut state, key)?.ok_or_else(|| unknown(id.as_str()))?;
        file.check_writable()?;
        file.rename(title, at)?;
        file.sync(&*self.disk)?;
        let record = file.record().clone();
        state.note(key);
        Ok(record)
    }

    /// Up to `limit` messages, starting at position `from`.
    pub(crate) fn messages(
        &self,
        id: &ConversationId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<ConversationMessage>, Fault> {
        let key = key_of(id)?;
        let mut state = self.lock();
        let Some(file) = self.file(&mut state, key)? else { return Ok(Vec::new()) };
        let end = file.record().messages.min(from.saturating_add(limit as u64));
        (from..end).map(|place| file.message(place)).collect()
    }

    /// Applies what results from an event of a run, unless it was applied before. For a conversation that was deleted or
    /// is damaged this does nothing: the run's journal holds it.
    pub(crate) fn apply(&self, update: &ConversationUpdate) {
        let mut state = self.lock();
        let Ok(Some(file)) = self.file(&mut state, update.conversation) else { return };
        if file.check_writable().is_ok() && file.apply(update).unwrap_or_default() {
            // What can't be written now is written later, or applied again when the store opens.
            let _ = file.write_out(&*self.disk);
            state.note(update.conversation);
        }
    }

    /// Makes what was applied to a conversation survive a power failure.
    pub(crate) fn settle(&self, key: Key) -> Result<(), Fault> {
        let mut state = self.lock();
        if let Some(file) = state.files.get_mut(&key).filter(|file| !file.is_synced()) {
            file.sync(&*self.disk)?;
            state.note(key);
        }
        Ok(())
    }

    /// The same for all conversations.
    pub(crate) fn settle_all(&self) -> Result<(), Fault> {
        let keys: Vec<Key> = self.lock().files.keys().copied().collect();
        keys.into_iter().try_for_each(|key| self.settle(key))
    }

    /// The conversation's file; none if there is none or it was deleted.
    fn file<'s>(&self, state: &'s mut State, key: Key) -> Result<Option<&'s mut ConversationFile>, Fault> {
        if !state.files.contains_key(&key) {
            let known = state.index.get(&key).and_then(IndexEntry::known);
            match load(&self.folder, key, known.clone())? {
                Loaded::File(file) => drop(state.files.insert(key, *file)),
                Loaded::Missing if known.is_some() => {
                    return Err(corrupt(&id_of(key), "its file is missing"));
                }
                Loaded::Missing | Loaded::Deleted => return Ok(None),
            }
        }
        Ok(state.files.get_mut(&key))
    }

    /// Writes the file of a new conversation, whole.
    fn insert(
        &self,
        state: &mut State,
        record: &ConversationRecord,
        messages: &[ConversationUpdate],
    ) -> Result<ConversationRecord, Fault> {
        let key = key_of(&record.id)?;
        let mut file = ConversationFile::create(path_in(&self.folder, key), key, record)?;
        for update in messages {
            file.apply(update)?;
        }
        file.sync(&*self.disk)?;
        let record = file.record().clone();
        state.files.insert(key, file);
        state.note(key);
        Ok(record)
    }
}

impl State {
    fn record(&self, key: Key) -> Option<&ConversationRecord> {
        self.index.get(&key)?.record.as_ref()
    }

    fn records(&self) -> impl Iterator<Item = &ConversationRecord> {
        self.index.records().values().filter_map(|entry| entry.record.as_ref())
    }

    fn latest(&self, flow: &str, user: &str) -> Option<&ConversationRecord> {
        let records = self.records().filter(|record| record.flow == flow && record.user == user);
        records.max_by_key(|record| (record.updated_at, &record.id))
    }

    /// Takes the record of a file into the list. The index gets it once the file is synced: a size that the index knows is one that
    /// survives.
    fn note(&mut self, key: Key) {
        let Some(file) = self.files.get(&key) else { return };
        let entry = IndexEntry { record: Some(file.record().clone()), size: file.size() };
        if file.is_synced() {
            self.index.put(key, entry);
        } else {
            self.index.put_unwritten(key, entry);
        }
    }
}

fn new_record(new: NewConversation, forked_from: Option<ForkOrigin>) -> ConversationRecord {
    ConversationRecord {
        id: Uuid::now_v7().to_string().into(),
        flow: new.flow,
        flow_name: new.flow_name,
        user: new.user,
        thread_id: Uuid::now_v7().to_string(),
        title: String::new(),
        created_at: new.at,
        updated_at: new.at,
        messages: 0,
        tokens: 0,
        spent: Spending::default(),
        summary: None,
        forked_from,
    }
}
