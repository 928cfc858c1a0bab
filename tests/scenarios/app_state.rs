//! What the application keeps for the window: settings, recent flows, drafts; and how commands refuse nonsense.

use plait_api::{Options, Plait, dispatch, examples};
use serde_json::{Value, json};

use crate::support::binary::Home;

fn open(home: &Home) -> Plait {
    Plait::open(Options::new(home.path().join("data"))).unwrap()
}

async fn ask(app: &Plait, name: &str, args: Value) -> Value {
    dispatch(app, name, args.clone()).await.unwrap_or_else(|error| panic!("{name} {args}: {error:?}"))
}

#[tokio::test]
async fn settings_last_and_hold_no_nonsense() {
    let home = Home::default();
    let app = open(&home);
    let mut settings = ask(&app, "settings.get", json!({})).await;
    assert_eq!(settings["theme"], "system");
    assert_eq!(settings["providers"]["offline"]["kind"], "offline");
    settings["theme"] = json!("dark");
    settings["ui"] = json!({ "zoom": 1.5 });
    settings["providers"]["mine"] = json!({ "kind": "openAi", "baseUrl": "http://127.0.0.1:9/v1" });
    let set = ask(&app, "settings.set", json!({ "settings": settings })).await;
    assert_eq!(set, settings);
    assert!(
        ask(&app, "app.info", Value::Null).await["providers"].as_array().unwrap().contains(&json!("mine"))
    );

    let mut wrong = settings.clone();
    wrong["theme"] = json!("light");
    wrong["providers"]["mine"]["baseUrl"] = json!("not a url");
    let refused = dispatch(&app, "settings.set", json!({ "settings": wrong })).await.unwrap_err();
    assert_eq!(refused.code, "provider.bad_settings");
    assert_eq!(ask(&app, "settings.get", json!({})).await, settings, "nothing of it was taken");

    app.close().await.unwrap();
    drop(app);
    assert_eq!(ask(&open(&home), "settings.get", json!({})).await, settings);
}

/// What another version of Plait has set is kept, though nothing can be done with it, and costs nothing beside it.
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
        assert!(messages.iter().any(|said| said.contains(&format!("`{name}`"))), "{name}: {messages:#?}");
    }
    let mut settings = ask(&app, "settings.get", json!({})).await;
    assert_eq!(settings["providers"]["mine"]["kind"], "openAi");
    assert_eq!(settings["models"]["even"]["contextWindow"], 9000);
    settings["theme"] = json!("light");
    settings["providers"]["wrong"] = json!({ "kind": "openAi", "baseUrl": "http://127.0.0.1:8/v1" });
    ask(&app, "settings.set", json!({ "settings": settings })).await;
    let kept = Value::Object(app.store().settings().unwrap());
    assert_eq!(kept["theme"], "light");
    assert_eq!(kept["hologram"], newer["hologram"]);
    assert_eq!(kept["providers"]["newer"], newer["providers"]["newer"]);
    assert_eq!(kept["models"]["odd"], newer["models"]["odd"]);
    assert_eq!(kept["providers"]["wrong"]["baseUrl"], "http://127.0.0.1:8/v1", "what was set anew counts");
}

#[tokio::test]
async fn a_draft_is_offered_though_its_file_was_written_since_and_knows_what_it_began_from() {
    let home = Home::default();
    let app = open(&home);
    let mut flow = ask(&app, "flow.example", json!({ "id": "hello" })).await;
    let path = home.path().join("hello.flow.json").display().to_string();
    let saved = ask(&app, "flow.save", json!({ "path": path, "flow": flow })).await;
    let (path, base) = (saved["path"].clone(), saved["hash"].clone());
    flow["name"] = json!("Hello, edited");
    ask(&app, "autosave.put", json!({ "key": "tab", "path": path, "baseHash": base, "flow": flow })).await;
    flow["name"] = json!("Hello, from elsewhere");
    std::thread::sleep(std::time::Duration::from_millis(20));
    let written = ask(&app, "flow.save", json!({ "path": path, "flow": flow, "force": true })).await;
    let opened = ask(&app, "flow.open", json!({ "path": path })).await;
    assert_eq!(opened["recovered"]["flow"]["name"], "Hello, edited");
    assert_eq!(opened["recovered"]["baseHash"], base);
    assert_ne!(written["hash"], base);
    // Saved on top of what it began from, it does not replace what was written since.
    let save = json!({ "path": path, "flow": opened["recovered"]["flow"], "baseHash": base });
    assert_eq!(dispatch(&app, "flow.save", save).await.unwrap_err().code, "flow.changed_on_disk");
}

#[tokio::test]
async fn drafts_outlive_a_crash_until_they_are_saved() {
    let home = Home::default();
    let app = open(&home);
    let mut flow = ask(&app, "flow.example", json!({ "id": "hello" })).await;
    let path = home.path().join("hello.flow.json").display().to_string();
    let saved = ask(&app, "flow.save", json!({ "path": path, "flow": flow })).await;
    let path = saved["path"].as_str().unwrap().to_owned();
    flow["name"] = json!("Hello, edited");
    ask(&app, "autosave.put", json!({ "key": "tab-1", "path": path, "flow": flow })).await;
    ask(&app, "autosave.put", json!({ "key": "tab-2", "flow": flow })).await;
    // No close: the process is gone from one moment to the next.
    drop(app);

    let app = open(&home);
    let drafts = ask(&app, "autosave.list", json!({})).await;
    assert_eq!(drafts.as_array().unwrap().len(), 2);
    let opened = ask(&app, "flow.open", json!({ "path": path })).await;
    assert_eq!(opened["flow"]["name"], "Hello", "the file is what it was");
    assert_eq!(opened["recovered"]["flow"], flow);
    assert_eq!(opened["recovered"]["key"], "tab-1");
    // Saved: the draft says the same as the file and is offered no more.
    ask(&app, "flow.save", json!({ "path": path, "flow": flow, "baseHash": opened["hash"] })).await;
    let drafts = ask(&app, "autosave.list", json!({})).await;
    assert_eq!(drafts.as_array().unwrap().len(), 1);
    assert_eq!(drafts[0]["key"], "tab-2");
    ask(&app, "autosave.drop", json!({ "key": "tab-2" })).await;
    ask(&app, "autosave.drop", json!({ "key": "never was" })).await;
    assert_eq!(ask(&app, "autosave.list", json!({})).await, json!([]));
}

#[tokio::test]
async fn recent_flows_are_remembered_and_forgotten() {
    let home = Home::default();
    let app = open(&home);
    for id in ["hello", "approval"] {
        let flow = ask(&app, "flow.example", json!({ "id": id })).await;
        let path = home.path().join(format!("{id}.flow.json"));
        ask(&app, "flow.save", json!({ "path": path, "flow": flow })).await;
    }
    std::fs::remove_file(home.path().join("hello.flow.json")).unwrap();
    let recent = ask(&app, "flow.recent", json!({})).await;
    let entries: Vec<_> =
        recent.as_array().unwrap().iter().map(|one| (&one["name"], &one["missing"])).collect();
    assert_eq!(entries, [(&json!("Approve before sending"), &json!(false)), (&json!("Hello"), &json!(true))]);
    ask(&app, "flow.forget", json!({ "path": recent[1]["path"] })).await;
    assert_eq!(ask(&app, "flow.recent", json!({})).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn nonsense_is_refused_with_a_code() {
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
async fn every_example_is_valid_and_laid_out() {
    let home = Home::default();
    let app = open(&home);
    let listed = ask(&app, "flow.examples", json!({})).await;
    assert_eq!(listed.as_array().unwrap().len(), examples::IDS.len());
    for example in listed.as_array().unwrap() {
        let flow = ask(&app, "flow.example", json!({ "id": example["id"] })).await;
        let checked = ask(&app, "flow.check", json!({ "flow": flow })).await;
        assert_eq!(checked["diagnostics"], json!([]), "{}", example["id"]);
        assert!(!example["description"].as_str().unwrap().is_empty());
        let nodes: Vec<_> = flow["nodes"].as_object().unwrap().keys().collect();
        let places: Vec<_> = flow["layout"].as_object().unwrap().keys().collect();
        assert_eq!(nodes, places, "each node has its place, and nothing else has one");
    }
}
