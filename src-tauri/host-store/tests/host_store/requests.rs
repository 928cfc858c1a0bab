//! What runs are asked to do, and who learns of it.

use plait_host_store::{Listing, Notice, Outcome, Rest, Topic};
use uuid::Uuid;

use crate::support::run_id;
use crate::{HOUR, MOMENT, Rig};

#[test]
fn requests_are_executed_in_order_and_once() {
    let rig = Rig::new();
    let run = run_id(1);
    let older = rig.begin(&run, Uuid::now_v7(), MOMENT);
    rig.runtime.block_on(async {
        let database = &rig.database;
        let second = database.request(&run, "run.answer", "\"secret\"").await.unwrap();
        let begun = database.next_request(&older).await.unwrap().unwrap();
        assert_eq!((begun.command.as_str(), begun.begun_at), ("run.start", None));
        let lease = rig.claim(Uuid::now_v7(), HOUR).await;
        let again = database.next_request(&lease).await.unwrap().unwrap();
        assert_eq!((again.id, again.begun_at), (begun.id, Some(0)), "it was begun before");
        let reply = Outcome::Reply("{}".to_owned());
        let late = database.finish_request(&older, begun.id, &reply).await.unwrap_err();
        assert_eq!(late.code.as_str(), "run.superseded");
        assert!(database.next_request(&older).await.unwrap().is_none());
        assert_eq!(database.outcome(begun.id).await.unwrap(), None);
        database.finish_request(&lease, begun.id, &reply).await.unwrap();
        assert_eq!(database.outcome(begun.id).await.unwrap(), Some(reply));

        let next = database.next_request(&lease).await.unwrap().unwrap();
        assert_eq!((next.id, next.arguments.as_str()), (second, "\"secret\""));
        let refused = Outcome::Error("{\"code\":\"answer.invalid\"}".to_owned());
        // A request that comes while the tree is left keeps it due.
        let third = database.request(&run, "run.cancel", "{}").await.unwrap();
        database.finish_request(&lease, second, &refused).await.unwrap();
        assert_eq!(database.outcome(second).await.unwrap(), Some(refused));
        database
            .release(&lease, &Rest { goes_on: false, state: None, has_ended: false, listing: None })
            .await
            .unwrap();
        assert!(database.tree_state(&run).await.unwrap().unwrap().is_due);
        let lease = rig.claim(Uuid::now_v7(), HOUR).await;
        assert_eq!(database.next_request(&lease).await.unwrap().unwrap().id, third);
        let unknown = database.request(&run_id(2), "run.cancel", "{}").await.unwrap_err();
        assert_eq!(unknown.code.as_str(), "run.unknown");
    });
}

#[test]
fn notices_tell_of_work_and_of_rest() {
    let rig = Rig::new();
    let run = run_id(1);
    rig.runtime.block_on(async {
        let mut notices = rig.database.notices(&[Topic::Due, Topic::Rest]).await.unwrap();
        rig.database.begin(&run, None, ("run.start", "{}"), &Listing::default()).await.unwrap();
        assert_eq!(notices.next().await.unwrap(), Notice::Due(run.clone()));
        let lease = rig.claim(Uuid::now_v7(), HOUR).await;
        rig.database
            .release(&lease, &Rest { goes_on: true, state: None, has_ended: false, listing: None })
            .await
            .unwrap();
        assert_eq!(notices.next().await.unwrap(), Notice::Rest(run));
    });
}
