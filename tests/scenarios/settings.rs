//! Settings of the window that the terminal changes as well: windows and prices of models, patterns of redaction, what tools may reach
//! and send.

use serde_json::{Value, json};

use crate::http_tools::WebServer;
use crate::support::binary::{CliOutput, Home};
use crate::support::folder::flow_json;

fn stored(home: &Home) -> Value {
    serde_json::from_str(&std::fs::read_to_string(home.path().join("settings.json")).unwrap()).unwrap()
}

fn done(home: &Home, args: &[&str]) -> CliOutput {
    let output = home.plait(args);
    assert_eq!(output.code, 0, "{args:?}: {output:#?}");
    output
}

/// `exit`: 2 for a command that asks for nothing that there is, 1 for a value that the settings refuse.
fn refused(home: &Home, args: &[&str], exit: i32, code: &str) {
    let output = home.plait(args);
    assert!(output.code == exit && output.err.contains(&format!("error[{code}]")), "{args:?}: {output:#?}");
}

#[test]
fn windows_and_prices_of_models_are_set_and_unset() {
    let home = Home::default();
    done(&home, &["models", "set", "vllm/big", "--window", "32768", "--input", "0.5", "--output", "2"]);
    done(&home, &["models", "set", "vllm/big", "--cached-input", "0.1"]);
    let model =
        json!({ "contextWindow": 32768, "price": { "input": 0.5, "output": 2.0, "cachedInput": 0.1 } });
    assert_eq!(stored(&home)["models"], json!({ "vllm/big": model }));
    let listed = done(&home, &["models", "list"]);
    assert!(
        listed.out.contains("vllm/big  window 32768, input $0.5, output $2, cached input $0.1"),
        "{listed:#?}"
    );
    refused(&home, &["models", "set", "other", "--input", "1"], 1, "settings.price");
    refused(&home, &["models", "set", "other"], 2, "settings.bad_value");
    refused(&home, &["models", "unset", "other"], 2, "settings.bad_value");
    done(&home, &["models", "unset", "vllm/big"]);
    assert_eq!(done(&home, &["models", "list", "--json"]).out.trim(), "{}");
}

#[test]
fn patterns_of_redaction_are_added_replaced_and_removed() {
    let home = Home::default();
    done(&home, &["redaction", "add", "customer", "C-[0-9]+"]);
    done(&home, &["redaction", "add", "customer", "C-[0-9]{6}"]);
    let pattern = json!([{ "name": "customer", "regex": "C-[0-9]{6}" }]);
    assert_eq!(stored(&home)["redaction"]["patterns"], pattern);
    assert!(done(&home, &["redaction", "list"]).out.contains("customer  C-[0-9]{6}"));
    refused(&home, &["redaction", "add", "broken", "("], 1, "settings.redaction");
    refused(&home, &["redaction", "rm", "broken"], 2, "settings.bad_value");
    let nodes = json!({
        "question": { "type": "manualInput", "config": { "text": "I am C-123456" } },
        "start": { "type": "contextStart" },
        "chat": { "type": "chat" },
        "out": { "type": "output" },
    });
    let edges =
        ["question.value -> chat.message", "start.context -> chat.context", "chat.response -> out.value"];
    let flow = home.file("echo.flow.json", &flow_json("Echo", nodes, &edges).to_string());
    let run = done(&home, &["run", &flow]);
    assert!(run.out.contains("I am [customer]") && !run.out.contains("C-123456"), "{run:#?}");
    done(&home, &["redaction", "rm", "customer"]);
    assert_eq!(done(&home, &["redaction", "list", "--json"]).out.trim(), "[]");
}

/// A flow that requests `url` with this header.
fn requesting(home: &Home, url: &str, header: &Value) -> String {
    let get = json!({ "type": "httpRequest", "config": { "url": url, "headers": header } });
    let nodes = json!({ "get": get, "out": { "type": "output" } });
    home.file("get.flow.json", &flow_json("Get", nodes, &["get.body -> out.value"]).to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_of_tools_are_added_and_removed() {
    let server = WebServer::start().await;
    let home = Home::default();
    let host = format!("127.0.0.1:{}", server.port);
    let flow = requesting(&home, &server.url("/ok"), &json!({}));
    // A grant for all hosts is none for addresses that are not public.
    done(&home, &["grants", "allow", &flow, "host=*"]);
    let run = ["run", &flow];
    let refused_run = home.plait(&run);
    assert!(refused_run.err.contains("tool.address_refused"), "{refused_run:#?}");
    assert!(done(&home, &["tools", "hosts", "add", &host, "localhost"]).out.contains(&host));
    done(&home, &["tools", "hosts", "add", &host]);
    assert_eq!(stored(&home)["tools"]["allowedHosts"], json!([host, "localhost"]));
    assert_eq!(done(&home, &["tools", "hosts", "list"]).out, format!("{host}\nlocalhost\n"));
    done(&home, &run);
    assert_eq!(server.lines().len(), 1);
    refused(&home, &["tools", "hosts", "add", "a/b"], 1, "settings.tools");
    refused(&home, &["tools", "hosts", "rm", "other"], 2, "settings.bad_value");
    done(&home, &["tools", "hosts", "rm", &host, "localhost"]);
    assert_eq!(done(&home, &["tools", "hosts", "list", "--json"]).out.trim(), "[]");
    assert!(home.plait(&run).err.contains("tool.address_refused"));
}

#[test]
fn secrets_of_tools_are_set_and_removed() {
    let home = Home::default();
    done(&home, &["tools", "secrets", "set", "SHOP", "https://api.example.com", "OLD_TOKEN"]);
    done(&home, &["tools", "secrets", "set", "SHOP", "https://api.example.com", "SHOP_TOKEN"]);
    done(&home, &["tools", "secrets", "set", "groq", "https://api.groq.com"]);
    let shop = json!({ "origin": "https://api.example.com", "variable": "SHOP_TOKEN" });
    let secrets = json!({ "SHOP": shop, "groq": { "origin": "https://api.groq.com" } });
    assert_eq!(stored(&home)["tools"]["secrets"], secrets);
    let listed = done(&home, &["tools", "secrets", "list"]).out;
    assert!(listed.contains("SHOP  from SHOP_TOKEN, to https://api.example.com"), "{listed}");
    refused(&home, &["tools", "secrets", "set", "SHOP", "nowhere"], 1, "settings.tools");
    refused(&home, &["tools", "secrets", "set", "a-b", "https://api.example.com"], 1, "settings.tools");
    refused(&home, &["tools", "secrets", "rm", "other"], 2, "settings.bad_value");
    done(&home, &["tools", "secrets", "rm", "SHOP", "groq"]);
    assert_eq!(done(&home, &["tools", "secrets", "list", "--json"]).out.trim(), "{}");
}

/// Settings that bound runs, damaged in each way that a file or a person damages them.
#[test]
fn no_run_starts_without_a_bound_that_the_settings_have() {
    for (text, code) in [
        ("{\"quotas\": {\"run\": {\"tok", "store.corrupt"),
        ("[]", "store.corrupt"),
        ("{\"quotas\": 5}", "quota.bad"),
        ("{\"quotas\": {\"run\": {\"token\": 5}}}", "quota.bad"),
        ("{\"quotas\": {\"run\": {\"tokens\": \"5\"}}}", "quota.bad"),
        ("{\"quotas\": {\"runs\": {\"tokens\": 5}}}", "quota.bad"),
        ("{\"limits\": []}", "settings.unreadable"),
        ("{\"limits\": {\"maxRuns\": \"3\"}}", "settings.unreadable"),
        ("{\"limits\": {\"maxRuns\": 0}}", "settings.limits"),
        ("{\"redaction\": {\"patterns\": \"C-[0-9]+\"}}", "settings.unreadable"),
        ("{\"redaction\": {\"patterns\": [{\"name\": \"a\", \"regex\": \"(\"}]}}", "settings.redaction"),
        ("{\"config\": 7}", "settings.unreadable"),
        ("{\"config\": {\"retry.attempts\": 1000}}", "settings.bad_value"),
    ] {
        let home = Home::default();
        home.file("settings.json", text);
        let run = home.plait(&["run", "hello"]);
        assert!(run.code != 0 && run.err.contains(&format!("error[{code}]")), "{text}: {run:#?}");
        assert!(run.err.contains("settings.json") && run.out.is_empty(), "{text}: {run:#?}");
        assert_eq!(home.plait(&["runs", "list", "--json"]).out.trim(), "[]", "{text}");
        // Nothing that Plait writes loses what stands there.
        home.plait(&["config", "set", "theme", "dark"]);
        assert!(home.plait(&["run", "hello"]).err.contains(&format!("error[{code}]")), "{text}");
    }
}

/// Settings that bound no run. What allows something, or says where something is sent, allows and sends nothing if it cannot be
/// read.
const NO_BOUNDS: [&str; 9] =
    ["theme", "reducedMotion", "panels", "providers", "models", "summarizer", "tools", "telemetry", "ui"];

/// A new setting is refused where it cannot be read, or it has to be listed as one that bounds nothing.
#[test]
fn each_setting_that_bounds_runs_is_refused_if_it_cannot_be_read() {
    let types = include_str!("../../ui/src/bindings/index.ts");
    let (_, own) = types.split_once("export type Settings = { ").unwrap();
    let (own, _) = own.split_once("\n};").unwrap();
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let names = own.lines().filter_map(|line| Some(line.trim().split_once(':')?.0.trim_end_matches('?')));
    let names: Vec<&str> = names.filter(is_name).collect();
    assert!(NO_BOUNDS.iter().all(|name| names.contains(name)), "{names:?}");
    for name in names.into_iter().filter(|name| !NO_BOUNDS.contains(name)) {
        for unreadable in [json!(7), json!([7]), json!({ "run": 7, "patterns": 7, "maxRuns": {} })] {
            // The values of the configuration have types of their own.
            let unreadable = if name == "config" && unreadable.is_object() {
                json!({ "maxConcurrency": {} })
            } else {
                unreadable
            };
            let home = Home::default();
            home.file("settings.json", &json!({ name: unreadable }).to_string());
            let run = home.plait(&["run", "hello"]);
            assert!(run.code != 0 && run.out.is_empty(), "{name} {unreadable}: {run:#?}");
            assert!(run.err.contains("No run starts until"), "{name} {unreadable}: {run:#?}");
        }
    }
}

#[test]
fn bound_that_is_set_again_lets_runs_start() {
    let home = Home::default();
    home.file("settings.json", "{\"limits\": {\"maxRuns\": 0}, \"theme\": \"dark\"}");
    assert!(home.plait(&["run", "hello"]).err.contains("error[settings.limits]"));
    done(&home, &["config", "set", "limits.maxRuns", "7"]);
    done(&home, &["run", "hello"]);
    assert_eq!(stored(&home)["limits"], json!({ "maxRuns": 7 }));
}

/// Keys that nothing reads are reported and kept: a misspelled limit limits nothing.
#[test]
fn unknown_settings_are_reported_and_kept() {
    let home = Home::default();
    home.file("settings.json", "{\"limits\": {\"maxRun\": 3}, \"tomorrow\": 1}");
    let run = done(&home, &["run", "hello"]);
    assert!(run.err.contains("no setting `tomorrow`"), "{run:#?}");
    assert!(run.err.contains("no setting `limits.maxRun`") && run.err.contains("`maxRuns`"), "{run:#?}");
    done(&home, &["config", "set", "theme", "dark"]);
    assert_eq!((&stored(&home)["tomorrow"], &stored(&home)["limits"]), (&json!(1), &json!({ "maxRun": 3 })));
}

#[test]
fn settings_that_something_else_wrote_wait_for_the_person() {
    let home = Home::default();
    done(&home, &["config", "set", "limits.maxRuns", "7"]);
    done(&home, &["run", "hello"]);
    let path = home.file("settings.json", &json!({ "theme": "dark" }).to_string());
    let run = home.plait(&["run", "hello"]);
    assert!(run.code != 0 && run.err.contains("error[store.changed_outside]"), "{run:#?}");
    assert!(run.err.contains(&path) && run.err.contains("plait doctor --accept-edits"), "{run:#?}");
    refused(&home, &["config", "set", "theme", "light"], 1, "store.changed_outside");
    assert_eq!(stored(&home), json!({ "theme": "dark" }));
    let checked = done(&home, &["doctor"]);
    assert!(checked.out.contains("changed outside of Plait"), "{checked:#?}");
    let accepted = done(&home, &["doctor", "--accept-edits"]);
    assert!(accepted.err.contains("Accepted") && accepted.err.contains(&path), "{accepted:#?}");
    done(&home, &["run", "hello"]);
    done(&home, &["config", "set", "theme", "light"]);
    // Without the file nothing is limited, so that is a change like another.
    std::fs::remove_file(&path).unwrap();
    assert!(home.plait(&["run", "hello"]).err.contains("was removed outside of Plait"));
    done(&home, &["doctor", "--accept-edits"]);
    done(&home, &["run", "hello"]);
}

#[tokio::test]
async fn window_accepts_settings_that_something_else_wrote() {
    let home = Home::default();
    done(&home, &["config", "set", "theme", "light"]);
    home.file("settings.json", &json!({ "theme": "dark", "limits": { "maxRuns": 9 } }).to_string());
    let plait = plait_api::Plait::open(plait_api::Options::new(home.path(), plait_app::parts())).unwrap();
    let seen = plait_api::dispatch(&plait, "settings.get", json!({})).await.unwrap();
    assert_eq!(seen["theme"], "dark", "the person sees what is to be accepted");
    let flow = flow_json("F", json!({ "v": { "type": "value", "config": { "value": 1 } } }), &[]);
    let start = json!({ "flow": flow });
    let refused = plait_api::dispatch(&plait, "run.start", start.clone()).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "store.changed_outside");
    let hash = json!({ "hash": refused.details["hash"] });
    let accepted = plait_api::dispatch(&plait, "settings.accept", hash).await.unwrap();
    assert_eq!(accepted["limits"]["maxRuns"], 9);
    plait_api::dispatch(&plait, "run.start", start).await.unwrap();
    plait.close().await.unwrap();
}

/// Nothing starts by it, so no bound is needed for it.
#[test]
fn waiting_run_is_canceled_whatever_happened_to_the_settings() {
    for (file, text) in [
        ("settings.json", "{\"quotas\": {\"run\": {\"tok"),
        ("settings.json", "{\"theme\": \"dark\"}"),
        ("users.json", "{\"current\": \"local\", \"names\": [\"local\"]}"),
        ("grants.json", "{}"),
    ] {
        let home = Home::default();
        let output = home.plait(&["run", "approval", "--json"]);
        assert_eq!(output.code, 3, "{output:#?}");
        let run = output.events()[0]["run"].as_str().unwrap().to_owned();
        home.file(file, text);
        done(&home, &["cancel", &run]);
        let shown = done(&home, &["runs", "show", &run]);
        assert!(shown.out.contains("cancel"), "{shown:#?}");
    }
}

/// What removed runs have spent is in the ledger alone.
#[test]
fn quota_of_the_day_is_not_kept_with_a_ledger_that_was_cut() {
    let home = Home::default();
    done(&home, &["run", "hello"]);
    done(&home, &["runs", "rm", "last"]);
    done(&home, &["run", "hello"]);
    std::fs::remove_file(home.path().join("spending.log")).unwrap();
    let run = done(&home, &["run", "hello"]);
    assert!(run.err.contains("was changed outside of Plait"), "no quota needs it, but it is said: {run:#?}");
    done(&home, &["config", "set", "quotas.day", "{\"tokens\": 100000}"]);
    refused(&home, &["run", "hello"], 1, "store.changed_outside");
    assert!(done(&home, &["doctor"]).out.contains("was changed outside of Plait"));
    done(&home, &["doctor", "--accept-edits"]);
    done(&home, &["run", "hello"]);
}
