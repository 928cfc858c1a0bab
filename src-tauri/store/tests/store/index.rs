//! The list of runs, and what is kept beside them.

use plait_core::origin::Origins;
use std::sync::Arc;

use plait_core::error::{ErrorCode, Fault};
use plait_core::id::{Activation, Epoch, RunId};
use plait_journal::view::RunStatus;
use plait_journal::{
    Answer, CallEvent, ContextEvent, Event, FlowRef, Journal, NodeEvent, RunEvent, SkipReason,
};
use plait_llm::context::{Message, Role};
use plait_llm::models::TokenUsage;
use plait_llm::provider::ModelReply;
use plait_store::Store;
use plait_store::record::RunCounters;
use plait_store::{ConversationFilter, Draft, NewConversation, RecentFlow, RunFilter};
use serde_json::json;

use crate::support::{copy, entry, finished, flush, journal_path, read, run_id, started, started_as};

fn append(journal: &mut impl Journal, from: u64, events: Vec<Event>) {
    let entries: Vec<_> = events.into_iter().zip(from..).map(|(event, seq)| entry(seq, event)).collect();
    journal.append(&entries).expect("appended");
}

fn asked() -> Activation {
    Activation { node: "ask".into(), epoch: Epoch::root().child(1) }
}

fn paused() -> Event {
    let Activation { node, epoch } = asked();
    Event::Node(
        Activation { node, epoch },
        NodeEvent::Paused { prompt: "Name?".into(), schema: json!({}), answered: false, tool: None },
    )
}

#[test]
fn a_record_follows_its_run_and_a_pause_outlives_the_process() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let store = Store::open(home.path()).expect("opened");
    let mut journal = store.journal(&run).expect("journal");
    assert_eq!(store.run(&run).expect_err("not begun").code, "run.unknown");
    let usage = TokenUsage::new(7, 3);
    append(
        &mut journal,
        0,
        vec![
            started(&run),
            finished("a", "x"),
            Event::Call(
                Activation { node: "chat".into(), epoch: Epoch::root() },
                CallEvent::ModelReplied {
                    origins: Origins::NONE,
                    step: 0,
                    reply: Box::new(ModelReply { usage: Some(usage), ..ModelReply::default() }),
                    account: None,
                    key: None,
                    sampling: None,
                    reused: None,
                    bought: None,
                },
            ),
            Event::Node(
                Activation { node: "b".into(), epoch: Epoch::root() },
                NodeEvent::Skipped { reason: SkipReason::DeadInput, failed: None },
            ),
            Event::Node(
                Activation { node: "c".into(), epoch: Epoch::root() },
                NodeEvent::Failed {
                    origins: Origins::NONE,
                    error: Box::new(Fault::new(ErrorCode::from_wire("x.y"), "No.")),
                    handled: true,
                },
            ),
            paused(),
        ],
    );
    let record = store.run(&run).expect("record");
    assert_eq!(record.status, RunStatus::Running);
    assert_eq!(record.counters, RunCounters { done: 1, failed: 1, skipped: 1 });
    assert_eq!(record.tokens, usage);
    assert_eq!(
        (record.events, record.started_at, record.updated_at),
        (6, 1_700_000_000_000, 1_700_000_000_005)
    );

    append(&mut journal, 6, vec![Event::Run(RunEvent::Waiting { on: vec![asked()], more: 0 })]);
    assert_eq!(store.run(&run).expect("record").status, RunStatus::Waiting);
    flush(&mut journal);
    drop((journal, store));

    let store = Store::open(home.path()).expect("opened");
    let record = store.run(&run).expect("record");
    assert_eq!(record.status, RunStatus::Waiting);
    assert_eq!(record.waiting_on.len(), 1);
    let pause = &record.waiting_on[0];
    assert_eq!((&pause.node, &pause.epoch, pause.prompt.as_str()), (&asked().node, &asked().epoch, "Name?"));

    let mut journal = store.journal(&run).expect("journal");
    assert_eq!(journal.next_seq(), 7);
    let Activation { node, epoch } = asked();
    append(
        &mut journal,
        7,
        vec![Event::Node(
            Activation { node, epoch },
            NodeEvent::Answered { answer: Answer::Value(Arc::new(json!("Ada"))), reused: None },
        )],
    );
    let record = store.run(&run).expect("record");
    assert_eq!((record.status, record.waiting_on.len()), (RunStatus::Running, 0));
    append(
        &mut journal,
        8,
        vec![Event::Run(RunEvent::Finished {
            origins: Origins::NONE,
            outputs: std::collections::BTreeMap::new(),
        })],
    );
    let record = store.run(&run).expect("record");
    assert_eq!((record.status, record.ended_at), (RunStatus::Finished, Some(1_700_000_000_008)));
}

#[test]
fn a_run_whose_process_is_gone_is_interrupted_and_its_record_complete() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let store = Store::open(home.path()).expect("opened");
    let mut journal = store.journal(&run).expect("journal");
    append(&mut journal, 0, vec![started(&run)]);
    append(&mut journal, 1, (0..700).map(|_| finished("n", "x")).collect());
    flush(&mut journal);
    // As a crash leaves it: the record on disk knows of the first append only.
    std::mem::forget(journal);
    let copy = copy(home.path());
    let store = Store::open(copy.path()).expect("opened");
    let record = store.run(&run).expect("record");
    assert_eq!((record.status, record.events, record.counters.done), (RunStatus::Interrupted, 701, 700));
    let _journal = store.journal(&run).expect("journal");
    assert_eq!(store.run(&run).expect("record").status, RunStatus::Running, "carried on");
}

#[test]
fn lists_are_newest_first_by_flow_and_bounded() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let runs: Vec<RunId> = (0..10).map(run_id).collect();
    for (run, number) in runs.iter().zip(0..) {
        let path = Some(if number % 2 == 0 { "/even.flow.json" } else { "/odd.flow.json" }.to_owned());
        let flow = FlowRef { name: "F".into(), path, hash: "1".repeat(64) };
        append(&mut store.journal(run).expect("journal"), 0, vec![started_as(run, flow)]);
    }
    let list = |filter: RunFilter| -> Vec<RunId> {
        store.runs(&filter).expect("listed").into_iter().map(|record| record.run).collect()
    };
    let newest_first: Vec<_> = runs.iter().rev().cloned().collect();
    assert_eq!(list(RunFilter::default()), newest_first);
    assert_eq!(list(RunFilter { limit: Some(3), ..RunFilter::default() }), newest_first[..3]);
    let even =
        RunFilter { flow_path: Some("/even.flow.json".into()), limit: Some(2), ..RunFilter::default() };
    assert_eq!(list(even), [runs[8].clone(), runs[6].clone()]);

    assert_eq!(store.find_run(&runs[4].as_str().to_uppercase()).expect("found"), runs[4]);
    assert_eq!(store.find_run("0").expect_err("several").code, "run.ambiguous");
    assert_eq!(store.find_run("zz").expect_err("none").code, "run.unknown");
}

#[test]
fn conversations_and_runs_within_runs_are_distinguished() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let new = NewConversation { flow: "f".into(), flow_name: "F".into(), user: "u".into(), at: 1 };
    let conversation = store.create_conversation(new.clone()).expect("made").id;
    let (parent, child) = (run_id(1), run_id(2));
    append(&mut store.journal(&parent).expect("journal"), 0, vec![started(&parent)]);
    let mut first = started(&child);
    if let Event::Run(RunEvent::Started { parent_run_id, .. }) = &mut first {
        *parent_run_id = Some(parent.clone());
    }
    append(&mut store.journal(&child).expect("journal"), 0, vec![first]);

    let children = store.children(&parent).expect("listed");
    assert_eq!(children.iter().map(|record| &record.run).collect::<Vec<_>>(), [&child]);
    let conversations = store.conversations(&ConversationFilter::default()).expect("listed");
    assert_eq!(conversations.iter().map(|record| &record.id).collect::<Vec<_>>(), [&conversation]);
    assert_eq!(store.find_or_create_conversation(new).expect("found").id, conversation);
}

#[test]
fn removing_a_run_leaves_nothing_of_it() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let (doomed, kept) = (run_id(1), run_id(2));
    let large = "large ".repeat(20_000);
    let document = format!("{{\"name\": \"{large}\"}}");
    let hash = store.put_flow(&document).expect("kept");
    assert_eq!(store.put_flow(&document).expect("kept"), hash);
    for run in [&doomed, &kept] {
        let flow = FlowRef { name: "F".into(), path: None, hash: hash.clone() };
        let mut journal = store.journal(run).expect("journal");
        append(&mut journal, 0, vec![started_as(run, flow)]);
        append(&mut journal, 1, (0..3_000).map(|_| finished("n", "x")).collect());
        append(&mut journal, 3_001, vec![finished("n", &large)]);
        assert_eq!(store.remove_run(run).expect_err("going on").code, "run.busy");
    }
    drop(store);
    let store = Store::open(home.path()).expect("opened");
    let journal = journal_path(home.path(), &doomed);
    store.remove_run(&doomed).expect("removed");
    assert_eq!(store.run(&doomed).expect_err("gone").code, "run.unknown");
    assert_eq!(store.remove_run(&doomed).expect_err("gone").code, "run.unknown");
    assert_eq!(read(&store, &doomed), []);
    assert!(!std::fs::exists(&journal).expect("looked"));
    assert_eq!(read(&store, &kept).len(), 3_002);
    assert_eq!(store.flow(&hash).expect("kept"), document, "the other run needs it");
    store.remove_run(&kept).expect("removed");
    assert_eq!(store.flow(&hash).expect_err("gone").code, "flow.unknown");
    drop(store);
    let left =
        |name: &str| std::fs::read_dir(home.path().join(name)).expect("folder").flatten().collect::<Vec<_>>();
    assert_eq!(left("flows").len(), 0);
    let months = left("runs").into_iter().filter(|item| item.path().is_dir());
    assert_eq!(months.flat_map(|month| std::fs::read_dir(month.path()).expect("folder")).count(), 0);
    let store = Store::open(home.path()).expect("opened");
    assert_eq!(store.runs(&RunFilter::default()).expect("listed").len(), 0);
}

#[test]
fn settings_recent_flows_and_drafts_last() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    assert_eq!(store.settings().expect("read"), serde_json::Map::new());
    let settings = json!({ "theme": "dark", "providers": {} }).as_object().cloned().expect("object");
    store.put_settings(&settings).expect("written");
    let recent = |number: u64| RecentFlow { path: format!("/{number}"), name: "F".into(), opened_at: number };
    for number in (0..60).chain([30]) {
        store.touch_recent(&recent(number)).expect("written");
    }
    store.forget_recent("/58").expect("written");
    let draft = |key: &str, saved_at, text: &str| Draft {
        key: key.into(),
        path: None,
        base_hash: None,
        saved_at,
        text: text.into(),
    };
    store.put_draft(&draft("../a", 1, "old")).expect("written");
    store.put_draft(&draft("b", 2, &"large ".repeat(50_000))).expect("written");
    store.put_draft(&draft("../a", 3, "new")).expect("written");
    drop(store);

    let store = Store::open(home.path()).expect("opened");
    assert_eq!(store.settings().expect("read"), settings);
    let flows = store.recent_flows().expect("read");
    let numbers: Vec<u64> = flows.iter().map(|flow| flow.opened_at).collect();
    assert_eq!((numbers.len(), &numbers[..4]), (49, &[30, 59, 57, 56][..]));
    let drafts = store.drafts().expect("read");
    let kept: Vec<_> = drafts.iter().map(|draft| (draft.key.as_str(), draft.text.len())).collect();
    assert_eq!(kept, [("../a", 3), ("b", 300_000)]);
    store.remove_draft("../a").expect("removed");
    store.remove_draft("../a").expect("nothing to remove");
    assert_eq!(store.drafts().expect("read").len(), 1);
}

#[test]
fn shared_messages_come_back_whole() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let run = run_id(1);
    let message = Arc::new(Message::plain("m".into(), Role::User, "größe 🙂", asked(), 3));
    let Activation { node, epoch } = asked();
    let turn = Event::Context(
        Activation { node, epoch },
        ContextEvent::TurnCommitted {
            context_id: "main".into(),
            messages: vec![message],
            learned: None,
            reused: None,
            pending: false,
        },
    );
    let mut journal = store.journal(&run).expect("journal");
    append(&mut journal, 0, vec![started(&run), turn.clone()]);
    assert_eq!(read(&store, &run)[1].event, turn);
}
