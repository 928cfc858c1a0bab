//! Opening the data directory: the lock that keeps a second writer out, who may read the files, and leftovers.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

use plait_core::error::Fault;

use crate::atomic_file;
use crate::disk::Disk;
use crate::fault;
use crate::private_files;

const LOCK_TRIES: usize = 5;
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(2);

/// The folders and files of the data directory.
const OWN_NAMES: [&str; 20] = [
    "runs",
    "index",
    "conversations",
    "attachments",
    "flows",
    "drafts",
    "memory",
    "knowledge",
    "damaged",
    "owner",
    "lock",
    "spending.log",
    "settings.json",
    "recent.json",
    "calibration.json",
    "checksums.json",
    "users.json",
    "grants.json",
    "mcp-servers.json",
    "mcp-tools.json",
];

/// A lock, as long as it lives. It is released explicitly: closing the file is not enough while a process that
/// is just being started has it open as well.
pub(crate) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // What can't be unlocked is when it is closed.
        let _ = self.0.unlock();
    }
}

impl Lock {
    /// The lock of a file, unless another process keeps it.
    pub(crate) fn of(file: File) -> Result<Self, TryLockError> {
        try_lock(&file).map(|()| Self(file))
    }
}

/// Somebody may have the lock for a moment: a reader that looks whether there is a writer, or a process that is being started.
fn try_lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY_DELAY),
            done => return done,
        }
    }
    file.try_lock()
}

/// Takes the store's lock. Fault `store.locked`.
pub(crate) fn lock(home: &Path) -> Result<Lock, Fault> {
    let doing = format!("use the data directory `{}`", home.display());
    let failed = |error: &io::Error| fault::of_io(&doing, error);
    make_private(home).map_err(|error| failed(&error))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    private_files::set_mode(&mut options);
    let mut file = options.open(home.join("lock")).map_err(|error| failed(&error))?;
    match try_lock(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut owner = String::new();
            // Only to name the owner; where the lock hides the content too, the message goes without.
            let _ = (&mut file).take(20).read_to_string(&mut owner);
            return Err(fault::locked(home, owner.trim()));
        }
        Err(TryLockError::Error(error)) => return Err(failed(&error)),
    }
    // The content only serves the message of the next one who comes; a full disk must not keep the store shut.
    let _ =
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
    Ok(Lock(file))
}

/// Whether a process has the store open for writing, and which one.
pub(crate) fn writer(home: &Path) -> Option<String> {
    let mut file = File::open(home.join("lock")).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {
            let mut owner = String::new();
            let _ = (&mut file).take(20).read_to_string(&mut owner);
            Some(owner.trim().to_owned())
        }
        // Released when the file is closed.
        _ => None,
    }
}

/// Refuses a data directory of the form before journal files. Fault `store.old_form`.
pub(crate) fn refuse_old_form(home: &Path) -> Result<(), Fault> {
    let database = home.join("db");
    if database.is_dir() { Err(fault::old_form(&database)) } else { Ok(()) }
}

/// Makes the store's folders and files readable by their owner alone, also where they were there before.
pub(crate) fn make_private(home: &Path) -> io::Result<()> {
    private_files::create_folder(home)?;
    private_files::restrict(home)?;
    // What else stands there is not ours to change, and no one reaches the files of a folder that is closed.
    for item in fs::read_dir(home)?.flatten() {
        let name = item.file_name();
        if OWN_NAMES.iter().any(|own| name == *own) {
            private_files::restrict(&item.path())?;
        }
    }
    // Its files were readable by others before.
    private_files::restrict_tree(&home.join("knowledge"))
}

/// Removes what a crash left of files that were being replaced. Failures cost space and nothing else.
pub(crate) fn remove_leftovers(disk: &dyn Disk, folder: &Path) {
    for path in atomic_file::leftovers(folder) {
        let _ = disk.remove(&path);
    }
}

/// Removes the indexes of older versions, which were files. Failures cost space and nothing else.
pub(crate) fn remove_old_indexes(disk: &dyn Disk, home: &Path) {
    for name in ["runs/index.log", "conversations/index.log"] {
        let _ = disk.remove(&home.join(name));
    }
}

/// A file that grows beyond a limit of the system is an error of the write, not the end of the process.
#[cfg(unix)]
pub(crate) fn ignore_file_size_signal() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // Where the handler can't be installed, the limit ends the process as before.
        let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
    });
}

#[cfg(not(unix))]
pub(crate) fn ignore_file_size_signal() {}
