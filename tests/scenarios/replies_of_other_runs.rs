//! Replies of models that other runs bought: taken only where a person chose "any run", each once, of the same user, and never what was
//! forgotten, removed or lost with the index.

use plait_api::runs::{BillRerun, ForgetReplies, RemoveRun, RerunRequest, RerunRun, RunRequest, StartRun};
use plait_api::users::AddUser;
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_journal::{CallEvent, Event, EventRef, ReplySource};
use serde_json::json;

use crate::support::app::App;
use crate::support::folder::{flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, text};

const NO_RESPONSES: [&str; 0] = [];

/// Each reply is another one.
fn counting() -> RecordingProvider {
    RecordingProvider::with_rule(|sent, before| Ok(text(&format!("{before}: {}", sent.last_text()))))
        .with_keys_of_content()
}

/// Asks the same so often.
fn samples(count: u32) -> Flow {
    let nodes = json!({
        "each": { "type": "loop", "config": { "kind": "times", "times": count } },
        "main": { "type": "contextStart" },
        "sample": { "type": "chat", "parent": "each", "config": { "prompt": "a number", "skipHistory": true } },
        "out": { "type": "output" },
    });
    let edges =
        ["main.context -> sample.context", "sample.response -> each.next", "each.results -> out.value"];
    parse_flow(&flow_json("samples", nodes, &edges))
}

async fn start(app: &App, flow: &Flow, replies: ReplySource) -> Journal {
    let request = RunRequest { flow: flow.clone(), replies, ..RunRequest::default() };
    let run = app.plait.call(StartRun(request)).await.unwrap().run;
    ended(app, &run).await
}

async fn ended(app: &App, run: &RunId) -> Journal {
    let journal = app.follow(run, NO_RESPONSES).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished, "{journal:#?}");
    journal
}

fn run_of(journal: &Journal) -> RunId {
    journal.view().outline.run.unwrap()
}

/// Where the replies of a run were taken from; nothing for those that it bought.
fn taken(journal: &Journal) -> Vec<Option<EventRef>> {
    let reused = |event: &Event| match event {
        Event::Call(_, CallEvent::ModelReplied { reused, .. }) => Some(reused.clone()),
        _ => None,
    };
    journal.events().filter_map(reused).collect()
}

#[tokio::test]
async fn any_run_gives_each_reply_once_and_only_on_request() {
    let provider = counting();
    let app = App::with(&provider);
    let first = start(&app, &samples(2), ReplySource::Earlier).await;
    let bought = start(&app, &samples(2), ReplySource::Earlier).await;
    assert_eq!(provider.sent().len(), 4, "a run buys its replies unless a person chose otherwise");
    let taking = start(&app, &samples(5), ReplySource::Any).await;
    assert_eq!(provider.sent().len(), 5, "its own reply is no reply of another run");
    let sources: Vec<Option<RunId>> =
        taken(&taking).into_iter().map(|event| event.map(|event| event.run)).collect();
    let (newer, older) = (Some(run_of(&bought)), Some(run_of(&first)));
    assert_eq!(sources, [newer.clone(), newer, older.clone(), older, None], "the newest first");
}

#[tokio::test]
async fn bill_of_a_repetition_counts_replies_of_other_runs() {
    let provider = counting();
    let app = App::with(&provider);
    let other = start(&app, &samples(3), ReplySource::Earlier).await;
    let earlier = start(&app, &samples(1), ReplySource::Earlier).await;
    let request =
        |replies| RerunRequest { flow: Some(samples(3)), replies, ..RerunRequest::of(run_of(&earlier)) };
    let alone = app.plait.call(BillRerun(request(ReplySource::Earlier))).await.unwrap();
    assert_eq!((alone.reused.calls, alone.reused_from_others, alone.bought.len()), (1, 0, 1), "{alone:#?}");
    let bill = app.plait.call(BillRerun(request(ReplySource::Any))).await.unwrap();
    assert_eq!(bill.summary, "reuses 3 (2 from other runs), buys 0");
    let again = app.plait.call(RerunRun(request(ReplySource::Any))).await.unwrap().run;
    let again = ended(&app, &again).await;
    assert_eq!(provider.sent().len(), 4);
    let sources = taken(&again).into_iter().map(|event| event.unwrap().run);
    assert_eq!(sources.collect::<Vec<_>>(), [run_of(&earlier), run_of(&other), run_of(&other)]);
    // What it took over stands for the purchase: a repetition with more samples does not get the same one again.
    let more = RerunRequest {
        flow: Some(samples(5)),
        replies: ReplySource::Any,
        ..RerunRequest::of(run_of(&again))
    };
    let more = app.plait.call(RerunRun(more)).await.unwrap().run;
    let more = ended(&app, &more).await;
    let replies = more.output("out", "value");
    let distinct: std::collections::BTreeSet<String> =
        replies.as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!((distinct.len(), provider.sent().len()), (5, 5), "{replies}");
}

#[tokio::test]
async fn replies_of_another_user_are_never_taken() {
    let provider = counting();
    let app = App::with(&provider);
    start(&app, &samples(1), ReplySource::Earlier).await;
    app.plait.call(AddUser { name: "ada".to_owned(), switch: true }).await.unwrap();
    start(&app, &samples(1), ReplySource::Any).await;
    assert_eq!(provider.sent().len(), 2);
    start(&app, &samples(1), ReplySource::Any).await;
    assert_eq!(provider.sent().len(), 2, "her own one is");
}

#[tokio::test]
async fn forgotten_replies_stay_forgotten_when_the_index_is_lost() {
    let provider = counting();
    let app = App::with(&provider);
    let earlier = start(&app, &samples(1), ReplySource::Earlier).await;
    app.plait.call(ForgetReplies { run: Some(run_of(&earlier)) }).await.unwrap();
    start(&app, &samples(1), ReplySource::Any).await;
    assert_eq!(provider.sent().len(), 2, "the only reply is forgotten");
    app.plait.call(ForgetReplies::default()).await.unwrap();
    let home = app.close().await;
    std::fs::remove_dir_all(home.path().join("index")).unwrap();
    let app = App::with_in(&provider, home);
    start(&app, &samples(1), ReplySource::Any).await;
    assert_eq!(provider.sent().len(), 3, "so are all, also in an index that is filled again");
    let again = app.plait.call(RerunRun(RerunRequest::of(run_of(&earlier)))).await.unwrap().run;
    ended(&app, &again).await;
    assert_eq!(provider.sent().len(), 3, "a repetition still takes its own");
    start(&app, &samples(1), ReplySource::Any).await;
    assert_eq!(provider.sent().len(), 3, "what was bought since is not forgotten");
}

#[tokio::test]
async fn damaged_index_is_filled_again_and_removed_runs_give_nothing() {
    let provider = counting();
    let app = App::with(&provider);
    let earlier = start(&app, &samples(2), ReplySource::Earlier).await;
    let home = app.close().await;
    let database = home.path().join("index/db");
    let mut bytes = std::fs::read(&database).unwrap();
    for byte in bytes.iter_mut().step_by(7) {
        *byte = !*byte;
    }
    std::fs::write(&database, bytes).unwrap();
    let app = App::with_in(&provider, home);
    let taking = start(&app, &samples(2), ReplySource::Any).await;
    assert_eq!(provider.sent().len(), 2, "nothing is lost");
    assert_eq!(taking.output("out", "value").as_array().unwrap().len(), 2);
    assert!(taken(&taking).iter().all(|event| event.as_ref().unwrap().run == run_of(&earlier)));
    app.plait.call(RemoveRun { run: run_of(&earlier) }).await.unwrap();
    start(&app, &samples(2), ReplySource::Any).await;
    assert_eq!(provider.sent().len(), 4);
}
