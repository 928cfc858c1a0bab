//! Lists of run trees.

use plait_core::id::RunId;
use plait_host_store::{ListedTree, Listing, Rest, TreeFilter};
use uuid::Uuid;

use crate::support::run_id;
use crate::{HOUR, Rig, as_worker};

const ALL: TreeFilter<'_> =
    TreeFilter { user: "ann", flow_path: None, status: None, before: None, limit: 10 };

fn listing(number: u64, status: &str, user: &str) -> Listing {
    Listing {
        summary: format!("{{\"number\":{number}}}"),
        status: status.to_owned(),
        flow_path: Some(format!("flow{}", number % 2)),
        user: user.to_owned(),
    }
}

impl Rig {
    async fn listed(&self, filter: TreeFilter<'_>) -> Vec<RunId> {
        self.database.trees(filter).await.unwrap().into_iter().map(|tree| tree.root).collect()
    }

    async fn begin_listed(&self, root: &RunId, number: u64, user: &str) {
        let listing = listing(number, "running", user);
        self.database.begin(root, None, ("run.start", "{}"), &listing).await.unwrap();
    }
}

#[test]
fn trees_are_listed_as_they_stand() {
    let rig = Rig::new();
    rig.runtime.block_on(async {
        let database = &rig.database;
        let ids: Vec<RunId> = (0..6).map(run_id).collect();
        let of = |numbers: &[usize]| numbers.iter().map(|number| ids[*number].clone()).collect::<Vec<_>>();
        // The order is that in which they were begun.
        for number in [3, 1, 2, 4] {
            rig.begin_listed(&ids[number], number as u64, "ann").await;
        }
        rig.begin_listed(&ids[5], 5, "bob").await;
        assert_eq!(rig.listed(ALL).await, of(&[4, 2, 1, 3]));
        let worker = Uuid::now_v7();
        let leases = database.claim(as_worker(worker), HOUR, 10).await.unwrap();
        for lease in leases {
            let request = database.next_request(&lease).await.unwrap().unwrap();
            let done = plait_host_store::Outcome::Reply("null".to_owned());
            database.finish_request(&lease, request.id, &done).await.unwrap();
            let number = (1..=5).find(|number| ids[*number] == lease.root).unwrap();
            let (status, user) =
                (if number < 3 { "waiting" } else { "finished" }, if number == 5 { "bob" } else { "ann" });
            let rest = Rest {
                goes_on: number == 4,
                state: Some("{\"questions\":[]}".to_owned()),
                has_ended: number > 2,
                listing: Some(listing(number as u64, status, user)),
            };
            database.release(&lease, &rest).await.unwrap();
        }
        let waiting = database.trees(TreeFilter { status: Some("waiting"), ..ALL }).await.unwrap();
        let tree = |number: usize| ListedTree {
            root: ids[number].clone(),
            is_due: false,
            summary: format!("{{\"number\":{number}}}"),
            waiting: Some("{\"questions\":[]}".to_owned()),
        };
        assert_eq!(waiting, [tree(2), tree(1)]);
        assert_eq!(rig.listed(TreeFilter { status: Some("finished"), ..ALL }).await, of(&[3]));
        assert_eq!(rig.listed(TreeFilter { status: Some("running"), ..ALL }).await, of(&[4]));
        assert_eq!(rig.listed(TreeFilter { flow_path: Some("flow1"), ..ALL }).await, of(&[1, 3]));
        let before = TreeFilter { before: Some(&ids[2]), limit: 1, ..ALL };
        assert_eq!(rig.listed(before).await, of(&[1]));
        let prefix = ids[1].as_str()[..20].to_uppercase();
        assert_eq!(database.roots_with_prefix(ids[1].as_str()).await.unwrap(), of(&[1]));
        assert!(database.roots_with_prefix(&prefix).await.unwrap().contains(&ids[1]));
        assert_eq!(database.roots_with_prefix("no id").await.unwrap(), of(&[]));
        assert!(!database.remove_tree(&ids[1]).await.unwrap(), "it waits");
        // A tree that is asked something goes on.
        database.request(&ids[1], "run.answer", "{}").await.unwrap();
        assert_eq!(rig.listed(TreeFilter { status: Some("running"), ..ALL }).await, of(&[4, 1]));
    });
}

#[test]
fn tree_that_goes_on_is_not_removed() {
    let rig = Rig::new();
    let root = run_id(1);
    let lease = rig.begin(&root, Uuid::now_v7(), HOUR);
    rig.runtime.block_on(async {
        let database = &rig.database;
        assert!(!database.remove_tree(&root).await.unwrap());
        let request = database.next_request(&lease).await.unwrap().unwrap();
        let done = plait_host_store::Outcome::Reply("null".to_owned());
        database.finish_request(&lease, request.id, &done).await.unwrap();
        let rest = Rest { goes_on: false, state: None, has_ended: true, listing: None };
        database.release(&lease, &rest).await.unwrap();
        assert!(database.remove_tree(&root).await.unwrap());
        assert!(!database.remove_tree(&root).await.unwrap());
        assert_eq!(database.root_of(&root).await.unwrap_err().code.as_str(), "run.unknown");
    });
}
