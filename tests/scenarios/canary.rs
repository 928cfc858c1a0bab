//! Canary keys are planted everywhere a secret can come from, in every disguise, and are then searched in everything that
//! Plait writes, prints and sends. Each may be found in one place: the header of a request to the provider it belongs to.

mod disguises;
mod echo_server;

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use plait_api::keys::KeyStore;
use plait_api::{Options, Plait, dispatch};
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::folder::{FlowFolder, flow_json};
use disguises::{CanaryWindows, disguised};
use echo_server::EchoServer;

/// The key of the provider that the flows call first.
const FIRST_KEY: &str = "sk-canary-First-0a1B2c3D4e5F6g7H8j9K";
/// The key of another provider.
const SECOND_KEY: &str = "canary_Second.Provider~Key-9z8Y7x6W5v4U";
const VARIABLE: &str = "Canary/Of+The=Environment-3q2P1o0N9m8L";
/// In the `.env` file of the project.
const DOT_ENV: &str = "canaryOfTheDotEnvFile5t6R7e8W9q0A1s2D";
/// Only its form says that it is a key.
const PUBLISHED_FORM: &str = "ghp_C4n4ryOfAPubl1shedF0rm5a6B7c8D9e0F1g2H";

/// The secrets that Plait knows by their value.
const KNOWN: [&str; 4] = [FIRST_KEY, SECOND_KEY, VARIABLE, DOT_ENV];

/// A text with every known secret in every disguise, and the key that is known by its form.
fn planted() -> String {
    let known = KNOWN.iter().flat_map(|secret| disguised(secret));
    let mut lines = vec!["Planted:".to_owned()];
    lines.extend(known.map(|(name, disguise)| format!("{name}: <{disguise}>")));
    lines.push(format!("published form: <{PUBLISHED_FORM}>"));
    lines.push(format!("invisible: <{}>\n", PUBLISHED_FORM.replace('4', "4\u{200b}")));
    lines.join("\n")
}

/// The searched texts.
fn canaries() -> CanaryWindows {
    let mut canaries = CanaryWindows::default();
    for secret in KNOWN {
        canaries.add_secret(secret);
    }
    canaries.add_plain(PUBLISHED_FORM);
    canaries
}

/// A data directory, a project, two servers, and the environment of the commands.
struct Scene {
    home: Home,
    project: FlowFolder,
    first: EchoServer,
    second: EchoServer,
    canaries: CanaryWindows,
}

impl Scene {
    async fn start() -> Self {
        let (first, second) = (EchoServer::start(&planted()).await, EchoServer::start(&planted()).await);
        let (home, project) = (Home::default(), FlowFolder::with_files(&[]));
        std::fs::create_dir_all(project.path().join(".git")).unwrap();
        std::fs::create_dir_all(project.path().join("flows")).unwrap();
        std::fs::write(project.path().join(".env"), format!("# keys\nexport CANARY_KEY=\"{DOT_ENV}\"\n"))
            .unwrap();
        std::fs::write(project.path().join("flows/notes.md"), planted()).unwrap();
        let scene = Self { home, project, first, second, canaries: canaries() };
        scene.set_up_providers().await;
        scene
    }

    /// Sets the base URLs of both providers, and stores their keys.
    async fn set_up_providers(&self) {
        let mut options = Options::new(self.home.path(), plait_app::parts());
        options.keys = Some(KeyStore::in_file(self.home.path(), None));
        let app = with_store_lock(|| Plait::open(options).unwrap());
        let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
        for (name, server) in [("first", &self.first), ("second", &self.second)] {
            settings["providers"][name] = json!({ "kind": "openAi", "baseUrl": server.url });
        }
        dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap();
        app.close().await.unwrap();
        drop(app);
        for (provider, key) in [("first", FIRST_KEY), ("second", SECOND_KEY)] {
            let stored = self.plait_with_input(&["keys", "set", provider], key);
            assert_eq!(stored.code, 0, "{stored:?}");
        }
    }

    fn plait(&self, args: &[&str]) -> CliOutput {
        self.plait_with_input(args, "")
    }

    /// Runs a command with the canary in the environment, and checks its output.
    fn plait_with_input(&self, args: &[&str], input: &str) -> CliOutput {
        let mut command = self.home.command(args);
        command.stdin(Stdio::piped()).env("CANARY_SERVICE_TOKEN", VARIABLE);
        let mut child = with_store_lock(|| command.spawn().unwrap());
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output: CliOutput = child.wait_with_output().unwrap().into();
        let what = args.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        self.canaries.assert_absent(output.out.as_bytes(), &format!("standard output of {what}"));
        self.canaries.assert_absent(output.err.as_bytes(), &format!("standard error of {what}"));
        output
    }

    fn write_flow(&self, name: &str, flow: &Value) -> String {
        let path = self.project.path().join("flows").join(name);
        std::fs::write(&path, flow.to_string()).unwrap();
        path.display().to_string()
    }

    /// Searches the data directory, the requests, and everything that commands read from the data directory.
    fn assert_no_canary(&self) {
        self.assert_no_canary_in_files(self.home.path());
        for (server, key) in [(&self.first, FIRST_KEY), (&self.second, SECOND_KEY)] {
            for request in server.received() {
                let expected = format!("Bearer {key}");
                assert_eq!(request.authorization.as_deref(), Some(expected.as_str()), "only its own key");
                self.canaries.assert_absent(request.rest.as_bytes(), "a request");
            }
        }
        let runs: Value = serde_json::from_str(&self.plait(&["runs", "list", "--json"]).out).unwrap();
        for run in runs.as_array().unwrap() {
            // Decompresses journals, and puts large values in their places.
            assert_eq!(self.plait(&["runs", "show", run["run"].as_str().unwrap(), "--json"]).code, 0);
            self.plait(&["runs", "show", run["run"].as_str().unwrap()]);
        }
    }

    fn assert_no_canary_in_files(&self, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.assert_no_canary_in_files(&path);
            } else {
                self.canaries.assert_absent(&std::fs::read(&path).unwrap(), &path.display().to_string());
            }
        }
    }
}

/// A conversation with a tool at the first provider, and a second model that is given all of it.
fn relay() -> Value {
    let prompt = format!("{{{{a}}}} and {{{{b}}}} and the flow's own {VARIABLE} and {PUBLISHED_FORM}");
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "first", "model": "echo" } },
        "given": { "type": "manualInput" },
        "tools": { "type": "tools", "config": { "tools": ["read_file"] } },
        "question": { "type": "userInput", "config": { "prompt": "And?" } },
        "chat": { "type": "chat", "config": { "prompt": "{{message}}\n{{given}}\n{{set}}" } },
        "other": { "type": "newContext", "config": { "provider": "second", "model": "echo" } },
        "relay": { "type": "chat", "config": { "prompt": prompt } },
        "child": { "type": "subflow", "config": { "file": "../flows/child.flow.json", "inputSource": "nodeOutput" } },
        "out": { "type": "output" },
    });
    let edges = [
        "start.context -> question.context",
        "question.context -> chat.context",
        "given.value -> chat.given",
        "tools.tools -> chat.tools",
        "chat.response -> relay.a",
        "given.value -> relay.b",
        "other.context -> relay.context",
        "relay.response -> child.value",
        "child.text -> out.value",
    ];
    flow_json(&format!("Relay {VARIABLE}"), nodes, &edges)
}

fn child() -> Value {
    let nodes = json!({
        "text": { "type": "manualInput" },
        "note": { "type": "text", "config": { "template": format!("{{{{text}}}} {PUBLISHED_FORM} {DOT_ENV}") } },
        "out": { "type": "output" },
    });
    flow_json("Child", nodes, &["text.value -> note.text", "note.text -> out.value"])
}

#[tokio::test(flavor = "multi_thread")]
async fn canaries_are_found_nowhere() {
    let scene = Scene::start().await;
    let planted = planted();
    scene.write_flow("child.flow.json", &child());
    let relay = scene.write_flow("relay.flow.json", &relay());
    let set = format!("chat.set={}", json!({ "nested": [planted, { VARIABLE: planted }] }));

    // Waits for the answer: the journal is not compressed yet.
    let args = [
        "run",
        &relay,
        "--input",
        &planted,
        "--set",
        &set,
        "--conversation",
        "new",
        "--json",
        "--allow",
        "folder=*",
    ];
    let waiting = scene.plait(&args);
    assert_eq!(waiting.code, 3, "{}", waiting.err);
    scene.assert_no_canary();
    let resumed = scene.plait(&["resume", "last", "--answer", &planted, "--json"]);
    assert_eq!(resumed.code, 0, "{} {}", resumed.err, resumed.out);
    let again = scene.plait(&[
        "run", &relay, "--input", &planted, "--set", &set, "--answer", &planted, "--allow", "folder=*",
    ]);
    assert_eq!(again.code, 0, "{}", again.err);
    scene.assert_no_canary();

    // The canaries arrived where they were sent to: their labels are there.
    let requests: Vec<String> = scene.first.received().into_iter().map(|request| request.rest).collect();
    let (asked, with_tool_result) = (&requests[0], &requests[1]);
    for label in [
        "key of first",
        "key of second",
        "value of CANARY_SERVICE_TOKEN",
        "value of CANARY_KEY",
        "GitHub token",
    ] {
        assert!(asked.contains(label), "{label} in the input: {asked}");
        assert!(with_tool_result.contains(label), "{label} in the tool result: {with_tool_result}");
        assert!(scene.second.received()[0].rest.contains(label), "{label} in the echo of the first server");
    }
    assert!(scene.plait(&["runs", "show", "last", "--json"]).out.contains("value of CANARY_KEY"));
    for args in [
        &["conversations", "list", "--json"][..],
        &["conversations", "show", "last"],
        &["conversations", "export", "last"],
        &["conversations", "export", "last", "--format", "json"],
        &["usage"],
        &["check", &relay],
        &["check", &relay, "--json"],
        &["keys", "list"],
        &["doctor"],
    ] {
        scene.plait(args);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn canaries_in_errors_are_found_nowhere() {
    let scene = Scene::start().await;
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "first", "model": "fail" } },
        "given": { "type": "manualInput", "config": { "text": "Hello" } },
        "chat": { "type": "chat" },
        "out": { "type": "output" },
    });
    let edges =
        ["start.context -> given.context", "given.context -> chat.context", "chat.response -> out.value"];
    let mut flow = flow_json("Fails", nodes, &edges);
    flow["nodes"]["given"]["config"]["addToHistory"] = json!(true);
    let failing = scene.write_flow("fails.flow.json", &flow);
    assert_eq!(scene.plait(&["run", &failing]).code, 1);
    assert_eq!(scene.plait(&["run", &failing, "--json"]).code, 1);
    for (key, canary) in [("provider", FIRST_KEY), ("model", VARIABLE)] {
        flow["nodes"]["start"]["config"][key] = json!(canary);
        let path = scene.write_flow("named.flow.json", &flow);
        assert_ne!(scene.plait(&["run", &path]).code, 0);
    }
    assert_eq!(scene.plait(&["providers", "test", "first", "--model", "fail"]).code, 1);
    assert_eq!(scene.plait(&["run", &failing, "--set", &format!("given.text={VARIABLE}")]).code, 2);
    assert_eq!(scene.plait(&["run", &failing, "--set", VARIABLE]).code, 2);
    assert_eq!(scene.plait(&["run", PUBLISHED_FORM]).code, 2);
    let broken = scene.project.path().join("flows/broken.flow.json");
    std::fs::write(&broken, format!("{{ \"version\": 1, \"name\": \"{VARIABLE}\" \"{DOT_ENV}\" }}")).unwrap();
    let mut command = scene.home.command(&["check", broken.to_str().unwrap()]);
    command.current_dir(scene.project.path()).env("CANARY_SERVICE_TOKEN", VARIABLE);
    let checked: CliOutput = with_store_lock(|| command.spawn().unwrap()).wait_with_output().unwrap().into();
    assert_eq!(checked.code, 2, "{checked:?}");
    scene.canaries.assert_absent(checked.err.as_bytes(), "a diagnostic with an excerpt");
    scene.assert_no_canary();
}

/// The texts that the window sends: drafts, titles, settings.
#[tokio::test(flavor = "multi_thread")]
async fn canaries_typed_in_the_window_are_found_nowhere() {
    let scene = Scene::start().await;
    let mut options = Options::new(scene.home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_file(scene.home.path(), None));
    let app = with_store_lock(|| Plait::open(options).unwrap());
    let ask = async |name: &str, args: Value| dispatch(&app, name, args).await;
    let typed: String =
        [FIRST_KEY, SECOND_KEY].iter().flat_map(|key| disguised(key)).map(|(_, text)| text + "\n").collect();
    let nodes =
        json!({ "note": { "type": "text", "config": { "template": format!("{typed} {PUBLISHED_FORM}") } } });
    let draft = flow_json(FIRST_KEY, nodes, &[]);
    ask("autosave.put", json!({ "key": "a", "flow": draft })).await.unwrap();
    let drafts = ask("autosave.list", json!({})).await.unwrap();
    assert!(drafts.to_string().contains("[key of second]"), "{drafts}");
    let path = scene.project.path().join("flows/saved.flow.json").display().to_string();
    ask("flow.save", json!({ "path": path, "flow": draft })).await.unwrap();
    let saved = std::fs::read_to_string(&path).unwrap();
    assert!(saved.contains(PUBLISHED_FORM), "a flow's own file is what the person wrote");
    ask("flow.open", json!({ "path": path })).await.unwrap();
    ask("autosave.put", json!({ "key": "b", "path": path, "flow": draft })).await.unwrap();
    let drafts = ask("autosave.list", json!({})).await.unwrap();
    assert_eq!(
        drafts.as_array().unwrap().len(),
        1,
        "a draft that is like its file but for secrets is no change"
    );
    let opened = ask("conversations.open", json!({ "flow": { "name": FIRST_KEY } })).await.unwrap();
    ask("conversations.rename", json!({ "conversation": opened["id"], "title": typed })).await.unwrap();
    let mut settings = ask("settings.get", json!({})).await.unwrap();
    settings["panels"] = json!({ "search": SECOND_KEY });
    ask("settings.set", json!({ "settings": settings })).await.unwrap();
    for (field, text) in [
        ("keyEnv", PUBLISHED_FORM),
        ("keyEnv", SECOND_KEY),
        ("baseUrl", "http://127.0.0.1:9/sk-canary-First-0a1B2c3D4e5F6g7H8j9K"),
    ] {
        let mut wrong = settings.clone();
        wrong["providers"]["first"][field] = json!(text);
        let error = ask("settings.set", json!({ "settings": wrong })).await.unwrap_err();
        assert_eq!(error.code, "settings.holds_secret");
        scene.canaries.assert_absent(format!("{error:?}").as_bytes(), "an error");
    }
    app.close().await.unwrap();
    drop(app);
    scene.assert_no_canary();
}
