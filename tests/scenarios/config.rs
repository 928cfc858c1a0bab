//! Values that can be set in more than one place: the prompts of models with each, and `plait config`.

use plait_api::codes;
use plait_api::keys::KeyStore;
use plait_api::{ErrorReply, Options, Plait, dispatch};
use plait_core::flow::Flow;
use plait_formats::pipeline::Pipeline;
use plait_llm::context::Role;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::provider::{RecordingProvider, SentRequest};
use crate::support::server::{ModelServer, ServerReply};

const NO_RESPONSES: [&str; 0] = [];

fn pipeline(text: &str) -> Flow {
    Pipeline::read(text).unwrap().flow
}

async fn set(plait: &Plait, key: &str, value: Value) -> Result<Value, ErrorReply> {
    dispatch(plait, "config.set", json!({ "key": key, "value": value })).await
}

async fn app_with(provider: &RecordingProvider, settings: &[(&str, Value)]) -> App {
    let app = App::with(provider);
    for (key, value) in settings {
        set(&app.plait, key, value.clone()).await.unwrap();
    }
    app
}

fn model_and_system(sent: &SentRequest) -> (&str, Option<&str>) {
    (&sent.model, sent.system.as_deref())
}

const TWO_STEPS: &str = r#"
version: "0.1"
agents:
  own: {provider: offline, model: mine, system_prompt: Be brief.}
steps:
  - {kind: step, name: plain, prompt: one}
  - {kind: step, name: other, agent: own, prompt: two}
"#;

#[tokio::test]
async fn step_without_an_agent_uses_the_default_one() {
    let provider = RecordingProvider::echo();
    let settings = [
        ("agent.provider", json!("acme")),
        ("agent.model", json!("large")),
        ("agent.instructions", json!("Answer in rhymes.")),
    ];
    let app = app_with(&provider, &settings).await;
    let journal = app.run(&pipeline(TWO_STEPS), NO_RESPONSES).await;
    let sent = provider.sent();
    assert_eq!(model_and_system(&sent[0]), ("large", Some("Answer in rhymes.")));
    assert_eq!(model_and_system(&sent[1]), ("mine", Some("Be brief.")));
    let started = serde_json::to_value(&journal.0[0]).unwrap();
    assert_eq!(started["config"]["agent.model"], "large", "{started}");

    provider.reset(0);
    for (key, _) in &settings {
        set(&app.plait, key, Value::Null).await.unwrap();
    }
    app.run(&pipeline(TWO_STEPS), NO_RESPONSES).await;
    assert_eq!(
        model_and_system(&provider.sent()[0]),
        ("echo", None),
        "the simulator is the default's default"
    );
}

#[tokio::test]
async fn agent_of_the_flow_comes_before_that_of_the_settings() {
    let provider = RecordingProvider::echo();
    let settings = [("agent.provider", json!("acme")), ("agent.model", json!("large"))];
    let app = app_with(&provider, &settings).await;
    let mut flow = pipeline(TWO_STEPS);
    flow.settings.config.insert("agent.model".to_owned(), json!("middle"));
    app.run(&flow, NO_RESPONSES).await;
    assert_eq!(provider.sent()[0].model, "middle");
}

#[tokio::test]
async fn default_agent_is_asked_at_the_server_of_its_provider() {
    let server = ModelServer::start(|_, _| ServerReply::Text("Yes.".to_owned())).await;
    let home = TempDir::new().unwrap();
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_memory());
    let app = Plait::open(options).unwrap();
    let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
    settings["providers"]["acme"] = json!({ "kind": "openAi", "baseUrl": server.url });
    settings["config"] = json!({ "agent.provider": "acme", "agent.model": "large" });
    dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap();
    let flow = pipeline("version: \"0.1\"\nsteps:\n  - {kind: step, name: plain, prompt: Are you there?}\n");
    let started = dispatch(&app, "run.start", json!({ "flow": flow })).await.unwrap();
    app.runs().settled(&started["run"].as_str().unwrap().into()).await;
    let calls = server.calls();
    assert_eq!((calls.len(), &calls[0]["model"]), (1, &json!("large")), "{calls:#?}");
    app.close().await.unwrap();
}

/// A conversation that is summarized from the third iteration on.
const SUMMARIZED: &str = r#"
version: "0.1"
input: Tell me about the tides of the northern seas, and why they differ so much from harbor to harbor.
agents:
  own: {provider: offline, model: mine}
steps:
  - kind: loop
    name: talk
    loop:
      kind: times
      times: 4
      conversation: true
      history_management: {strategy: summarize, max_tokens: 120}
      body:
        - {kind: step, name: ask, agent: own, prompt: "Go on."}
"#;

async fn summaries(settings: &[(&str, Value)]) -> Vec<SentRequest> {
    let long = "The tide rises and falls twice a day along most coasts, and once along some. ".repeat(3);
    let provider = RecordingProvider::with_rule(move |sent, _| {
        let is_summary = sent.system.as_deref().is_some_and(|system| system.starts_with("You condense"));
        Ok(crate::support::provider::text(if is_summary { "Tides." } else { &long }))
    });
    let app = app_with(&provider, settings).await;
    app.run(&pipeline(SUMMARIZED), NO_RESPONSES).await;
    provider.sent().into_iter().filter(|sent| sent.system.is_some()).collect()
}

#[tokio::test]
async fn loop_without_a_summarizer_is_summarized_by_the_default_agent() {
    let agent = [
        ("agent.provider", json!("acme")),
        ("agent.model", json!("large")),
        ("agent.instructions", json!("Answer in rhymes.")),
    ];
    let sent = summaries(&agent).await;
    assert!(!sent.is_empty());
    for summary in &sent {
        assert_eq!(summary.model, "large");
        assert!(
            !summary.system.as_deref().unwrap().contains("rhymes"),
            "its instructions are no summarizer's"
        );
    }
    let summarizer = ("summarizer.model", json!("small"));
    let sent = summaries(&[agent[0].clone(), agent[1].clone(), summarizer]).await;
    assert!(!sent.is_empty() && sent.iter().all(|summary| summary.model == "small"), "{sent:#?}");
    let sent = summaries(&[]).await;
    assert!(
        sent.is_empty(),
        "without any model there is a notice, and no summary of the simulator: {sent:#?}"
    );
}

/// Five iterations; the turns that the model gets in the last one.
async fn turns_of_the_last_call(settings: &[(&str, Value)], flow: &Flow) -> usize {
    let provider = RecordingProvider::with_rule(|_, count| {
        Ok(crate::support::provider::text(&format!("Turn {count}.")))
    });
    let app = app_with(&provider, settings).await;
    app.run(flow, NO_RESPONSES).await;
    let sent = provider.sent();
    assert_eq!(sent.len(), 5);
    let (last, turns) = sent[4].messages.split_last().unwrap();
    assert_eq!(last, &(Role::User, "Go on.".to_owned()));
    turns.len()
}

#[tokio::test]
async fn bounds_of_a_history_hold_where_they_are_set_most_narrowly() {
    let flow = |own: &str| {
        pipeline(&format!(
            "version: \"0.1\"\ninput: Begin.\nsteps:\n  - kind: loop\n    name: talk\n    loop:\n      kind: times\n      times: 5\n      \
             conversation: true\n{own}      body:\n        - {{kind: step, name: ask, prompt: Go on.}}\n"
        ))
    };
    let open = flow("");
    let own = flow("      history_management: {strategy: truncate_turns, max_turns: 3}\n");
    let mut of_flow = open.clone();
    of_flow.settings.config.insert("history_management.max_turns".to_owned(), json!(1));
    let settings = [
        ("history_management.strategy", json!("truncate_turns")),
        ("history_management.max_turns", json!(2)),
    ];
    assert_eq!(turns_of_the_last_call(&[], &open).await, 5, "4096 tokens hold all of them");
    assert_eq!(turns_of_the_last_call(&settings, &open).await, 2);
    assert_eq!(turns_of_the_last_call(&settings, &of_flow).await, 1);
    assert_eq!(turns_of_the_last_call(&settings, &own).await, 3);
}

#[tokio::test]
async fn run_that_waits_goes_on_with_the_settings_it_started_with() {
    let provider = RecordingProvider::echo();
    let app = app_with(&provider, &[("agent.model", json!("first"))]).await;
    let flow = pipeline(
        "version: \"0.1\"\nsteps:\n  - {kind: hitl, name: ask, prompt: Well?}\n  - {kind: step, name: plain, prompt: one}\n",
    );
    let run = app.start(&flow).await;
    app.follow(&run, NO_RESPONSES).await;
    set(&app.plait, "agent.model", json!("second")).await.unwrap();
    let app = app.reopen(&provider).await;
    app.follow(&run, ["Yes."]).await;
    assert_eq!(provider.sent()[0].model, "first");
    app.run(&flow, ["Yes."]).await;
    assert_eq!(provider.sent()[1].model, "second");
}

#[tokio::test]
async fn limits_of_the_settings_hold_and_those_of_the_flow_come_first() {
    let provider = RecordingProvider::echo();
    let app = app_with(&provider, &[("limits.maxModelCalls", json!(1))]).await;
    let mut flow = pipeline(TWO_STEPS);
    app.run(&flow, NO_RESPONSES).await;
    assert_eq!(provider.sent().len(), 1);
    provider.reset(0);
    flow.settings.limits = serde_json::from_value(json!({ "maxModelCalls": 2 })).unwrap();
    app.run(&flow, NO_RESPONSES).await;
    assert_eq!(provider.sent().len(), 2);
}

#[tokio::test]
async fn invalid_values_change_nothing() {
    let app = App::with(&RecordingProvider::echo());
    for (key, value, code) in [
        ("agent.modell", json!("large"), "settings.unknown_key"),
        ("maxConcurrency", json!(0), "settings.bad_value"),
        ("maxConcurrency", json!("many"), "settings.bad_value"),
        ("contextWindow", json!(100), "settings.wrong_layer"),
        ("telemetry.endpoint", json!("no address"), "telemetry.bad_endpoint"),
        (
            "agent.instructions",
            json!("Use sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD."),
            "settings.holds_secret",
        ),
    ] {
        assert_eq!(set(&app.plait, key, value).await.unwrap_err().code, code, "{key}");
    }
    let settings = dispatch(&app.plait, "settings.get", json!({})).await.unwrap();
    assert_eq!((&settings["config"], &settings["telemetry"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn unusable_stored_values_are_reported_and_kept() {
    let home = Home::default();
    home.file(
        "settings.json",
        r#"{"config": {"maxConcurrency": 3, "retry.attempts": 1000, "of.tomorrow": 1}}"#,
    );
    let listed = home.plait(&["config", "get", "maxConcurrency"]);
    assert_eq!((listed.code, listed.out.as_str()), (0, "3\n"), "{listed:#?}");
    let output = home.plait(&["config", "set", "theme", "dark"]);
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(
        output.err.contains("settings.bad_value") && output.err.contains("settings.unknown_key"),
        "{}",
        output.err
    );
    let stored: Value =
        serde_json::from_slice(&std::fs::read(home.path().join("settings.json")).unwrap()).unwrap();
    assert_eq!(stored["config"], json!({ "maxConcurrency": 3, "retry.attempts": 1000, "of.tomorrow": 1 }));
    assert_eq!(stored["theme"], "dark");
}

#[test]
fn terminal_sets_shows_and_removes_a_value() {
    let home = Home::default();
    let run = |args: &[&str]| {
        let output = home.plait(&[&["config"][..], args].concat());
        (output.code, output.out, output.err)
    };
    let done = |text: &str| (0, text.to_owned(), String::new());
    let key = "history_management.max_tokens";
    assert_eq!(run(&["get", key]), done("4096\n"));
    assert_eq!(run(&["set", key, "2048"]), done("2048\n"));
    assert_eq!(run(&["get", key]), done("2048\n"));
    let (_, listed, _) = run(&["list"]);
    let line = listed.lines().find(|line| line.contains(key)).unwrap().to_owned();
    assert!(line.contains("2048") && line.contains("settings"), "{line}");
    let (_, json, _) = run(&["get", key, "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["value"], &json["source"]["layer"]), (&json!(2048), &json!("settings")));
    assert_eq!(run(&["unset", key]), done("4096\n"));
    assert_eq!(run(&["set", "agent.provider", "openai"]), done("openai\n"));
    assert_eq!(run(&["set", "agent.provider", "--unset"]), done("offline\n"));

    let (code, out, err) = run(&["get", "history_managment.max_tokens"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.contains("error[settings.unknown_key]")
            && err.contains("Did you mean `history_management.max_tokens`?"),
        "{err}"
    );
    let (code, _, err) = run(&["set", "retry.attempts", "1000"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("error[settings.bad_value]") && err.contains("a whole number from 1 to 100"),
        "{err}"
    );
    let (code, _, err) = run(&["set", "memory.mode", "read"]);
    assert_eq!(code, 2);
    assert!(err.contains("error[settings.wrong_layer]"), "{err}");
}

#[test]
fn terminal_explains_each_layer() {
    let home = Home::default();
    assert_eq!(home.plait(&["config", "set", "history_management.max_tokens", "2048"]).code, 0);
    let file = home.file(
        "talk.yaml",
        "version: \"0.1\"\nsettings: {config: {history_management.max_tokens: 1000}}\nsteps:\n  - kind: loop\n    name: talk\n    loop:\n      \
         conversation: true\n      history_management: {max_tokens: 500}\n      max_iterations: 2\n      body:\n        - {kind: step, \
         name: clarify, prompt: one}\n",
    );
    let explain = |args: &[&str]| {
        let output = home.plait(&[&["config", "explain"][..], args].concat());
        assert_eq!(output.code, 0, "{output:#?}");
        output.out
    };
    let key = "history_management.max_tokens";
    insta::assert_snapshot!("config_explain_settings", explain(&[key]));
    insta::assert_snapshot!("config_explain_step", explain(&[key, &file, "clarify"]));
    insta::assert_snapshot!(
        "config_explain_default_agent",
        explain(&["agent.model", &file, "clarify.context"])
    );
    let json: Value = serde_json::from_str(&explain(&[key, &file, "clarify", "--json"])).unwrap();
    assert_eq!((&json["value"], &json["source"]), (&json!(500), &json!({ "layer": "loop", "node": "talk" })));

    let output = home.plait(&["config", "explain", key, &file, "clarifi"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("error[node.unknown]") && output.err.contains("`clarify`"), "{}", output.err);
    let bad = home.file("bad.yaml", "version: \"0.1\"\nsettings: {config: {retry.atempts: 3}}\nsteps:\n  - {kind: step, name: a, prompt: b}\n");
    let output = home.plait(&["check", &bad]);
    assert_eq!(output.code, 2, "{output:#?}");
    assert!(
        output.err.contains("settings.unknown_key") && output.err.contains("`retry.attempts`"),
        "{}",
        output.err
    );
}

#[tokio::test]
async fn changing_one_setting_keeps_what_others_changed() {
    let app = App::with(&RecordingProvider::echo());
    let change =
        async |patch: Value| dispatch(&app.plait, "settings.change", json!({ "patch": patch })).await;
    let local = json!({ "kind": "openAi", "baseUrl": "http://127.0.0.1:9/v1" });
    change(json!({ "providers": { "local": local }, "panels": { "dock": "events", "tab": "prompt" } }))
        .await
        .unwrap();
    change(json!({ "theme": "dark", "panels": { "tab": null } })).await.unwrap();
    let settings = dispatch(&app.plait, "settings.get", json!({})).await.unwrap();
    assert_eq!(settings["providers"]["local"]["baseUrl"], "http://127.0.0.1:9/v1");
    assert_eq!(settings["theme"], "dark");
    assert_eq!(settings["panels"], json!({ "dock": "events" }));

    let removed = change(json!({ "providers": { "local": null } })).await.unwrap();
    assert_eq!(removed["providers"].get("local"), None);
    let error = change(json!({ "theme": 7 })).await.unwrap_err();
    assert_eq!(error.code, codes::SETTINGS_BAD_VALUE);
    assert_eq!(dispatch(&app.plait, "settings.get", json!({})).await.unwrap(), removed);
}

#[tokio::test]
async fn settings_that_are_changed_at_once_are_all_kept() {
    let app = App::with(&RecordingProvider::echo());
    let (first, second, third) = tokio::join!(
        set(&app.plait, "agent.model", json!("gpt-4.1")),
        set(&app.plait, "maxToolRounds", json!(3)),
        dispatch(&app.plait, "settings.change", json!({ "patch": { "reducedMotion": true } })),
    );
    for changed in [first, second, third] {
        changed.unwrap();
    }
    let settings = dispatch(&app.plait, "settings.get", json!({})).await.unwrap();
    assert_eq!(settings["config"], json!({ "agent.model": "gpt-4.1", "maxToolRounds": 3 }));
    assert_eq!(settings["reducedMotion"], true);
}
