//! The database behind the index. Owns its folder, and noticing that what it holds is not what was written last.
//!
//! sled takes a damaged record for the end of its log and goes on without what follows. So the file `state` beside it says which
//! generation was written last, and after an orderly close the checksum of all files. The database itself holds the checksum of the
//! lists. One that does not match is deleted, and the store fills a new one from its files.
//!
//! sled lets one process open a database. Others read a copy of it, which the same checks keep from being half of a change.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use plait_core::id::ReplyKey;

use super::{List, Place, StoredLists};
use crate::log_file::Key;
use crate::open::Lock;
use crate::private_files;

/// The key of the [`Version`].
const VERSION: &[u8] = b"v";
const REPLY: u8 = b'k';
const PLACE: u8 = b'p';
const KEY_BYTES: usize = size_of::<Key>();
const PLACE_BYTES: usize = KEY_BYTES + size_of::<u64>();

/// sled's default is 1 GB.
const CACHE_BYTES: u64 = 64 << 20;
/// A process that is being started may have sled's lock open for a moment.
const LOCK_TRIES: usize = 20;
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(10);
/// A copy that was made in the middle of a change is made again.
const COPY_TRIES: usize = 3;

pub(super) type Result<T> = std::result::Result<T, Unusable>;

/// The database can't be used. Why makes no difference: the files say the same.
pub(super) struct Unusable;

impl From<sled::Error> for Unusable {
    fn from(_: sled::Error) -> Self {
        Self
    }
}

impl From<io::Error> for Unusable {
    fn from(_: io::Error) -> Self {
        Self
    }
}

/// What sled does with damaged files includes panics.
pub(super) fn catch<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Unusable))
}

pub(super) fn list_key(list: List, key: &Key) -> Vec<u8> {
    [&[list as u8], key.as_slice()].concat()
}

fn place_key((run, seq): Place) -> Vec<u8> {
    [&[PLACE], run.as_slice(), &seq.to_be_bytes()].concat()
}

/// The beginning of the keys of all replies with this key.
fn reply_prefix(key: &[u8]) -> Vec<u8> {
    [&[REPLY], key].concat()
}

/// A failure costs space; opening the store tries again.
pub(super) fn remove_file(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Which groups of changes the database holds: how many there were, and the sum of the checksums of all records of the lists.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Version {
    generation: u64,
    sum: u64,
}

impl Version {
    fn bytes(self) -> [u8; 16] {
        (u128::from(self.generation) << 64 | u128::from(self.sum)).to_be_bytes()
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        let number = u128::from_be_bytes(bytes.try_into().map_err(|_| Unusable)?);
        let half = |number: u128| u64::try_from(number & u128::from(u64::MAX)).map_err(|_| Unusable);
        Ok(Self { generation: half(number >> u64::BITS)?, sum: half(number)? })
    }
}

fn checksum_of(key: &[u8], value: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(key), value)
}

pub(super) struct Database {
    tree: sled::Db,
    folder: PathBuf,
    version: Version,
    /// The checksums of the records of the lists.
    checksums: HashMap<Vec<u8>, u32>,
    batch: sled::Batch,
    is_changed: bool,
    /// Files to remove after the next group.
    leftovers: Vec<PathBuf>,
    /// Held as long as this process uses the folder.
    _lock: Lock,
}

/// What opening finds.
struct Loaded {
    tree: sled::Db,
    version: Version,
    checksums: HashMap<Vec<u8>, u32>,
    lists: StoredLists,
}

impl Database {
    /// Opens the database in `folder`, or a new one in its place if it can't be used. None if that can't be used either, or another
    /// thread still has it.
    pub(super) fn open(folder: &Path) -> Option<(Self, StoredLists)> {
        private_files::create_folder(folder).ok()?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        private_files::set_mode(&mut options);
        let lock = options.open(folder.join("lock")).ok()?;
        let lock = Lock::of(lock).ok()?;
        let Loaded { tree, version, checksums, lists } = catch(|| Loaded::known(folder))
            .or_else(|Unusable| {
                catch(|| {
                    remove_all(folder)?;
                    Loaded::open(folder, 0)
                })
            })
            .ok()?;
        private_files::restrict_tree(folder).ok()?;
        // The checksum of an orderly close does not hold any more.
        write_state(folder, version.generation, None).ok()?;
        let database = Self {
            tree,
            folder: folder.to_owned(),
            version,
            checksums,
            batch: sled::Batch::default(),
            is_changed: false,
            leftovers: Vec::new(),
            _lock: lock,
        };
        Some((database, lists))
    }

    /// The lists of the database in `folder`, which another process may be writing. None if there is none that can be used.
    pub(super) fn read(folder: &Path) -> Option<StoredLists> {
        let read_copy = || {
            let copy = tempfile::tempdir()?;
            // First the state: the database is never older.
            fs::copy(folder.join("state"), copy.path().join("state"))?;
            copy_files(folder, copy.path())?;
            Ok(Loaded::known(copy.path())?.lists)
        };
        (0..COPY_TRIES).find_map(|_| catch(read_copy).ok())
    }

    /// Replaces a record of a list.
    pub(super) fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        let checksum = checksum_of(&key, &value);
        let old = self.checksums.insert(key.clone(), checksum).unwrap_or_default();
        self.version.sum = self.version.sum.wrapping_sub(old.into()).wrapping_add(checksum.into());
        self.insert(key, value);
    }

    /// Removes a record of a list.
    pub(super) fn remove(&mut self, key: Vec<u8>) {
        let old = self.checksums.remove(&key).unwrap_or_default();
        self.version.sum = self.version.sum.wrapping_sub(old.into());
        self.batch.remove(key);
        self.is_changed = true;
    }

    fn insert(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.batch.insert(key, value);
        self.is_changed = true;
    }

    pub(super) fn put_reply(&mut self, key: &ReplyKey, place: Place) {
        let place = place_key(place);
        self.insert([&reply_prefix(key.as_str().as_bytes()), &place[1..]].concat(), Vec::new());
        self.insert(place, key.as_str().into());
    }

    pub(super) fn remove_replies(&mut self, run: Key) -> Result<()> {
        self.write_out()?;
        let prefix = [&[PLACE], run.as_slice()].concat();
        for stored in self.tree.scan_prefix(prefix) {
            let (place, key) = stored?;
            self.batch.remove([&reply_prefix(&key), &place[1..]].concat());
            self.batch.remove(place);
            self.is_changed = true;
        }
        Ok(())
    }

    pub(super) fn find_replies(&mut self, key: &ReplyKey) -> Result<Vec<Place>> {
        self.write_out()?;
        let prefix = reply_prefix(key.as_str().as_bytes());
        let mut places = Vec::new();
        for stored in self.tree.scan_prefix(&prefix).keys() {
            // A longer key that begins like this one leaves more than a place.
            let stored = stored?;
            if let Ok(place) = <[u8; PLACE_BYTES]>::try_from(&stored[prefix.len()..])
                && let (Some(run), Some(seq)) = (place.first_chunk(), place.last_chunk())
            {
                places.push((*run, u64::from_be_bytes(*seq)));
            }
        }
        Ok(places)
    }

    pub(super) fn remove_file_later(&mut self, path: PathBuf) {
        self.leftovers.push(path);
    }

    /// Writes the changes so far as one group, all or none of it.
    pub(super) fn write_out(&mut self) -> Result<()> {
        if self.is_changed {
            self.version.generation += 1;
            let mut batch = std::mem::take(&mut self.batch);
            batch.insert(VERSION, &self.version.bytes());
            self.tree.apply_batch(batch)?;
            self.tree.flush()?;
            self.is_changed = false;
            // Only now: a database that lacks this generation has lost something.
            write_state(&self.folder, self.version.generation, None)?;
        }
        if !self.leftovers.is_empty() {
            // sled's flush does not outlive a power failure.
            File::open(self.folder.join("db"))?.sync_data()?;
            self.leftovers.drain(..).for_each(|path| remove_file(&path));
        }
        Ok(())
    }

    /// Writes what is left. What can't be written is found out when the store opens.
    pub(super) fn close(mut self) {
        let _ = catch(|| {
            self.write_out()?;
            let Self { tree, folder, version, _lock, .. } = self;
            drop(tree);
            write_state(&folder, version.generation, Some(checksum(&folder)?))
        });
    }

    /// Closes a database that can't be used any more. The next one begins empty.
    pub(super) fn discard(self) {
        remove_file(&self.folder.join("state"));
        self.leftovers.iter().for_each(|path| remove_file(path));
        let _ = catch(|| {
            drop(self);
            Ok(())
        });
    }
}

impl Loaded {
    /// Opens the database that was written last, by the `state` beside it.
    fn known(folder: &Path) -> Result<Self> {
        remove_unfinished_snapshots(folder)?;
        let state = fs::read_to_string(folder.join("state"))?;
        let mut words = state.split_whitespace();
        let generation = words.next().and_then(|word| word.parse().ok()).ok_or(Unusable)?;
        if let Some(known) = words.next()
            && checksum(folder)?.to_string() != known
        {
            return Err(Unusable);
        }
        Self::open(folder, generation)
    }

    /// Opens the database in `folder`, which must be whole and no older than `generation`.
    fn open(folder: &Path, generation: u64) -> Result<Self> {
        let tree = open_sled(folder)?;
        let version = tree.get(VERSION)?.map_or(Ok(Version::default()), |bytes| Version::read(&bytes))?;
        let mut loaded = Self { tree, version, checksums: HashMap::new(), lists: StoredLists::default() };
        let mut sum = 0_u64;
        for list in [List::Runs, List::Conversations] {
            for stored in loaded.tree.scan_prefix([list as u8]) {
                let (key, value) = stored?;
                let checksum = checksum_of(&key, &value);
                sum = sum.wrapping_add(checksum.into());
                loaded.checksums.insert(key.to_vec(), checksum);
                let key = key[1..].try_into().map_err(|_| Unusable)?;
                loaded.lists.of(list).insert(key, value.to_vec());
            }
        }
        if version.generation < generation || version.sum != sum {
            return Err(Unusable);
        }
        Ok(loaded)
    }
}

fn write_state(folder: &Path, generation: u64, checksum: Option<u32>) -> Result<()> {
    let checksum = checksum.map(|checksum| checksum.to_string()).unwrap_or_default();
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    private_files::set_mode(&mut options);
    io::Write::write_all(
        &mut options.open(folder.join("state"))?,
        format!("{generation} {checksum}").as_bytes(),
    )?;
    Ok(())
}

fn open_sled(folder: &Path) -> Result<sled::Db> {
    let config = sled::Config::new().path(folder).cache_capacity(CACHE_BYTES).flush_every_ms(None);
    let mut tries = 1;
    loop {
        match config.open() {
            Err(sled::Error::Io(error))
                if error.kind() == io::ErrorKind::WouldBlock && tries < LOCK_TRIES =>
            {
                tries += 1;
                thread::sleep(LOCK_RETRY_DELAY);
            }
            opened => return Ok(opened?),
        }
    }
}

/// The files of the database, in the order of their names.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for item in fs::read_dir(folder)? {
        let item = item?;
        if item.file_type()?.is_dir() {
            files.extend(self::files(&item.path())?);
        } else if !["state", "lock"].iter().any(|own| item.file_name() == *own) {
            files.push(item.path());
        }
    }
    files.sort();
    Ok(files)
}

fn checksum(folder: &Path) -> io::Result<u32> {
    let (mut sum, mut chunk) = (0, vec![0; 256 << 10]);
    for path in files(folder)? {
        let mut file = File::open(path)?;
        loop {
            let count = file.read(&mut chunk)?;
            if count == 0 {
                break;
            }
            sum = crc32c::crc32c_append(sum, &chunk[..count]);
        }
    }
    Ok(sum)
}

/// A crash in the middle of a snapshot leaves a file with which sled does not open.
fn remove_unfinished_snapshots(folder: &Path) -> io::Result<()> {
    let unfinished = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "generating");
    files(folder)?.into_iter().filter(unfinished).try_for_each(fs::remove_file)
}

/// Copies the files of the database to an empty folder. The log comes last, so that no snapshot is newer.
fn copy_files(folder: &Path, to: &Path) -> Result<()> {
    let mut files = files(folder)?;
    files.sort_by_key(|path| path.ends_with("db"));
    for path in files {
        let copy = to.join(path.strip_prefix(folder).map_err(|_| Unusable)?);
        copy.parent().map_or(Ok(()), private_files::create_folder)?;
        match fs::copy(&path, copy) {
            // sled removes old snapshots and large values.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            copied => drop(copied?),
        }
    }
    Ok(())
}

fn remove_all(folder: &Path) -> io::Result<()> {
    remove_file(&folder.join("state"));
    files(folder)?.into_iter().try_for_each(fs::remove_file)
}
