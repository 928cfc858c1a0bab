//! What removed runs have spent is kept at a power failure, and when the disk was full.

use std::collections::HashMap;

use parking_lot::Mutex;
use plait_testing::bought_reply;

use super::*;

/// A run that has bought one reply.
fn entries(run: &RunId) -> [Entry; 2] {
    [entry(0, run, None), Entry { seq: Some(1), at: 1, event: bought_reply(700, None), interrupted_ms: 0 }]
}

/// How many calls the ledger of a store has.
fn calls(store: &Store) -> u64 {
    let runs = store.spending().unwrap();
    runs.iter().flat_map(|run| run.spent.values()).flat_map(BTreeMap::values).map(|spent| spent.calls).sum()
}

/// The file system, with a power failure right behind each change of a journal's name.
struct PowerFailure {
    home: std::path::PathBuf,
    /// How much of each file was synced.
    synced: Arc<Mutex<HashMap<std::path::PathBuf, u64>>>,
    /// What the last failure left of the ledger and of the checksums.
    left: Arc<Mutex<Option<tempfile::TempDir>>>,
}

struct SyncedFile {
    file: Arc<dyn AppendFile>,
    path: std::path::PathBuf,
    synced: Arc<Mutex<HashMap<std::path::PathBuf, u64>>>,
}

impl Disk for PowerFailure {
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn AppendFile>> {
        let file = FileSystem.open(path, create)?;
        Ok(Arc::new(SyncedFile { file, path: path.to_owned(), synced: Arc::clone(&self.synced) }))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        FileSystem.replace(path, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileSystem.rename(from, to)?;
        let left = tempfile::tempdir()?;
        for name in ["spending.log", "checksums.json"] {
            let path = self.home.join(name);
            let mut bytes = std::fs::read(&path).unwrap_or_default();
            if name == "spending.log" {
                bytes.truncate(
                    self.synced.lock().get(&path).map_or(0, |synced| usize::try_from(*synced).unwrap()),
                );
            }
            std::fs::write(left.path().join(name), bytes)?;
        }
        *self.left.lock() = Some(left);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        FileSystem.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        FileSystem.create_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        FileSystem.sync_folder(path)
    }
}

impl AppendFile for SyncedFile {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.file.append(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync()?;
        self.synced.lock().insert(self.path.clone(), std::fs::metadata(&self.path)?.len());
        Ok(())
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.truncate(length)
    }
}

#[test]
fn removed_run_stays_in_the_ledger_when_the_power_fails() {
    let home = tempfile::tempdir().unwrap();
    let left = Arc::default();
    let disk = PowerFailure { home: home.path().to_owned(), synced: Arc::default(), left: Arc::clone(&left) };
    let store = StoreCore::open(home.path(), Arc::new(disk), false, &mut |_, _| ()).map(Store).unwrap();
    for number in 1..3 {
        let run = run_id(number);
        let mut journal = store.journal(&run).unwrap();
        journal.append(&entries(&run)).unwrap();
        block_on(journal.flush()).unwrap();
        drop(journal);
        store.remove_run(&run).unwrap();
        let left = left.lock().take().expect("the journal was renamed");
        let store = Store::open(left.path()).unwrap();
        assert_eq!((calls(&store), store.check_ledger()), (number, Ok(())));
    }
}

#[test]
fn run_that_a_full_disk_stopped_stays_in_the_ledger() {
    let rig = Rig::new();
    let store = rig.open().unwrap();
    let run = run_id(1);
    let mut journal = store.journal(&run).unwrap();
    journal.append(&entries(&run)).unwrap();
    block_on(journal.flush()).unwrap();
    rig.room(0);
    let failed = journal.append(&[entry(2, &run, None)]).and_then(|()| block_on(journal.flush()));
    assert_eq!(failed.unwrap_err().code, "store.full");
    drop(journal);
    assert!(store.remove_run(&run).is_err(), "the ledger has no room");
    rig.room(PLENTY);
    store.remove_run(&run).unwrap();
    assert_eq!(calls(&store), 1);
    drop(store);
    assert_eq!(calls(&rig.open().unwrap()), 1);
}
