//! Journals against a plain vector, and damage to them.

use plait_adapters::Store;
use plait_engine::journal::Journal;
use proptest::prelude::*;

use crate::support::{database, entries, entry, finished, flush, read, run_id, started};

/// What a test does to two journals side by side.
#[derive(Clone, Debug)]
enum Act {
    Append { second: bool, texts: Vec<String> },
    Flush { second: bool },
    LeaveAndReturn { second: bool },
    Reopen,
}

fn act() -> impl Strategy<Value = Act> {
    // Now and then a text that is too large to stand in the database.
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
fn what_is_sealed_reads_the_same_from_anywhere() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let run = run_id(1);
    // Enough for several blocks, in pieces of their own, and one entry that is too large for any.
    let text =
        |at: usize| if at == 700 { "plait ".repeat(20_000) } else { format!("{at} says what it says") };
    let all = entries(&run, (0..1_500).map(text));
    let mut journal = store.journal(&run).expect("journal");
    let mut reader = None;
    for (at, chunk) in all.chunks(5).enumerate() {
        journal.append(chunk).expect("appended");
        flush(&mut journal);
        // One who reads slowly: begun while all lay in small pieces, done when nothing does.
        if at == 20 {
            let mut slow = store.read_journal(&run, 3).expect("opened");
            let read: Vec<_> = slow.by_ref().take(30).map(Result::unwrap).collect();
            assert!(read == all[3..33]);
            reader = Some(slow);
        }
    }
    drop(journal);
    // The journal is put together when nobody waits; a write that is answered comes after that.
    for _ in 0..2 {
        store.journal(&run).expect("journal");
        futures::executor::block_on(store.flush()).expect("flushed");
    }
    let rest: Vec<_> = reader.expect("begun").map(Result::unwrap).collect();
    assert!(rest == all[33..], "the slow reader");
    for from in [0, 1, 4, 5, 699, 700, 701, 702, 1_499, 1_500, 1_501] {
        let read: Vec<_> =
            store.read_journal(&run, from as u64).expect("opened").map(Result::unwrap).collect();
        assert!(read == all[from.min(all.len())..], "from {from}");
    }
    let mut journal = store.journal(&run).expect("goes on");
    assert_eq!(journal.next_seq(), all.len() as u64);
    let more = entry(all.len() as u64, finished("n", "more"));
    journal.append(std::slice::from_ref(&more)).expect("appended");
    assert_eq!(read(&store, &run).last(), Some(&more));
    drop((journal, store));

    let pieces: Vec<_> = database(home.path()).scan_prefix(b"j").values().map(Result::unwrap).collect();
    let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
    let plain: usize = all.iter().map(|entry| serde_json::to_vec(entry).expect("json").len()).sum();
    assert!(pieces.len() < 12, "{} pieces", pieces.len());
    assert!(bytes * 8 < plain - 120_000, "{bytes} bytes of {plain}");
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
fn damage_is_reported_and_entries_before_it_are_read() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let all = entries(&run, ["a".into(), "large ".repeat(20_000), "b".into(), "c".into()]);
    {
        let store = Store::open(home.path()).expect("opened");
        let mut journal = store.journal(&run).expect("journal");
        journal.append(&all).expect("appended");
    }
    let folder = home.path().join("blobs").join(run.as_str());
    let blob = std::fs::read_dir(folder).expect("folder").next().expect("a blob").expect("readable").path();
    let whole = std::fs::read(&blob).expect("read");

    let damaged_at = |seq: u64| {
        let store = Store::open(home.path()).expect("opened");
        let got: Vec<_> = store.read_journal(&run, 0).expect("opened").collect();
        let before: Vec<_> =
            got.iter().take_while(|item| item.is_ok()).map(|item| item.clone().unwrap()).collect();
        assert_eq!(before, all[..usize::try_from(seq).unwrap()]);
        let fault = got.last().expect("a fault").clone().expect_err("a fault");
        assert_eq!(fault.code, "journal.corrupt");
        assert_eq!(fault.details["seq"], seq);
        assert_eq!(got.len(), before.len() + 1, "the fault is the last");
        assert!(store.run(&run).is_ok(), "the list still shows it");
    };
    for torn in [&whole[..whole.len() / 2], &[], b"no json"] {
        std::fs::write(&blob, torn).expect("written");
        damaged_at(2);
    }
    std::fs::remove_file(&blob).expect("removed");
    damaged_at(2);
    std::fs::write(&blob, &whole).expect("written");

    let key = |seq: u64| {
        let mut key = vec![b'j'];
        key.extend(uuid::Uuid::parse_str(run.as_str()).expect("uuid").as_bytes());
        key.extend(seq.to_be_bytes());
        key
    };
    let tamper = |change: &dyn Fn(&sled::Db)| {
        let db = database(home.path());
        change(&db);
        db.flush().expect("flushed");
    };
    // The large entry stands alone; those behind it share a piece, and so do those before.
    let pieces: Vec<_> =
        database(home.path()).scan_prefix(b"j").keys().map(|key| key.expect("read").to_vec()).collect();
    assert_eq!(pieces, [key(0), key(2), key(3)]);
    let last = database(home.path()).get(key(3)).expect("read").expect("a piece").to_vec();
    // Left as it was written: up to the entry that is damaged. Sealed: all of it or nothing.
    let lines =
        all[3..].iter().map(|entry| serde_json::to_string(entry).expect("json") + "\n").collect::<String>();
    for (whole, damaged) in [(lines.as_bytes(), 4), (last.as_slice(), 3)] {
        let torn = &whole[..whole.len() - 20];
        tamper(&|db| drop(db.insert(key(3), torn).expect("written")));
        damaged_at(damaged);
    }
    // A block that says it holds more than it does.
    let mut fewer = last.clone();
    fewer[1] += 1;
    tamper(&|db| drop(db.insert(key(3), fewer.clone()).expect("written")));
    damaged_at(5);
    tamper(&|db| drop(db.insert(key(3), &b"@../../../etc/passwd"[..]).expect("written")));
    damaged_at(3);
    tamper(&|db| drop(db.insert(key(3), last.clone()).expect("written")));
    tamper(&|db| drop(db.remove(key(2)).expect("removed")));
    damaged_at(2);
}
