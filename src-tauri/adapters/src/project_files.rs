//! The files that a flow may read or write: those of its project, and no secrets.
//!
//! Owns three decisions: which folder is a project, which files hold secrets by their name, and that what was opened is what
//! was checked. Folders are opened as capabilities, so neither `..` nor a link leads out of one, even if links change meanwhile.

mod flow_folders;
mod secret_names;

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use parking_lot::RwLock;

pub use flow_folders::{FlowFolders, FolderFile};
use secret_names::is_secret_name;

/// Folders with files that no flow may read.
#[derive(Clone, Debug, Default)]
pub struct FileAccess {
    /// The person's home directory. A flow there would reach everything the person has.
    home: Option<PathBuf>,
    /// Plait's own data: keys, conversations, runs of other flows.
    data_dir: Option<PathBuf>,
    /// The folders that no project reaches out of. If there are any, a flow elsewhere has its own folder alone.
    confined: Vec<PathBuf>,
}

/// The folders that [`confine_projects`] has named.
static CONFINED: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Lets no project of this process reach out of a folder, although there may be `.git` in a folder around it: on a host, people may only
/// read what is in there. A host with several tenants calls it for the folder of each, none of which is in another.
pub fn confine_projects(folder: &Path) {
    let folder = canonical(folder);
    let mut confined = CONFINED.write();
    if !confined.contains(&folder) {
        confined.push(folder);
    }
}

/// Whether what a file names may be read: on a host, a file leads only to others in the same folder of those that [`confine_projects`] has
/// named.
pub fn may_lead_to(file: &Path, named: &Path) -> bool {
    let confined = CONFINED.read();
    leads_within(&confined, file, named)
}

fn leads_within(confined: &[PathBuf], file: &Path, named: &Path) -> bool {
    let (file, named) = (canonical(file), canonical(named));
    confined.is_empty() || confined.iter().any(|folder| file.starts_with(folder) && named.starts_with(folder))
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Why a file can't be read.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The folder is not one of a project.
    #[error("`{folder}` is {what}")]
    UnsafeFolder { folder: String, what: &'static str },
    /// The path leads out of the folder.
    #[error("the path leads out of the folder")]
    Outside,
    /// The folder may only be read.
    #[error("the folder may only be read")]
    ReadOnly,
    /// Programs act on files of this name.
    #[error("programs act on files of this name")]
    Protected,
    /// The name says that it holds secrets.
    #[error("files of this name hold secrets")]
    SecretFile,
    /// The file has another name that may be outside of the folder.
    #[error("the file is a hard link")]
    HardLink,
    /// The path is not a regular file.
    #[error("it is {0}")]
    NotAFile(&'static str),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl FileAccess {
    /// For a person with this home directory and an application with this data directory.
    pub fn new(home: Option<&Path>, data_dir: Option<&Path>) -> Self {
        Self { home: home.map(canonical), data_dir: data_dir.map(canonical), confined: Vec::new() }
    }

    /// For the person who runs this process.
    pub fn of_process(data_dir: Option<&Path>) -> Self {
        let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        Self { confined: CONFINED.read().clone(), ..Self::new(home.as_deref(), data_dir) }
    }

    /// Opens the folder of a flow. Faults `UnsafeFolder`, `Io`.
    pub fn open_folder(&self, folder: &Path) -> Result<ReadableFolder, AccessError> {
        let path = folder.canonicalize()?;
        self.check_folder(&path)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(ReadableFolder { dir, path, data_dir: self.data_dir.clone() })
    }

    /// Opens the project of the flow in `folder`: the nearest folder around it with `.git`, or else `folder` itself. Also
    /// returns where `folder` is in it.
    pub fn open_project(&self, folder: &Path) -> Result<(ReadableFolder, PathBuf), AccessError> {
        let path = folder.canonicalize()?;
        let safe = path.ancestors().take_while(|folder| self.check_folder(folder).is_ok());
        let project = safe.into_iter().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let largest = self.confined.iter().find(|confined| path.starts_with(confined));
        let project: &Path = match (project, largest) {
            (Some(project), Some(largest)) if !project.starts_with(largest) => largest,
            (Some(project), Some(_)) => project,
            (Some(project), None) if self.confined.is_empty() => project,
            (Some(_), None) | (None, _) => &path,
        };
        let project = project.to_owned();
        let place = path.strip_prefix(&project).map(Path::to_owned).unwrap_or_default();
        Ok((self.open_folder(&project)?, place))
    }

    /// The folders with `.env` files that a flow in `folder` belongs to.
    pub fn env_folders(&self, folder: &Path) -> Vec<PathBuf> {
        let Ok((project, _)) = self.open_project(folder) else { return vec![folder.to_owned()] };
        let Ok(path) = folder.canonicalize() else { return vec![folder.to_owned()] };
        path.ancestors().take_while(|folder| folder.starts_with(&project.path)).map(Path::to_owned).collect()
    }

    fn check_folder(&self, folder: &Path) -> Result<(), AccessError> {
        let is_or_contains =
            |special: &Option<PathBuf>| special.as_ref().is_some_and(|path| path.starts_with(folder));
        let is_home_of_someone = || {
            let parent = folder.parent();
            parent.is_some_and(|parent| matches!(parent.to_str(), Some("/home" | "/Users" | "C:\\Users")))
        };
        let what = if folder.parent().is_none() {
            "the root of a file system"
        } else if is_or_contains(&self.home) || is_home_of_someone() || folder == Path::new("/root") {
            "a home directory, or contains one"
        } else if self.data_dir.as_ref().is_some_and(|data_dir| folder.starts_with(data_dir)) {
            "in the data directory of Plait"
        } else {
            return Ok(());
        };
        Err(AccessError::UnsafeFolder { folder: folder.display().to_string(), what })
    }
}

/// A folder with files that a flow may read.
pub struct ReadableFolder {
    dir: Dir,
    /// Absolute, without links.
    path: PathBuf,
    data_dir: Option<PathBuf>,
}

impl ReadableFolder {
    /// Its absolute path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder in it by its relative path. Neither `..` nor links lead out.
    pub fn open_folder(&self, path: &Path) -> Result<Self, AccessError> {
        if leads_out(path) {
            return Err(AccessError::Outside);
        }
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let real = self.dir.canonicalize(path).map_err(to_access_error)?;
        let absolute = self.path.join(&real).components().collect::<PathBuf>();
        let is_own_data = self.data_dir.as_ref().is_some_and(|data_dir| absolute.starts_with(data_dir));
        if is_secret_name(&real.join("file")) || is_own_data {
            return Err(AccessError::SecretFile);
        }
        let dir = self.dir.open_dir(&real).map_err(to_access_error)?;
        Ok(Self { dir, path: absolute, data_dir: self.data_dir.clone() })
    }

    /// Opens a file by its path relative to the folder, and returns it with its absolute path without links.
    pub fn open(&self, path: &Path) -> Result<(File, PathBuf), AccessError> {
        if leads_out(path) {
            return Err(AccessError::Outside);
        }
        if is_secret_name(path) {
            return Err(AccessError::SecretFile);
        }
        let real = self.dir.canonicalize(path).map_err(to_access_error)?;
        let absolute = self.path.join(&real);
        let is_own_data = self.data_dir.as_ref().is_some_and(|data_dir| absolute.starts_with(data_dir));
        if is_secret_name(&real) || is_own_data {
            return Err(AccessError::SecretFile);
        }
        // Checked before opening: opening a device can have effects.
        check_kind(&self.dir.symlink_metadata(&real).map_err(to_access_error)?)?;
        let file = self.dir.open_with(&real, &options()).map_err(to_access_error)?;
        let opened = file.metadata()?;
        check_kind(&opened)?;
        if link_count(&opened) > 1 {
            return Err(AccessError::HardLink);
        }
        // The file has one name. If that is the one that was checked, the checks hold for what was opened.
        let named = self.dir.symlink_metadata(&real).map_err(to_access_error)?;
        if identity(&named) != identity(&opened) {
            return Err(io::Error::other("it changed while it was opened").into());
        }
        Ok((file.into_std(), absolute))
    }
}

/// Whether a path leaves its folder lexically, without resolving links.
fn leads_out(path: &Path) -> bool {
    let mut depth = 0_usize;
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => return true,
            Component::CurDir => {}
            Component::Normal(_) => depth += 1,
            Component::ParentDir => match depth.checked_sub(1) {
                Some(up) => depth = up,
                None => return true,
            },
        }
    }
    false
}

/// An error of the capability has no code of the system.
fn to_access_error(error: io::Error) -> AccessError {
    if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
        return AccessError::Outside;
    }
    AccessError::Io(error)
}

fn check_kind(metadata: &Metadata) -> Result<(), AccessError> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(AccessError::NotAFile(if metadata.is_dir() { "a folder" } else { "not a regular file" }))
}

/// Opening neither follows a link, which could have replaced the file, nor waits for the writer of a pipe.
#[cfg(unix)]
fn options() -> OpenOptions {
    use cap_std::fs::OpenOptionsExt as _;
    use rustix::fs::OFlags;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

#[cfg(unix)]
fn link_count(metadata: &Metadata) -> u64 {
    use cap_std::fs::MetadataExt as _;
    metadata.nlink()
}

/// Other systems do not report the number of links of an open file.
#[cfg(not(unix))]
fn link_count(_metadata: &Metadata) -> u64 {
    1
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use cap_std::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(metadata: &Metadata) -> u64 {
    metadata.len()
}

#[cfg(test)]
mod tests;
