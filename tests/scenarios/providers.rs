//! Providers without a window: added, changed, tested and removed by the terminal alone; a flow that names a missing one.

use std::io::Write as _;
use std::process::Stdio;

use plait_api::keys::KeyStore;
use plait_api::{Options, Plait, dispatch};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::binary::{CliOutput, Home};
use crate::support::fixture;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

fn one_call() -> String {
    fixture("flows/one-call.flow.json").display().to_string()
}

fn stored(home: &Home) -> Value {
    serde_json::from_str(&std::fs::read_to_string(home.path().join("settings.json")).unwrap()).unwrap()
}

/// A flow that asks the model `m` of the provider `mine`.
fn flow_of_mine() -> Value {
    let mut flow: Value = serde_json::from_str(&std::fs::read_to_string(one_call()).unwrap()).unwrap();
    let nodes = flow["nodes"].as_object_mut().unwrap();
    let start = nodes.values_mut().find(|node| node["type"] == "contextStart").unwrap();
    start["config"]["provider"] = json!("mine");
    flow
}

#[tokio::test]
async fn window_warns_of_a_missing_provider_until_it_is_added() {
    let home = TempDir::new().unwrap();
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_memory());
    let app = Plait::open(options).unwrap();
    let check = || async {
        let checked = dispatch(&app, "flow.check", json!({ "flow": flow_of_mine() })).await.unwrap();
        let found = checked["diagnostics"].as_array().unwrap().clone();
        found.into_iter().filter(|found| found["code"] == "provider.unknown").collect::<Vec<_>>()
    };
    let found = check().await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["severity"], "warning");
    assert!(found[0]["message"].as_str().unwrap().contains("`mine`"), "{found:?}");
    let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
    settings["providers"]["mine"] = json!({ "kind": "openAi", "baseUrl": "http://127.0.0.1:9/v1" });
    dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap();
    assert_eq!(check().await, [] as [Value; 0]);
    app.close().await.unwrap();
}

#[test]
fn preset_is_added_with_its_quirks_and_removed() {
    let home = Home::default();
    let added = home.plait(&["providers", "add", "groq"]);
    assert_eq!(added.code, 0, "{added:#?}");
    assert!(added.out.contains("GROQ_API_KEY") && added.out.contains("plait keys set groq"), "{added:#?}");
    assert_eq!(
        stored(&home)["providers"]["groq"],
        json!({
            "kind": "openAi",
            "baseUrl": "https://api.groq.com/openai/v1",
            "keyEnv": "GROQ_API_KEY",
            "quirks": {"tokenLimit": "max_completion_tokens", "strict": false},
        })
    );
    let again = home.plait(&["providers", "add", "groq"]);
    assert!(again.code == 2 && again.err.contains("error[provider.exists]"), "{again:#?}");
    let removed = home.plait(&["providers", "rm", "groq"]);
    assert_eq!(removed.code, 0, "{removed:#?}");
    assert!(stored(&home)["providers"].get("groq").is_none());
    let gone = home.plait(&["providers", "rm", "groq"]);
    assert!(gone.code == 2 && gone.err.contains("error[provider.unknown]"), "{gone:#?}");
    let built_in = home.plait(&["providers", "rm", "openai"]);
    assert!(built_in.code == 2 && built_in.err.contains("error[provider.built_in]"), "{built_in:#?}");
}

#[test]
fn wrong_options_change_nothing_and_say_what_to_do() {
    let home = Home::default();
    for (args, code, hint) in [
        (&["add", "nobody"][..], "provider.unknown_preset", "groq"),
        (&["add", "azure"], "provider.bad_settings", "--url"),
        (&["add", "mine", "--kind", "openai-chat"], "provider.bad_settings", "URL"),
        (&["add", "mine", "--kind", "openai-chat", "--url", "ftp://x"], "provider.bad_settings", "http"),
        (&["add", "a b", "--kind", "ollama"], "provider.bad_settings", "letters"),
        (&["set", "nobody", "--strict", "false"], "provider.unknown", "providers add"),
        (&["set", "openai"], "provider.bad_settings", "--help"),
    ] {
        let output = home.plait(&[&["providers"], args].concat());
        let said = format!("error[{code}]");
        assert!(
            output.code == 2 && output.err.contains(&said) && output.err.contains(hint),
            "{args:?}: {output:#?}"
        );
    }
    assert_eq!(home.plait(&["providers", "add", "mine", "--kind", "smoke"]).code, 2);
    assert!(!home.path().join("settings.json").exists() || stored(&home)["providers"] == json!({}));
}

#[test]
fn settings_are_changed_one_by_one_and_unset() {
    let home = Home::default();
    let plait = |args: &[&str]| {
        let output = home.plait(&[&["providers"], args].concat());
        assert_eq!(output.code, 0, "{args:?}: {output:#?}");
    };
    let url = "http://127.0.0.1:9/v1";
    plait(&[
        "add",
        "mine",
        "--kind",
        "openai-chat",
        "--url",
        url,
        "--key-env",
        "MY_KEY",
        "--query",
        "a=1",
        "--query",
        "b=2",
    ]);
    plait(&["set", "mine", "--key-header", "api-key", "--reasoning", "reasoning_content", "--query", "a="]);
    plait(&[
        "set",
        "mine",
        "--structured-output",
        "json-object",
        "--stream-options",
        "false",
        "--read-timeout",
        "7000",
    ]);
    assert_eq!(
        stored(&home)["providers"]["mine"],
        json!({
            "kind": "openAi", "baseUrl": url, "keyEnv": "MY_KEY", "keyHeader": "api-key", "query": {"b": "2"},
            "quirks": {"reasoning": "reasoning_content", "structuredOutput": "jsonObject", "streamOptions": false},
            "readTimeoutMs": 7000,
        })
    );
    plait(&[
        "set",
        "mine",
        "--unset",
        "reasoning",
        "--unset",
        "structured-output",
        "--unset",
        "stream-options",
        "--unset",
        "query",
    ]);
    assert_eq!(
        stored(&home)["providers"]["mine"],
        json!({"kind": "openAi", "baseUrl": url, "keyEnv": "MY_KEY", "keyHeader": "api-key", "readTimeoutMs": 7000})
    );
    plait(&["set", "openai", "--url", "https://gateway.example.com/v1"]);
    plait(&["rm", "openai"]);
    assert!(stored(&home)["providers"].get("openai").is_none(), "it has its own settings again");
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_that_the_terminal_added_answers_a_flow() {
    let server = ModelServer::start(|request, _| {
        ServerReply::Text(format!("You said {}", last_message_text(request)))
    })
    .await;
    let home = Home::default();
    let url = server.url.clone();
    let run = tokio::task::spawn_blocking(move || {
        let added = home.plait(&[
            "providers",
            "add",
            "mine",
            "--kind",
            "openai-chat",
            "--url",
            &url,
            "--stream-options",
            "false",
        ]);
        assert_eq!(added.code, 0, "{added:#?}");
        let flow = home.file("mine.flow.json", &flow_of_mine().to_string());
        assert!(!home.plait(&["check", &flow]).err.contains("provider"), "it is there");
        let tested = home.plait(&["providers", "test", "mine", "--model", "m"]);
        assert_eq!(tested.code, 0, "{tested:#?}");
        home.plait(&["run", &flow])
    })
    .await
    .unwrap();
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(run.out.contains("You said"), "{run:#?}");
    assert!(server.calls().iter().all(|call| call.get("stream_options").is_none()), "{:?}", server.calls());
}

#[test]
fn check_says_which_provider_is_missing() {
    let home = Home::default();
    let flow = home.file("mine.flow.json", &flow_of_mine().to_string());
    let checked = home.plait(&["check", &flow]);
    assert!(checked.err.contains("provider.unknown") && checked.err.contains("`mine`"), "{checked:#?}");
    assert!(checked.err.contains("plait providers add mine"), "{checked:#?}");
    assert_eq!(checked.code, 0, "another machine may have it");
    let json = home.plait(&["check", &flow, "--json"]);
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert!(
        report["diagnostics"].as_array().unwrap().iter().any(|one| one["code"] == "provider.unknown"),
        "{report}"
    );
    home.file("settings.json", "{\"cur");
    let damaged = home.plait(&["check", &flow]);
    assert!(damaged.err.contains("warning[store.corrupt]"), "{damaged:#?}");
}

#[test]
fn presets_are_listed_with_their_sources() {
    let home = Home::default();
    let json = home.plait(&["providers", "presets", "--json"]);
    let presets: Vec<Value> = serde_json::from_str(&json.out).unwrap();
    assert!(presets.iter().all(|preset| preset["source"].as_str().unwrap().starts_with("https://")));
    let table = home.plait(&["providers", "presets"]);
    for name in
        ["openrouter", "azure", "mistral", "groq", "deepseek", "xai", "together", "fireworks", "bedrock"]
    {
        assert!(
            table.out.lines().any(|line| line.contains(&format!(" {name} "))) || table.out.contains(name),
            "{name}"
        );
    }
}

#[test]
fn completions_and_manual_pages_know_the_commands() {
    let home = Home::default();
    for (shell, mark) in [
        ("bash", "_plait"),
        ("zsh", "#compdef plait"),
        ("fish", "complete -c plait"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = home.plait(&["completions", shell]);
        assert!(script.code == 0 && script.out.contains(mark) && script.out.contains("providers"), "{shell}");
    }
    let page = home.plait(&["man"]);
    assert!(page.out.contains(".TH plait 1") && page.out.contains("forecast"), "{page:#?}");
    let pages = home.path().join("pages");
    let written = home.plait(&["man", "--dir", &pages.display().to_string()]);
    assert_eq!(written.code, 0, "{written:#?}");
    let add = std::fs::read_to_string(pages.join("plait-providers-add.1")).unwrap();
    assert!(add.contains("plait\\-providers\\-add") && add.contains("max_completion_tokens"), "{add}");
}

#[test]
fn color_follows_the_option() {
    let home = Home::default();
    let flow = home.file("bad.flow.json", "{\"formatVersion\": 1, \"nodes\": 7}");
    let err = |args: &[&str], no_color: &str| {
        let mut command = home.command(args);
        CliOutput::from(command.env("NO_COLOR", no_color).output().unwrap()).err
    };
    let escape = '\u{1b}';
    assert!(err(&["check", &flow, "--color", "always"], "").contains(escape));
    assert!(err(&["--color=always", "check", &flow], "1").contains(escape), "the option comes first");
    assert!(!err(&["check", &flow, "--color", "never"], "").contains(escape));
    assert!(!err(&["check", &flow], "").contains(escape), "this is no terminal");
    // The errors of the command line itself, too.
    assert!(err(&["--color", "always", "chek"], "").contains(escape));
    assert!(!err(&["--color", "never", "chek"], "").contains(escape));
}

#[test]
fn flow_is_read_from_standard_input() {
    let home = Home::default();
    let text = std::fs::read_to_string(fixture("flows/one-call.flow.json")).unwrap();
    let mut flow: Value = serde_json::from_str(&text).unwrap();
    for node in
        flow["nodes"].as_object_mut().unwrap().values_mut().filter(|node| node["type"] == "contextStart")
    {
        node["config"]["provider"] = json!("offline");
        node["config"]["model"] = json!("echo");
    }
    let mut child = home.command(&["run", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(flow.to_string().as_bytes()).unwrap();
    let run = CliOutput::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(run.out.contains("Are you there?"), "{run:#?}");
}

#[test]
fn truncated_reply_is_said_everywhere() {
    let home = Home::default();
    let mut flow = flow_of_mine();
    for node in flow["nodes"].as_object_mut().unwrap().values_mut() {
        if node["type"] == "contextStart" {
            node["config"]["provider"] = json!("offline");
            node["config"]["model"] = json!("echo");
        }
        if node["type"] == "chat" {
            node["config"]["maxTokens"] = json!(2);
        }
    }
    let path = home.file("short.flow.json", &flow.to_string());
    let run = home.plait(&["run", &path, "--conversation", "new"]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(run.err.contains("truncated: the reply reached a limit of tokens"), "{run:#?}");
    assert!(!run.out.contains("Are you there?"), "{run:#?}");
    let shown = home.plait(&["runs", "show", "last"]);
    assert!(shown.out.contains("done, truncated"), "{shown:#?}");
    let said = home.plait(&["conversations", "show", "last"]);
    assert!(said.out.contains("[truncated"), "{said:#?}");
}

#[test]
fn check_warns_of_parameters_that_the_model_refuses() {
    let home = Home::default();
    let mut flow = flow_of_mine();
    for node in flow["nodes"].as_object_mut().unwrap().values_mut() {
        if node["type"] == "contextStart" {
            node["config"]["provider"] = json!("anthropic");
            node["config"]["model"] = json!("claude-opus-4-7");
        }
        if node["type"] == "chat" {
            node["config"]["temperature"] = json!(0);
        }
    }
    let path = home.file("cold.flow.json", &flow.to_string());
    let checked = home.plait(&["check", &path]);
    assert_eq!(checked.code, 0, "{checked:#?}");
    let all = format!("{}{}", checked.out, checked.err);
    assert!(all.contains("model.no_sampling") && all.contains("`claude-opus-4-7`"), "{checked:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lens_names_parameters_that_were_not_sent() {
    let server = ModelServer::start(|_, _| ServerReply::Text("Yes.".into())).await;
    let home = Home::default();
    let added = home.plait(&["providers", "add", "mine", "--kind", "openai-chat", "--url", &server.url]);
    assert_eq!(added.code, 0, "{added:#?}");
    let mut flow = flow_of_mine();
    for node in flow["nodes"].as_object_mut().unwrap().values_mut() {
        if node["type"] == "contextStart" {
            node["config"]["model"] = json!("anthropic/claude-opus-4-7");
        }
        if node["type"] == "chat" {
            node["config"]["temperature"] = json!(0);
        }
    }
    let path = home.file("cold.flow.json", &flow.to_string());
    let run = home.plait(&["run", &path]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(server.calls()[0].get("temperature").is_none(), "{:?}", server.calls());
    let shown = home.plait(&["lens", "show", "last"]);
    assert!(shown.out.contains("Not sent: temperature, which the model refuses"), "{shown:#?}");
}
