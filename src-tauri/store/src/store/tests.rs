//! A disk that fills up: what is reported, what is lost, and how runs go on.

mod removed_runs;

use plait_core::origin::Origins;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use futures::executor::block_on;
use plait_core::id::{Activation, Epoch};
use plait_journal::{Entry, Event, FinishMetadata, Journal, NodeEvent, RunEvent};
use plait_testing::RunStart;
use serde_json::{Map, Value, json};

use super::*;
use crate::disk::{AppendFile, Disk};
use crate::log_file::{Item, Scanner};

/// The file system, until so many bytes are written.
struct FullDisk {
    system: FileSystem,
    room: Arc<AtomicI64>,
    syncs: Arc<AtomicUsize>,
}

struct FullFile {
    file: Arc<dyn AppendFile>,
    room: Arc<AtomicI64>,
    syncs: Arc<AtomicUsize>,
}

fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

/// Takes room for `wanted` bytes. Gives how many fit.
fn take(room: &AtomicI64, wanted: usize) -> usize {
    let before = room.fetch_sub(i64::try_from(wanted).unwrap(), Ordering::SeqCst);
    usize::try_from(before).unwrap_or(0).min(wanted)
}

impl Disk for FullDisk {
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn AppendFile>> {
        if create && self.room.load(Ordering::SeqCst) <= 0 {
            return Err(full());
        }
        let file = self.system.open(path, create)?;
        Ok(Arc::new(FullFile { file, room: Arc::clone(&self.room), syncs: Arc::clone(&self.syncs) }))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if take(&self.room, bytes.len()) < bytes.len() {
            return Err(full());
        }
        self.system.replace(path, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.system.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.system.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.system.create_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.system.sync_folder(path)
    }
}

impl AppendFile for FullFile {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let fits = take(&self.room, bytes.len());
        self.file.append(&bytes[..fits])?;
        if fits < bytes.len() { Err(full()) } else { Ok(()) }
    }

    fn sync(&self) -> io::Result<()> {
        self.syncs.fetch_add(1, Ordering::SeqCst);
        // Where the room runs out between a write and its sync, the system may say so only now.
        if self.room.load(Ordering::SeqCst) == 0 { Err(full()) } else { self.file.sync() }
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.truncate(length)
    }
}

const PLENTY: i64 = i64::MAX / 2;

struct Rig {
    home: tempfile::TempDir,
    room: Arc<AtomicI64>,
    syncs: Arc<AtomicUsize>,
}

impl Rig {
    fn new() -> Self {
        let (room, syncs) = (Arc::new(AtomicI64::new(PLENTY)), Arc::default());
        Self { home: tempfile::tempdir().unwrap(), room, syncs }
    }

    fn open(&self) -> Result<Store, Fault> {
        let disk =
            FullDisk { system: FileSystem, room: Arc::clone(&self.room), syncs: Arc::clone(&self.syncs) };
        StoreCore::open(self.home.path(), Arc::new(disk), false, &mut |_, _| ()).map(Store)
    }

    fn room(&self, bytes: i64) {
        self.room.store(bytes, Ordering::SeqCst);
    }
}

fn run_id(number: u64) -> RunId {
    let timestamp = uuid::Timestamp::from_unix(uuid::NoContext, 1_700_000_000 + number, 0);
    uuid::Uuid::new_v7(timestamp).to_string().into()
}

fn started(run: &RunId, parent: Option<&RunId>) -> Event {
    RunStart { parent_run_id: parent.cloned(), ..RunStart::new(run.clone()) }.into()
}

fn entry(seq: u64, run: &RunId, parent: Option<&RunId>) -> Entry {
    let text = if seq % 17 == 16 { "wide ".repeat(2_000) } else { format!("{seq} of {run}") };
    let finished = Event::Node(
        Activation { node: "n".into(), epoch: Epoch::root() },
        NodeEvent::Finished {
            outputs: [("out".into(), Arc::new(json!(text)))].into(),
            messages: BTreeMap::new(),
            metadata: FinishMetadata::default(),
        },
    );
    Entry {
        seq: Some(seq),
        at: seq,
        event: if seq == 0 { started(run, parent) } else { finished },
        interrupted_ms: 0,
    }
}

fn stored(store: &Store, run: &RunId) -> Vec<Entry> {
    store.read_journal(run, 0).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_disk_that_fills_at_any_moment_costs_nothing_that_was_flushed() {
    let mut stopped = 0;
    for seed in 0..200 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let rig = Rig::new();
        let (root, child) = (run_id(1), run_id(2));
        let runs = [(&root, None), (&child, Some(&root))];
        let mut store = rig.open().unwrap();
        rig.room(chance.i64(0..40_000));
        let mut flushed = [0, 0];
        let mut journals = runs.map(|(run, _)| store.journal(run).unwrap());
        let fault = 'filling: loop {
            for (which, (run, parent)) in runs.iter().enumerate() {
                let journal = &mut journals[which];
                let from = journal.next_seq();
                let batch: Vec<_> =
                    (from..from + chance.u64(1..4)).map(|seq| entry(seq, run, *parent)).collect();
                if let Err(fault) = journal.append(&batch) {
                    break 'filling fault;
                }
                if chance.bool() {
                    match block_on(journal.flush()) {
                        Ok(()) => flushed[which] = journal.next_seq(),
                        Err(fault) => break 'filling fault,
                    }
                }
            }
        };
        assert_eq!(fault.code, "store.full", "seed {seed}: {fault}");
        stopped += 1;
        // What may be lost is not built on.
        for (which, (run, parent)) in runs.iter().enumerate() {
            let next = journals[which].next_seq();
            let again = journals[which]
                .append(&[entry(next, run, *parent)])
                .and_then(|()| block_on(journals[which].flush()));
            assert_eq!(again.expect_err("refused").code, "store.full", "seed {seed}");
        }
        drop(journals);
        if seed % 2 == 0 {
            // The process ends while the disk is still full, and starts again: it opens and shows what is there.
            drop(store);
            store = rig.open().unwrap();
        }
        for (which, (run, parent)) in runs.iter().enumerate() {
            let found = stored(&store, run);
            assert!(
                found.len() as u64 >= flushed[which],
                "seed {seed}: {} of {}",
                found.len(),
                flushed[which]
            );
            let expected = (0..found.len() as u64).map(|seq| entry(seq, run, *parent));
            assert!(expected.eq(found), "seed {seed}");
        }
        rig.room(PLENTY);
        for (run, parent) in runs {
            let mut journal = store.journal(run).unwrap();
            let next = journal.next_seq();
            journal.append(&[entry(next, run, parent)]).unwrap();
            block_on(journal.flush()).unwrap();
            assert_eq!(stored(&store, run).len() as u64, next + 1, "seed {seed}: it goes on");
            assert_eq!(store.run(run).unwrap().events, next + 1);
        }
        drop(store);
        let store = rig.open().unwrap();
        for (run, _) in runs {
            assert_eq!(store.run(run).unwrap().events, stored(&store, run).len() as u64, "seed {seed}");
        }
    }
    assert_eq!(stopped, 200);
}

#[test]
fn a_full_disk_keeps_the_store_open_and_settings_are_refused() {
    let rig = Rig::new();
    drop(rig.open().unwrap());
    rig.room(0);
    let store = rig.open().unwrap();
    assert_eq!(store.put_settings(&Map::new()).unwrap_err().code, "store.full");
    assert_eq!(store.put_flow("{}").unwrap_err().code, "store.full");
    let new = NewConversation { flow: "f".into(), flow_name: "F".into(), user: "u".into(), at: 1 };
    assert_eq!(store.create_conversation(new.clone()).unwrap_err().code, "store.full");
    rig.room(PLENTY);
    store.put_settings(&Map::new()).unwrap();
    store.create_conversation(new).unwrap();
}

#[test]
fn one_sync_serves_all_who_wait_for_a_tree() {
    let rig = Rig::new();
    let store = rig.open().unwrap();
    let root = run_id(1);
    let mut first = store.journal(&root).unwrap();
    first.append(&[entry(0, &root, None)]).unwrap();
    let children: Vec<RunId> = (2..102).map(run_id).collect();
    let mut journals: Vec<_> = children.iter().map(|run| store.journal(run).unwrap()).collect();
    for (journal, run) in journals.iter_mut().zip(&children) {
        journal.append(&[entry(0, run, Some(&root))]).unwrap();
    }
    let before = rig.syncs.load(Ordering::SeqCst);
    // Asked for in one go: the writer takes them as one group, or as few.
    let waits: Vec<_> = journals.iter_mut().map(Journal::flush).collect();
    for wait in waits {
        block_on(wait).unwrap();
    }
    let syncs = rig.syncs.load(Ordering::SeqCst) - before;
    assert!((1..=20).contains(&syncs), "{syncs} syncs for 100 runs");
}

/// When a run ends, its file is compressed: another one takes its place while somebody may be reading.
#[test]
fn journal_is_whole_at_every_moment_of_its_compression() {
    let rig = Rig::new();
    let store = rig.open().unwrap();
    for number in 0..200 {
        let run = run_id(number + 1);
        let mut journal = store.journal(&run).unwrap();
        let end = Event::Run(RunEvent::Finished { origins: Origins::NONE, outputs: BTreeMap::new() });
        journal
            .append(&[entry(0, &run, None), Entry { seq: Some(1), at: 1, event: end, interrupted_ms: 0 }])
            .unwrap();
        block_on(journal.flush()).unwrap();
        drop(journal);
        for _ in 0..20 {
            let read: Result<Vec<Entry>, Fault> = store.read_journal(&run, 0).and_then(Iterator::collect);
            assert_eq!(read.unwrap().len(), 2, "run {number}");
        }
    }
}

#[test]
fn ended_run_whose_file_is_cut_behind_a_block_names_what_it_lost() {
    let rig = Rig::new();
    let run = run_id(1);
    let store = rig.open().unwrap();
    let mut journal = store.journal(&run).unwrap();
    for seq in 0..1_000 {
        journal.append(&[entry(seq, &run, None)]).unwrap();
    }
    let end = Event::Run(RunEvent::Finished { origins: Origins::NONE, outputs: BTreeMap::new() });
    journal.append(&[Entry { seq: Some(1_000), at: 1_000, event: end, interrupted_ms: 0 }]).unwrap();
    block_on(journal.flush()).unwrap();
    drop(journal);
    // Closing compresses the file.
    drop(store);
    let path = tree::TreeFiles::list(rig.home.path()).unwrap().present.pop_first().unwrap().1.0;
    let mut scanner = Scanner::open(&path).unwrap();
    assert!(scanner.header().unwrap().sealed);
    let mut records = Vec::new();
    while let Some(Item::Record { offset, .. }) = scanner.next().unwrap() {
        records.push(offset);
    }
    // The last two records are a block and the directory before it.
    let cut = records[records.len() - 2];
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(cut).unwrap();
    let store = rig.open().unwrap();
    let mut entries: Vec<_> = store.read_journal(&run, 0).unwrap().collect();
    let fault = entries.pop().unwrap().expect_err("the end of the run is lost");
    assert_eq!(fault.code, "journal.corrupt");
    assert!(fault.message.contains("1000"), "{}", fault.message);
    let kept = entries.len();
    assert!(kept > 100 && entries.into_iter().all(|entry| entry.is_ok()), "{kept}");
    assert_eq!(store.run(&run).unwrap().events, 1_001);
}

/// Each of the three writes that replace a document fails once: checksums of both contents, document, checksum of the new content.
#[test]
fn settings_are_readable_after_any_write_of_a_replacement_failed() {
    let (mut kept, mut replaced) = (0, 0);
    for room in (0..400).step_by(16) {
        let rig = Rig::new();
        let (dark, light) = (theme("dark"), theme(&"light".repeat(8)));
        let store = rig.open().unwrap();
        store.put_settings(&dark).unwrap();
        rig.room(room);
        let failed = store.put_settings(&light).is_err();
        drop(store);
        rig.room(PLENTY);
        let found = rig.open().unwrap().settings().unwrap_or_else(|fault| panic!("room {room}: {fault}"));
        kept += usize::from(failed && found == dark);
        replaced += usize::from(failed && found == light);
        assert!(failed || found == light, "room {room}");
    }
    assert!(kept > 1 && replaced > 1, "{kept} {replaced}: not every write has failed");
}

fn theme(name: &str) -> Map<String, Value> {
    Map::from_iter([("theme".to_owned(), name.into())])
}

#[test]
fn documents_that_a_full_disk_left_without_checksums_are_not_refused() {
    let rig = Rig::new();
    std::fs::write(rig.home.path().join("users.json"), r#"{"current":"Ada","names":["Ada"]}"#).unwrap();
    rig.room(0);
    let store = rig.open().unwrap();
    rig.room(PLENTY);
    store.put_settings(&theme("dark")).unwrap();
    assert_eq!(store.users().unwrap().current.as_str(), "Ada");
    drop(store);
    std::fs::write(rig.home.path().join("users.json"), "{}").unwrap();
    assert_eq!(rig.open().unwrap().users().unwrap_err().code, "store.changed_outside");
}
