//! Retrying a run: a new run that reuses the replies, tool results and answers of the earlier one, and does only the
//! rest.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plait_api::ErrorReply;
use plait_api::codes;
use plait_api::conversations::{ConversationFlow, ListMessages, OpenConversation};
use plait_api::runs::{BillRerun, CancelRun, ListRuns, RerunRequest, RetryRun, RunRequest, StartRun};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::{ConversationId, RunId};
use plait_journal::view::RunStatus;
use plait_journal::{CallEvent, Event, NodeEvent, RunEvent};
use plait_llm::context::ToolCall;
use plait_llm::provider::{ModelReply, StopReason};
use serde_json::{Value, json};

use crate::http_tools::{Machine, WebServer};
use crate::support::app::{App, PauseResponse};
use crate::support::binary::Home;
use crate::support::flow;
use crate::support::folder::{FlowFolder, flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, assistant, text, user};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

const NO_RESPONSES: [&str; 0] = [];

/// A provider with an outage that tests begin and end.
#[derive(Clone, Default)]
struct Outage(Arc<AtomicBool>);

impl Outage {
    fn begin(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn end(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    fn check(&self) -> Result<(), Fault> {
        if self.0.load(Ordering::SeqCst) {
            return Err(Fault::new(codes::PROVIDER_UNREACHABLE, "The server is down."));
        }
        Ok(())
    }
}

/// Echoes, but messages with `late` fail during the outage.
fn failing_late(outage: &Outage) -> RecordingProvider {
    let outage = outage.clone();
    RecordingProvider::with_rule(move |sent, _| {
        if sent.last_text().contains("late") {
            outage.check()?;
        }
        Ok(text(&format!("re: {}", sent.last_text())))
    })
}

async fn retry(app: &App, run: &RunId) -> Result<RunId, ErrorReply> {
    Ok(app.plait.call(RetryRun { run: run.clone() }).await?.run)
}

/// The bill of a retry: replies, tool results and answers that it reuses, and calls that it buys.
async fn bill(app: &App, run: &RunId) -> [u64; 4] {
    let request = RerunRequest::of(run.clone());
    let bill = app.plait.call(BillRerun(request)).await.unwrap();
    [bill.reused.calls, bill.reused_results, bill.reused_answers, bill.bought.len() as u64]
}

fn run_of(journal: &Journal) -> RunId {
    journal.view().outline.run.unwrap()
}

/// `early → late`, each a model call.
fn two_calls() -> Flow {
    let nodes = json!({
        "start": { "type": "contextStart" },
        "early": { "type": "chat", "config": { "prompt": "early" } },
        "late": { "type": "chat", "config": { "prompt": "late" } },
        "out": { "type": "output" },
    });
    let edges =
        ["start.context -> early.context", "early.context -> late.context", "late.response -> out.value"];
    parse_flow(&flow_json("two", nodes, &edges))
}

#[tokio::test]
async fn retry_of_a_failed_run_buys_only_what_is_missing() {
    let outage = Outage::default();
    let provider = failing_late(&outage);
    let app = App::with(&provider);
    outage.begin();
    let failed = app.run(&two_calls(), NO_RESPONSES).await;
    assert_eq!(failed.view().outline.status, RunStatus::Failed);
    assert_eq!(provider.sent().len(), 2);

    outage.end();
    provider.reset(0);
    assert_eq!(bill(&app, &run_of(&failed)).await, [1, 0, 0, 1]);
    assert!(provider.sent().is_empty(), "a bill buys nothing");
    let run = retry(&app, &run_of(&failed)).await.unwrap();
    let retried = app.follow(&run, NO_RESPONSES).await;

    let view = retried.view();
    assert_eq!(view.outline.status, RunStatus::Finished, "{retried:#?}");
    assert_eq!(retried.output("out", "value"), json!("re: late"));
    let [only] = &provider.sent()[..] else { panic!("{:#?}", provider.sent()) };
    assert_eq!(only.messages, [user("early"), assistant("re: early"), user("late")]);
    assert_eq!((view.totals.model_calls, view.totals.reused_calls), (1, 1));
    assert_eq!(view.totals.tokens.input, 10, "a reused reply costs nothing");
    assert_eq!(view.outline.from.map(|from| from.run), Some(run_of(&failed)));
    assert_eq!(app.journal(&run_of(&failed)).await, failed, "the earlier run stays as it is");
    let listed = app.plait.call(ListRuns::default()).await.unwrap();
    assert_eq!(listed[0].from, Some(run_of(&failed)));
    assert_eq!((listed[0].tokens.input, listed[1].tokens.input), (10, 10));
}

#[tokio::test]
async fn retry_of_a_retry_reuses_what_both_bought() {
    let outage = Outage::default();
    let provider = {
        let outage = outage.clone();
        RecordingProvider::with_rule(move |sent, before| {
            // The first run gets one reply, the second two.
            if before == 1 || before == 3 {
                outage.check()?;
            }
            Ok(text(&format!("re: {}", sent.last_text())))
        })
    };
    let nodes = json!({
        "start": { "type": "contextStart" },
        "a": { "type": "chat", "config": { "prompt": "a" } },
        "b": { "type": "chat", "config": { "prompt": "b" } },
        "c": { "type": "chat", "config": { "prompt": "c" } },
    });
    let edges = ["start.context -> a.context", "a.context -> b.context", "b.context -> c.context"];
    let app = App::with(&provider);
    outage.begin();
    let first = app.run(&parse_flow(&flow_json("three", nodes, &edges)), NO_RESPONSES).await;
    assert_eq!(bill(&app, &run_of(&first)).await, [1, 0, 0, 1]);
    let second = app.follow(&retry(&app, &run_of(&first)).await.unwrap(), NO_RESPONSES).await;
    assert_eq!(bill(&app, &run_of(&second)).await, [2, 0, 0, 1], "also what it has reused itself");
    let third = app.follow(&retry(&app, &run_of(&second)).await.unwrap(), NO_RESPONSES).await;
    assert_eq!(third.view().outline.status, RunStatus::Finished);
    let asked: Vec<String> = provider.sent().iter().map(|sent| sent.last_text().to_owned()).collect();
    assert_eq!(asked, ["a", "b", "b", "c", "c"]);
    assert_eq!(third.view().totals.reused_calls, 2);
}

/// Calls the calculator, then fails during the outage, else answers.
fn calling_a_tool(outage: &Outage) -> RecordingProvider {
    let outage = outage.clone();
    RecordingProvider::with_rule(move |sent, _| {
        if sent.last_text() == "What is the time?" {
            let arguments = json!({});
            let call = ToolCall { id: "1".to_owned(), name: "current_time".to_owned(), arguments };
            let stop_reason = StopReason::ToolCalls;
            return Ok(ModelReply { tool_calls: vec![call], stop_reason, ..ModelReply::default() });
        }
        outage.check()?;
        Ok(text("Late."))
    })
}

#[tokio::test]
async fn tool_behind_a_reused_reply_is_not_called_again() {
    let outage = Outage::default();
    let provider = calling_a_tool(&outage);
    let app = App::with(&provider);
    let nodes = json!({
        "start": { "type": "contextStart" },
        "tools": { "type": "tools", "config": { "tools": ["current_time"] } },
        "ask": { "type": "chat", "config": { "prompt": "What is the time?" } },
    });
    let edges = ["start.context -> ask.context", "tools.tools -> ask.tools"];
    outage.begin();
    let failed = app.run(&parse_flow(&flow_json("clock", nodes, &edges)), NO_RESPONSES).await;
    assert_eq!(failed.view().outline.status, RunStatus::Failed, "{failed:#?}");
    outage.end();
    assert_eq!(bill(&app, &run_of(&failed)).await, [1, 1, 0, 1]);
    let retried = app.follow(&retry(&app, &run_of(&failed)).await.unwrap(), NO_RESPONSES).await;
    assert_eq!(retried.view().outline.status, RunStatus::Finished, "{retried:#?}");
    let results = |journal: &Journal| -> Vec<(Value, bool)> {
        let result = |event: &Event| match event {
            Event::Call(_, CallEvent::ToolFinished { result, reused, .. }) => {
                Some((result.clone().unwrap(), reused.is_some()))
            }
            _ => None,
        };
        journal.events().filter_map(result).collect()
    };
    let [(time, false)] = &results(&failed)[..] else { panic!("{failed:#?}") };
    assert_eq!(results(&retried), [(time.clone(), true)], "the time of the earlier run, not a new one");
    assert_eq!(provider.sent().len(), 3);
}

/// An order, and a look after it that fails once.
fn order_then_look(server: &WebServer) -> String {
    let nodes = json!({
        "tea": { "type": "value", "config": { "value": "tea" } },
        "order": { "type": "httpRequest", "config": { "method": "POST", "url": server.url("/orders") } },
        "look": {
            "type": "httpRequest",
            "config": { "url": server.url("/flaky?order={{order}}") },
            "retry": { "attempts": 1 },
        },
        "out": { "type": "output" },
    });
    let edges = ["tea.value -> order.body", "order.status -> look.order", "look.status -> out.value"];
    flow_json("order", nodes, &edges).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retry_makes_the_tool_call_again_that_ended_the_run() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let flow = machine.write("order.flow.json", &order_then_look(&server));
    let allowed = format!("host=127.0.0.1:{}", server.port);
    let run = machine.plait(&["run", &flow, "--allow", &allowed]);
    assert_eq!(run.code, 1, "{run:#?}");
    let retried = machine.plait(&["retry", "last"]);
    assert_eq!((retried.code, retried.out.trim()), (0, "200"), "{retried:#?}");
    assert!(retried.err.contains("Reuses 1 result."), "{retried:#?}");
    let requests = ["POST /orders \"tea\"", "GET /flaky?order=200", "GET /flaky?order=200"];
    assert_eq!(server.lines(), requests, "the order is not repeated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_of_a_node_repeat_only_calls_that_change_nothing() {
    for (method, code, requests) in [("GET", 0, 2), ("POST", 1, 1)] {
        let (machine, server) = (Machine::default(), WebServer::start().await);
        let nodes = json!({
            "ask": {
                "type": "httpRequest",
                "config": { "method": method, "url": server.url("/flaky") },
                "retry": { "attempts": 3, "backoffMs": 1 },
            },
        });
        let flow = machine.write("ask.flow.json", &flow_json("ask", nodes, &[]).to_string());
        let allowed = format!("host=127.0.0.1:{}", server.port);
        let run = machine.plait(&["run", &flow, "--allow", &allowed]);
        assert_eq!((run.code, server.lines().len()), (code, requests), "{method}: {run:#?}");
    }
}

#[tokio::test]
async fn retry_asks_nothing_that_was_answered() {
    let outage = Outage::default();
    let provider = failing_late(&outage);
    let app = App::with(&provider);
    outage.begin();
    let failed = app.run(&flow("chat-cycle"), ["early", "later"]).await;
    assert_eq!(failed.view().outline.status, RunStatus::Failed, "{failed:#?}");
    outage.end();
    provider.reset(0);
    assert_eq!(bill(&app, &run_of(&failed)).await, [1, 0, 2, 1]);
    let run = retry(&app, &run_of(&failed)).await.unwrap();
    let retried = app.follow(&run, [PauseResponse::End]).await;
    assert_eq!(retried.view().outline.status, RunStatus::Finished);
    assert_eq!(provider.sent().len(), 1);
    assert_eq!(
        retried.history("main"),
        [user("early"), assistant("re: early"), user("later"), assistant("re: later")]
    );
    // It waited once, for the open question.
    let waits = retried.events().filter(|event| matches!(event, Event::Run(RunEvent::Waiting { .. })));
    assert_eq!(waits.count(), 1);
    let reused = retried
        .events()
        .filter(|event| matches!(event, Event::Node(_, NodeEvent::Answered { reused: Some(_), .. })));
    assert_eq!(reused.count(), 2);
}

#[tokio::test]
async fn retried_parent_reuses_what_its_children_bought() {
    let child = flow_json(
        "child",
        json!({
            "start": { "type": "contextStart" },
            "text": { "type": "manualInput" },
            "first": { "type": "chat" },
            "second": { "type": "chat", "config": { "prompt": "second, {{text}}" } },
            "result": { "type": "output" },
        }),
        &[
            "start.context -> text.context",
            "text.context -> first.context",
            "first.context -> second.context",
            "text.value -> second.text",
            "second.response -> result.value",
        ],
    );
    let sub =
        json!({ "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } });
    let value = |text: &str| json!({ "type": "value", "config": { "value": text } });
    let parent = flow_json(
        "parent",
        json!({ "soon": value("soon"), "one": sub, "late": value("late"), "two": sub }),
        &["soon.value -> one.value", "late.value -> two.value"],
    );
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child)]);
    let outage = Outage::default();
    let provider = {
        let outage = outage.clone();
        RecordingProvider::with_rule(move |sent, _| {
            if sent.last_text() == "second, late" {
                outage.check()?;
            }
            Ok(text(&format!("re: {}", sent.last_text())))
        })
    };
    let app = App::with(&provider);
    outage.begin();
    let failed = folder.start(&app, "parent.flow.json", "").await;
    let failed = app.follow(&failed, NO_RESPONSES).await;
    assert_eq!(failed.view().outline.status, RunStatus::Failed, "{failed:#?}");
    // The file changes meanwhile: a retry runs what the run ran.
    folder.write("child.flow.json", &flow_json("child", json!({ "text": { "type": "manualInput" } }), &[]));

    outage.end();
    provider.reset(0);
    assert_eq!(bill(&app, &run_of(&failed)).await, [3, 0, 0, 1]);
    let run = retry(&app, &run_of(&failed)).await.unwrap();
    let retried = app.follow(&run, NO_RESPONSES).await;
    assert_eq!(retried.view().outline.status, RunStatus::Finished, "{retried:#?}");
    let asked: Vec<String> = provider.sent().iter().map(|sent| sent.last_text().to_owned()).collect();
    assert_eq!(asked, ["second, late"]);
    let children = ListRuns { parent: Some(run), ..ListRuns::default() };
    let children = app.plait.call(children).await.unwrap();
    assert_eq!(children.len(), 2);
    let refused = retry(&app, &children[0].run).await.unwrap_err();
    assert_eq!(refused.code, codes::RUN_IS_CHILD);
}

async fn stored_messages(app: &App, conversation: &ConversationId) -> Vec<String> {
    let page = ListMessages { conversation: conversation.clone(), from: 0, limit: None };
    let page = app.plait.call(page).await.unwrap();
    page.messages.into_iter().map(|message| message.content.text()).collect()
}

#[tokio::test]
async fn conversation_has_each_turn_of_a_retried_run_once() {
    let outage = Outage::default();
    let provider = failing_late(&outage);
    let app = App::with(&provider);
    let flow = flow("chat-cycle");
    let opened = OpenConversation { flow: ConversationFlow::new(&flow, None), user: None, new: true };
    let conversation = app.plait.call(opened).await.unwrap().id;
    let request =
        RunRequest { flow: flow.clone(), conversation: Some(conversation.clone()), ..RunRequest::default() };
    outage.begin();
    let run = app.plait.call(StartRun(request)).await.unwrap().run;
    let failed = app.follow(&run, ["early", "late"]).await;
    assert_eq!(failed.view().outline.status, RunStatus::Failed);
    assert_eq!(stored_messages(&app, &conversation).await, ["early", "re: early"]);

    outage.end();
    let app = app.reopen(&provider).await;
    let run = retry(&app, &run).await.unwrap();
    app.follow(&run, [PauseResponse::from("last"), PauseResponse::End]).await;
    let all = ["early", "re: early", "late", "re: late", "last", "re: last"];
    assert_eq!(stored_messages(&app, &conversation).await, all);
    // Also when the conversation is compared with the journals again.
    let app = app.reopen(&provider).await;
    assert_eq!(stored_messages(&app, &conversation).await, all);
}

#[tokio::test]
async fn reply_that_made_the_run_fail_is_bought_anew() {
    let provider = RecordingProvider::with_rule(|sent, before| {
        let empty = before == 1;
        Ok(text(if empty { "" } else { sent.last_text() }))
    });
    let app = App::with(&provider);
    let failed = app.run(&two_calls(), NO_RESPONSES).await;
    assert_eq!(failed.fault("late"), "chat.empty_reply");
    assert_eq!(bill(&app, &run_of(&failed)).await, [1, 0, 0, 1], "the empty reply is not reused");
    let retried = app.follow(&retry(&app, &run_of(&failed)).await.unwrap(), NO_RESPONSES).await;
    assert_eq!(retried.output("out", "value"), json!("late"));
    assert_eq!(provider.sent().len(), 3);
}

#[tokio::test]
async fn canceled_run_can_be_retried_and_others_cannot() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let waiting = app.run(&flow("chat-cycle"), ["early"]).await;
    let code = |result: Result<RunId, ErrorReply>| result.unwrap_err().code;
    assert_eq!(code(retry(&app, &run_of(&waiting)).await), codes::RUN_BUSY);
    let app = app.reopen(&provider).await;
    assert_eq!(code(retry(&app, &run_of(&waiting)).await), codes::RUN_NOT_RETRYABLE, "it can be resumed");
    app.plait.call(CancelRun { run: run_of(&waiting) }).await.unwrap();
    app.plait.runs().settled(&run_of(&waiting)).await;

    let run = retry(&app, &run_of(&waiting)).await.unwrap();
    let retried = app.follow(&run, [PauseResponse::from("more"), PauseResponse::End]).await;
    assert_eq!(retried.history("main").len(), 4);
    assert_eq!(provider.sent().len(), 2);
    assert_eq!(code(retry(&app, &run).await), codes::RUN_NOT_RETRYABLE, "it has finished");
    let unknown = "00000000-0000-7000-8000-000000000000".into();
    assert_eq!(code(retry(&app, &unknown).await), codes::RUN_UNKNOWN);
}

#[tokio::test]
async fn retry_that_is_resumed_after_a_restart_still_reuses() {
    let outage = Outage::default();
    let provider = failing_late(&outage);
    let app = App::with(&provider);
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "userInput", "config": { "prompt": "Go on?" } },
        "early": { "type": "chat", "config": { "prompt": "early" } },
        "late": { "type": "chat", "config": { "prompt": "late" } },
    });
    let edges =
        ["start.context -> ask.context", "ask.context -> early.context", "early.context -> late.context"];
    let flow = parse_flow(&flow_json("ask", nodes, &edges));
    outage.begin();
    let failed = app.run(&flow, ["yes"]).await;
    assert_eq!(failed.view().outline.status, RunStatus::Failed);
    // Fails again: the reused replies are its own by now.
    let again = app.follow(&retry(&app, &run_of(&failed)).await.unwrap(), NO_RESPONSES).await;
    assert_eq!(again.view().outline.status, RunStatus::Failed);
    outage.end();
    provider.reset(0);
    let app = app.reopen(&provider).await;
    let last = app.follow(&retry(&app, &run_of(&again)).await.unwrap(), NO_RESPONSES).await;
    assert_eq!(last.view().outline.status, RunStatus::Finished);
    assert_eq!(provider.sent().len(), 1);
}

/// The whole way of a person: a server that is down for a while, `plait run`, `plait retry last`.
#[tokio::test(flavor = "multi_thread")]
async fn terminal_retries_a_run_after_an_outage() {
    let outage = Outage::default();
    let server = {
        let outage = outage.clone();
        ModelServer::start(move |request, _| match last_message_text(request).as_str() {
            "late" if outage.check().is_err() => {
                ServerReply::Status(400, json!({ "error": { "message": "down" } }))
            }
            asked => ServerReply::Text(format!("re: {asked}")),
        })
        .await
    };
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let mut flow = serde_json::to_value(two_calls()).unwrap();
    flow["nodes"]["start"]["config"] = json!({ "provider": "openai", "model": "m" });
    let file = home.file("two.flow.json", &flow.to_string());
    outage.begin();
    let run = home.plait(&["run", &file]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert_eq!(server.calls().len(), 2);

    outage.end();
    let retried = home.plait(&["retry", "last"]);
    assert_eq!((retried.code, retried.out.trim()), (0, "re: late"), "{retried:#?}");
    let bill = "Bill: reuses 1, buys 1; 1 unknown.\nReuses 1 reply.\nBuys 1 model call (`late`): nobody knows what \
                it costs (no price is known for openai/m).\n";
    assert!(retried.err.starts_with(bill), "{retried:#?}");
    assert_eq!(server.calls().len(), 3, "the first call was not bought again");
    let shown = home.plait(&["runs", "show", "last"]);
    assert!(shown.out.contains("Repeats run ") && shown.out.contains("1 reply reused"), "{shown:#?}");
    let refused = home.plait(&["retry", "last"]);
    assert_eq!(refused.code, 2, "{refused:#?}");
    assert!(refused.err.contains("run.not_retryable"), "{refused:#?}");
}
