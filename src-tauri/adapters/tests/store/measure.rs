//! What the derived index costs and saves, with 10,000 runs. It prints times and asserts none:
//! `cargo test -p plait-adapters --test store measure -- --ignored --nocapture`.

use std::path::Path;
use std::time::Instant;

use plait_adapters::Store;
use plait_adapters::store::RunFilter;
use plait_core::origin::Origins;
use plait_run::journal::{Entry, Event, Journal, RunEvent};

use crate::support::{entries, entry, run_id};

const RUNS: u64 = 10_000;
const SAMPLES: usize = 3;

/// A run of 20 nodes that has ended.
fn ended(number: u64) -> (plait_core::id::RunId, Vec<Entry>) {
    let run = run_id(number);
    let mut all = entries(&run, (0..20).map(|node| format!("the text of node {node}")));
    let end =
        Event::Run(RunEvent::Finished { origins: Origins::NONE, outputs: std::collections::BTreeMap::new() });
    all.push(entry(all.len() as u64, end));
    (run, all)
}

fn fastest(what: &str, mut work: impl FnMut()) {
    let times = (0..SAMPLES).map(|_| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    });
    println!("{what}: {:.1} ms", times.min().expect("sampled").as_secs_f64() * 1e3);
}

fn size(path: &Path) -> u64 {
    let Ok(items) = std::fs::read_dir(path) else {
        return std::fs::metadata(path).map_or(0, |file| file.len());
    };
    items.flatten().map(|item| size(&item.path())).sum()
}

#[test]
#[ignore = "a measurement"]
fn index_of_ten_thousand_runs() {
    let folder = tempfile::tempdir().expect("folder");
    let home = folder.path();
    let store = Store::open(home).expect("opened");
    let mut appending = std::time::Duration::ZERO;
    for number in 0..RUNS {
        let (run, all) = ended(number);
        let begin = Instant::now();
        let mut journal = store.journal(&run).expect("journal");
        all.chunks(4).for_each(|some| journal.append(some).expect("appended"));
        drop(journal);
        appending += begin.elapsed();
    }
    println!("a run of 22 events: {:?}", appending / u32::try_from(RUNS).expect("a small number"));
    let begin = Instant::now();
    drop(store);
    println!("closing: {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    fastest("open and close", || drop(Store::open(home).expect("opened")));
    let store = Store::open(home).expect("opened");
    fastest("list all", || assert_eq!(store.runs(&RunFilter::default()).expect("listed").len(), 10_000));
    fastest("list the newest 100", || {
        let filter = RunFilter { limit: Some(100), ..RunFilter::default() };
        assert_eq!(store.runs(&filter).expect("listed").len(), 100);
    });
    fastest("open for reading beside it, list all", || {
        let reader = Store::open_for_reading(home).expect("opened");
        assert_eq!(reader.runs(&RunFilter::default()).expect("listed").len(), 10_000);
    });
    drop(store);
    let index = [home.join("index"), home.join("runs/index.log")];
    println!("index: {} KB", index.iter().map(|path| size(path)).sum::<u64>() >> 10);
    fastest("open without the index and close", || {
        for path in &index {
            let _ = std::fs::remove_dir_all(path).or_else(|_| std::fs::remove_file(path));
        }
        drop(Store::open(home).expect("opened"));
    });
}
