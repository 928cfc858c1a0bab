use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use plait_core::id::{Activation, Epoch};
use plait_journal::{Entry, Event, FinishMetadata, NodeEvent};
use serde_json::json;

use super::*;
use crate::disk::FileSystem;
use crate::journal_reader::TreeFile;

const ROOT: Key = [1, 0x8f, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1];

fn child(number: u8) -> Key {
    let mut key = ROOT;
    key[15] = number;
    key
}

#[expect(clippy::unnecessary_wraps, reason = "the summary of the store can fail")]
fn summarize() -> Result<Vec<u8>, Fault> {
    Ok(b"the summary".to_vec())
}

fn entry(seq: u64, text: &str) -> Entry {
    let event = Event::Node(
        Activation { node: "n".into(), epoch: Epoch::root() },
        NodeEvent::Finished {
            outputs: [("out".into(), Arc::new(json!(text)))].into(),
            messages: BTreeMap::new(),
            metadata: FinishMetadata::default(),
        },
    );
    Entry { seq: Some(seq), at: seq, event, interrupted_ms: 0 }
}

fn append(tree: &Tree, run: Key, entries: &[Entry]) {
    let encoded = EncodedEntries::of(&run_id(run), entries).unwrap();
    tree.append(run, entries[0].seq.unwrap(), &encoded, Vec::new()).unwrap();
}

/// The entries of a run that can be read, and the faults.
fn read(path: &Path, run: Key) -> (Vec<Entry>, Vec<Fault>) {
    let tree = TreeFile::open(path).unwrap();
    let mut reader = tree.entries(run, tree.layout.has_unknown_damage).unwrap();
    let (mut entries, mut faults) = (Vec::new(), Vec::new());
    loop {
        match reader.next() {
            Ok(Some(entry)) => entries.push(entry),
            Ok(None) => return (entries, faults),
            Err(fault) => faults.push(fault),
        }
    }
}

/// A tree of a root and two children, interleaved, on disk.
fn written(home: &Path, texts: &[String]) -> (PathBuf, Vec<Entry>) {
    let path = path_in(home, ROOT);
    let tree = Tree::create(Arc::new(FileSystem), path.clone(), ROOT);
    let all: Vec<Entry> = texts.iter().zip(0..).map(|(text, seq)| entry(seq, text)).collect();
    for some in all.chunks(3) {
        for run in [ROOT, child(2), child(3)] {
            append(&tree, run, some);
        }
    }
    tree.sync().unwrap();
    (path, all)
}

#[test]
fn a_file_is_found_by_the_month_of_its_root() {
    let root = run_key(&"0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10".into()).unwrap();
    let path = path_in(Path::new("home"), root);
    assert!(path.ends_with("runs/2024-12/0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10.journal"), "{path:?}");
}

#[test]
fn interleaved_runs_read_the_same_before_and_after_compression() {
    let home = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..900).map(|number| format!("{number} says what it says")).collect();
    let (path, all) = written(home.path(), &texts);
    let before = std::fs::metadata(&path).unwrap().len();
    for sealed in [false, true] {
        if sealed {
            let size =
                rewrite(&FileSystem, &path, ROOT, &|_| true, Some(&summarize)).unwrap().expect("rewritten");
            assert_eq!(std::fs::metadata(&path).unwrap().len(), size);
            assert!(size * 5 < before, "{size} of {before}");
            assert_eq!(read_summary(&path).unwrap(), Some((b"the summary".to_vec(), size)));
            assert_eq!(rewrite(&FileSystem, &path, ROOT, &|_| true, Some(&summarize)).unwrap(), None, "once");
        }
        for run in [ROOT, child(2), child(3)] {
            assert!(read(&path, run) == (all.clone(), vec![]));
        }
        assert_eq!(read(&path, child(4)), (vec![], vec![]));
    }
    rewrite(&FileSystem, &path, ROOT, &|run| *run != child(2), Some(&summarize)).unwrap().expect("rewritten");
    assert_eq!(read(&path, child(2)), (vec![], vec![]));
    assert!(read(&path, child(3)) == (all, vec![]));
}

#[test]
fn a_large_value_is_stored_once_per_tree() {
    let home = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    let large: String = (0..200_000).map(|_| random.alphanumeric()).collect();
    let (path, all) = written(home.path(), &vec![large.clone(); 20]);
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(size < 230_000, "{size} bytes for 60 times 200,000");
    assert!(read(&path, child(3)) == (all.clone(), vec![]));
    // It is known again when the tree is opened again.
    let layout = TreeLayout::read(&path).unwrap();
    let tree = Tree::open(Arc::new(FileSystem), path.clone(), ROOT, layout);
    append(&tree, ROOT, &[entry(20, &large)]);
    tree.sync().unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < size + 1_000);
    assert_eq!(read(&path, ROOT).0.len(), 21);
    rewrite(&FileSystem, &path, ROOT, &|_| true, Some(&summarize)).unwrap().expect("rewritten");
    assert!(read(&path, child(2)) == (all, vec![]));
}

#[test]
fn damage_costs_what_stood_there_and_is_named() {
    let home = tempfile::tempdir().unwrap();
    let large = "wide ".repeat(2_000);
    let texts: Vec<String> =
        (0..300).map(|number| if number % 50 == 7 { large.clone() } else { number.to_string() }).collect();
    let mut random = fastrand::Rng::with_seed(7);
    for sealed in [false, true] {
        let (path, all) = written(home.path(), &texts);
        if sealed {
            rewrite(&FileSystem, &path, ROOT, &|_| true, Some(&summarize)).unwrap().expect("rewritten");
        }
        let whole = std::fs::read(&path).unwrap();
        let mut noticed = 0;
        for _ in 0..150 {
            let mut bytes = whole.clone();
            let place = random.usize(0..bytes.len());
            bytes[place] ^= 1 << random.u8(0..8);
            std::fs::write(&path, &bytes).unwrap();
            let layout = TreeLayout::read(&path).unwrap();
            assert!(layout.is_damaged(), "byte {place}");
            let mut lost = 0;
            for run in [ROOT, child(2), child(3)] {
                let (found, faults) = read(&path, run);
                assert!(
                    found.iter().all(|found| all[usize::try_from(found.seq.unwrap()).unwrap()] == *found)
                );
                lost += all.len() - found.len();
                assert!(
                    found.len() == all.len() || !faults.is_empty(),
                    "byte {place}: a loss without a word"
                );
            }
            // A block holds more than a record does; a value is in six entries of each run.
            assert!(lost <= if sealed { 400 } else { 18 }, "byte {place}: {lost} entries");
            noticed += usize::from(lost > 0);
        }
        assert!(noticed > 50, "{noticed}");
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn entries_that_were_lost_before_a_file_is_sealed_stay_lost() {
    let home = tempfile::tempdir().unwrap();
    let path = path_in(home.path(), ROOT);
    let tree = Tree::create(Arc::new(FileSystem), path.clone(), ROOT);
    for seqs in [0..3, 5..7] {
        append(&tree, ROOT, &seqs.map(|seq| entry(seq, "text")).collect::<Vec<_>>());
    }
    tree.sync().unwrap();
    for is_sealed in [false, true] {
        if is_sealed {
            rewrite(&FileSystem, &path, ROOT, &|_| true, Some(&summarize)).unwrap().expect("rewritten");
        }
        let layout = TreeLayout::read(&path).unwrap();
        assert_eq!(layout.runs[&ROOT].lost, std::slice::from_ref(&(3..5)), "{is_sealed}");
        let (found, faults) = read(&path, ROOT);
        assert_eq!((found.len(), faults.len()), (5, 1), "{is_sealed}");
    }
}

#[test]
fn a_file_cut_anywhere_goes_on_from_what_is_whole() {
    let home = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..6).map(|number| number.to_string()).collect();
    let (path, all) = written(home.path(), &texts);
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let layout = TreeLayout::read(&path).unwrap();
        assert!(!layout.is_damaged(), "{length}");
        let next = layout.next_seq(&ROOT);
        let tree = Tree::open(Arc::new(FileSystem), path.clone(), ROOT, layout);
        append(&tree, ROOT, &[entry(next, "more")]);
        tree.sync().unwrap();
        let (found, faults) = read(&path, ROOT);
        let kept = usize::try_from(next).unwrap();
        assert!(found[..kept] == all[..kept] && found[kept..] == [entry(next, "more")], "{length}");
        assert_eq!(faults, [], "{length}");
    }
}

#[test]
fn a_sealed_file_that_was_cut_is_damaged() {
    let home = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..500).map(|number| number.to_string()).collect();
    let (path, _) = written(home.path(), &texts);
    rewrite(&FileSystem, &path, ROOT, &|_| true, Some(&summarize)).unwrap().expect("rewritten");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(TreeLayout::read(&path).unwrap().is_damaged());
    let (_, faults) = read(&path, ROOT);
    assert_eq!(faults[0].code, "journal.corrupt");
}
