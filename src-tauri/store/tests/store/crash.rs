//! A process that writes is killed at random moments. What was reported as flushed must be there, in order, without a gap.
//!
//! In every other round the index is deleted as well, so that it is rebuilt from what the crash left.
//!
//! `PLAIT_CRASH_ROUNDS` sets the number of kills. The child is this test binary, started again on one test that does nothing unless it receives a path to write to.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use plait_journal::Journal;
use plait_store::Store;

use crate::support::{entry, finished, flush, read, run_id, started};

const HOME: &str = "PLAIT_TEST_CRASH_HOME";
const RUN: &str = "PLAIT_TEST_CRASH_RUN";
/// How often the writer is killed.
fn rounds() -> usize {
    std::env::var("PLAIT_CRASH_ROUNDS").ok().and_then(|count| count.parse().ok()).unwrap_or(20)
}

/// The text of an entry, derived from its seq, and sometimes large.
fn text(seq: u64) -> String {
    if seq % 41 == 40 { format!("{seq} ").repeat(20_000) } else { seq.to_string() }
}

#[test]
fn child() {
    let (Ok(home), Ok(run)) = (std::env::var(HOME), std::env::var(RUN)) else { return };
    let store = Store::open(home.as_ref()).expect("opened");
    let run = run.into();
    let mut journal = store.journal(&run).expect("journal");
    let mut seq = journal.next_seq();
    if seq == 0 {
        journal.append(&[entry(0, started(&run))]).expect("appended");
        seq = 1;
    }
    loop {
        // Appends of one to four entries, each all or none; a flush now and then.
        let count = 1 + seq % 4;
        let batch: Vec<_> = (seq..seq + count).map(|seq| entry(seq, finished("n", &text(seq)))).collect();
        journal.append(&batch).expect("appended");
        seq += count;
        if seq.is_multiple_of(3) {
            flush(&mut journal);
            println!("flushed {seq}");
        }
    }
}

#[test]
fn a_killed_writer_loses_nothing_that_was_flushed() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let mut reached = 0;
    for round in 0..rounds() {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "crash::child", "--nocapture", "--test-threads", "1"])
            .env(HOME, home.path())
            .env(RUN, run.as_str())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        // Let it get somewhere, then kill it at a moment of its own.
        let flushed_before = reached;
        let reader = std::thread::spawn(move || {
            let mut flushed = 0;
            let (sender, first) = std::sync::mpsc::channel();
            let _keep = sender.clone();
            let lines = output.lines().map_while(Result::ok);
            let counting = std::thread::spawn(move || {
                for line in lines {
                    if let Some((_, seq)) = line.split_once("flushed ") {
                        flushed = seq.trim().parse::<u64>().expect("a number");
                        // Only the first is waited for.
                        let _ = sender.send(());
                    }
                }
                flushed
            });
            (first, counting)
        });
        let (first, counting) = reader.join().expect("reads");
        first.recv_timeout(Duration::from_mins(1)).expect("the child flushes");
        std::thread::sleep(Duration::from_micros(fastrand::u64(0..40_000)));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let flushed = counting.join().expect("read");
        assert!(flushed > flushed_before, "round {round}: it got on");

        if round % 2 == 1 {
            std::fs::remove_dir_all(home.path().join("index")).expect("the index was there");
        }
        let store = Store::open(home.path()).unwrap_or_else(|fault| panic!("round {round}: {fault}"));
        let found = read(&store, &run);
        assert!(found.len() as u64 >= flushed, "round {round}: {} of {flushed}", found.len());
        for (found, seq) in found.iter().zip(0..) {
            let expected = if seq == 0 { started(&run) } else { finished("n", &text(seq)) };
            assert!(found.seq == Some(seq) && found.event == expected, "round {round}: entry {seq}");
        }
        // Appends are whole: the lengths at which one may end are those the child passes through.
        reached = found.len() as u64;
        let mut boundary = 1;
        while boundary < reached {
            boundary += 1 + boundary % 4;
        }
        assert_eq!(boundary, reached, "round {round}: an append was torn");
        assert_eq!(store.run(&run).expect("record").events, reached);
    }
}
