//! Where the process that has a data directory open listens for others: a socket in a folder that only the person may enter.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::private_files;

const FOLDER: &str = "owner";
const SOCKET: &str = "owner.sock";

/// The longest path of a socket in bytes; systems take about a hundred.
const MAX_PATH_BYTES: usize = 100;

/// Where a socket is, under a path that is short enough for the system.
pub struct OwnerSocket {
    path: PathBuf,
    /// Keeps a short path to the folder alive, where one is needed.
    _folder: Option<File>,
}

impl OwnerSocket {
    /// The socket of a data directory. Errors if its folder can't be opened, of which the path is too long.
    pub fn of(home: &Path) -> io::Result<Self> {
        let folder = home.join(FOLDER);
        let path = folder.join(SOCKET);
        if path.as_os_str().len() <= MAX_PATH_BYTES || !cfg!(target_os = "linux") {
            return Ok(Self { path, _folder: None });
        }
        let open = File::open(folder)?;
        Ok(Self { path: short_path(&open), _folder: Some(open) })
    }

    /// The same, in a folder that is there. For the process that has the lock.
    pub fn prepare(home: &Path) -> io::Result<Self> {
        let folder = home.join(FOLDER);
        private_files::create_folder(&folder)?;
        private_files::restrict(&folder)?;
        Self::of(home)
    }

    /// The path to listen or connect at, as long as this value lives.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The socket in an open folder.
#[cfg(target_os = "linux")]
fn short_path(folder: &File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(SOCKET)
}

/// Other systems have no such path.
#[cfg(not(target_os = "linux"))]
fn short_path(_folder: &File) -> PathBuf {
    PathBuf::from(SOCKET)
}
