//! Replies that one run tree bought, taken by others.

use plait_core::id::{Activation, Epoch, ReplyKey, RunId};
use plait_core::origin::Origins;
use plait_host_store::Listing;
use plait_journal::earlier_run::{EarlierReply, ReplyTurn};
use plait_journal::{CallEvent, Entry, Event, Journal as _, NodeEvent};
use plait_llm::provider::ModelReply;
use plait_store::{RunDatabase as _, WantedReply};
use uuid::Uuid;

use crate::support::{entry, flush, run_id, started};
use crate::{HOUR, MOMENT, Rig};

fn bought(seq: u64, key: &str, text: &str) -> Entry {
    let reply = Box::new(ModelReply { text: text.to_owned(), ..ModelReply::default() });
    let event = CallEvent::ModelReplied {
        step: 0,
        reply,
        account: None,
        key: Some(ReplyKey::from(key.to_owned())),
        sampling: None,
        origins: Origins::NONE,
        reused: None,
        bought: None,
    };
    entry(seq, Event::Call(asker(), event))
}

fn asker() -> Activation {
    Activation { node: "chat".into(), epoch: Epoch::default() }
}

fn wanted<'k>(root: &'k RunId, key: &'k ReplyKey) -> WantedReply<'k> {
    WantedReply { root, user: "me", key }
}

fn text(turn: ReplyTurn) -> Option<String> {
    match turn {
        ReplyTurn::Take(reply) => Some(reply.reply.text),
        ReplyTurn::Buy(_) => None,
    }
}

#[test]
fn reply_is_bought_by_one_tree_and_taken_by_another() {
    let rig = Rig::new();
    let (run, other, key) = (run_id(1), run_id(2), ReplyKey::from("key".to_owned()));
    let first = rig.begin(&run, Uuid::now_v7(), HOUR);
    let second = rig.begin(&other, Uuid::now_v7(), HOUR);
    let (buyer, taker) = (rig.process(&first), rig.process(&second));
    let mut journal = buyer.store.journal(&run).unwrap();
    let begun = started(&run);
    let user = begun_user(&begun);
    journal.append(&[entry(0, begun)]).unwrap();
    flush(&mut journal);
    let want = |root| WantedReply { user: &user, ..wanted(root, &key) };
    rig.runtime.block_on(async {
        let claim = buyer.leased.reply_turn(want(&run), &mut |_| true).await.unwrap();
        assert!(matches!(claim, ReplyTurn::Buy(Some(_))));
        let mut take = |reply: &EarlierReply| reply.event.run == run;
        let mut waiting = taker.leased.reply_turn(want(&other), &mut take);
        tokio::select! {
            biased;
            _ = &mut waiting => panic!("it does not wait"),
            () = tokio::task::yield_now() => {}
        }
        tokio::task::block_in_place(|| {
            journal.append(&[bought(1, "key", "once")]).unwrap();
            flush(&mut journal);
        });
        // Also while the claim is held: what is stored is there.
        assert_eq!(text(waiting.await.unwrap()).as_deref(), Some("once"));
        drop(claim);
        // Of a tree's own purchases nothing is taken here.
        assert_eq!(text(buyer.leased.reply_turn(want(&run), &mut |_| true).await.unwrap()), None);
        let stranger = WantedReply { user: "somebody else", ..want(&other) };
        assert_eq!(text(taker.leased.reply_turn(stranger, &mut |_| true).await.unwrap()), None);
        tokio::task::block_in_place(|| {
            let error = serde_json::from_value(serde_json::json!({ "code": "chat.empty", "message": "no" }));
            let (error, origins) = (error.unwrap(), Origins::NONE);
            let failed = NodeEvent::Failed { error, handled: false, origins };
            journal.append(&[entry(2, Event::Node(asker(), failed))]).unwrap();
            flush(&mut journal);
        });
        let turn = taker.leased.reply_turn(want(&other), &mut |_| true).await.unwrap();
        assert_eq!(text(turn), None, "a reply that made its node fail is not taken");
    });
}

#[test]
fn claim_of_a_dead_worker_keeps_nobody() {
    let rig = Rig::new();
    let (run, other, key) = (run_id(1), run_id(2), ReplyKey::from("key".to_owned()));
    let first = rig.begin(&run, Uuid::now_v7(), MOMENT);
    let dead = rig.process(&first);
    rig.runtime.block_on(async {
        let held = dead.leased.reply_turn(wanted(&run, &key), &mut |_| true).await.unwrap();
        rig.database.begin(&other, None, ("run.start", "{}"), &Listing::default()).await.unwrap();
        let leases = rig.database.claim(crate::as_worker(Uuid::now_v7()), HOUR, 10).await.unwrap();
        let lease = leases.iter().find(|lease| lease.root == other).unwrap();
        let alive = rig.process(lease);
        let turn = alive.leased.reply_turn(wanted(&other, &key), &mut |_| true).await.unwrap();
        assert!(matches!(turn, ReplyTurn::Buy(Some(_))));
        drop(held);
    });
}

fn begun_user(begun: &Event) -> String {
    match begun {
        Event::Run(plait_journal::RunEvent::Started { user, .. }) => user.to_string(),
        _ => panic!("not the first event"),
    }
}
