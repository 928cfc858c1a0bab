use super::*;
use crate::store::disk::FileSystem;

fn load(path: &Path) -> (RecordIndex<String>, IndexState) {
    RecordIndex::load(path.to_owned()).unwrap()
}

fn values(index: &RecordIndex<String>) -> Vec<&str> {
    index.records().values().map(String::as_str).collect()
}

#[test]
fn the_latest_record_counts_after_any_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.log");
    let (mut index, state) = load(&path);
    assert_eq!(state, IndexState::Missing);
    for (key, text) in [(1, "a"), (2, "b"), (1, "c")] {
        index.put([key; 16], text.to_owned());
    }
    index.write_out(&FileSystem).unwrap();
    index.remove(&[2; 16]);
    index.put([3; 16], "d".to_owned());
    index.write_out(&FileSystem).unwrap();
    let (index, state) = load(&path);
    assert_eq!((values(&index), state), (vec!["c", "d"], IndexState::Whole));
    // Cut anywhere, what is before is there, and more can be appended.
    let bytes = std::fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let (mut index, state) = load(&path);
        assert_ne!(state, IndexState::Damaged, "{length}");
        index.put([9; 16], "more".to_owned());
        index.write_out(&FileSystem).unwrap();
        let known = values(&index).len();
        let (index, state) = load(&path);
        assert_eq!((values(&index).len(), state), (known, IndexState::Whole), "{length}");
    }
}

#[test]
fn damage_is_noticed_and_a_rewrite_repairs_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.log");
    let (mut index, _) = load(&path);
    for number in 0..5_000_u32 {
        index.put([u8::try_from(number % 10).unwrap(); 16], number.to_string());
    }
    assert!(index.is_outdated());
    index.write_out(&FileSystem).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[5_000] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let (mut index, state) = load(&path);
    assert_eq!((index.records().len(), state), (10, IndexState::Damaged));
    index.rewrite(&FileSystem).unwrap();
    assert!(!index.is_outdated());
    let (index, state) = load(&path);
    assert_eq!((values(&index)[9], state), ("4999", IndexState::Whole));
    assert!(std::fs::metadata(&path).unwrap().len() < 1_000);
}
