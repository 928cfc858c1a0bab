//! Opening: locks, leftovers and damage.

use plait_journal::Journal;
use plait_store::Store;

use plait_journal::view::RunStatus;

use crate::support::{entries, flush, journal_path, read, run_id};

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
fn an_index_that_is_gone_or_damaged_is_rebuilt() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let all = entries(&run, (0..2_000).map(|number| number.to_string()));
    {
        let store = Store::open(home.path()).expect("opened");
        store.journal(&run).expect("journal").append(&all).expect("appended");
    }
    let index = home.path().join("index");
    let whole = std::fs::read(index.join("db")).expect("read");
    let damaged = |place: usize| {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        Some(bytes)
    };
    for content in
        [None, damaged(3), damaged(40), damaged(whole.len() / 2), Some(Vec::new()), Some(vec![7; 500])]
    {
        match &content {
            None => std::fs::remove_dir_all(&index).expect("removed"),
            Some(bytes) => std::fs::write(index.join("db"), bytes).expect("written"),
        }
        let mut steps = Vec::new();
        let store =
            Store::open_with_progress(home.path(), &mut |done, of| steps.push((done, of))).expect("opened");
        assert!(read(&store, &run) == all);
        assert_eq!(store.run(&run).expect("record").events, 2_001);
        assert_eq!(steps.last(), Some(&(1, 1)));
    }
    // A crash in the middle of a snapshot, and sled's file of it.
    std::fs::write(index.join("snap.0000000000000001.generating"), "half").expect("written");
    let store =
        Store::open_with_progress(home.path(), &mut |_, _| panic!("nothing is left to do")).expect("opened");
    assert!(read(&store, &run) == all);
}

#[test]
fn a_data_directory_of_the_old_form_is_refused_and_left_unchanged() {
    let home = tempfile::tempdir().expect("folder");
    std::fs::create_dir(home.path().join("db")).expect("made");
    let config = home.path().join("db").join("conf");
    std::fs::write(&config, "old").expect("written");
    for opened in [Store::open(home.path()), Store::open_for_reading(home.path())] {
        let fault = opened.err().expect("refused");
        assert!(fault.code == "store.old_form" && fault.hint.is_some(), "{fault}");
    }
    assert_eq!(std::fs::read(&config).expect("there"), b"old");
}

#[test]
fn a_journal_of_a_newer_version_is_left_alone() {
    let home = tempfile::tempdir().expect("folder");
    let (run, other) = (run_id(1), run_id(2));
    {
        let store = Store::open(home.path()).expect("opened");
        for run in [&run, &other] {
            store.journal(run).expect("journal").append(&entries(run, ["a".into()])).expect("appended");
        }
    }
    let path = journal_path(home.path(), &run);
    let mut bytes = std::fs::read(&path).expect("read");
    bytes[8] = 2;
    let crc = crc32c::crc32c(&bytes[..28]);
    bytes[28..32].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(&path, &bytes).expect("written");
    let store = Store::open(home.path()).expect("opened");
    assert_eq!(store.read_journal(&run, 0).err().expect("refused").code, "store.newer");
    assert_eq!(store.journal(&run).err().expect("refused").code, "store.newer");
    assert_eq!(read(&store, &other).len(), 2);
    drop(store);
    assert!(std::fs::read(&path).expect("read") == bytes);
}

#[test]
fn another_process_reads_while_one_writes() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let store = Store::open(home.path()).expect("opened");
    let mut journal = store.journal(&run).expect("journal");
    let all = entries(&run, (0..10).map(|number| number.to_string()));
    journal.append(&all[..5]).expect("appended");
    flush(&mut journal);
    let reader = Store::open_for_reading(home.path()).expect("opened");
    assert_eq!(read(&reader, &run), all[..5]);
    assert_eq!(reader.run(&run).expect("record").status, RunStatus::Running);
    assert_eq!(reader.journal(&run_id(2)).err().expect("refused").code, "store.locked");
    let refused = reader.put_settings(&serde_json::Map::new()).expect_err("refused");
    assert!(
        refused.code == "store.locked" && refused.message.contains(&std::process::id().to_string()),
        "{refused}"
    );
    journal.append(&all[5..]).expect("appended");
    flush(&mut journal);
    assert_eq!(read(&Store::open_for_reading(home.path()).expect("opened"), &run), all);
    drop((journal, store));
    let reader = Store::open_for_reading(home.path()).expect("opened");
    assert_eq!(reader.run(&run).expect("record").status, RunStatus::Interrupted);
}

#[cfg(unix)]
#[test]
fn journals_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("folder");
    let home = folder.path().join("deep").join("home");
    std::fs::create_dir_all(&home).expect("made");
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o755)).expect("set");
    {
        let store = Store::open(&home).expect("opened");
        store.put_settings(&serde_json::Map::new()).expect("written");
        store.put_flow("{}").expect("written");
        let run = run_id(1);
        store.journal(&run).expect("journal").append(&entries(&run, [])).expect("appended");
    }
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let mut folders = vec![home.clone()];
    while let Some(next) = folders.pop() {
        assert_eq!(mode(&next), 0o700, "{next:?}");
        for item in std::fs::read_dir(&next).expect("folder").flatten() {
            let path = item.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{path:?}");
            }
        }
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    assert_eq!(Store::open(&file).err().expect("refused").code, "store.io");
}
