//! The folders of a flow: its own, or the declared ones, all of them in its project. Paths are relative to the flow's
//! file.

use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::Dir;
use plait_core::flow::FolderAccess;

use super::secret_names::is_secret_name;
use super::{AccessError, FileAccess, ReadableFolder, to_access_error};
use plait_store::flow_files::FLOW_ENDINGS;

/// The folders that the tools of a flow may use.
pub struct FlowFolders {
    project: ReadableFolder,
    /// Where the flow's file is in the project.
    place: PathBuf,
    /// Each folder by its path in the project. Never empty.
    folders: Vec<(PathBuf, FolderAccess)>,
}

pub struct FolderFile {
    /// The folder around it, without links that lead elsewhere.
    pub folder: ReadableFolder,
    /// Its path in there.
    pub path: PathBuf,
}

impl FileAccess {
    /// The folders of a flow with its file in `folder`. Without declared folders, this one, for reading.
    pub fn open_flow_folders(
        &self,
        folder: &Path,
        declared: &[FolderAccess],
    ) -> Result<FlowFolders, AccessError> {
        let (project, place) = self.open_project(folder)?;
        let own = [FolderAccess { path: ".".to_owned(), write: false }];
        let declared = if declared.is_empty() { &own } else { declared };
        let mut folders = Vec::with_capacity(declared.len());
        for folder in declared {
            let path = normalize(&place.join(folder.path.trim())).ok_or(AccessError::Outside)?;
            folders.push((path, folder.clone()));
        }
        Ok(FlowFolders { project, place, folders })
    }
}

impl FlowFolders {
    /// The folders as the flow declares them.
    pub fn declared(&self) -> impl Iterator<Item = &FolderAccess> {
        self.folders.iter().map(|(_, folder)| folder)
    }

    /// Finds the folder of a path that is relative to the flow's file. Faults `Outside`, `ReadOnly`, `Io`.
    pub fn find(&self, path: &Path, write: bool) -> Result<FolderFile, AccessError> {
        if path.is_absolute() {
            return Err(AccessError::Outside);
        }
        let path = normalize(&self.place.join(path)).ok_or(AccessError::Outside)?;
        let around = self.folders.iter().filter(|(folder, _)| path.starts_with(folder));
        let mut best: Option<&(PathBuf, FolderAccess)> = None;
        let mut is_readable = false;
        for candidate in around {
            is_readable = true;
            let is_deeper =
                best.is_none_or(|best| candidate.0.components().count() > best.0.components().count());
            if is_deeper && (candidate.1.write || !write) {
                best = Some(candidate);
            }
        }
        let Some((folder, _)) = best else {
            return Err(if is_readable { AccessError::ReadOnly } else { AccessError::Outside });
        };
        let path = path.strip_prefix(folder).map(Path::to_owned).unwrap_or_default();
        let folder = self.project.subfolder(folder)?;
        let is_protected_folder = || folder.path.strip_prefix(&self.project.path).is_ok_and(is_protected);
        if write && is_protected_folder() {
            return Err(AccessError::Protected);
        }
        Ok(FolderFile { folder, path })
    }
}

impl ReadableFolder {
    /// A folder in this one. Links in it lead nowhere else.
    fn subfolder(&self, path: &Path) -> Result<Self, AccessError> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let real = self.dir.canonicalize(path).map_err(to_access_error)?;
        if is_secret_name(&real) {
            return Err(AccessError::SecretFile);
        }
        let dir = self.dir.open_dir(&real).map_err(to_access_error)?;
        Ok(Self { dir, path: self.path.join(real), data_dir: self.data_dir.clone() })
    }

    /// Replaces or creates a text file, with the folders around it. What was there stays until everything is written.
    pub fn write(&self, path: &Path, text: &str) -> Result<(), AccessError> {
        let path = normalize(path).ok_or(AccessError::Outside)?;
        let Some(name) = path.file_name() else { return Err(AccessError::NotAFile("a folder")) };
        if is_protected(&path) {
            return Err(AccessError::Protected);
        }
        if is_secret_name(&path) {
            return Err(AccessError::SecretFile);
        }
        let parent = self.create_parent(&path)?;
        match parent.symlink_metadata(name) {
            Ok(metadata) if metadata.is_dir() => return Err(AccessError::NotAFile("a folder")),
            Ok(metadata) if !metadata.is_file() => return Err(AccessError::NotAFile("not a regular file")),
            _ => {}
        }
        let temporary = format!(".plait-{:016x}", fastrand::u64(..));
        let written =
            write_file(&parent, &temporary, text).and_then(|()| parent.rename(&temporary, &parent, name));
        if let Err(error) = written {
            // The first error says more than that of cleaning up.
            let _ = parent.remove_file(&temporary);
            return Err(to_access_error(error));
        }
        Ok(())
    }

    /// The folder of a file, which is created if it is missing.
    fn create_parent(&self, path: &Path) -> Result<Dir, AccessError> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        self.dir.create_dir_all(parent).map_err(to_access_error)?;
        // A link may give it another name.
        let real = self.dir.canonicalize(parent).map_err(to_access_error)?;
        let absolute = self.path.join(&real);
        if is_protected(&real) {
            return Err(AccessError::Protected);
        }
        if is_secret_name(&real)
            || self.data_dir.as_ref().is_some_and(|data_dir| absolute.starts_with(data_dir))
        {
            return Err(AccessError::SecretFile);
        }
        self.dir.open_dir(&real).map_err(to_access_error)
    }
}

fn write_file(folder: &Dir, name: &str, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    let mut options = cap_std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = folder.open_with(name, &options)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Whether programs act on files of this name: hidden ones (hooks of git, settings of editors and shells) and flows.
fn is_protected(path: &Path) -> bool {
    let is_hidden = path.components().any(|part| match part {
        Component::Normal(name) => name.to_string_lossy().starts_with('.'),
        _ => false,
    });
    let name = path.to_string_lossy().to_lowercase();
    is_hidden || FLOW_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// A relative path without `.` and `..`; none if it leads out.
fn normalize(path: &Path) -> Option<PathBuf> {
    let mut parts = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => return None,
            Component::CurDir => {}
            Component::Normal(name) => parts.push(name),
            Component::ParentDir => {
                if !parts.pop() {
                    return None;
                }
            }
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests;
