//! Where the process that has a data directory open listens for others: a socket in a folder that only the person may enter.

use std::io;
use std::path::{Path, PathBuf};

use crate::private_files;

const FOLDER: &str = "owner";
const SOCKET: &str = "owner.sock";

/// The socket of a data directory.
pub fn path(home: &Path) -> PathBuf {
    home.join(FOLDER).join(SOCKET)
}

/// The same, in a folder that is there. For the process that has the lock.
pub fn prepare(home: &Path) -> io::Result<PathBuf> {
    let folder = home.join(FOLDER);
    private_files::create_folder(&folder)?;
    private_files::restrict(&folder)?;
    Ok(path(home))
}
