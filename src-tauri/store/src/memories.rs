//! Users' long-term memories: one append-only, checksummed file each, `memory/<hash of the name>.log`.
//!
//! Storing appends. Erasing and changing write a new file without the old text, so that no byte of it is left in the file;
//! of an erased memory only its id stays, so that a run that is resumed later does not store it again. To a damaged file
//! nothing is written; what can be read of it is shown. `memory/sizes.json` tells a file that lost its end. Owns the files; refuses to search them.
//!
//! What a forked run changes is a branch of its own, in a file of its own: see [`branch`].

mod branch;
mod file;
mod folder;
mod known_sizes;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::{MemoryId, RunId};
use plait_core::user::UserName;
use plait_llm::long_term_memory::MemoryRecord;

use crate::codes;
use crate::disk::Disk;
use crate::fault;
pub use branch::{KeptMemories, MemoryBranch};
pub(crate) use file::LoadedMemories;
use file::MemoryFile;
pub(crate) use known_sizes::KnownSizes;

/// The most memories of a user.
pub const MAX_MEMORIES: usize = 10_000;

/// A user's memories, as they were at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryList {
    /// In the order in which they were stored.
    pub memories: Vec<MemoryRecord>,
    /// What cannot be read of the file, in a sentence.
    pub damage: Option<String>,
}

impl MemoryList {
    /// The memory with this id or, if it is the only one, whose id begins with it. `memory.unknown`, `memory.ambiguous`.
    pub fn find(&self, id: &str) -> Result<&MemoryRecord, Fault> {
        let wanted = id.trim().to_lowercase();
        let mut found = self
            .memories
            .iter()
            .filter(|memory| !wanted.is_empty() && memory.id.as_str().starts_with(&wanted));
        match (found.next(), found.next()) {
            (Some(only), None) => Ok(only),
            (Some(_), Some(_)) => Err(Fault::new(
                codes::MEMORY_AMBIGUOUS,
                format!("Several memories have an id that begins with `{id}`."),
            )
            .hint("Give more of the id.")),
            (None, _) => Err(unknown(id)),
        }
    }
}

fn unknown(id: &str) -> Fault {
    Fault::new(codes::MEMORY_UNKNOWN, format!("There is no memory `{id}`.")).hint(
        "It may have been erased, or belong to another user. `plait memory list` shows those there are.",
    )
}

/// The memories of all users.
pub(crate) struct Memories {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    open: Mutex<OpenFiles>,
}

type Files = HashMap<(UserName, Option<RunId>), MemoryFile>;

struct OpenFiles {
    /// The files that were used since the store was opened: of users, and of their branches.
    files: Files,
    sizes: KnownSizes,
}

pub(crate) fn folder_in(home: &Path) -> PathBuf {
    home.join("memory")
}

impl Memories {
    pub(crate) fn new(disk: Arc<dyn Disk>, home: &Path) -> Self {
        let folder = folder_in(home);
        let open = OpenFiles { files: HashMap::new(), sizes: KnownSizes::load(&folder) };
        Self { disk, folder, open: Mutex::new(open) }
    }

    /// A user's memories.
    pub(crate) fn list(&self, user: &UserName) -> Result<Arc<MemoryList>, Fault> {
        self.with(user, |file, _| Ok(file.list()))
    }

    /// A user's memories, for a store that is open for reading: as the file has them now. `is_changing`: another process may
    /// be writing it.
    pub(crate) fn read(&self, user: &UserName, is_changing: bool) -> Result<Arc<MemoryList>, Fault> {
        let sizes = KnownSizes::load_unless(is_changing, &self.folder);
        Ok(MemoryFile::load(folder::path_in(&self.folder, user), user, &sizes)?.list())
    }

    /// Stores memories, each once: one whose id is known, or was erased, is left as it is. On disk when this returns.
    pub(crate) fn add(&self, user: &UserName, memories: Vec<MemoryRecord>) -> Result<(), Fault> {
        self.with(user, |file, sizes| {
            let new = each_once(memories, |id| file.knows(id));
            check_room(user, file.list().memories.len() + new.len())?;
            if new.is_empty() { Ok(()) } else { file.append(&*self.disk, new, sizes) }
        })
    }

    /// Changes a memory. Its old text is not in the file any more. `memory.unknown`.
    pub(crate) fn replace(&self, user: &UserName, memory: MemoryRecord) -> Result<(), Fault> {
        self.with(user, |file, sizes| {
            let mut memories = file.list().memories.clone();
            let old = memories.iter_mut().find(|known| known.id == memory.id);
            let Some(old) = old else { return Err(unknown(memory.id.as_str())) };
            *old = memory;
            file.rewrite(&*self.disk, memories, &[], sizes)
        })
    }

    /// Erases memories, also in branches; without ids, all. Returns how many the user had.
    pub(crate) fn erase(&self, user: &UserName, ids: Option<&[MemoryId]>) -> Result<u64, Fault> {
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        for (run, _) in folder::branches_in(&self.folder, user)? {
            let branch = self.branch_file(files, sizes, user, &run)?;
            erase_in(branch, &*self.disk, ids, sizes)?;
        }
        erase_in(self.own_file(files, sizes, user)?, &*self.disk, ids, sizes)
    }

    /// Removes a user's file, and the branches.
    pub(crate) fn remove(&self, user: &UserName) -> Result<(), Fault> {
        for (run, _) in folder::branches_in(&self.folder, user)? {
            self.remove_branch(user, &run)?;
        }
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        files.remove(&(user.clone(), None));
        self.remove_file(sizes, &folder::path_in(&self.folder, user))
    }

    fn remove_file(&self, sizes: &mut KnownSizes, path: &Path) -> Result<(), Fault> {
        let failed = |error: std::io::Error| fault::of_io("remove the memories of a user", &error);
        sizes.put(&*self.disk, path, None).and_then(|()| self.disk.remove(path)).map_err(failed)
    }

    /// Reads files again after they were replaced.
    pub(crate) fn forget_loaded(&self) {
        let sizes = KnownSizes::load(&self.folder);
        *self.open.lock() = OpenFiles { files: HashMap::new(), sizes };
    }

    fn with<T>(
        &self,
        user: &UserName,
        work: impl FnOnce(&mut MemoryFile, &mut KnownSizes) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        work(self.own_file(files, sizes, user)?, sizes)
    }

    fn own_file<'f>(
        &self,
        files: &'f mut Files,
        sizes: &KnownSizes,
        user: &UserName,
    ) -> Result<&'f mut MemoryFile, Fault> {
        open_file(files, (user.clone(), None), folder::path_in(&self.folder, user), sizes)
    }
}

/// The file of a key, read if it was not used before.
fn open_file<'f>(
    files: &'f mut Files,
    key: (UserName, Option<RunId>),
    path: PathBuf,
    sizes: &KnownSizes,
) -> Result<&'f mut MemoryFile, Fault> {
    match files.entry(key) {
        Entry::Occupied(open) => Ok(open.into_mut()),
        Entry::Vacant(place) => {
            let file = MemoryFile::load(path, &place.key().0, sizes)?;
            Ok(place.insert(file))
        }
    }
}

/// The memories that are not known yet, each once.
fn each_once(memories: Vec<MemoryRecord>, is_known: impl Fn(&MemoryId) -> bool) -> Vec<MemoryRecord> {
    let mut new: Vec<MemoryRecord> = Vec::new();
    for memory in memories {
        if !is_known(&memory.id) && new.iter().all(|other| other.id != memory.id) {
            new.push(memory);
        }
    }
    new
}

/// `memory.full` if a user can't have so many memories.
fn check_room(user: &UserName, count: usize) -> Result<(), Fault> {
    if count <= MAX_MEMORIES {
        return Ok(());
    }
    let message = format!("The user `{user}` has {MAX_MEMORIES} memories already.");
    Err(Fault::new(codes::MEMORY_FULL, message)
        .hint("Erase those that are not needed any more: plait memory erase ID…"))
}

/// Erases memories of a file; without ids, all. Returns how many there were.
fn erase_in(
    file: &mut MemoryFile,
    disk: &dyn Disk,
    ids: Option<&[MemoryId]>,
    sizes: &mut KnownSizes,
) -> Result<u64, Fault> {
    let list = file.list();
    let (erased, kept): (Vec<_>, Vec<_>) =
        list.memories.iter().cloned().partition(|memory| ids.is_none_or(|ids| ids.contains(&memory.id)));
    if !erased.is_empty() {
        let ids: Vec<MemoryId> = erased.iter().map(|memory| memory.id.clone()).collect();
        file.rewrite(disk, kept, &ids, sizes)?;
    }
    Ok(erased.len() as u64)
}

#[cfg(test)]
mod tests;
