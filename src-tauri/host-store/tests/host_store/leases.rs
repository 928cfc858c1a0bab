//! One writer at a time.

use plait_host_store::{
    Database, DueTree, Lease, Listing, Notice, Rest, TenantName, Topic, TreeClaim, WorkerId,
};
use plait_journal::Journal as _;
use uuid::Uuid;

use crate::support::{entries, flush, journal_path, read, run_id};
use crate::{HOUR, MOMENT, REVISION, Rig, as_worker};

#[test]
fn older_writer_is_refused() {
    let rig = Rig::new();
    let run = run_id(1);
    let all = entries(&run, (0..6).map(|number| number.to_string()));
    let older = rig.begin(&run, Uuid::now_v7(), MOMENT);
    let first = rig.process(&older);
    let mut journal = first.store.journal(&run).unwrap();
    journal.append(&all[..3]).unwrap();
    flush(&mut journal);
    // Its lease has expired, which it does not know.
    let newer = rig.runtime.block_on(rig.claim(Uuid::now_v7(), HOUR));
    assert_eq!(newer, Lease { root: run.clone(), epoch: older.epoch + 1 });
    let second = rig.process(&newer);
    let stored = rig.runtime.block_on(rig.database.tree(&run)).unwrap();
    second.store.put_tree(&run, &stored).unwrap();
    let mut next = second.store.journal(&run).unwrap();

    journal.append(&all[3..5]).unwrap();
    let refused = futures::executor::block_on(journal.flush()).unwrap_err();
    assert_eq!(refused.code.as_str(), "run.superseded");
    assert_eq!(rig.runtime.block_on(rig.database.tree(&run)).unwrap(), stored);
    next.append(&all[3..]).unwrap();
    flush(&mut next);
    assert_eq!(read(&second.store, &run), all);
    let stored = rig.runtime.block_on(rig.database.tree(&run)).unwrap();
    first.leased.remove(&older);
    drop(journal);
    first.store.put_tree(&run, &stored).unwrap();
    assert_eq!(read(&first.store, &run), all);
    // Without a lease it writes nothing at all.
    let mut journal = first.store.journal(&run).unwrap();
    journal.append(&[crate::support::entry(7, crate::support::finished("n", "late"))]).unwrap();
    let refused = futures::executor::block_on(journal.flush()).unwrap_err();
    assert_eq!(refused.code.as_str(), "run.superseded");
    rig.runtime.block_on(async {
        let rest = Rest { goes_on: true, state: None, has_ended: false, listing: None };
        assert_eq!(rig.database.release(&older, &rest).await.unwrap_err().code.as_str(), "run.superseded");
        rig.database.release(&newer, &rest).await.unwrap();
        assert_eq!(rig.database.release(&newer, &rest).await.unwrap_err().code.as_str(), "run.superseded");
    });
}

#[test]
fn lease_is_of_one_worker_until_it_expires() {
    let rig = Rig::new();
    let run = run_id(1);
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
    let lease = rig.begin(&run, first, HOUR);
    let all = [run.clone()];
    rig.runtime.block_on(async {
        let database = &rig.database;
        assert!(database.claim(as_worker(second), HOUR, 10).await.unwrap().is_empty());
        assert_eq!(database.extend_leases(first, MOMENT, &all).await.unwrap(), std::slice::from_ref(&lease));
        assert!(database.extend_leases(second, HOUR, &all).await.unwrap().is_empty());
        let taken = rig.claim(second, HOUR).await;
        assert!(database.extend_leases(first, HOUR, &all).await.unwrap().is_empty(), "lost");
        // A tree that waits for a person is nobody's.
        let request = database.next_request(&taken).await.unwrap().unwrap();
        let reply = plait_host_store::Outcome::Reply("null".to_owned());
        database.finish_request(&taken, request.id, &reply).await.unwrap();
        let waits = Rest { goes_on: false, state: Some("waits".to_owned()), has_ended: false, listing: None };
        database.release(&taken, &waits).await.unwrap();
        assert!(database.claim(as_worker(first), HOUR, 10).await.unwrap().is_empty());
        let state = database.tree_state(&run).await.unwrap().unwrap();
        assert_eq!((state.is_due, state.state.as_deref()), (false, Some("waits")));
        // Until it is asked something.
        database.request(&run, "run.answer", "{}").await.unwrap();
        let taken = rig.claim(first, HOUR).await;
        assert_eq!(taken.epoch, lease.epoch + 2);
        assert_eq!(database.tree_state(&run).await.unwrap().unwrap().state, None);
    });
}

#[test]
fn claims_share_the_work() {
    let rig = Rig::new();
    rig.runtime.block_on(async {
        for number in 0..20 {
            rig.database
                .begin(&run_id(number), None, ("run.start", "{}"), &Listing::default())
                .await
                .unwrap();
        }
        let claims = (0..8).map(|_| rig.database.claim(as_worker(Uuid::now_v7()), HOUR, 3));
        let claimed: Vec<Lease> =
            futures::future::try_join_all(claims).await.unwrap().into_iter().flatten().collect();
        let rest = rig.database.claim(as_worker(Uuid::now_v7()), HOUR, 100).await.unwrap();
        let mut roots: Vec<_> = claimed.into_iter().chain(rest).map(|lease| lease.root).collect();
        roots.sort();
        roots.dedup();
        assert_eq!(roots.len(), 20, "each once");
    });
}

#[test]
fn one_tree_is_claimed_or_it_is_said_why_not() {
    let rig = Rig::new();
    let (run, other) = (run_id(1), run_id(2));
    let (first, second) = (as_worker(Uuid::now_v7()), as_worker(Uuid::now_v7()));
    rig.runtime.block_on(async {
        let database = &rig.database;
        assert_eq!(
            database.claim_tree(first, HOUR, &run).await.unwrap(),
            TreeClaim::AtRest,
            "it is not there"
        );
        for root in [&run, &other] {
            database.begin(root, None, ("run.start", "{}"), &Listing::default()).await.unwrap();
        }
        let lease = Lease { root: run.clone(), epoch: 1 };
        assert_eq!(
            database.claim_tree(first, HOUR, &run).await.unwrap(),
            TreeClaim::Taken(lease.clone()),
            "and not the other one"
        );
        assert_eq!(database.claim_tree(second, HOUR, &run).await.unwrap(), TreeClaim::Held);
        let older = WorkerId { revision: REVISION - 1, ..second };
        assert_eq!(database.claim_tree(older, HOUR, &run).await.unwrap(), TreeClaim::NeedsNewerWorker);
        let request = database.next_request(&lease).await.unwrap().unwrap();
        let reply = plait_host_store::Outcome::Reply("null".to_owned());
        database.finish_request(&lease, request.id, &reply).await.unwrap();
        let waits = Rest { goes_on: false, state: Some("{}".to_owned()), has_ended: false, listing: None };
        database.release(&lease, &waits).await.unwrap();
        assert_eq!(database.claim_tree(second, HOUR, &run).await.unwrap(), TreeClaim::AtRest);
    });
}

#[test]
fn due_trees_are_those_that_no_worker_drives() {
    let rig = Rig::new();
    let run = run_id(1);
    let worker = as_worker(Uuid::now_v7());
    let due = |epoch, request| DueTree { root: run.clone(), epoch, request };
    rig.runtime.block_on(async {
        let database = &rig.database;
        database.begin(&run, None, ("run.start", "{}"), &Listing::default()).await.unwrap();
        assert_eq!(database.due_trees().await.unwrap(), [due(0, 1)]);
        let mut notices = database.notices(&[Topic::Due]).await.unwrap();
        let lease = database.claim(worker, HOUR, 1).await.unwrap().remove(0);
        assert_eq!(database.due_trees().await.unwrap(), []);
        // A request that came when the worker was about to leave it.
        database.request(&run, "run.answer", "{}").await.unwrap();
        assert_eq!(notices.next().await.unwrap(), Notice::Due(run.clone()));
        assert_eq!(database.due_trees().await.unwrap(), []);
        let rest = Rest { goes_on: false, state: None, has_ended: false, listing: None };
        database.release(&lease, &rest).await.unwrap();
        assert_eq!(notices.next().await.unwrap(), Notice::Due(run.clone()), "it is announced");
        assert_eq!(database.due_trees().await.unwrap(), [due(1, 2)]);
        // A worker that dies.
        database.claim(worker, MOMENT, 1).await.unwrap();
        assert_eq!(database.due_trees().await.unwrap(), [due(2, 2)]);
    });
}

#[test]
fn journal_waits_for_a_database_that_was_killed() {
    let rig = Rig::new();
    let run = run_id(1);
    let all = entries(&run, (0..4).map(|number| number.to_string()));
    let lease = rig.begin(&run, Uuid::now_v7(), HOUR);
    let process = rig.process(&lease);
    let mut journal = process.store.journal(&run).unwrap();
    journal.append(&all[..3]).unwrap();
    flush(&mut journal);
    rig.postgres.kill();
    journal.append(&all[3..]).unwrap();
    let flushed = journal.flush();
    let waiting = std::thread::spawn(move || futures::executor::block_on(flushed));
    rig.postgres.restart();
    waiting.join().unwrap().unwrap();
    let stored = rig.runtime.block_on(rig.database.tree(&run));
    // A statement may find a connection that is gone.
    let stored = stored.or_else(|_| rig.runtime.block_on(rig.database.tree(&run))).unwrap();
    assert_eq!(stored, std::fs::read(journal_path(process.home.path(), &run)).unwrap());
    assert_eq!(read(&process.store, &run), all);
}

#[test]
fn tables_are_made_once_and_newer_ones_refused() {
    let rig = Rig::new();
    let url = rig.postgres.database("twice");
    rig.runtime.block_on(async {
        Database::open(&url, 2, &TenantName::default()).await.unwrap().close().await;
        Database::open(&url, 2, &TenantName::default()).await.unwrap().close().await;
        let mut connection = <sqlx::PgConnection as sqlx::Connection>::connect(&url).await.unwrap();
        sqlx::query("INSERT INTO _sqlx_migrations VALUES (999, 'later', now(), true, '', 0)")
            .execute(&mut connection)
            .await
            .unwrap();
        let refused = Database::open(&url, 2, &TenantName::default()).await.unwrap_err();
        assert_eq!(refused.code.as_str(), "host.database_newer");
        let nowhere =
            Database::open(&url.replace("/twice", "/nothing"), 2, &TenantName::default()).await.unwrap_err();
        assert_eq!(nowhere.code.as_str(), "host.database");
    });
}

#[test]
fn tree_of_a_newer_engine_is_left_to_a_newer_worker() {
    let rig = Rig::new();
    let run = run_id(1);
    let (older, newer) = (as_worker(Uuid::now_v7()), WorkerId { id: Uuid::now_v7(), revision: REVISION + 1 });
    rig.runtime.block_on(async {
        let database = &rig.database;
        database.begin(&run, None, ("run.start", "{}"), &Listing::default()).await.unwrap();
        database.note_worker(older).await.unwrap();
        let taken = database.claim(newer, MOMENT, 10).await.unwrap();
        assert_eq!(taken.len(), 1);
        let rest = Rest { goes_on: true, state: None, has_ended: false, listing: None };
        database.release(&taken[0], &rest).await.unwrap();
        assert!(database.claim(older, HOUR, 10).await.unwrap().is_empty());
        let lacking = database.lacks_worker(&run, HOUR).await.unwrap().unwrap();
        assert_eq!((lacking.needed, lacking.newest), (REVISION + 1, Some(REVISION)));
        database.note_worker(newer).await.unwrap();
        assert_eq!(database.lacks_worker(&run, HOUR).await.unwrap(), None);
        assert_eq!(database.claim(newer, HOUR, 10).await.unwrap().len(), 1);
    });
}
