//! What the database holds of runs.

use plait_core::attachment::AttachmentStore as _;
use plait_core::hash::content_hash;
use plait_core::id::AttachmentHash;
use plait_host_store::Listing;
use plait_journal::{Event, Journal as _};
use plait_store::Store;
use plait_testing::RunStart;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

use crate::support::{entries, entry, finished, flush, journal_path, read, run_id, started};
use crate::{HOUR, Rig, as_worker};

/// Texts of appends, each with whether it is flushed, and whether another process goes on after it.
fn appends() -> impl Strategy<Value = Vec<(Vec<String>, bool, bool)>> {
    let text = prop_oneof![
        8 => "\\PC{0,40}",
        1 => (5_000usize..60_000).prop_map(|length| "plait ".repeat(length / 6)),
    ];
    prop::collection::vec(
        (prop::collection::vec(text, 1..5), any::<bool>(), prop::bool::weighted(0.2)),
        1..12,
    )
}

#[test]
fn database_has_the_bytes_of_the_file_of_any_journal() {
    let rig = Rig::new();
    let runs = AtomicU64::new(1);
    let mut runner = TestRunner::new(ProptestConfig { cases: 24, ..ProptestConfig::default() });
    runner
        .run(&appends(), |appends| {
            let run = run_id(runs.fetch_add(1, Ordering::SeqCst));
            let worker = Uuid::now_v7();
            let lease = rig.begin(&run, worker, HOUR);
            let mut process = rig.process(&lease);
            let files_home = tempfile::tempdir().unwrap();
            let files = Store::open(files_home.path()).unwrap();
            let mut model = vec![entry(0, started(&run))];
            let mut journals = (process.store.journal(&run).unwrap(), files.journal(&run).unwrap());
            journals.0.append(&model).unwrap();
            journals.1.append(&model).unwrap();
            for (texts, flushes, moves) in appends {
                let texts = texts.iter().zip(model.len() as u64..);
                let more: Vec<_> = texts.map(|(text, seq)| entry(seq, finished("n", text))).collect();
                journals.0.append(&more).unwrap();
                journals.1.append(&more).unwrap();
                model.extend(more);
                if !flushes && !moves {
                    continue;
                }
                flush(&mut journals.0);
                flush(&mut journals.1);
                let stored = rig.runtime.block_on(rig.database.tree(&run)).unwrap();
                prop_assert!(stored == std::fs::read(journal_path(process.home.path(), &run)).unwrap());
                prop_assert!(stored == std::fs::read(journal_path(files_home.path(), &run)).unwrap());
                if moves {
                    drop(journals.0);
                    process = rig.process(&lease);
                    process.store.put_tree(&run, &stored).unwrap();
                    prop_assert_eq!(&read(&process.store, &run), &model);
                    journals.0 = process.store.journal(&run).unwrap();
                }
            }
            // No other tree has work, for the next case.
            drop(journals);
            drop(process);
            rig.runtime.block_on(async {
                let request = rig.database.next_request(&lease).await.unwrap().unwrap();
                let outcome = plait_host_store::Outcome::Reply("null".to_owned());
                rig.database.finish_request(&lease, request.id, &outcome).await.unwrap();
                let rest =
                    plait_host_store::Rest { goes_on: false, state: None, has_ended: false, listing: None };
                rig.database.release(&lease, &rest).await.unwrap();
            });
            Ok(())
        })
        .unwrap();
}

#[test]
fn tree_moves_with_its_flows_and_attachments() {
    let rig = Rig::new();
    let (home, run, child) = (tempfile::tempdir().unwrap(), run_id(1), run_id(2));
    let store = Store::open(home.path()).unwrap();
    let mut journal = store.journal(&run).unwrap();
    journal.append(&entries(&run, ["x".repeat(20_000)])).unwrap();
    let mut below = store.journal(&child).unwrap();
    let begun: Event = RunStart { parent_run_id: Some(run.clone()), ..RunStart::new(child.clone()) }.into();
    below.append(&[entry(0, begun)]).unwrap();
    flush(&mut journal);
    drop((journal, below));
    let tree = store.stored_tree(&child).unwrap();
    assert_eq!(tree.root, run);
    let picture: AttachmentHash = content_hash(b"a picture").as_str().into();
    let flows = [("hash".to_owned(), "{}".to_owned())];
    let attachments = [(picture.clone(), b"a picture".to_vec())];
    let database = &rig.database;
    rig.runtime.block_on(async {
        database.put_tree(&tree, &flows, &attachments, ("{}", &Listing::default())).await.unwrap();
        assert_eq!(database.tree(&run).await.unwrap(), tree.bytes);
        assert_eq!(database.root_of(&child).await.unwrap(), run);
        assert_eq!(database.flow("hash").await.unwrap().as_deref(), Some("{}"));
        assert_eq!(database.attachment(&picture).await.unwrap().as_deref(), Some(b"a picture".as_slice()));
        let again = database.put_tree(&tree, &[], &[], ("{}", &Listing::default())).await.unwrap_err();
        assert_eq!(again.code.as_str(), "run.exists");
        for unknown in
            [database.tree(&child).await.unwrap_err(), database.root_of(&run_id(3)).await.unwrap_err()]
        {
            assert_eq!(unknown.code.as_str(), "run.unknown");
        }
        assert!(
            database.claim(as_worker(Uuid::now_v7()), HOUR, 10).await.unwrap().is_empty(),
            "it waits for nobody"
        );
    });
    let elsewhere = tempfile::tempdir().unwrap();
    let other = Store::open(elsewhere.path()).unwrap();
    other.put_tree(&run, &rig.runtime.block_on(database.tree(&run)).unwrap()).unwrap();
    assert_eq!(read(&other, &run), read(&store, &run));
    assert_eq!(other.children(&run).unwrap().len(), 1);
}

#[test]
fn flows_and_attachments_of_another_process_are_found() {
    let rig = Rig::new();
    let lease = rig.begin(&run_id(1), Uuid::now_v7(), HOUR);
    let (first, second) = (rig.process(&lease), rig.process(&lease));
    let hash = first.store.put_flow("{}").unwrap();
    assert_eq!(second.store.flow(&hash).unwrap(), "{}");
    let bytes: Arc<[u8]> = b"a picture".as_slice().into();
    let picture: AttachmentHash = content_hash(&bytes).as_str().into();
    rig.runtime.block_on(async {
        first.store.put(&picture, Arc::clone(&bytes)).await.unwrap();
        assert_eq!(second.store.get(&picture).await.unwrap(), bytes);
    });
}
