//! One user's file: a record with the user's name, then one for each memory, and one with the ids of erased memories.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use plait_core::id::MemoryId;
use plait_core::user::UserName;
use plait_llm::long_term_memory::MemoryRecord;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::MemoryList;
use super::known_sizes::KnownSizes;
use crate::codes;
use crate::disk::Disk;
use crate::fault;
use crate::log_file::{
    FileHeader, FileKind, FrameHeader, Item, Key, LogAppender, OpenError, Scanner, begin_frame, end_frame,
};

/// The kinds of records.
const USER: u8 = 1;
const MEMORY: u8 = 2;
const ERASED: u8 = 3;

#[derive(Serialize, Deserialize)]
struct UserRecord {
    user: UserName,
}

/// A user's file, open.
pub(super) struct MemoryFile {
    user: UserName,
    path: PathBuf,
    list: Arc<MemoryList>,
    /// The ids of erased memories.
    erased: HashSet<MemoryId>,
    log: LogAppender,
    /// The seq of the next record.
    next: u64,
}

/// What a file holds.
#[derive(Default)]
pub(crate) struct LoadedMemories {
    /// Whose memories they are, if that can be read.
    user: Option<UserName>,
    pub(crate) list: MemoryList,
    erased: Vec<MemoryId>,
    /// Where the last whole record ends; none if not even the header is there.
    end: Option<u64>,
    records: u64,
    id: Key,
}

/// The id of a user in files.
fn key_of(user: &UserName) -> Key {
    let hash = content_hash(user.as_str().as_bytes());
    let mut key = [0; 16];
    for (byte, digits) in key.iter_mut().zip(hash.as_bytes().chunks(2)) {
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        // A hash has hexadecimal digits only.
        *byte = digits.iter().filter_map(|one| digit(*one)).fold(0, |sum, digit| (sum << 4) | digit);
    }
    key
}

impl LoadedMemories {
    /// Reads what can be read of a file. A missing file is empty; `sizes` says whether it should be there.
    /// `store.newer`, `store.io`.
    pub(crate) fn read(path: &Path, sizes: &KnownSizes) -> Result<Self, Fault> {
        let failed = |error: io::Error| fault::of_io("read the memories of a user", &error);
        let known = sizes.of(path);
        let mut scanner = match Scanner::open(path) {
            Ok(scanner) => scanner,
            Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                let mut missing = Self::default();
                missing.list.damage =
                    known.map(|known| format!("The file is missing; it had {known} bytes."));
                return Ok(missing);
            }
            Err(OpenError::Io(error)) => return Err(failed(error)),
            Err(OpenError::Newer(version)) => return Err(fault::newer(path, version)),
        };
        let mut loaded = Self::default();
        let mut unreadable: Vec<String> = Vec::new();
        loaded.id = scanner.header().map(|header| header.id).unwrap_or_default();
        while let Some(item) = scanner.next().map_err(failed)? {
            match item {
                Item::Record { header, payload, offset } => {
                    loaded.records = loaded.records.max(header.seq + 1);
                    if !loaded.take(header.kind, payload) {
                        let end = offset + header.record_bytes();
                        unreadable.push(format!("{offset} to {end}"));
                    }
                }
                Item::Damage(damage) => {
                    unreadable.push(format!("{} to {}", damage.bytes.start, damage.bytes.end));
                }
            }
        }
        let end = scanner.end().end;
        loaded.end = (end > 0).then_some(end);
        let erased: HashSet<&MemoryId> = loaded.erased.iter().collect();
        loaded.list.memories.retain(|memory| !erased.contains(&memory.id));
        if !unreadable.is_empty() {
            loaded.list.damage = Some(format!("The bytes {} can't be read.", unreadable.join(", ")));
        } else if let Some(known) = known.filter(|known| end < *known) {
            loaded.list.damage = Some(format!("Its end is missing: {end} of {known} bytes can be read."));
        }
        Ok(loaded)
    }

    fn take(&mut self, kind: u8, payload: &[u8]) -> bool {
        fn parse<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
            serde_json::from_slice(payload).ok()
        }
        match kind {
            USER => parse::<UserRecord>(payload).map(|record| self.user = Some(record.user)).is_some(),
            MEMORY => parse::<MemoryRecord>(payload).map(|memory| self.list.memories.push(memory)).is_some(),
            ERASED => parse::<Vec<MemoryId>>(payload).map(|ids| self.erased.extend(ids)).is_some(),
            _ => false,
        }
    }

    /// Whose memories they are, for a sentence.
    pub(crate) fn owner(&self) -> String {
        self.user
            .as_ref()
            .map_or_else(|| "of an unknown user".to_owned(), |user| format!("of the user `{user}`"))
    }

    /// A file with what could be read.
    pub(crate) fn readable_copy(&self) -> Result<Vec<u8>, Fault> {
        bytes_of(self.id, self.user.as_ref(), &self.list.memories, self.erased.iter())
    }
}

impl MemoryFile {
    /// Reads a file of a user.
    pub(super) fn load(path: PathBuf, user: &UserName, sizes: &KnownSizes) -> Result<Self, Fault> {
        let loaded = LoadedMemories::read(&path, sizes)?;
        let log = match loaded.end {
            Some(end) => LogAppender::open(path.clone(), end),
            None => LogAppender::create(path.clone(), header(key_of(user))),
        };
        Ok(Self {
            user: user.clone(),
            path,
            list: Arc::new(loaded.list),
            erased: loaded.erased.into_iter().collect(),
            log,
            next: loaded.records,
        })
    }

    pub(super) fn list(&self) -> Arc<MemoryList> {
        Arc::clone(&self.list)
    }

    /// The ids of erased memories.
    pub(super) fn erased(&self) -> &HashSet<MemoryId> {
        &self.erased
    }

    /// Whether a memory of this id is there, or was erased.
    pub(super) fn knows(&self, id: &MemoryId) -> bool {
        self.erased.contains(id) || self.list.memories.iter().any(|memory| memory.id == *id)
    }

    /// Appends memories. On disk when this returns.
    pub(super) fn append(
        &mut self,
        disk: &dyn Disk,
        memories: Vec<MemoryRecord>,
        sizes: &mut KnownSizes,
    ) -> Result<(), Fault> {
        self.refuse_damaged()?;
        let (owner, first) = (key_of(&self.user), self.next);
        let begun = self.push_records(owner, &memories);
        let written = begun.and_then(|()| {
            self.log.sync(disk).map_err(|error| fault::of_io("write the memories of a user", &error))
        });
        if let Err(fault) = written {
            self.log.abandon(disk);
            // Bytes that were not synced may be there in part. The next use reads the file again.
            self.next = first;
            self.log = match self.log.synced() {
                0 => LogAppender::create(self.path.clone(), header(owner)),
                end => LogAppender::open(self.path.clone(), end),
            };
            return Err(fault);
        }
        // They are stored. Without the size a later loss of the file's end goes unnoticed, no more.
        let _ = sizes.put(disk, &self.path, Some(self.log.synced()));
        let list = Arc::make_mut(&mut self.list);
        list.memories.extend(memories);
        Ok(())
    }

    fn push_records(&mut self, owner: Key, memories: &[MemoryRecord]) -> Result<(), Fault> {
        if self.next == 0 {
            let user = UserRecord { user: self.user.clone() };
            push(&mut self.log.buffer, USER, owner, &mut self.next, &user)?;
        }
        memories
            .iter()
            .try_for_each(|memory| push(&mut self.log.buffer, MEMORY, owner, &mut self.next, memory))
    }

    /// Writes a new file with these memories, and notes `erased` as erased. On disk when this returns.
    pub(super) fn rewrite(
        &mut self,
        disk: &dyn Disk,
        memories: Vec<MemoryRecord>,
        erased: &[MemoryId],
        sizes: &mut KnownSizes,
    ) -> Result<(), Fault> {
        self.refuse_damaged()?;
        let all = self.erased.iter().chain(erased);
        let bytes = bytes_of(key_of(&self.user), Some(&self.user), &memories, all)?;
        let failed = |error: io::Error| fault::of_io("write the memories of a user", &error);
        remove_temporary_files(disk, &self.path).map_err(failed)?;
        let size = bytes.len() as u64;
        let smaller = sizes.of(&self.path).map(|known| known.min(size));
        sizes.put(disk, &self.path, smaller).map_err(failed)?;
        disk.replace(&self.path, &bytes).map_err(failed)?;
        // As after appending.
        let _ = sizes.put(disk, &self.path, Some(size));
        self.next = memories.len() as u64 + 2;
        self.log = LogAppender::open(self.path.clone(), size);
        self.erased.extend(erased.iter().cloned());
        self.list = Arc::new(MemoryList { memories, damage: None });
        Ok(())
    }

    pub(super) fn refuse_damaged(&self) -> Result<(), Fault> {
        let Some(damage) = &self.list.damage else { return Ok(()) };
        let path = self.path.display();
        let message = format!("The memories of the user `{}` in `{path}` are damaged. {damage}", self.user);
        Err(Fault::new(codes::MEMORY_DAMAGED, message)
            .hint("`plait doctor --salvage` keeps the file aside and goes on with what can be read."))
    }
}

fn header(id: Key) -> FileHeader {
    FileHeader { kind: FileKind::Memory, sealed: false, id }
}

fn bytes_of<'a>(
    id: Key,
    user: Option<&UserName>,
    memories: &[MemoryRecord],
    erased: impl Iterator<Item = &'a MemoryId>,
) -> Result<Vec<u8>, Fault> {
    let mut bytes = header(id).bytes().to_vec();
    let mut next = 0;
    if let Some(user) = user {
        push(&mut bytes, USER, id, &mut next, &UserRecord { user: user.clone() })?;
    }
    let mut erased: Vec<&MemoryId> = erased.collect();
    erased.sort();
    if !erased.is_empty() {
        push(&mut bytes, ERASED, id, &mut next, &erased)?;
    }
    memories.iter().try_for_each(|memory| push(&mut bytes, MEMORY, id, &mut next, memory))?;
    Ok(bytes)
}

/// Appends one record.
fn push(
    out: &mut Vec<u8>,
    kind: u8,
    owner: Key,
    next: &mut u64,
    record: &impl Serialize,
) -> Result<(), Fault> {
    let unwritable =
        |why: String| Fault::new(codes::STORE_IO, format!("A memory could not be written: {why}."));
    let start = begin_frame(out);
    if let Err(error) = serde_json::to_writer(&mut *out, record) {
        out.truncate(start);
        return Err(unwritable(error.to_string()));
    }
    if !end_frame(out, start, FrameHeader::new(kind, owner, *next, 1)) {
        return Err(unwritable("it is too large".to_owned()));
    }
    *next += 1;
    Ok(())
}

/// Removes what a crash left of an earlier replacement: it may hold a text that was erased since.
fn remove_temporary_files(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    for item in std::fs::read_dir(folder).into_iter().flatten() {
        let path = item?.path();
        if path.extension().is_some_and(|extension| extension == "tmp") {
            disk.remove(&path)?;
        }
    }
    Ok(())
}
