//! Copies of run trees that another process drives, which grow record by record.

use plait_core::id::RunId;
use plait_journal::{Entry, Journal};
use plait_store::{Store, TreeRecord};
use plait_testing::{RunStart, bought_reply};

use crate::support::{entries, entry, finished, flush, journal_path, read, run_id};

/// The file of a tree of a run and its child, with large values and bought replies, before it has ended.
fn tree_bytes(run: &RunId, child: &RunId) -> Vec<u8> {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let mut journal = store.journal(run).expect("journal");
    let first = entries(run, ["short".to_owned(), "wide ".repeat(20_000)]);
    journal.append(&first).expect("appended");
    let start = RunStart { parent_run_id: Some(run.clone()), ..RunStart::new(child.clone()) };
    let mut below = store.journal(child).expect("journal");
    below.append(&[entry(0, start.into())]).expect("appended");
    for number in 0..4 {
        below.append(&[entry(1 + number, bought_reply(7, None))]).expect("appended");
        let text = if number % 2 == 0 { "wide ".repeat(20_000) } else { "far ".repeat(9_000) };
        let more: Vec<Entry> = (0..2).map(|at| entry(3 + number * 2 + at, finished("n", &text))).collect();
        journal.append(&more).expect("appended");
    }
    flush(&mut journal);
    flush(&mut below);
    std::fs::read(journal_path(home.path(), run)).expect("file")
}

/// Where each record of a tree ends.
fn ends(root: &RunId, bytes: &[u8]) -> Vec<usize> {
    let records = TreeRecord::split(root, 0, bytes).expect("whole");
    records.iter().map(|record| usize::try_from(record.end()).expect("small")).collect()
}

#[test]
fn copy_that_grows_is_the_copy_of_the_whole() {
    let (run, child) = (run_id(1), run_id(2));
    let bytes = tree_bytes(&run, &child);
    let ends = ends(&run, &bytes);
    let homes = [tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder")];
    let [grown, whole] = homes.each_ref().map(|home| Store::open(home.path()).expect("opened"));
    // The header and the first record.
    let mut size = ends[1];
    grown.put_tree(&run, &bytes[..size]).expect("put");
    for end in &ends[2..] {
        grown.extend_tree(&run, size as u64, &bytes[size..*end]).expect("extended");
        whole.put_tree(&run, &bytes[..*end]).expect("put");
        size = *end;
        assert_eq!(grown.run(&run).expect("known"), whole.run(&run).expect("known"));
        assert_eq!(grown.run(&child).ok(), whole.run(&child).ok());
        assert_eq!(grown.children(&run).expect("known"), whole.children(&run).expect("known"));
        assert_eq!(read(&grown, &run), read(&whole, &run));
        assert_eq!(read(&grown, &child), read(&whole, &child));
        assert_eq!(grown.find_replies(&"k".into()), whole.find_replies(&"k".into()));
    }
    assert_eq!(grown.find_replies(&"k".into()).len(), 4);
    assert_eq!(grown.run(&child).expect("known").calls(), 4);
    drop(grown);
    let again = Store::open(homes[0].path()).expect("opened again");
    assert_eq!(again.run(&child).expect("known"), whole.run(&child).expect("known"));
    assert_eq!(again.find_replies(&"k".into()), whole.find_replies(&"k".into()));
}

#[test]
fn copy_grows_without_being_read_again() {
    let (run, child) = (run_id(1), run_id(2));
    let bytes = tree_bytes(&run, &child);
    let ends = ends(&run, &bytes);
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    store.put_tree(&run, &bytes[..ends[2]]).expect("put");
    let size = ends[3];
    store.extend_tree(&run, ends[2] as u64, &bytes[ends[2]..size]).expect("extended");
    let events = store.run(&run).expect("known").events;
    // A reader of what was there would find damage now, in its first entries.
    let mut damaged = bytes[..size].to_vec();
    damaged[ends[1]..][..6].copy_from_slice(b"damage");
    std::fs::write(journal_path(home.path(), &run), damaged).expect("written");
    store.extend_tree(&run, size as u64, &bytes[size..]).expect("extended");
    assert!(store.run(&run).expect("known").events > events);
    let added = store.read_journal(&run, events).expect("opened").collect::<Result<Vec<_>, _>>();
    assert!(!added.expect("whole").is_empty());
}

#[test]
fn records_that_do_not_follow_are_refused() {
    let (run, child) = (run_id(1), run_id(2));
    let bytes = tree_bytes(&run, &child);
    let ends = ends(&run, &bytes);
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    store.put_tree(&run, &bytes[..ends[2]]).expect("put");
    let refused = store.extend_tree(&run, ends[1] as u64, &bytes[ends[1]..ends[2]]).expect_err("refused");
    assert_eq!(refused.code.as_str(), "journal.corrupt");
    // A part of a record is what a file has whose writer died.
    store.extend_tree(&run, ends[2] as u64, &bytes[ends[2]..ends[3] - 1]).expect("extended");
    assert_eq!(read(&store, &run).len() as u64, store.run(&run).expect("known").events);
}
