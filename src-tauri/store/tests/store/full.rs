//! A full disk is reported, loses nothing that was flushed, and the store continues once there is space.
//!
//! The disk is a limit on the size of files, which a shell can set for a child without special rights. The child is this
//! test binary, started again on one test that does nothing unless it receives a path to write to.

#![cfg(target_os = "linux")]

use std::process::Command;

use plait_journal::Journal;
use plait_store::Store;

use crate::support::{entry, finished, flush, read, run_id, started};

const HOME: &str = "PLAIT_TEST_FULL_HOME";
const RUN: &str = "PLAIT_TEST_FULL_RUN";

#[test]
fn child() {
    let (Ok(home), Ok(run)) = (std::env::var(HOME), std::env::var(RUN)) else { return };
    let store = Store::open(home.as_ref()).expect("opened");
    let run = run.into();
    let mut journal = store.journal(&run).expect("journal");
    journal.append(&[entry(0, started(&run))]).expect("appended");
    flush(&mut journal);
    let (mut seq, mut flushed) = (1, 1);
    // What says the same again and again would be compressed to nothing.
    let mut chance = fastrand::Rng::with_seed(1);
    let fault = loop {
        let text: String = (0..8_000).map(|_| chance.alphanumeric()).collect();
        if let Err(fault) = journal.append(&[entry(seq, finished("n", &text))]) {
            break fault;
        }
        seq += 1;
        match futures::executor::block_on(journal.flush()) {
            Ok(()) => flushed = seq,
            Err(fault) => break fault,
        }
        assert!(seq < 10_000, "the disk never filled");
    };
    assert_eq!(fault.code, "store.full", "{fault}");
    assert!(fault.hint.is_some());
    let again = journal.append(&[entry(seq, finished("n", "x"))]).expect_err("refused");
    assert_eq!(again.code, "store.full", "what may be lost is not built on");
    println!("flushed {flushed}");
}

#[test]
fn full_disk_is_reported_and_loses_nothing() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    drop(Store::open(home.path()).expect("opened"));
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 6000; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().expect("this test"))
        .args(["--exact", "full::child", "--nocapture", "--test-threads", "1"])
        .env(HOME, home.path())
        .env(RUN, run.as_str())
        .output()
        .expect("ran");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    let flushed: u64 = out
        .lines()
        .find_map(|line| line.split_once("flushed ")?.1.trim().parse().ok())
        .unwrap_or_else(|| panic!("{out}"));
    assert!(flushed > 10, "it got somewhere: {flushed}");

    let store = Store::open(home.path()).expect("opened where there is room");
    let found = read(&store, &run);
    assert!(found.len() as u64 >= flushed, "{} of {flushed}", found.len());
    let mut journal = store.journal(&run).expect("journal");
    journal.append(&[entry(found.len() as u64, finished("n", "more"))]).expect("appended");
    flush(&mut journal);
    assert_eq!(read(&store, &run).len(), found.len() + 1);
}
