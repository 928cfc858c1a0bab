//! Opening: locks, leftovers and damage.

use plait_adapters::Store;
use plait_engine::journal::Journal;

use crate::support::{entries, flush, read, run_id};

#[test]
fn a_second_opening_is_refused_and_harmless() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let store = Store::open(home.path()).expect("opened");
    let all = entries(&run, ["a".to_owned()]);
    let mut journal = store.journal(&run).expect("journal");
    journal.append(&all).expect("appended");
    for _ in 0..3 {
        let fault = Store::open(home.path()).err().expect("refused");
        assert_eq!(fault.code, "store.locked");
        assert!(fault.message.contains(&std::process::id().to_string()), "{fault}");
    }
    flush(&mut journal);
    drop(store);
    assert_eq!(
        Store::open(home.path()).err().expect("refused").code,
        "store.locked",
        "the journal still has it"
    );
    drop(journal);
    let store = Store::open(home.path()).expect("opened");
    assert_eq!(read(&store, &run), all);
}

#[test]
fn leftovers_of_a_crash_are_repaired() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let all = entries(&run, (0..2_000).map(|number| number.to_string()));
    {
        let store = Store::open(home.path()).expect("opened");
        store.journal(&run).expect("journal").append(&all).expect("appended");
    }
    let db = home.path().join("db");
    for (name, content) in
        [("snap.00000000000F0000.generating", &b"half"[..]), ("snap.FFFFFFFFFFFFFFFF", &[7; 4096][..])]
    {
        std::fs::write(db.join(name), content).expect("written");
        let store = Store::open(home.path()).expect("opened");
        assert!(read(&store, &run) == all, "all is there after {name}");
    }
}

#[test]
fn a_log_of_garbage_is_reported_and_left_unchanged() {
    let home = tempfile::tempdir().expect("folder");
    std::fs::create_dir(home.path().join("db")).expect("made");
    let config = home.path().join("db").join("conf");
    std::fs::write(&config, "no such thing").expect("written");
    let fault = Store::open(home.path()).err().expect("refused");
    assert!(fault.code == "store.corrupt" || fault.code == "store.io", "{fault}");
    assert_eq!(std::fs::read(&config).expect("there"), b"no such thing");
}

#[cfg(unix)]
#[test]
fn journals_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("folder");
    let home = folder.path().join("deep").join("home");
    let _store = Store::open(&home).expect("opened");
    assert_eq!(std::fs::metadata(&home).expect("there").permissions().mode() & 0o777, 0o700);
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    assert_eq!(Store::open(&file).err().expect("refused").code, "store.io");
}

#[test]
fn a_database_that_was_made_otherwise_goes_on_as_it_is() {
    let home = tempfile::tempdir().expect("folder");
    let older = sled::Config::new().path(home.path().join("db")).segment_size(512 << 10);
    older.open().expect("made").flush().expect("flushed");
    let run = run_id(1);
    let all = entries(&run, (0..500).map(|number| number.to_string()));
    for _ in 0..2 {
        // The database lets go of its lock a little after it was dropped; opening waits for that.
        let store = Store::open(home.path()).expect("opened");
        if store.run(&run).is_err() {
            let mut journal = store.journal(&run).expect("journal");
            journal.append(&all).expect("appended");
            flush(&mut journal);
        }
        assert_eq!(read(&store, &run), all);
    }
}
