//! A folder in memory for what tests write. Each process of a test flushes its store to the disk some twenty times, and waiting
//! for that takes a third of its time. A process that is killed loses nothing that it wrote, in memory or on a disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::repo;

/// The file system of Linux in memory.
const MEMORY: &str = "/dev/shm";

/// What the tests need at most, and some room for others. Containers often have 64 MB.
#[cfg(target_os = "linux")]
const MIN_FREE_BYTES: u64 = 4 << 30;

/// Makes a command keep its temporary files in memory, where that is possible.
pub(crate) fn use_memory(command: &mut Command) {
    let folder = folder();
    if has_room(Path::new(MEMORY)) && fs::create_dir_all(&folder).is_ok() {
        command.env("TMPDIR", folder);
    }
}

/// Removes what the commands left.
pub(crate) fn clear() {
    // There may be none.
    let _ = fs::remove_dir_all(folder());
}

/// The folder of this working copy: several may run their tests at once.
fn folder() -> PathBuf {
    let root = repo::root().components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let name: Vec<String> = root.filter(|part| part != "/").collect();
    Path::new(MEMORY).join(format!("plait-tests-{}", name.join("-")))
}

/// Whether there is room, and programs can be started from there.
#[cfg(target_os = "linux")]
fn has_room(memory: &Path) -> bool {
    use rustix::fs::{StatVfsMountFlags, statvfs};
    statvfs(memory).is_ok_and(|found| {
        found.f_bavail * found.f_frsize >= MIN_FREE_BYTES && !found.f_flag.contains(StatVfsMountFlags::NOEXEC)
    })
}

#[cfg(not(target_os = "linux"))]
fn has_room(_memory: &Path) -> bool {
    false
}
