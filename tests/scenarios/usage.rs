//! Usage, cost and calibration of calls across runs, restarts and days.

use plait_api::conversations::{ConversationFlow, ForkConversation, GetConversation, OpenConversation};
use plait_api::runs::{ListRuns, RunRequest, RunSummary, StartRun};
use plait_api::settings::{GetSettings, SetSettings};
use plait_api::usage::UsageByDay;
use plait_core::error::{ErrorCode, Fault};
use plait_core::flow;
use plait_core::flow::Flow;
use plait_journal::view::RunStatus;
use plait_journal::{CallEvent, Event, RunEvent, Spending};
use plait_llm::models::{Cost, ModelOverride, Price, TokenUsage};
use plait_llm::prompt_record::PromptRecord;
use plait_llm::provider::ModelReply;
use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::RecordingProvider;

const NO_RESPONSES: [&str; 0] = [];

/// One chat with this model and a prompt that is long enough for calibration.
fn one_chat(provider: &str, model: &str) -> Flow {
    let flow = json!({
        "version": 1,
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": provider, "model": model } },
            "ask": { "type": "manualInput", "config": { "text": "word ".repeat(2_000) } },
            "chat": { "type": "chat" },
        },
        "edges": {
            "1": { "source": "start", "sourceOutput": "context", "target": "chat", "targetInput": "context" },
            "2": { "source": "ask", "sourceOutput": "value", "target": "chat", "targetInput": "message" },
        },
    });
    flow::read(&flow.to_string()).unwrap()
}

/// A provider that reports this many input tokens for every prompt.
fn provider_with_usage(input: u64) -> RecordingProvider {
    RecordingProvider::with_rule(move |_, _| {
        let usage = TokenUsage { cached_input: 1_000, ..TokenUsage::new(input, 100) };
        Ok(ModelReply { text: "Yes.".to_owned(), usage: Some(usage), ..ModelReply::default() })
    })
}

fn prompt(journal: &Journal) -> PromptRecord {
    let rendered = journal.0.iter().find_map(|entry| match &entry.event {
        Event::Call(_, CallEvent::PromptRendered { prompt, .. }) => Some((**prompt).clone()),
        _ => None,
    });
    rendered.unwrap()
}

async fn runs(app: &App) -> Vec<RunSummary> {
    app.plait.call(ListRuns::default()).await.unwrap()
}

#[tokio::test]
async fn calibration_survives_a_restart() {
    let provider = provider_with_usage(3_000);
    let flow = one_chat("anthropic", "claude-sonnet-4-6");
    let app = App::with(&provider);
    let first = app.run(&flow, NO_RESPONSES).await;
    assert_eq!(prompt(&first).counted, None, "there was no correction");
    let Event::Run(RunEvent::Started { models, .. }) = &first.0[0].event else { panic!() };
    assert!(models.is_empty());

    let app = app.reopen(&provider).await;
    let second = app.run(&flow, NO_RESPONSES).await;
    let Event::Run(RunEvent::Started { models, .. }) = &second.0[0].event else { panic!() };
    let known = models.corrections["anthropic/claude-sonnet-4-6"];
    assert_eq!(known.reported, 3_000);
    let sent = prompt(&second);
    assert_eq!(sent.counted, Some(prompt(&first).tokens), "the same messages have the same count");
    assert_eq!(sent.tokens, known.apply(prompt(&first).tokens));
    assert!(sent.tokens > prompt(&first).tokens * 13 / 10, "{} of {}", sent.tokens, prompt(&first).tokens);
    // The prices of the table: 2,000 × $3, 1,000 × $0.30 and 100 × $15 per million.
    let each = 6_000_000 + 300_000 + 1_500_000;
    assert_eq!(second.view().totals.cost, Cost { nano_usd: each, unpriced: 0 });
    assert_eq!(second.view().contexts["main"].cost, Cost { nano_usd: each, unpriced: 0 });

    let summaries = runs(&app).await;
    assert!(summaries.iter().all(|run| run.cost == Cost { nano_usd: each, unpriced: 0 }));
    let usage = app.plait.call(UsageByDay::default()).await.unwrap();
    assert_eq!((usage.total.calls, usage.total.cost.nano_usd), (2, 2 * each));
    assert_eq!(usage.total.tokens.cached_input, 2_000);
    assert_eq!(usage.days[0].models["anthropic/claude-sonnet-4-6"], usage.total);
}

/// A parent flow with a chat, a sub-flow with a chat, and another chat; and the child flow.
fn parent_and_child_flows() -> (Value, Value) {
    let start = json!({ "type": "contextStart", "config": { "provider": "anthropic", "model": "claude-sonnet-4-6" } });
    let child = flow_json(
        "child",
        json!({
            "start": start,
            "text": { "type": "manualInput" },
            "chat": { "type": "chat" },
        }),
        &["start.context -> text.context", "text.context -> chat.context"],
    );
    let parent = flow_json(
        "parent",
        json!({
            "start": start,
            "chat": { "type": "chat", "config": { "prompt": "Well?" } },
            "sub": { "type": "subflow", "config": { "file": "child.flow.json" } },
            "last": { "type": "chat", "config": { "prompt": "And now?" } },
        }),
        &["start.context -> chat.context", "chat.context -> sub.context", "sub.context -> last.context"],
    );
    (parent, child)
}

#[tokio::test]
async fn conversation_spending_is_the_sum_of_all_calls_of_its_run_trees() {
    let usage = TokenUsage { cached_input: 1_000, ..TokenUsage::new(3_000, 100) };
    let provider = RecordingProvider::with_rule(move |_, before| {
        if before == 5 {
            return Err(Fault::new(ErrorCode::from_wire("provider.rejected"), "No more."));
        }
        Ok(ModelReply { text: "Yes.".to_owned(), usage: Some(usage), ..ModelReply::default() })
    });
    let (parent, child) = parent_and_child_flows();
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child)]);
    let (flow, path) = (parse_flow(&parent), folder.file("parent.flow.json"));
    let mut app = App::with(&provider);
    let of = ConversationFlow::new(&flow, Some(&path));
    let conversation = app.plait.call(OpenConversation { flow: of, user: None, new: true }).await.unwrap().id;
    let mut spent = Spending::default();
    // The second run fails at its last call. Its earlier calls count.
    for (calls, status) in [(3, RunStatus::Finished), (2, RunStatus::Failed)] {
        let (flow, path) = (flow.clone(), Some(path.clone()));
        let start = StartRun(RunRequest {
            flow,
            path,
            conversation: Some(conversation.clone()),
            ..RunRequest::default()
        });
        let run = app.plait.call(start).await.unwrap().run;
        let journal = app.follow(&run, NO_RESPONSES).await;
        assert_eq!(journal.view().outline.status, status, "{journal:#?}");
        let children = app.plait.call(ListRuns { parent: Some(run), ..ListRuns::default() }).await.unwrap();
        let [inside] = &children[..] else { panic!("{children:#?}") };
        let both = [journal, app.journal(&inside.run).await];
        let of_both: Spending = both.iter().flat_map(Journal::events).filter_map(Spending::of).sum();
        assert_eq!(of_both.calls, calls);
        spent += of_both;
        app = app.reopen(&provider).await;
        let kept = app.plait.call(GetConversation { conversation: conversation.clone() }).await.unwrap();
        assert_eq!(kept.spent, spent);
    }
    // The call that failed may have been billed, at an unknown price.
    assert_eq!(spent.cost, Cost { nano_usd: 5 * (6_000_000 + 300_000 + 1_500_000), unpriced: 1 });
    let fork = ForkConversation { conversation, message: 1 };
    let fork = app.plait.call(fork).await.unwrap().conversation;
    assert_eq!(fork.spent, Spending::default(), "a fork has no spending of its own");
}

#[tokio::test]
async fn unknown_price_is_displayed_as_unknown_until_set() {
    let provider = provider_with_usage(3_000);
    let app = App::with(&provider);
    let flow = one_chat("house", "model-of-ours");
    app.run(&flow, NO_RESPONSES).await;
    assert_eq!(runs(&app).await[0].cost.to_string(), "—");

    let mut settings = app.plait.call(GetSettings {}).await.unwrap();
    let price = Price { input: 1.0, output: 2.0, ..Price::default() };
    let context_window = std::num::NonZeroU32::new(9_000);
    let note = ModelOverride { context_window, price: Some(price), ..ModelOverride::default() };
    settings.models.insert("model-of-ours".to_owned(), note);
    app.plait.call(SetSettings { settings: settings.clone() }).await.unwrap();
    let journal = app.run(&flow, NO_RESPONSES).await;
    assert_eq!(prompt(&journal).window, 9_000);
    assert_eq!(runs(&app).await[0].cost.to_string(), "$0.0032");
    let usage = app.plait.call(UsageByDay::default()).await.unwrap();
    assert_eq!(usage.total.cost.to_string(), "≥ $0.0032", "the first call keeps its unknown price");

    let free =
        ModelOverride { price: Some(Price { input: -1.0, ..Price::default() }), ..ModelOverride::default() };
    settings.models.insert("wrong".to_owned(), free);
    let refused = app.plait.call(SetSettings { settings }).await.unwrap_err();
    assert_eq!(refused.code, "settings.price");
}

#[test]
fn usage_command_prints_usage_by_day() {
    let home = Home::default();
    assert!(home.plait(&["usage"]).err.contains("No model calls"));
    home.plait(&["run", "hello"]);
    let output = home.plait(&["usage"]);
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(output.out.contains("offline/echo") && output.out.contains("$0"), "{output:#?}");
    let json = home.plait(&["usage", "--json"]).out;
    let usage: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(usage["total"]["calls"], 1);
    assert!(home.plait(&["runs", "list"]).out.contains("Cost"));
}

#[tokio::test]
async fn invalid_windows_are_diagnostics() {
    let provider = provider_with_usage(10);
    let app = App::with(&provider);
    for wrong in [json!(0), json!(-5), json!("many"), json!(1.5), json!([]), json!(1e300)] {
        let text = json!({ "version": 1, "settings": { "contextWindow": wrong }, "nodes": {
            "start": { "type": "contextStart" }, "chat": { "type": "chat", "config": { "contextWindow": wrong } },
        } });
        let flow = flow::read(&text.to_string()).unwrap();
        let found = plait_run::plan::check(&flow, app.plait.registry()).diagnostics;
        let places: Vec<_> =
            found.iter().map(|found| (found.code.as_str(), found.pointer.as_str())).collect();
        assert!(
            places.contains(&("settings.context_window", "/settings/contextWindow")),
            "{wrong}: {places:?}"
        );
        assert!(
            places.contains(&("config.invalid", "/nodes/chat/config/contextWindow")),
            "{wrong}: {places:?}"
        );
        let kept = flow::write(&flow).unwrap();
        assert!(
            flow::read(&kept).unwrap().settings.window().is_err(),
            "the invalid value is kept in the file"
        );
    }
}
