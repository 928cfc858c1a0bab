//! How long each user's file was when it was last written: one that is shorter has lost something, and no check inside of it
//! can tell. Without this list nothing is lost but that knowledge.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::folder::files_in;
use crate::disk::Disk;
use plait_core::error::Fault;

/// The sizes by the names of the files, in bytes.
pub(crate) struct KnownSizes {
    folder: PathBuf,
    sizes: BTreeMap<String, u64>,
}

impl KnownSizes {
    /// The sizes in `folder`. A list that can't be read is empty.
    pub(crate) fn load(folder: &Path) -> Self {
        let listed = std::fs::read(list_in(folder)).ok();
        let sizes = listed.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { folder: folder.to_owned(), sizes }
    }

    /// The same, or no sizes while another process may be changing files.
    pub(crate) fn load_unless(is_changing: bool, folder: &Path) -> Self {
        if is_changing {
            return Self { folder: folder.to_owned(), sizes: BTreeMap::new() };
        }
        Self::load(folder)
    }

    /// The files in the folder, and the missing ones of the list.
    pub(crate) fn files(&self) -> Result<BTreeSet<PathBuf>, Fault> {
        let missing = self.sizes.keys().map(|name| self.folder.join(name));
        Ok(files_in(&self.folder)?.into_iter().chain(missing).collect())
    }

    pub(super) fn of(&self, path: &Path) -> Option<u64> {
        self.sizes.get(&name_of(path)).copied()
    }

    /// Notes the size of a file, or that there is none. On disk when this returns. To be called before a file gets shorter and
    /// after it has grown, so that it is never shorter than its size here.
    pub(crate) fn put(&mut self, disk: &dyn Disk, path: &Path, size: Option<u64>) -> io::Result<()> {
        if self.of(path) == size {
            return Ok(());
        }
        match size {
            Some(size) => self.sizes.insert(name_of(path), size),
            None => self.sizes.remove(&name_of(path)),
        };
        disk.create_folder(&self.folder)?;
        disk.replace(&list_in(&self.folder), &serde_json::to_vec(&self.sizes)?)
    }
}

fn list_in(folder: &Path) -> PathBuf {
    folder.join("sizes.json")
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
