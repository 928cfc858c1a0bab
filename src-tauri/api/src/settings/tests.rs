//! What happens to bounds that cannot be kept, and to settings that something other than Plait wrote.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{Options, Parts, Plait, dispatch};

/// The application on a data directory with these settings.
struct Rig {
    home: tempfile::TempDir,
    app: Plait,
}

impl Rig {
    fn new(settings: &Value) -> Self {
        let home = tempfile::tempdir().expect("folder");
        fs::write(home.path().join("settings.json"), settings.to_string()).expect("written");
        let app = Plait::open(Options::new(home.path(), Parts::all()))
            .map_err(|error| error.message)
            .expect("opened");
        Self { home, app }
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("settings.json")
    }

    fn stored(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path()).expect("read")).expect("JSON")
    }

    /// The reply of a command, or its error as JSON.
    async fn call(&self, name: &str, args: Value) -> Result<Value, Value> {
        let reply = dispatch(&self.app, name, args).await;
        reply.map_err(|error| serde_json::to_value(error).expect("JSON"))
    }

    async fn change(&self, patch: Value) {
        self.call("settings.change", json!({ "patch": patch })).await.expect("changed");
    }

    /// The error of a run that is started, if it is refused.
    async fn refusal(&self) -> Option<Value> {
        let nodes = json!({ "v": { "type": "value", "config": { "value": 1 } } });
        let flow = json!({ "version": 1, "name": "F", "nodes": nodes, "edges": {} });
        self.call("run.start", json!({ "flow": flow })).await.err()
    }
}

#[tokio::test]
async fn bound_that_cannot_be_read_stays_when_another_one_is_set() {
    for (settings, patch, section, entry) in [
        (
            json!({ "quotas": { "run": { "tokens": "5" }, "day": { "tokens": 100 } } }),
            json!({ "quotas": { "day": { "tokens": 50 } } }),
            "quotas",
            "run",
        ),
        (
            json!({ "limits": { "maxRuns": 0, "maxEvents": 5 } }),
            json!({ "limits": { "maxModelCalls": 7 } }),
            "limits",
            "maxRuns",
        ),
        (
            json!({ "limits": { "maxRuns": "3" } }),
            json!({ "limits": { "maxModelCalls": 7 } }),
            "limits",
            "maxRuns",
        ),
        (
            json!({ "config": { "retry.attempts": 1000 } }),
            json!({ "config": { "history_management.max_tokens": 2048 } }),
            "config",
            "retry.attempts",
        ),
    ] {
        let rig = Rig::new(&settings);
        rig.change(patch).await;
        assert_eq!(rig.stored()[section][entry], settings[section][entry], "{settings}");
        assert!(rig.refusal().await.is_some(), "{settings}: a run started without the bound");
        if entry == "maxRuns" && settings["limits"]["maxEvents"] == 5 {
            assert_eq!(rig.stored()["limits"]["maxEvents"], 5, "a limit beside one of 0");
        }
        rig.change(json!({ section: { entry: null } })).await;
        assert_eq!(rig.stored()[section].get(entry), None, "{settings}: reset to its default");
        assert_eq!(rig.refusal().await, None, "{settings}");
    }
}

#[tokio::test]
async fn limits_beside_one_that_cannot_be_used_hold() {
    let rig = Rig::new(&json!({ "limits": { "maxRuns": 0, "maxEvents": 5 } }));
    let settings = rig.call("settings.get", json!({})).await.expect("read");
    assert_eq!(settings["limits"], json!({ "maxEvents": 5 }));
}

#[tokio::test]
async fn config_unset_settles_a_value_that_cannot_be_used() {
    let rig = Rig::new(&json!({ "config": { "retry.attempts": 1000 } }));
    rig.call("config.set", json!({ "key": "retry.attempts", "value": null })).await.expect("unset");
    assert_eq!(rig.refusal().await, None);
}

#[tokio::test]
async fn failed_save_loses_no_value_that_cannot_be_read() {
    let settings = json!({ "quotas": { "run": { "tokens": "5" } }, "theme": "dark" });
    let rig = Rig::new(&settings);
    let path = rig.path();
    let kept = fs::read(&path).expect("read");
    fs::write(&path, "{}").expect("written");
    let set = json!({ "quotas": { "run": { "tokens": 9 } } });
    rig.call("settings.change", json!({ "patch": set }))
        .await
        .expect_err("the file is not the one Plait knows");
    fs::write(&path, kept).expect("written");
    rig.change(json!({ "theme": "light" })).await;
    assert_eq!(rig.stored()["quotas"], settings["quotas"]);
    assert!(rig.refusal().await.is_some());
}

#[tokio::test]
async fn only_settings_that_the_person_saw_are_accepted() {
    let rig = Rig::new(&json!({ "theme": "dark" }));
    let mut hashes = Vec::new();
    for text in [json!({ "theme": "light" }), json!({ "limits": { "maxRuns": 9 } })] {
        fs::write(rig.path(), text.to_string()).expect("written");
        let refused = rig.call("settings.change", json!({ "patch": { "reducedMotion": true } })).await;
        let refused = refused.expect_err("changed outside");
        assert_eq!(refused["details"]["document"], "settings", "{refused}");
        hashes.push(refused["details"]["hash"].clone());
    }
    let refused = rig.call("settings.accept", json!({ "hash": hashes[0] })).await.expect_err("not seen");
    assert_eq!(
        (&refused["code"], &refused["details"]["hash"]),
        (&json!("store.changed_outside"), &hashes[1])
    );
    let accepted = rig.call("settings.accept", json!({ "hash": hashes[1] })).await.expect("accepted");
    assert_eq!(accepted["limits"]["maxRuns"], 9);
}

#[tokio::test]
async fn documents_are_accepted_in_the_window() {
    let rig = Rig::new(&json!({}));
    let write = |name: &str, text: &str| fs::write(rig.home.path().join(name), text).expect("written");
    write("users.json", r#"{"current":"local","names":["Ada","local"]}"#);
    let refused = rig.call("users.list", json!({})).await.expect_err("changed outside");
    assert!(rig.refusal().await.is_some(), "whose run would it be");
    rig.call("app.acceptDocument", refused["details"].clone()).await.expect("accepted");
    assert_eq!(rig.call("users.list", json!({})).await.expect("read")["names"], json!(["Ada", "local"]));
    let add = json!({ "json": r#"{"mine":{"command":"mine"}}"# });
    rig.call("mcp.add", add).await.expect("added");
    let servers = fs::read_to_string(rig.home.path().join("mcp-servers.json")).expect("read");
    write("mcp-servers.json", &servers.replacen("mine", "theirs", 1));
    let Rig { home, app } = rig;
    drop(app);
    let app =
        Plait::open(Options::new(home.path(), Parts::all())).map_err(|error| error.message).expect("opened");
    let rig = Rig { home, app };
    let refused = rig.call("mcp.list", json!({})).await.expect_err("changed outside");
    assert_eq!(refused["code"], "store.changed_outside");
    rig.call("app.acceptDocument", refused["details"].clone()).await.expect("accepted");
    assert_eq!(rig.call("mcp.list", json!({})).await.expect("read")[0]["name"], "theirs");
}

#[tokio::test]
async fn server_is_not_added_to_a_list_that_something_else_changed() {
    let rig = Rig::new(&json!({}));
    let path = rig.home.path().join("mcp-servers.json");
    let theirs = r#"{"files":{"command":"files"}}"#;
    fs::write(&path, theirs).expect("written");
    let add = json!({ "json": r#"{"mine":{"command":"mine"}}"# });
    let refused = rig.call("mcp.add", add).await.expect_err("it would be lost");
    assert_eq!(refused["code"], "store.changed_outside", "{refused}");
    assert_eq!(fs::read_to_string(&path).expect("read"), theirs);
    assert_eq!(rig.call("mcp.list", json!({})).await.expect("read"), json!([]));
}

#[tokio::test]
async fn check_names_a_list_of_servers_that_cannot_be_used() {
    let home = tempfile::tempdir().expect("folder");
    fs::write(home.path().join("mcp-servers.json"), "{\"fil").expect("written");
    let app =
        Plait::open(Options::new(home.path(), Parts::all())).map_err(|error| error.message).expect("opened");
    let nodes = json!({ "t": { "type": "mcpServer", "config": { "server": "files" } } });
    let flow = json!({ "version": 1, "name": "F", "nodes": nodes, "edges": {} });
    let checked = dispatch(&app, "flow.check", json!({ "flow": flow })).await.expect("checked");
    let found = checked["diagnostics"].as_array().expect("a list");
    assert!(
        found.iter().any(|one| one["code"] == "store.corrupt" && one["severity"] == "error"),
        "{checked}"
    );
}

#[tokio::test]
async fn settings_are_saved_with_a_ledger_that_was_changed() {
    let rig = Rig::new(&json!({}));
    // As long as a ledger that a removed run is in.
    let sums = rig.home.path().join("checksums.json");
    let mut known: Value = serde_json::from_slice(&fs::read(&sums).expect("read")).expect("JSON");
    known["spending"] = json!(["100"]);
    fs::write(&sums, known.to_string()).expect("written");
    rig.change(json!({ "quotas": { "day": { "tokens": 5 } } })).await;
    assert_eq!(rig.refusal().await.expect("refused")["details"]["document"], "spending");
    rig.change(json!({ "theme": "dark" })).await;
    assert_eq!(
        (&rig.stored()["theme"], &rig.stored()["quotas"]["day"]["tokens"]),
        (&json!("dark"), &json!(5))
    );
    let refused = rig.refusal().await.expect("refused");
    rig.call("app.acceptDocument", refused["details"].clone()).await.expect("accepted");
    assert_eq!(rig.refusal().await, None);
}
