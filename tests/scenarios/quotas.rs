//! Quotas across runs and processes: which requests reach the provider.

use std::time::Duration;

use plait_api::{Options, Plait};
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply};

/// A question, answered by the offline provider. `limits` are the chat's limits.
fn flow(settings: &Value, limits: &Value) -> String {
    let mut flow = flow_json(
        "asking",
        json!({
            "start": { "type": "contextStart" },
            "ask": { "type": "value", "config": { "value": "How are you today?" } },
            "chat": { "type": "chat", "config": { "maxTokens": 100 }, "limits": limits },
        }),
        &["start.context -> chat.context", "ask.value -> chat.message"],
    );
    flow["settings"] = settings.clone();
    flow.to_string()
}

fn code(output: &CliOutput) -> Value {
    output.events().pop().unwrap()["error"]["code"].clone()
}

fn types(output: &CliOutput) -> Vec<String> {
    output.events().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn quota_of_a_day_holds_across_processes() {
    let home = Home::default();
    let file = home.file("asking.flow.json", &flow(&json!({}), &json!({})));
    let first = home.plait(&["run", &file, "--json"]);
    assert_eq!(first.code, 0, "{first:#?}");
    assert!(!types(&first).iter().any(|kind| kind.starts_with("quota.")), "nothing limits it");
    home.change_settings(|settings| settings["quotas"] = json!({ "day": { "tokens": 110 } })).await;
    let second = home.plait(&["run", &file, "--json"]);
    assert_eq!((second.code, code(&second)), (1, json!("quota.exceeded")), "{second:#?}");
    let kinds = types(&second);
    assert!(!kinds.iter().any(|kind| kind == "model.replied" || kind == "prompt.rendered"), "{kinds:?}");
    home.change_settings(|settings| settings["quotas"] = json!({ "day": { "tokens": 200 } })).await;
    let third = home.plait(&["run", &file, "--json"]);
    assert_eq!(third.code, 0, "{third:#?}");
    let reserved = third.events().into_iter().find(|event| event["type"] == "quota.reserved").unwrap();
    let spent = reserved["quotas"][0]["spent"]["tokens"].as_u64().unwrap();
    assert!(spent > 5 && spent < 40, "what the first run used: {reserved}");
}

#[tokio::test]
async fn replies_that_are_reused_count_for_no_quota_of_the_day() {
    let home = Home::default();
    let file = home.file("asking.flow.json", &flow(&json!({}), &json!({})));
    assert_eq!(home.plait(&["run", &file]).code, 0);
    let spent = |usage: &CliOutput| usage.out.clone();
    let before = home.plait(&["usage", "--json"]);
    home.change_settings(|settings| settings["quotas"] = json!({ "day": { "tokens": 110 } })).await;
    for _ in 0..2 {
        let again = home.plait(&["rerun", "last", "--json"]);
        assert_eq!(again.code, 0, "{again:#?}");
        let reply = again.events().into_iter().find(|event| event["type"] == "model.replied").unwrap();
        assert!(reply["reused"].is_object(), "{reply}");
    }
    assert_eq!(spent(&home.plait(&["usage", "--json"])), spent(&before), "the first run alone has paid");
    let bought = home.plait(&["rerun", "last", "--from", "chat", "--yes", "--json"]);
    assert_eq!((bought.code, code(&bought)), (1, json!("quota.exceeded")), "{bought:#?}");
}

#[tokio::test]
async fn removed_run_counts_for_usage_and_the_quota_of_the_day() {
    let home = Home::default();
    let file = home.file("asking.flow.json", &flow(&json!({}), &json!({})));
    let first = home.plait(&["run", &file, "--json"]);
    assert_eq!(first.code, 0, "{first:#?}");
    let usage = || serde_json::from_str::<Value>(&home.plait(&["usage", "--json"]).out).unwrap();
    let before = usage();
    assert!(before["total"]["calls"].as_u64().unwrap() > 0, "{before}");
    let run = first.events()[0]["run"].as_str().unwrap().to_owned();
    let removed = home.plait(&["runs", "rm", &run]);
    assert_eq!(removed.code, 0, "{removed:#?}");
    assert_eq!(home.plait(&["runs", "show", &run]).code, 2);
    assert_eq!(usage(), before);
    home.change_settings(|settings| settings["quotas"] = json!({ "day": { "tokens": 110 } })).await;
    let second = home.plait(&["run", &file, "--json"]);
    assert_eq!((second.code, code(&second)), (1, json!("quota.exceeded")), "{second:#?}");
}

#[test]
fn question_about_a_quota_is_answered_in_the_terminal() {
    let home = Home::default();
    let settings = json!({ "quotas": { "run": { "tokens": 60, "onExceeded": "ask" } } });
    let file = home.file("asking.flow.json", &flow(&settings, &json!({})));
    let first = home.plait(&["run", &file, "--json"]);
    assert_eq!((first.code, first.last_type().as_str()), (3, "run.waiting"), "{first:#?}");
    let paused = first.events().into_iter().find(|event| event["type"] == "run.paused").unwrap();
    assert!(paused["prompt"].as_str().unwrap().contains("The quota of the run is 60 tokens"), "{paused}");
    let second = home.plait(&["resume", &file, "--answer", "yes", "--json"]);
    assert_eq!((second.code, second.last_type().as_str()), (0, "run.finished"), "{second:#?}");
}

#[test]
fn question_in_a_sub_flow_about_the_quota_of_the_run_around_it_is_asked_once() {
    let home = Home::default();
    let inner: Value = serde_json::from_str(&flow(&json!({}), &json!({}))).unwrap();
    let nodes = json!({
        "start": { "type": "contextStart" },
        "inside": { "type": "subflow", "config": { "flow": inner } },
    });
    let mut outer = flow_json("outer", nodes, &["start.context -> inside.context"]);
    outer["settings"] = json!({ "quotas": { "run": { "tokens": 60, "onExceeded": "ask" } } });
    let file = home.file("outer.flow.json", &outer.to_string());
    let first = home.plait(&["run", &file, "--json"]);
    assert_eq!((first.code, first.last_type().as_str()), (3, "run.waiting"), "{first:#?}");
    let second = home.plait(&["resume", &file, "--answer", "yes", "--json"]);
    assert_eq!((second.code, second.last_type().as_str()), (0, "run.finished"), "{second:#?}");
}

/// A sub-flow is resumed through the run around it, which knows the quotas.
#[test]
fn resumed_sub_flow_is_within_the_quota_of_the_run_around_it() {
    let chat = |tokens: u64| json!({ "type": "chat", "config": { "maxTokens": tokens } });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "hello": { "type": "value", "config": { "value": "How are you?" } },
        "small": chat(30),
        "ask": { "type": "userInput" },
        "large": chat(900),
    });
    let edges = [
        "start.context -> small.context",
        "hello.value -> small.message",
        "small.response -> ask.in",
        "ask.message -> large.message",
        "small.context -> large.context",
    ];
    let inner = flow_json("inner", nodes, &edges);
    let nodes = json!({
        "start": { "type": "contextStart" },
        "inside": { "type": "subflow", "config": { "flow": inner } },
    });
    let mut outer = flow_json("outer", nodes, &["start.context -> inside.context"]);
    outer["settings"] = json!({ "quotas": { "run": { "tokens": 400 } } });
    // The outcome must not depend on timing.
    for _ in 0..5 {
        let home = Home::default();
        let file = home.file("outer.flow.json", &outer.to_string());
        let first = home.plait(&["run", &file, "--json"]);
        assert_eq!(first.code, 3, "{first:#?}");
        let second = home.plait(&["resume", &file, "--answer", "Fine.", "--json"]);
        assert_eq!(second.code, 1, "{second:#?}");
        assert!(second.out.contains("quota.exceeded"), "{second:#?}");
    }
}

#[test]
fn sub_flow_is_within_the_quota_of_its_node() {
    let home = Home::default();
    let inner: Value = serde_json::from_str(&flow(&json!({}), &json!({}))).unwrap();
    let outer = |tokens: u64| {
        let node = json!({
            "type": "subflow",
            "config": { "flow": inner },
            "limits": { "quota": { "tokens": tokens } },
        });
        let nodes = json!({ "start": { "type": "contextStart" }, "inside": node });
        flow_json("outer", nodes, &["start.context -> inside.context"]).to_string()
    };
    let small = home.plait(&["run", &home.file("small.flow.json", &outer(50)), "--json"]);
    assert_eq!(small.code, 1, "{small:#?}");
    assert_eq!(
        small.events().pop().unwrap()["error"]["details"]["error"]["code"],
        "quota.node_exceeded",
        "{small:#?}"
    );
    let large = home.plait(&["run", &home.file("large.flow.json", &outer(500)), "--json"]);
    assert_eq!(large.code, 0, "{large:#?}");
}

#[test]
fn quota_of_zero_is_refused_with_its_place() {
    let home = Home::default();
    let settings = json!({ "quotas": { "run": { "tokens": 0 } } });
    let file = home.file("zero.flow.json", &flow(&settings, &json!({ "quota": { "usd": 0 } })));
    let checked = home.plait(&["check", &file, "--json"]);
    assert_eq!(checked.code, 2, "{checked:#?}");
    let found = format!("{}{}", checked.out, checked.err);
    assert!(found.contains("/settings/quotas/run/tokens"), "{found}");
    assert!(found.contains("/nodes/chat/limits/quota/usd"), "{found}");
}

/// A settings file that was changed by hand: the quota still prevents calls, and the other quotas stay.
#[tokio::test]
async fn quota_of_the_settings_that_cannot_be_kept_keeps_runs_from_starting() {
    let home = Home::default();
    let file = home.file("asking.flow.json", &flow(&json!({}), &json!({})));
    for bad in
        [json!({ "tokens": 0 }), json!({ "tokens": "many" }), json!({ "usd": 1, "onExceeded": "fallback" })]
    {
        let app = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
        let stored = json!({ "quotas": { "run": { "tokens": 5000 }, "day": bad } });
        app.store().put_settings(stored.as_object().unwrap()).unwrap();
        app.close().await.unwrap();
        drop(app);
        let refused = home.plait(&["run", &file, "--json"]);
        assert_eq!((refused.code, refused.out.as_str()), (1, ""), "{bad}: {refused:#?}");
        assert!(refused.err.contains("error[quota.bad]: No run starts"), "{bad}: {refused:#?}");
        // Another setting is changed: nothing of the quotas is lost.
        home.change_settings(|settings| settings["theme"] = json!("dark")).await;
        let app = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
        assert_eq!(Value::Object(app.store().settings().unwrap())["quotas"], stored["quotas"], "{bad}");
        app.close().await.unwrap();
        drop(app);
        assert_eq!(home.plait(&["run", &file, "--json"]).code, 1, "{bad}");
        // The quotas are set again.
        home.change_settings(|settings| {
            assert_eq!(
                settings["quotas"],
                json!({ "run": { "tokens": 5000 } }),
                "the valid ones are in force"
            );
            settings["quotas"]["day"] = json!({ "tokens": 100_000 });
        })
        .await;
        assert_eq!(home.plait(&["run", &file, "--json"]).code, 0, "{bad}");
    }
}

/// A call that lost its reply in a crash may have been billed: it stays charged, also for other runs.
#[tokio::test(flavor = "multi_thread")]
async fn call_that_a_crash_has_lost_stays_charged() {
    for quota in ["day", "conversation"] {
        let answer = |_: &Value, before: usize| match before {
            0 => ServerReply::NoResponse,
            _ => ServerReply::Text("Fine.".to_owned()),
        };
        let server = ModelServer::start(answer).await;
        let home = Home::default();
        home.set_provider_url(&server.url).await;
        home.change_settings(|settings| settings["quotas"] = json!({ quota: { "tokens": 10_000 } })).await;
        let mut asking: Value = serde_json::from_str(&flow(&json!({}), &json!({}))).unwrap();
        asking["nodes"]["start"]["config"] = json!({ "provider": "openai", "model": "tiny" });
        let file = home.file("asking.flow.json", &asking.to_string());
        let mut first = home.spawn(&["run", &file, "--json", "--conversation", "new"]);
        while server.calls().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        first.kill().unwrap();
        first.wait().unwrap();
        let canceled = home.plait(&["cancel", "last"]);
        assert_eq!(canceled.code, 0, "{canceled:#?}");
        let second = home.plait(&["run", &file, "--json", "--conversation", "last"]);
        assert_eq!(second.code, 0, "{quota}: {second:#?}");
        let reserved = second.events().into_iter().find(|event| event["type"] == "quota.reserved").unwrap();
        let spent = reserved["quotas"][0]["spent"]["tokens"].as_u64().unwrap();
        assert!((101..200).contains(&spent), "{quota}: the prompt and 100 tokens of the reply: {reserved}");
    }
}
