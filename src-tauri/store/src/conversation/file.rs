//! The file of one conversation. Owns its records, the positions of its messages, and that nothing is applied twice.
//!
//! | record | payload | owner, seq |
//! |---|---|---|
//! | created | the record of an empty conversation | the conversation |
//! | update | messages, a summary, a change of the workflow's memory, spending | the run and the event that it results from |
//! | title | a title given by a person | the conversation |
//! | deleted | nothing: the conversation was deleted | the conversation |

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::Spending;
use plait_llm::context::Role;
use plait_llm::context::conversation::{Summary, SummaryRef};
use plait_llm::memory::{MemoryChange, WorkflowMemory};
use serde::{Deserialize, Serialize};

use super::projector::ConversationUpdate;
use super::record::{ConversationMessage, ConversationRecord, StoredMessage, title_of};
use super::{corrupt, id_of, new_record, path_in};
use crate::codes;
use crate::disk::Disk;
use crate::fault;
use crate::log_file::{
    Damage, FileHeader, FileKind, FrameHeader, Item, Key, LogAppender, OpenError, Scanner, begin_frame,
    end_frame, read_frame,
};

/// The most lost messages in a row. A gap costs a few words a message, and no file holds a million in one record.
const MAX_GAP: usize = 1 << 20;
const CREATED: u8 = 1;
const UPDATE: u8 = 2;
const TITLE: u8 = 3;
const DELETED: u8 = 4;

/// What one event of a run added.
#[derive(Serialize, Deserialize)]
struct StoredUpdate {
    at: u64,
    /// The position of the first message.
    place: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    messages: Vec<StoredMessage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<StoredSummary>,
    /// A change of the workflow's memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<Arc<MemoryChange>>,
    #[serde(default)]
    spent: Spending,
}

#[derive(Serialize, Deserialize)]
struct StoredSummary {
    of: SummaryRef,
    text: Summary,
}

#[derive(Serialize, Deserialize)]
struct StoredTitle {
    title: String,
    at: u64,
}

/// Where a message stands: the record, and its number in it. None if the record is damaged.
type Position = Option<(u64, usize)>;

/// An open conversation.
pub(crate) struct ConversationFile {
    key: Key,
    log: LogAppender,
    record: ConversationRecord,
    positions: Vec<Position>,
    summaries: HashMap<(u64, RunId), u64>,
    /// The workflow's memory as its runs have changed it.
    memory: WorkflowMemory,
    /// The events that have results in the file.
    applied: HashSet<(Key, u64)>,
    damage: Vec<Damage>,
    /// The gaps before this position are not filled.
    kept_gaps: usize,
}

/// What a conversation's file turned out to be.
pub(crate) enum Loaded {
    Missing,
    Deleted,
    File(Box<ConversationFile>),
}

/// Reads a conversation's file. `known`: its record in the index and the size that the file had then, which tell what a
/// damaged or shortened file lacks. Faults `store.newer`, `store.io`.
pub(crate) fn load(
    folder: &Path,
    key: Key,
    known: Option<(ConversationRecord, u64)>,
) -> Result<Loaded, Fault> {
    let path = path_in(folder, key);
    let failed = |error: std::io::Error| fault::of_io("read a conversation", &error);
    let mut scanner = match Scanner::open(&path) {
        Ok(scanner) => scanner,
        Err(OpenError::Newer(version)) => return Err(fault::newer(&path, version)),
        Err(OpenError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Loaded::Missing);
        }
        Err(OpenError::Io(error)) => return Err(failed(error)),
    };
    let mut file = ConversationFile::empty(LogAppender::open(path.clone(), 0), key, blank(key));
    let mut created = false;
    while let Some(item) = scanner.next().map_err(failed)? {
        match item {
            Item::Damage(damage) => file.damage.push(damage),
            Item::Record { header, .. } if header.kind == DELETED => return Ok(Loaded::Deleted),
            Item::Record { header, .. } if header.owner != key && header.kind != UPDATE => {
                file.damage.push(Damage { bytes: 0..0, header: Some(header) });
            }
            Item::Record { offset, header, payload } => {
                created |= header.kind == CREATED;
                if file.fold(offset, &header, payload).is_err() {
                    let bytes = offset..offset + header.record_bytes();
                    file.damage.push(Damage { bytes, header: Some(header) });
                }
            }
        }
    }
    if file.positions.is_empty() && !created && file.damage.is_empty() {
        // Created, and nothing of it survived.
        return Ok(Loaded::Missing);
    }
    let length = std::fs::metadata(&path).map_err(failed)?.len();
    if let Some((record, size)) = known {
        if length < size {
            file.damage.push(Damage { bytes: length..size, header: None });
        }
        let count = usize::try_from(record.messages).unwrap_or(usize::MAX);
        if !file.damage.is_empty() && file.positions.len() < count {
            file.positions.resize(count, None);
            file.record.messages = record.messages;
        }
        if !created {
            file.adopt(record);
        }
    }
    file.log = LogAppender::open(path, scanner.end().end);
    Ok(Loaded::File(Box::new(file)))
}

/// The bytes of the file of a deleted conversation.
pub(super) fn deleted(key: Key) -> Vec<u8> {
    let mut bytes = FileHeader { kind: FileKind::Conversation, sealed: false, id: key }.bytes().to_vec();
    let start = begin_frame(&mut bytes);
    bytes.extend_from_slice(b"{}");
    // Two bytes fit.
    let _ = end_frame(&mut bytes, start, FrameHeader::new(DELETED, key, 0, 0));
    bytes
}

/// The record of a conversation before anything was added to it.
pub(super) fn without_contents(record: &ConversationRecord) -> ConversationRecord {
    ConversationRecord { messages: 0, tokens: 0, spent: Spending::default(), summary: None, ..record.clone() }
}

/// A record with an id and nothing else.
fn blank(key: Key) -> ConversationRecord {
    let new =
        super::NewConversation { flow: String::new(), flow_name: String::new(), user: String::new(), at: 0 };
    ConversationRecord { id: id_of(key), ..new_record(new, None) }
}

impl ConversationFile {
    fn empty(log: LogAppender, key: Key, record: ConversationRecord) -> Self {
        let (positions, summaries, applied) = (Vec::new(), HashMap::new(), HashSet::new());
        let (memory, damage) = (WorkflowMemory::default(), Vec::new());
        Self { key, log, record, positions, summaries, memory, applied, damage, kept_gaps: 0 }
    }

    /// A new conversation. Its file is created with the first sync.
    pub(super) fn create(path: PathBuf, key: Key, record: &ConversationRecord) -> Result<Self, Fault> {
        let header = FileHeader { kind: FileKind::Conversation, sealed: false, id: key };
        let mut file = Self::empty(LogAppender::create(path, header), key, record.clone());
        file.append(FrameHeader::new(CREATED, key, 0, 0), record)?;
        Ok(file)
    }

    pub(crate) fn record(&self) -> &ConversationRecord {
        &self.record
    }

    pub(crate) fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// The workflow's memory as the latest run left it.
    pub(super) fn memory(&self) -> &WorkflowMemory {
        &self.memory
    }

    pub(super) fn size(&self) -> u64 {
        self.log.end()
    }

    pub(super) fn is_synced(&self) -> bool {
        self.log.is_synced()
    }

    /// Nothing is written to a damaged file. Fault `conversation.corrupt`.
    pub(super) fn check_writable(&self) -> Result<(), Fault> {
        match self.damage.first() {
            None => Ok(()),
            Some(damage) => {
                let std::ops::Range { start, end } = damage.bytes;
                Err(corrupt(
                    &self.record.id,
                    &format!("the bytes {start} to {end} of its file can't be read"),
                ))
            }
        }
    }

    pub(super) fn write_out(&mut self, disk: &dyn Disk) -> Result<(), Fault> {
        self.log.write_out(disk).map_err(|error| fault::of_io("write a conversation", &error))
    }

    pub(super) fn sync(&mut self, disk: &dyn Disk) -> Result<(), Fault> {
        self.log.sync(disk).map_err(|error| fault::of_io("write a conversation", &error))
    }

    pub(super) fn rename(&mut self, title: &str, at: u64) -> Result<(), Fault> {
        self.append(FrameHeader::new(TITLE, self.key, 0, 0), &StoredTitle { title: title.to_owned(), at })
    }

    /// Adds what results from an event. False if that was done before.
    pub(super) fn apply(&mut self, update: &ConversationUpdate) -> Result<bool, Fault> {
        if self.applied.contains(&(update.run_key, update.seq)) {
            return Ok(false);
        }
        let messages: Vec<_> = update
            .messages
            .iter()
            .map(|message| StoredMessage::of(message, &update.run, update.at))
            .collect();
        let count = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        let stored = StoredUpdate {
            at: update.at,
            place: self.place_for(messages.len()),
            messages,
            summary: update.summary.clone().map(|(of, text)| StoredSummary { of, text }),
            memory: update.memory.clone(),
            spent: update.spent,
        };
        self.append(FrameHeader::new(UPDATE, update.run_key, update.seq, count), &stored)?;
        Ok(true)
    }

    /// Where messages go: to the beginning of a gap that damaged records have left, if they fit, or to the end. What was lost is
    /// applied again in the order in which it was applied before.
    fn place_for(&self, count: usize) -> u64 {
        let is_gap = |from: usize| {
            let gap = self.positions[from..].iter().take_while(|position| position.is_none()).count();
            gap >= count && (from == 0 || self.positions[from - 1].is_some())
        };
        let gap = (self.kept_gaps..self.positions.len()).find(|from| count > 0 && is_gap(*from));
        gap.unwrap_or(self.positions.len()) as u64
    }

    /// Leaves the positions up to `places` empty, if they are: what stood there is lost.
    pub(super) fn leave_gap(&mut self, places: u64) {
        let places = usize::try_from(places).unwrap_or(usize::MAX).min(self.positions.len() + MAX_GAP);
        if places > self.positions.len() {
            self.positions.resize(places, None);
            self.kept_gaps = places;
        }
    }

    fn append(&mut self, header: FrameHeader, record: &impl Serialize) -> Result<(), Fault> {
        let payload = serde_json::to_vec(record).map_err(|error| {
            Fault::new(codes::STORE_IO, format!("A conversation can't be written as JSON: {error}."))
        })?;
        let offset = self.log.end();
        let start = begin_frame(&mut self.log.buffer);
        self.log.buffer.extend_from_slice(&payload);
        if !end_frame(&mut self.log.buffer, start, header) {
            return Err(Fault::new(codes::STORE_IO, "A turn is too large to be stored."));
        }
        self.fold(offset, &header, &payload).map_err(|why| corrupt(&self.record.id, &why))
    }

    /// Takes a record into account. The error describes the damage.
    fn fold(&mut self, offset: u64, header: &FrameHeader, payload: &[u8]) -> Result<(), String> {
        let wrong = |error: serde_json::Error| error.to_string();
        match header.kind {
            CREATED => self.adopt(serde_json::from_slice(payload).map_err(wrong)?),
            TITLE => {
                let StoredTitle { title, at } = serde_json::from_slice(payload).map_err(wrong)?;
                self.record.title = title;
                self.record.updated_at = at;
            }
            UPDATE => {
                let update: StoredUpdate = serde_json::from_slice(payload).map_err(wrong)?;
                if self.applied.insert((header.owner, header.seq)) {
                    self.fold_update(offset, update);
                }
            }
            kind => return Err(format!("a record of the unknown kind {kind}")),
        }
        Ok(())
    }

    fn fold_update(&mut self, offset: u64, update: StoredUpdate) {
        // Messages that a damaged record held.
        let place = usize::try_from(update.place).unwrap_or(usize::MAX).min(self.positions.len() + MAX_GAP);
        let end = place + update.messages.len();
        if self.positions.len() < end {
            self.positions.resize(end, None);
        }
        let record = &mut self.record;
        for (number, message) in update.messages.into_iter().enumerate() {
            if record.title.is_empty() && message.role == Role::User {
                record.title = title_of(&message.content.text());
            }
            record.tokens += u64::from(message.tokens);
            record.updated_at = record.updated_at.max(update.at);
            self.positions[place + number] = Some((offset, number));
        }
        record.messages = self.positions.len() as u64;
        record.spent += update.spent;
        if let Some(change) = &update.memory {
            self.memory.apply(change);
        }
        if let Some(StoredSummary { of, .. }) = update.summary {
            self.summaries.insert((of.places, of.run.clone()), offset);
            if record.summary.as_ref().is_none_or(|known| of.places > known.places) {
                record.summary = Some(of);
            }
        }
    }

    /// Takes over what a conversation is from its first record, and what has been counted since.
    fn adopt(&mut self, origin: ConversationRecord) {
        let counted = std::mem::replace(&mut self.record, origin);
        let record = &mut self.record;
        record.messages = counted.messages;
        record.tokens = counted.tokens;
        record.spent = counted.spent;
        record.summary = counted.summary;
        record.updated_at = record.updated_at.max(counted.updated_at);
        if record.title.is_empty() {
            record.title = counted.title;
        }
    }

    /// The bytes of a file with every record of this one that can be read, as they are: messages keep their positions.
    pub(crate) fn readable_copy(&self) -> Result<Vec<u8>, Fault> {
        let failed = |error: std::io::Error| fault::of_io("read a conversation", &error);
        let mut out =
            FileHeader { kind: FileKind::Conversation, sealed: false, id: self.key }.bytes().to_vec();
        let mut add = |header: FrameHeader, payload: &[u8]| {
            let start = begin_frame(&mut out);
            out.extend_from_slice(payload);
            // It was in a record before.
            let _ = end_frame(&mut out, start, header);
        };
        let origin = without_contents(&self.record);
        let created = serde_json::to_vec(&origin).map_err(|error| failed(error.into()))?;
        add(FrameHeader::new(CREATED, self.key, 0, 0), &created);
        let mut scanner = match Scanner::open(self.log.path()) {
            Ok(scanner) => scanner,
            Err(OpenError::Newer(version)) => return Err(fault::newer(self.log.path(), version)),
            Err(OpenError::Io(error)) => return Err(failed(error)),
        };
        while let Some(item) = scanner.next().map_err(failed)? {
            if let Item::Record { header, payload, .. } = item
                && header.kind != CREATED
            {
                add(header, payload);
            }
        }
        Ok(out)
    }

    /// The message at a position. Faults `conversation.corrupt`, `store.io`.
    pub(crate) fn message(&self, place: u64) -> Result<ConversationMessage, Fault> {
        let position = usize::try_from(place).ok().and_then(|place| self.positions.get(place)).copied();
        let lost = || corrupt(&self.record.id, &format!("message {place} can't be read"));
        let (offset, number) = position.flatten().ok_or_else(lost)?;
        let message = self.update_at(offset, &lost)?.messages.into_iter().nth(number).ok_or_else(lost)?;
        Ok(message.at_place(place, &self.record.id))
    }

    /// The text of a summary. Faults likewise.
    pub(super) fn summary(&self, of: &SummaryRef) -> Result<Summary, Fault> {
        let lost = || {
            corrupt(&self.record.id, &format!("the summary of its first {} messages is missing", of.places))
        };
        let offset = self.summaries.get(&(of.places, of.run.clone())).ok_or_else(lost)?;
        Ok(self.update_at(*offset, &lost)?.summary.ok_or_else(lost)?.text)
    }

    fn update_at(&self, offset: u64, lost: &dyn Fn() -> Fault) -> Result<StoredUpdate, Fault> {
        if let Some(buffered) = offset.checked_sub(self.log.written()) {
            let at = usize::try_from(buffered).map_err(|_| lost())?;
            let (_, payload) = self.log.buffer.get(at..).and_then(read_frame).ok_or_else(lost)?;
            return serde_json::from_slice(payload).map_err(|_| lost());
        }
        let bytes = read_record(self.log.path(), offset)
            .map_err(|error| fault::of_io("read a conversation", &error))?;
        let (_, payload) = read_frame(&bytes).ok_or_else(lost)?;
        serde_json::from_slice(payload).map_err(|_| lost())
    }
}

/// The record at `offset`, or what is there instead.
fn read_record(path: &Path, offset: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    crate::log_file::read_record_bytes(&mut file)
}
