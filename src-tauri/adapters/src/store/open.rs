//! Opening the database: the lock that keeps a second process out, and the repairs after a crash.
//!
//! The database has a lock of its own, but opening it is not harmless before that lock is held, and its error does not
//! say what is wrong. So Plait's lock comes first, and everything else happens under it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;
use std::time::Duration;

use plait_engine::error::Fault;

use super::fault;

/// The database's default cache is a gigabyte; journals are read rarely, so far less does.
const CACHE_BYTES: u64 = 64 << 20;

/// How often the database writes by itself what nobody has asked to flush, in milliseconds.
const FLUSH_EVERY_MS: u64 = 500;

/// The database lets go of its own lock a little after it was dropped, when its last deferred work is done. Nobody else can
/// have that lock, because the caller holds ours: so it is waited for.
const LOCK_TRIES: usize = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The store's lock, as long as it lives. It is let go of expressly: closing the file is not enough while a process that is
/// just being started has it open as well.
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // What can't be unlocked is when it is closed.
        let _ = self.0.unlock();
    }
}

/// Takes the store's lock. Fault `store.locked`.
pub(super) fn lock(home: &Path) -> Result<Lock, Fault> {
    let doing = format!("use the data directory `{}`", home.display());
    let failed = |error: &io::Error| fault::of_io(&doing, error);
    make_private(home).map_err(|error| failed(&error))?;
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(home.join("lock"))
        .map_err(|error| failed(&error))?;
    match file.try_lock() {
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

/// Opens the database in `dir`. The caller holds the lock.
///
/// Two leftovers of a crash are repaired here: a half-written snapshot (`snap.*.generating`) would be taken for
/// corruption, and a snapshot that does not fit its log can be dropped, because it only saves reading the log again.
pub(super) fn database(dir: &Path) -> Result<sled::Db, Fault> {
    let doing = format!("open the store in `{}`", dir.display());
    remove_snapshots(dir, |name| name.ends_with(".generating"))
        .map_err(|error| fault::of_io(&doing, &error))?;
    match attempt(dir) {
        Ok(db) => Ok(db),
        Err(Failure::Error(error @ (sled::Error::Io(_) | sled::Error::Unsupported(_)))) => {
            Err(fault::of_sled(&doing, &error))
        }
        Err(_) => {
            remove_snapshots(dir, |_| true).map_err(|error| fault::of_io(&doing, &error))?;
            attempt(dir).map_err(|failure| match failure {
                Failure::Error(error) => fault::of_sled(&doing, &error),
                Failure::Panic => fault::corrupt(&doing, "the database gave up on its log"),
            })
        }
    }
}

enum Failure {
    Error(sled::Error),
    Panic,
}

fn attempt(dir: &Path) -> Result<sled::Db, Failure> {
    let mut tries = LOCK_TRIES;
    loop {
        match attempt_once(dir) {
            Err(Failure::Error(sled::Error::Io(error))) if tries > 0 && is_lock(&error) => tries -= 1,
            other => return other,
        }
        thread::sleep(LOCK_PAUSE);
    }
}

/// Whether an error is about the database's own lock. It says so in words only.
fn is_lock(error: &io::Error) -> bool {
    error.to_string().contains("could not acquire lock")
}

fn attempt_once(dir: &Path) -> Result<sled::Db, Failure> {
    let form = Form::of(dir);
    let config = sled::Config::new()
        .path(dir)
        .cache_capacity(CACHE_BYTES)
        .flush_every_ms(Some(FLUSH_EVERY_MS))
        .segment_size(form.segment_bytes)
        .use_compression(form.compressed);
    // Recovery asserts what it reads. Nothing of ours is shared with it, so a panic in it leaves nothing half done.
    match catch_unwind(AssertUnwindSafe(|| config.open())) {
        Ok(opened) => opened.map_err(Failure::Error),
        Err(_) => Err(Failure::Panic),
    }
}

/// How a database is made. It can't change later: an older one goes on as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    /// The parts its log grows by. It keeps half a dozen of them whatever they hold, so the default of 512 KB would make a
    /// small store a large one.
    segment_bytes: usize,
    /// Whether what it writes is compressed.
    compressed: bool,
}

/// New databases.
const FORM: Form = Form { segment_bytes: 256 << 10, compressed: true };

impl Form {
    /// That of the database in `dir`, or of a new one. It stands there in lines of text.
    fn of(dir: &Path) -> Self {
        let text = fs::read(dir.join("conf")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let set = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        Self {
            segment_bytes: set("segment_size").and_then(|set| set.parse().ok()).unwrap_or(FORM.segment_bytes),
            compressed: set("use_compression").and_then(|set| set.parse().ok()).unwrap_or(FORM.compressed),
        }
    }
}

fn remove_snapshots(dir: &Path, which: impl Fn(&str) -> bool) -> io::Result<()> {
    let listing = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for item in listing {
        let item = item?;
        if item.file_name().to_str().is_some_and(|name| name.starts_with("snap.") && which(name)) {
            fs::remove_file(item.path())?;
        }
    }
    Ok(())
}

/// Makes a directory that only its owner can read: journals hold what people said. One that is there stays as it is.
fn make_private(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}
