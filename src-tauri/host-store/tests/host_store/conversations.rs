//! Trees of one conversation, one after the other.

use plait_core::id::{ConversationId, RunId};
use plait_host_store::{Lease, Listing, Rest, TreeClaim};
use uuid::Uuid;

use crate::support::run_id;
use crate::{HOUR, MOMENT, Rig, as_worker};

const ENDED: Rest = Rest { goes_on: false, state: None, has_ended: true, listing: None };

impl Rig {
    /// Begins a tree that continues a conversation.
    async fn begin_in(&self, root: &RunId, conversation: &ConversationId) {
        self.database
            .begin(root, Some(conversation), ("run.start", "{}"), &Listing::default())
            .await
            .unwrap();
    }

    async fn claim_all(&self) -> Vec<Lease> {
        self.database.claim(as_worker(Uuid::now_v7()), HOUR, 10).await.unwrap()
    }

    /// Executes the request of a tree and gives it back.
    async fn leave(&self, lease: &Lease, rest: &Rest) {
        let request = self.database.next_request(lease).await.unwrap().unwrap();
        let reply = plait_host_store::Outcome::Reply("null".to_owned());
        self.database.finish_request(lease, request.id, &reply).await.unwrap();
        self.database.release(lease, rest).await.unwrap();
    }
}

#[test]
fn trees_of_a_conversation_are_driven_one_after_the_other() {
    let rig = Rig::new();
    let conversation: ConversationId = Uuid::now_v7().to_string().into();
    let (first_root, second_root) = (run_id(2), run_id(1));
    rig.runtime.block_on(async {
        let database = &rig.database;
        let unknown = database
            .begin(&run_id(9), Some(&conversation), ("run.start", "{}"), &Listing::default())
            .await
            .unwrap_err();
        assert_eq!(unknown.code.as_str(), "conversation.unknown");
        database.put_conversation(&conversation, b"begun").await.unwrap();
        rig.begin_in(&first_root, &conversation).await;
        rig.begin_in(&second_root, &conversation).await;
        assert_eq!(database.conversation_of(&second_root).await.unwrap(), Some(conversation.clone()));
        let first = rig.claim_all().await;
        assert_eq!(
            first.iter().map(|lease| &lease.root).collect::<Vec<_>>(),
            [&first_root],
            "in their order"
        );
        assert!(rig.claim_all().await.is_empty());
        let behind = database.claim_tree(as_worker(Uuid::now_v7()), HOUR, &second_root).await.unwrap();
        assert_eq!(behind, TreeClaim::BehindAnother);
        assert_eq!(database.due_trees().await.unwrap(), []);
        // It waits for a person: it has not ended.
        let waits = Rest { goes_on: false, state: Some("{}".to_owned()), has_ended: false, listing: None };
        rig.leave(&first[0], &waits).await;
        assert_eq!(database.waiting_in(&conversation).await.unwrap(), Some(first_root.clone()));
        assert!(rig.claim_all().await.is_empty());
        database.request(&first_root, "run.answer", "{}").await.unwrap();
        let first = rig.claim_all().await;
        rig.leave(&first[0], &ENDED).await;
        assert_eq!(database.waiting_in(&conversation).await.unwrap(), None);
        assert_eq!(rig.claim_all().await[0].root, second_root);
    });
}

#[test]
fn turn_is_added_once_and_under_the_newest_lease() {
    let rig = Rig::new();
    let conversation: ConversationId = Uuid::now_v7().to_string().into();
    rig.runtime.block_on(async {
        let database = &rig.database;
        database.put_conversation(&conversation, b"begun").await.unwrap();
        rig.begin_in(&run_id(1), &conversation).await;
        let older = database.claim(as_worker(Uuid::now_v7()), MOMENT, 1).await.unwrap().remove(0);
        let newer = rig.claim_all().await.remove(0);
        let late = database.extend_conversation(&older, &conversation, 5, b" late").await.unwrap_err();
        assert_eq!(late.code.as_str(), "run.superseded");
        database.extend_conversation(&newer, &conversation, 5, b" and said").await.unwrap();
        let again = database.extend_conversation(&newer, &conversation, 5, b" and said").await.unwrap_err();
        assert_eq!(again.code.as_str(), "run.superseded", "it has another size by now");
        assert_eq!(database.conversation(&conversation).await.unwrap(), b"begun and said");
        assert_eq!(database.conversation_size(&conversation).await.unwrap(), Some(14));
    });
}
