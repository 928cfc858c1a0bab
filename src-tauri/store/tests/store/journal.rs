//! Journals against a plain vector, and damage to them.

use plait_core::origin::Origins;
use plait_journal::{Event, Journal, JournalLines, RunEvent};
use plait_store::Store;
use proptest::prelude::*;
use std::collections::BTreeMap;

use crate::support::{entries, entry, finished, flush, journal_path, read, run_id, started};

/// What a test does to two journals side by side.
#[derive(Clone, Debug)]
enum Act {
    Append { second: bool, texts: Vec<String> },
    Flush { second: bool },
    LeaveAndReturn { second: bool },
    Reopen,
}

fn act() -> impl Strategy<Value = Act> {
    // Now and then a text that is too large to stand in its entry.
    let text = prop_oneof![
        8 => "\\PC{0,40}",
        1 => (60_000usize..200_000).prop_map(|length| "plait ".repeat(length / 6)),
    ];
    prop_oneof![
        6 => (any::<bool>(), prop::collection::vec(text, 0..5)).prop_map(|(second, texts)| Act::Append { second, texts }),
        2 => any::<bool>().prop_map(|second| Act::Flush { second }),
        1 => any::<bool>().prop_map(|second| Act::LeaveAndReturn { second }),
        1 => Just(Act::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_journal_is_a_vector_of_entries(acts in prop::collection::vec(act(), 1..25)) {
        let home = tempfile::tempdir().expect("folder");
        let runs = [run_id(1), run_id(2)];
        let mut store = Store::open(home.path()).expect("opened");
        let mut model = runs.clone().map(|run| vec![entry(0, started(&run))]);
        let mut journals = [0, 1].map(|which| {
            let mut journal = store.journal(&runs[which]).expect("journal");
            journal.append(&model[which]).expect("appended");
            Some(journal)
        });
        for act in acts {
            match act {
                Act::Append { second, texts } => {
                    let (model, journal) = (&mut model[usize::from(second)], &mut journals[usize::from(second)]);
                    let more: Vec<_> = texts.iter().zip(model.len() as u64..).map(|(text, seq)| entry(seq, finished("n", text))).collect();
                    journal.as_mut().expect("open").append(&more).expect("appended");
                    model.extend(more);
                }
                Act::Flush { second } => flush(journals[usize::from(second)].as_mut().expect("open")),
                Act::LeaveAndReturn { second } => {
                    let which = usize::from(second);
                    journals[which] = None;
                    journals[which] = Some(store.journal(&runs[which]).expect("journal"));
                }
                Act::Reopen => {
                    drop((journals, store));
                    store = Store::open(home.path()).expect("opened again");
                    journals = runs.each_ref().map(|run| Some(store.journal(run).expect("journal")));
                }
            }
            for which in 0..2 {
                prop_assert_eq!(&read(&store, &runs[which]), &model[which]);
                prop_assert_eq!(store.run(&runs[which]).expect("record").events, model[which].len() as u64);
            }
            let middle = model[0].len() / 2;
            let tail: Vec<_> = store.read_journal(&runs[0], middle as u64).expect("opened").map(Result::unwrap).collect();
            prop_assert_eq!(&tail[..], &model[0][middle..]);
        }
    }
}

#[test]
fn a_long_journal_is_read_in_order() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let run = run_id(1);
    let all = entries(&run, (0..5_000).map(|number| number.to_string()));
    let mut journal = store.journal(&run).expect("journal");
    all.chunks(3).for_each(|piece| journal.append(piece).expect("appended"));
    assert!(read(&store, &run) == all, "in order, before any flush");
}

#[test]
fn a_journal_can_be_read_from_anywhere_while_it_grows() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let run = run_id(1);
    let text =
        |at: usize| if at == 700 { "plait ".repeat(20_000) } else { format!("{at} says what it says") };
    let all = entries(&run, (0..1_500).map(text));
    let mut journal = store.journal(&run).expect("journal");
    let mut reader = None;
    for (at, chunk) in all.chunks(5).enumerate() {
        journal.append(chunk).expect("appended");
        // One who reads slowly sees what was there when it began.
        if at == 20 {
            let mut slow = store.read_journal(&run, 3).expect("opened");
            let read: Vec<_> = slow.by_ref().take(30).map(Result::unwrap).collect();
            assert!(read == all[3..33]);
            reader = Some(slow);
        }
    }
    let rest: Vec<_> = reader.expect("begun").map(Result::unwrap).collect();
    assert!(rest == all[33..105], "the slow reader");
    for from in [0, 1, 4, 5, 699, 700, 701, 702, 1_499, 1_500, 1_501] {
        let read: Vec<_> =
            store.read_journal(&run, from as u64).expect("opened").map(Result::unwrap).collect();
        assert!(read == all[from.min(all.len())..], "from {from}");
    }
}

#[test]
fn a_run_that_has_ended_is_compressed_and_reads_the_same() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let mut all = entries(&run, (0..1_500).map(|at| format!("{at} says what it says")));
    all.push(entry(
        1_501,
        Event::Run(RunEvent::Finished { origins: Origins::NONE, outputs: BTreeMap::new() }),
    ));
    {
        let store = Store::open(home.path()).expect("opened");
        let mut journal = store.journal(&run).expect("journal");
        journal.append(&all).expect("appended");
        flush(&mut journal);
        drop(journal);
        assert!(read(&store, &run) == all);
    }
    let plain: usize = all.iter().map(|entry| serde_json::to_vec(entry).expect("json").len()).sum();
    let size = std::fs::metadata(journal_path(home.path(), &run)).expect("there").len();
    assert!(size * 6 < plain as u64, "{size} bytes of {plain}");
    let store = Store::open(home.path()).expect("opened");
    assert!(read(&store, &run) == all);
    assert_eq!(store.run(&run).expect("record").events, 1_502);
    assert_eq!(store.journal(&run).err().expect("refused").code, "run.ended");
}

#[test]
fn entries_out_of_order_are_refused_and_nothing_of_them_is_kept() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let run = run_id(1);
    let mut journal = store.journal(&run).expect("journal");
    let no_start = journal.append(&[entry(0, finished("n", "x"))]).expect_err("refused");
    assert_eq!(no_start.code, "journal.out_of_order");
    let of_another = journal.append(&[entry(0, started(&run_id(2)))]).expect_err("refused");
    assert_eq!(of_another.code, "journal.out_of_order");
    journal.append(&[entry(0, started(&run))]).expect("appended");
    for seqs in [[0, 1], [2, 3], [1, 1], [1, 3]] {
        let fault = journal.append(&seqs.map(|seq| entry(seq, finished("n", "x")))).expect_err("refused");
        assert_eq!(fault.code, "journal.out_of_order");
    }
    let mut watched_only = entry(1, finished("n", "x"));
    watched_only.seq = None;
    assert_eq!(journal.append(&[watched_only]).expect_err("refused").code, "journal.out_of_order");
    assert_eq!(read(&store, &run).len(), 1);
    assert_eq!(store.run(&run).expect("record").events, 1);
}

#[test]
fn one_writer_per_run() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let run = run_id(1);
    let first = store.journal(&run).expect("journal");
    assert_eq!(store.journal(&run).err().expect("refused").code, "run.busy");
    drop(first);
    assert!(store.journal(&run).is_ok());
    assert_eq!(store.journal(&"../../etc".into()).err().expect("refused").code, "run.bad_id");
}

#[test]
fn damage_is_reported_and_what_can_be_read_is_read() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let other = run_id(2);
    let all = entries(&run, (0..40).map(|at| format!("{at} says what it says")));
    {
        let store = Store::open(home.path()).expect("opened");
        let mut journal = store.journal(&run).expect("journal");
        for entry in &all {
            journal.append(std::slice::from_ref(entry)).expect("appended");
        }
        store.journal(&other).expect("journal").append(&entries(&other, [])).expect("appended");
    }
    let path = journal_path(home.path(), &run);
    let mut bytes = std::fs::read(&path).expect("read");
    let at = bytes.windows(12).position(|some| some == b"20 says what").expect("there");
    bytes[at] ^= 2;
    std::fs::write(&path, &bytes).expect("written");

    let store = Store::open(home.path()).expect("opened");
    let got: Vec<_> = store.read_journal(&run, 0).expect("opened").collect();
    assert_eq!(got.len(), 22, "the fault is the last");
    assert!(got[..21].iter().zip(&all).all(|(got, entry)| got.as_ref() == Ok(entry)));
    let fault = got[21].clone().expect_err("a fault");
    assert_eq!((fault.code.as_str(), &fault.details["seq"]), ("journal.corrupt", &serde_json::json!(21)));
    let around: Vec<_> = store.read_damaged_journal(&run).expect("opened").filter_map(Result::ok).collect();
    assert!(around.len() == 40 && around[20] == all[20] && around[21] == all[22]);
    let lines = store.journal_lines(&run).expect("read");
    let of_lines: Vec<_> = (0..lines.count()).filter_map(|index| lines.entry(index)).collect();
    assert_eq!(of_lines, around);
    assert!(store.run(&run).is_ok(), "the list still shows it");
    assert_eq!(store.journal(&run).err().expect("refused").code, "journal.corrupt");
    assert!(store.journal(&other).is_ok(), "the rest of the store works");
    drop(store);
    assert!(std::fs::read(&path).expect("read") == bytes, "it was not written to");
    std::fs::remove_file(&path).expect("removed");
    let store = Store::open(home.path()).expect("opened");
    assert_eq!(store.run(&run).expect("listed").events, 41, "what is known of it is shown");
    let fault = store.read_journal(&run, 0).expect("opened").next().expect("a fault").expect_err("a fault");
    assert_eq!(fault.code, "journal.corrupt");
    assert_eq!(store.journal(&run).err().expect("refused").code, "journal.corrupt");
}

#[test]
fn a_journal_that_lost_its_end_is_no_torn_write() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let all = entries(&run, (0..40).map(|at| format!("{at} says what it says")));
    {
        let store = Store::open(home.path()).expect("opened");
        let mut journal = store.journal(&run).expect("journal");
        for entry in &all {
            journal.append(std::slice::from_ref(entry)).expect("appended");
        }
    }
    let path = journal_path(home.path(), &run);
    let bytes = std::fs::read(&path).expect("read");
    std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
    for _ in 0..2 {
        let store = Store::open(home.path()).expect("opened");
        let got: Vec<_> = store.read_journal(&run, 0).expect("opened").collect();
        let fault = got.last().expect("a fault").clone().expect_err("a fault");
        assert_eq!(
            (fault.code.as_str(), &fault.details["seq"]),
            ("journal.corrupt", &serde_json::json!(got.len() - 1))
        );
        assert_eq!(store.run(&run).expect("record").events, 41);
        assert_eq!(store.journal(&run).err().expect("refused").code, "journal.corrupt");
    }
    assert_eq!(std::fs::metadata(&path).expect("there").len(), bytes.len() as u64 / 2);
}
