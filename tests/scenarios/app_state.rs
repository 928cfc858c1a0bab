//! The application's state for the window: settings, recent flows, drafts; and validation of commands.

use plait_api::{Options, Plait, dispatch, examples};
use serde_json::{Value, json};

use crate::support::binary::Home;

fn open(home: &Home) -> Plait {
    Plait::open(Options::new(home.path().join("data"), plait_app::parts())).unwrap()
}

async fn call(app: &Plait, name: &str, args: Value) -> Value {
    dispatch(app, name, args.clone()).await.unwrap_or_else(|error| panic!("{name} {args}: {error:?}"))
}

#[tokio::test]
async fn settings_persist_and_invalid_ones_are_refused() {
    let home = Home::default();
    let app = open(&home);
    let mut settings = call(&app, "settings.get", json!({})).await;
    assert_eq!(settings["theme"], "system");
    assert_eq!(settings["providers"]["offline"]["kind"], "offline");
    settings["theme"] = json!("dark");
    settings["ui"] = json!({ "zoom": 1.5 });
    settings["providers"]["mine"] = json!({ "kind": "openAi", "baseUrl": "http://127.0.0.1:9/v1" });
    let set = call(&app, "settings.set", json!({ "settings": settings })).await;
    assert_eq!(set, settings);
    assert!(
        call(&app, "app.info", Value::Null).await["providers"].as_array().unwrap().contains(&json!("mine"))
    );

    let mut wrong = settings.clone();
    wrong["theme"] = json!("light");
    wrong["providers"]["mine"]["baseUrl"] = json!("not a url");
    let refused = dispatch(&app, "settings.set", json!({ "settings": wrong })).await.unwrap_err();
    assert_eq!(refused.code, "provider.bad_settings");
    assert_eq!(call(&app, "settings.get", json!({})).await, settings, "nothing was changed");

    app.close().await.unwrap();
    drop(app);
    assert_eq!(call(&open(&home), "settings.get", json!({})).await, settings);
}

/// Settings of another version of Plait are kept and do not affect the others.
#[tokio::test]
async fn unreadable_settings_are_reported_and_kept() {
    let home = Home::default();
    let app = open(&home);
    let newer = json!({
        "theme": "dark",
        "hologram": { "depth": 3 },
        "providers": {
            "mine": { "kind": "openAi", "baseUrl": "http://127.0.0.1:9/v1" },
            "newer": { "kind": "telepathy", "strength": 7 },
            "wrong": { "kind": "openAi", "baseUrl": "not a url" },
        },
        "models": { "odd": { "contextWindow": "wide" }, "even": { "contextWindow": 9000 } },
    });
    app.store().put_settings(newer.as_object().unwrap()).unwrap();
    app.close().await.unwrap();
    drop(app);

    let app = open(&home);
    let messages: Vec<_> = app.notices().iter().map(|fault| fault.message.clone()).collect();
    for name in ["newer", "wrong", "odd"] {
        assert!(
            messages.iter().any(|message| message.contains(&format!("`{name}`"))),
            "{name}: {messages:#?}"
        );
    }
    let mut settings = call(&app, "settings.get", json!({})).await;
    assert_eq!(settings["providers"]["mine"]["kind"], "openAi");
    assert_eq!(settings["models"]["even"]["contextWindow"], 9000);
    settings["theme"] = json!("light");
    settings["providers"]["wrong"] = json!({ "kind": "openAi", "baseUrl": "http://127.0.0.1:8/v1" });
    call(&app, "settings.set", json!({ "settings": settings })).await;
    let kept = Value::Object(app.store().settings().unwrap());
    assert_eq!(kept["theme"], "light");
    assert_eq!(kept["hologram"], newer["hologram"]);
    assert_eq!(kept["providers"]["newer"], newer["providers"]["newer"]);
    assert_eq!(kept["models"]["odd"], newer["models"]["odd"]);
    assert_eq!(kept["providers"]["wrong"]["baseUrl"], "http://127.0.0.1:8/v1", "the new value is stored");
}

#[tokio::test]
async fn draft_is_offered_after_its_file_changed_and_keeps_its_base_hash() {
    let home = Home::default();
    let app = open(&home);
    let mut flow = call(&app, "flow.example", json!({ "id": "hello" })).await;
    let path = home.path().join("hello.flow.json").display().to_string();
    let saved = call(&app, "flow.save", json!({ "path": path, "flow": flow })).await;
    let (path, base) = (saved["path"].clone(), saved["hash"].clone());
    flow["name"] = json!("Hello, edited");
    call(&app, "autosave.put", json!({ "key": "tab", "path": path, "baseHash": base, "flow": flow })).await;
    flow["name"] = json!("Hello, from elsewhere");
    std::thread::sleep(std::time::Duration::from_millis(20));
    let written = call(&app, "flow.save", json!({ "path": path, "flow": flow, "force": true })).await;
    let opened = call(&app, "flow.open", json!({ "path": path })).await;
    assert_eq!(opened["recovered"]["flow"]["name"], "Hello, edited");
    assert_eq!(opened["recovered"]["baseHash"], base);
    assert_ne!(written["hash"], base);
    // Saving it with its base hash does not replace the newer file.
    let save = json!({ "path": path, "flow": opened["recovered"]["flow"], "baseHash": base });
    assert_eq!(dispatch(&app, "flow.save", save).await.unwrap_err().code, "flow.changed_on_disk");
}

#[tokio::test]
async fn drafts_survive_a_crash_until_saved() {
    let home = Home::default();
    let app = open(&home);
    let mut flow = call(&app, "flow.example", json!({ "id": "hello" })).await;
    let path = home.path().join("hello.flow.json").display().to_string();
    let saved = call(&app, "flow.save", json!({ "path": path, "flow": flow })).await;
    let path = saved["path"].as_str().unwrap().to_owned();
    flow["name"] = json!("Hello, edited");
    call(&app, "autosave.put", json!({ "key": "tab-1", "path": path, "flow": flow })).await;
    call(&app, "autosave.put", json!({ "key": "tab-2", "flow": flow })).await;
    // Without closing, like a crash.
    drop(app);

    let app = open(&home);
    let drafts = call(&app, "autosave.list", json!({})).await;
    assert_eq!(drafts.as_array().unwrap().len(), 2);
    let opened = call(&app, "flow.open", json!({ "path": path })).await;
    assert_eq!(opened["flow"]["name"], "Hello", "the file is unchanged");
    assert_eq!(opened["recovered"]["flow"], flow);
    assert_eq!(opened["recovered"]["key"], "tab-1");
    // After saving, the draft equals the file and is no longer offered.
    call(&app, "flow.save", json!({ "path": path, "flow": flow, "baseHash": opened["hash"] })).await;
    let drafts = call(&app, "autosave.list", json!({})).await;
    assert_eq!(drafts.as_array().unwrap().len(), 1);
    assert_eq!(drafts[0]["key"], "tab-2");
    call(&app, "autosave.drop", json!({ "key": "tab-2" })).await;
    call(&app, "autosave.drop", json!({ "key": "never was" })).await;
    assert_eq!(call(&app, "autosave.list", json!({})).await, json!([]));
}

#[tokio::test]
async fn recent_flows_are_listed_and_removed() {
    let home = Home::default();
    let app = open(&home);
    for id in ["hello", "approval"] {
        let flow = call(&app, "flow.example", json!({ "id": id })).await;
        let path = home.path().join(format!("{id}.flow.json"));
        call(&app, "flow.save", json!({ "path": path, "flow": flow })).await;
    }
    std::fs::remove_file(home.path().join("hello.flow.json")).unwrap();
    let recent = call(&app, "flow.recent", json!({})).await;
    let entries: Vec<_> =
        recent.as_array().unwrap().iter().map(|one| (&one["name"], &one["missing"])).collect();
    assert_eq!(entries, [(&json!("Approve before sending"), &json!(false)), (&json!("Hello"), &json!(true))]);
    call(&app, "flow.forget", json!({ "path": recent[1]["path"] })).await;
    assert_eq!(call(&app, "flow.recent", json!({})).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn invalid_commands_are_refused_with_a_code() {
    let home = Home::default();
    let app = open(&home);
    let run = "01970000-0000-7000-8000-000000000000";
    for (name, args, code) in [
        ("no.such", json!({}), "command.unknown"),
        ("flow.open", json!({}), "command.arguments"),
        ("flow.open", json!({ "path": "/no/such/file" }), "flow.not_found"),
        ("flow.example", json!({ "id": "nope" }), "flow.unknown_example"),
        ("runs.show", json!({ "run": run }), "run.unknown"),
        ("runs.show", json!({ "run": "not a run" }), "run.bad_id"),
        ("runs.remove", json!({ "run": run }), "run.unknown"),
        ("run.resume", json!({ "run": run }), "run.unknown"),
        ("run.cancel", json!({ "run": run }), "run.unknown"),
        ("run.answer", json!({ "run": run, "node": "a", "epoch": [], "value": 1 }), "run.unknown"),
        ("dialog.open", json!({}), "dialog.unavailable"),
    ] {
        let refused = dispatch(&app, name, args.clone()).await.unwrap_err();
        assert_eq!(refused.code, code, "{name} {args}: {refused:?}");
        assert!(refused.message.ends_with('.'), "{refused:?}");
    }
    let cyclic = json!({ "version": 1, "nodes": { "a": { "type": "text", "config": { "template": "{{x}}" } } },
        "edges": { "e": { "source": "a", "sourceOutput": "text", "target": "a", "targetInput": "x" } } });
    let refused = dispatch(&app, "run.start", json!({ "flow": cyclic })).await.unwrap_err();
    assert_eq!(refused.code, "flow.invalid");
    assert_eq!(refused.details["diagnostics"][0]["code"], "flow.circular");
}

#[tokio::test]
async fn every_example_is_valid_and_has_a_layout() {
    let home = Home::default();
    let app = open(&home);
    let listed = call(&app, "flow.examples", json!({})).await;
    assert_eq!(listed.as_array().unwrap().len(), examples::IDS.len());
    for example in listed.as_array().unwrap() {
        let flow = call(&app, "flow.example", json!({ "id": example["id"] })).await;
        let checked = call(&app, "flow.check", json!({ "flow": flow })).await;
        assert_eq!(checked["diagnostics"], json!([]), "{}", example["id"]);
        assert!(!example["description"].as_str().unwrap().is_empty());
        let nodes: Vec<_> = flow["nodes"].as_object().unwrap().keys().collect();
        let places: Vec<_> = flow["layout"].as_object().unwrap().keys().collect();
        assert_eq!(nodes, places, "each node has a position, and nothing else");
    }
}
