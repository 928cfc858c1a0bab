//! The tables and the notices of tenants in one database.

use std::time::Duration;

use plait_host_store::{Database, Listing, Notice, TenantName, Topic};
use uuid::Uuid;

use crate::support::run_id;
use crate::{HOUR, as_worker, postgres::Postgres};

#[test]
fn tenants_share_no_tables_and_no_notices() {
    let postgres = Postgres::start();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url = postgres.database("shared");
    runtime.block_on(async {
        let open =
            async |name: &str| Database::open(&url, 4, &TenantName::parse(name).unwrap()).await.unwrap();
        // Names that differ by what could separate a name from a topic.
        let tenants = [open("default").await, open("a").await, open("a-b").await, open("a_due").await];
        let (run, topics) = (run_id(1), [Topic::Due, Topic::Rest, Topic::Watch, Topic::Text]);
        let mut notices = Vec::new();
        for tenant in &tenants {
            notices.push(tenant.notices(&topics).await.unwrap());
        }
        let begin = async |tenant: &Database| {
            tenant.begin(&run, None, ("run.start", "{}"), &Listing::default()).await.unwrap()
        };
        let request = begin(&tenants[1]).await;
        tenants[1].announce_watch(&run, &run).await.unwrap();
        assert_eq!(notices[1].next().await.unwrap(), Notice::Due(run.clone()));
        let watch = Notice::Watch { root: run.clone(), run: run.clone() };
        assert_eq!(notices[1].next().await.unwrap(), watch);
        for other in [0, 2, 3] {
            let tenant = &tenants[other];
            assert_eq!(tenant.tree_state(&run).await.unwrap(), None);
            assert_eq!(tenant.outcome(request).await.unwrap(), None);
            let claimed = tenant.claim(as_worker(Uuid::now_v7()), HOUR, 10).await.unwrap();
            assert_eq!(claimed, []);
        }
        // The same run of another tenant is another one.
        begin(&tenants[3]).await;
        assert_eq!(notices[3].next().await.unwrap(), Notice::Due(run.clone()));
        for tenant in [1, 3] {
            let claimed = tenants[tenant].claim(as_worker(Uuid::now_v7()), HOUR, 10).await.unwrap();
            assert_eq!((claimed.len(), &claimed[0].root), (1, &run));
        }
        // The first notice that the others receive is their own.
        for other in [0, 2] {
            tenants[other].announce_watch(&run, &run).await.unwrap();
            let next = tokio::time::timeout(Duration::from_mins(1), notices[other].next()).await.unwrap();
            assert_eq!(next.unwrap(), watch);
        }
        // Opened again, everything is there.
        assert!(open("a").await.tree_state(&run).await.unwrap().is_some());
    });
}
