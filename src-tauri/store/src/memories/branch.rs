//! The branches of a user's memories. A forked run writes to a branch: what it stores is in a file of its own, and what it erases of
//! the user's memories is noted there. It sees both together. *Keep* takes the branch over, once: each step may be repeated after a
//! crash, and the file is removed last. Removing the run removes its branch.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::{MemoryId, RunId};
use plait_core::user::UserName;
use plait_llm::long_term_memory::MemoryRecord;

use super::file::MemoryFile;
use super::folder::{branch_path_in, branches_in};
use super::{
    Files, KnownSizes, Memories, MemoryList, OpenFiles, check_room, each_once, erase_in, folder, open_file,
};

/// What a forked run changed of a user's memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryBranch {
    pub run: RunId,
    /// What it stored.
    pub list: Arc<MemoryList>,
    /// How many of the user's memories it does not see, since it erased or replaced them.
    pub erased: u64,
}

/// What was taken over of a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptMemories {
    pub stored: u64,
    pub erased: u64,
}

impl Memories {
    /// What a forked run sees.
    pub(crate) fn list_in(&self, user: &UserName, run: &RunId) -> Result<Arc<MemoryList>, Fault> {
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        let own = self.own_file(files, sizes, user)?.list();
        let branch = self.branch_file(files, sizes, user, run)?;
        let (stored, erased) = (branch.list(), branch.erased());
        if stored.memories.is_empty() && erased.is_empty() && stored.damage.is_none() {
            return Ok(own);
        }
        let kept = own.memories.iter().filter(|memory| !erased.contains(&memory.id));
        // A memory of both was taken over meanwhile.
        let is_new = |memory: &&MemoryRecord| own.memories.iter().all(|other| other.id != memory.id);
        let memories = kept.chain(stored.memories.iter().filter(is_new)).cloned().collect();
        Ok(Arc::new(MemoryList { memories, damage: own.damage.clone().or_else(|| stored.damage.clone()) }))
    }

    /// Stores memories in a branch, each once. On disk when this returns.
    pub(crate) fn add_in(
        &self,
        user: &UserName,
        run: &RunId,
        memories: Vec<MemoryRecord>,
    ) -> Result<(), Fault> {
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        let own = self.own_file(files, sizes, user)?;
        let memories = each_once(memories, |id| own.knows(id));
        let count = own.list().memories.len();
        let branch = self.branch_file(files, sizes, user, run)?;
        let new = each_once(memories, |id| branch.knows(id));
        check_room(user, count + branch.list().memories.len() + new.len())?;
        if new.is_empty() { Ok(()) } else { branch.append(&*self.disk, new, sizes) }
    }

    /// Erases memories for a branch alone. Returns how many it saw of them.
    pub(crate) fn erase_in_branch(
        &self,
        user: &UserName,
        run: &RunId,
        ids: &[MemoryId],
    ) -> Result<u64, Fault> {
        let seen = self.list_in(user, run)?;
        let found: Vec<MemoryId> =
            seen.memories.iter().map(|memory| &memory.id).filter(|id| ids.contains(id)).cloned().collect();
        if found.is_empty() {
            return Ok(0);
        }
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        let branch = self.branch_file(files, sizes, user, run)?;
        let kept =
            branch.list().memories.iter().filter(|memory| !found.contains(&memory.id)).cloned().collect();
        branch.rewrite(&*self.disk, kept, &found, sizes)?;
        Ok(found.len() as u64)
    }

    /// Begins a branch with what another one has, if that one has anything. On disk when this returns.
    pub(crate) fn copy_branch(&self, user: &UserName, from: &RunId, to: &RunId) -> Result<(), Fault> {
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        let other = self.branch_file(files, sizes, user, from)?;
        let (list, erased): (_, Vec<MemoryId>) = (other.list(), other.erased().iter().cloned().collect());
        if list.memories.is_empty() && erased.is_empty() {
            return Ok(());
        }
        let branch = self.branch_file(files, sizes, user, to)?;
        branch.rewrite(&*self.disk, list.memories.clone(), &erased, sizes)
    }

    /// The branches of a user, oldest first. A store that is open for reading reads the files as they are now; `is_changing`: another
    /// process may be writing them.
    pub(crate) fn branches(&self, user: &UserName, is_changing: bool) -> Result<Vec<MemoryBranch>, Fault> {
        let sizes = KnownSizes::load_unless(is_changing, &self.folder);
        let own = MemoryFile::load(folder::path_in(&self.folder, user), user, &sizes)?.list();
        let mut branches = Vec::new();
        for (run, path) in branches_in(&self.folder, user)? {
            let file = MemoryFile::load(path, user, &sizes)?;
            let erased = own.memories.iter().filter(|memory| file.erased().contains(&memory.id)).count();
            branches.push(MemoryBranch { run, list: file.list(), erased: erased as u64 });
        }
        Ok(branches)
    }

    /// Takes a branch over into the user's memories. Nothing if there is none, or it was taken over before. `memory.full`,
    /// `memory.damaged`. On disk when this returns.
    pub(crate) fn keep_branch(&self, user: &UserName, run: &RunId) -> Result<KeptMemories, Fault> {
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        let branch = self.branch_file(files, sizes, user, run)?;
        branch.refuse_damaged()?;
        let (stored, erased): (_, Vec<MemoryId>) = (branch.list(), branch.erased().iter().cloned().collect());
        let own = self.own_file(files, sizes, user)?;
        let new = each_once(stored.memories.clone(), |id| own.knows(id));
        check_room(user, own.list().memories.len() + new.len())?;
        let mut kept = KeptMemories { stored: new.len() as u64, erased: 0 };
        if !new.is_empty() {
            own.append(&*self.disk, new, sizes)?;
        }
        kept.erased = erase_in(own, &*self.disk, Some(&erased), sizes)?;
        files.remove(&(user.clone(), Some(run.clone())));
        self.remove_file(sizes, &branch_path_in(&self.folder, user, run))?;
        Ok(kept)
    }

    /// Removes a branch, if there is one.
    pub(crate) fn remove_branch(&self, user: &UserName, run: &RunId) -> Result<(), Fault> {
        let OpenFiles { files, sizes } = &mut *self.open.lock();
        files.remove(&(user.clone(), Some(run.clone())));
        self.remove_file(sizes, &branch_path_in(&self.folder, user, run))
    }

    pub(super) fn branch_file<'f>(
        &self,
        files: &'f mut Files,
        sizes: &KnownSizes,
        user: &UserName,
        run: &RunId,
    ) -> Result<&'f mut MemoryFile, Fault> {
        let path = folder::branch_path_in(&self.folder, user, run);
        open_file(files, (user.clone(), Some(run.clone())), path, sizes)
    }
}
