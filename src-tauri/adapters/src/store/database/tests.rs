use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::*;

#[test]
fn nothing_is_sealed_between_two_looks_of_one_reader() {
    let home = tempfile::tempdir().expect("folder");
    let database = Database::open(home.path().join("db")).expect("opened");
    let mut segments = sled::Batch::default();
    segments.insert(b"a", b"1");
    segments.insert(b"b", b"2");
    database.apply(segments).expect("written");
    let (looked, first_look) = mpsc::channel();
    let (sealed, is_sealed) = mpsc::channel();
    let sealing = Arc::clone(&database);
    let thread = thread::spawn(move || {
        first_look.recv().expect("a reader");
        let mut block = sled::Batch::default();
        block.insert(b"a", b"12");
        block.remove(b"b");
        sealing.apply_alone(block).expect("sealed");
        sealed.send(()).expect("a reader");
    });
    let seen = database.read(|db| {
        let last = db.iter().next_back().transpose()?;
        looked.send(()).expect("a sealer");
        // As long as this reads, it can't be done.
        assert!(is_sealed.recv_timeout(Duration::from_millis(100)).is_err());
        let (key, _) = last.expect("two segments");
        Ok(db.range(key..).count())
    });
    assert_eq!(seen.expect("read"), 1, "the segment that was looked at first is still there");
    thread.join().expect("sealed");
    assert_eq!(database.read(|db| db.get(b"a")).expect("read").as_deref(), Some(&b"12"[..]));
}
