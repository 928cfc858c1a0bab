use super::*;

fn key(number: u8) -> Key {
    [number; 16]
}

fn runs(home: &Path) -> BTreeMap<Key, Vec<u8>> {
    let (index, lists) = Index::open(home);
    index.close();
    lists.runs
}

/// An index that knows of 300 runs.
fn filled(home: &Path) {
    let (index, _) = Index::open(home);
    for number in 0..300_u16 {
        let mut run = [0; 16];
        run[..2].copy_from_slice(&number.to_be_bytes());
        index.put(List::Runs, &run, format!("the record of run {number}").into_bytes());
    }
    index.close();
}

#[test]
fn changes_are_there_after_closing() {
    let home = tempfile::tempdir().unwrap();
    let (index, lists) = Index::open(home.path());
    assert!(lists.runs.is_empty() && lists.conversations.is_empty());
    index.put(List::Runs, &key(1), b"a".to_vec());
    index.put(List::Runs, &key(2), b"b".to_vec());
    index.put(List::Conversations, &key(1), b"c".to_vec());
    index.remove(List::Runs, &key(1));
    index.close();
    let (index, lists) = Index::open(home.path());
    assert_eq!(lists.runs, BTreeMap::from([(key(2), b"b".to_vec())]));
    assert_eq!(lists.conversations, BTreeMap::from([(key(1), b"c".to_vec())]));
    index.close();
}

#[test]
fn replies_are_found_by_key_until_their_run_is_removed() {
    let home = tempfile::tempdir().unwrap();
    let (index, _) = Index::open(home.path());
    index.put_reply(&"abc".into(), (key(1), 7));
    index.put_reply(&"abc".into(), (key(2), 3));
    // A key that begins like the other one.
    index.put_reply(&"abcd".into(), (key(1), 9));
    assert_eq!(index.find_replies(&"abc".into()), [(key(1), 7), (key(2), 3)]);
    index.close();
    let (index, _) = Index::open(home.path());
    index.remove_replies(key(1));
    assert_eq!(index.find_replies(&"abc".into()), [(key(2), 3)]);
    assert_eq!(index.find_replies(&"abcd".into()), []);
    index.close();
}

#[test]
fn damage_anywhere_leaves_nothing_or_everything() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path());
    let whole = runs(home.path());
    assert_eq!(whole.len(), 300);
    let folder = home.path().join("index");
    for seed in 0..60 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut bytes = std::fs::read(folder.join("db")).unwrap();
        let place = chance.usize(0..bytes.len());
        bytes[place] ^= 1 << chance.u8(0..8);
        std::fs::write(folder.join("db"), bytes).unwrap();
        assert!(runs(home.path()).is_empty(), "seed {seed}: a flipped bit at {place} goes unnoticed");
        filled(home.path());
    }
}

/// As after a crash: no checksum, and a database that lacks what was written last.
#[test]
fn database_older_than_its_state_is_not_used() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path());
    let state = home.path().join("index/state");
    let text = std::fs::read_to_string(&state).unwrap();
    let generation: u64 = text.split_whitespace().next().unwrap().parse().unwrap();
    std::fs::write(&state, generation.to_string()).unwrap();
    assert_eq!(runs(home.path()).len(), 300);
    std::fs::write(&state, (generation + 1).to_string()).unwrap();
    assert!(runs(home.path()).is_empty());
}

/// As after a crash: no checksum of the files, and a record is gone without a trace.
#[test]
fn database_that_lacks_a_record_is_not_used() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path());
    let folder = home.path().join("index");
    let text = std::fs::read_to_string(folder.join("state")).unwrap();
    std::fs::write(folder.join("state"), text.split_whitespace().next().unwrap()).unwrap();
    assert_eq!(Index::read(home.path()).runs.len(), 300);
    let tree = sled::open(&folder).unwrap();
    tree.remove(database::list_key(List::Runs, &[0; 16])).unwrap().expect("it was there");
    tree.flush().unwrap();
    drop(tree);
    assert!(Index::read(home.path()).runs.is_empty());
    assert!(runs(home.path()).is_empty());
}

#[test]
fn copy_of_a_database_in_use_holds_what_was_written_so_far() {
    let home = tempfile::tempdir().unwrap();
    let (index, _) = Index::open(home.path());
    let key = |number: u32| {
        let mut key = [0; 16];
        key[..4].copy_from_slice(&number.to_be_bytes());
        key
    };
    let mut seen = 0;
    for round in 0..10 {
        for number in 0..300 {
            index.put(List::Runs, &key(round * 300 + number), vec![7; 300]);
            // Older records are moved in the log.
            index.put(List::Runs, &key(number * 31 % (round * 300 + 1)), vec![8; 300]);
        }
        let found = Index::read(home.path()).runs;
        assert!(
            found.keys().copied().eq((0..).map(key).take(found.len())),
            "a record lacks in round {round}"
        );
        assert!(found.is_empty() || found.len() >= seen, "{} after {seen}", found.len());
        seen = seen.max(found.len());
    }
    // A lookup sees every change before it.
    assert_eq!(index.find_replies(&"none".into()), []);
    assert_eq!(Index::read(home.path()).runs.len(), 3_000);
    index.close();
    assert_eq!(Index::read(home.path()).runs.len(), 3_000);
}

#[test]
fn unfinished_snapshot_is_removed() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path());
    let folder = home.path().join("index");
    let text = std::fs::read_to_string(folder.join("state")).unwrap();
    std::fs::write(folder.join("state"), text.split_whitespace().next().unwrap()).unwrap();
    std::fs::write(folder.join("snap.0000000000000FFF.generating"), "half").unwrap();
    assert_eq!(runs(home.path()).len(), 300);
}

#[test]
fn second_index_of_the_same_folder_stays_empty_and_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (first, _) = Index::open(home.path());
    first.put(List::Runs, &key(1), b"a".to_vec());
    let (second, lists) = Index::open(home.path());
    assert!(lists.runs.is_empty());
    second.put(List::Runs, &key(2), b"b".to_vec());
    second.close();
    first.close();
    assert_eq!(runs(home.path()), BTreeMap::from([(key(1), b"a".to_vec())]));
}

#[test]
fn file_is_removed_behind_the_changes_before_it_also_without_a_database() {
    let home = tempfile::tempdir().unwrap();
    let (index, _) = Index::open(home.path());
    for index in [index, Index::default()] {
        let path = home.path().join("a.removed");
        std::fs::write(&path, "").unwrap();
        index.remove(List::Runs, &key(1));
        index.remove_file(path.clone());
        index.close();
        assert!(!path.exists());
    }
}
