//! Model providers and conversations: sets a key, runs a flow with every protocol, checks tokens and cost, and continues
//! the conversation after a crash.

use anyhow::{Context, Result};
use plait_window_tests::{App, Home, run_test};
use serde_json::{Value, json};

use crate::editor::{answer, click, wait_for_node_state, wait_for_run_status};
use crate::model_server::{INPUT_TOKENS, ModelServer, OUTPUT_TOKENS};

/// Long enough to be unique in a file.
const KEY: &str = "sk-ant-a-key-that-nobody-may-see-0001";
/// Each provider, the path of its base URL, and a model.
const PROVIDERS: [(&str, &str, &str); 5] = [
    ("anthropic", "", "claude-sonnet-4-5"),
    ("openai", "/v1", "gpt-4.1-mini"),
    ("openai-chat", "/v1", "a-model-nobody-knows"),
    ("gemini", "", "gemini-2.5-flash"),
    ("ollama", "", "a-model-of-ones-own"),
];

#[tokio::test]
async fn every_protocol_streams_and_the_conversation_continues_after_a_crash() -> Result<()> {
    run_test(async {
        let models = ModelServer::start().await?;
        let home = Home::new()?;
        let file = home.file("every-protocol.flow.json");
        std::fs::write(&file, flow().to_string())?;
        let path = file.display().to_string();

        let app = App::open("providers", &home, &[&path]).await?;
        set_base_urls(&app, &models).await?;
        set_key(&app).await?;
        click(&app, "rail-conversations").await?;
        click(&app, "conversation-begin").await?;
        run_with_answer(&app, "Hello there").await?;
        // The servers hold back the rest of their replies, so a partial reply is displayed.
        for (name, ..) in PROVIDERS {
            let shown = format!("document.querySelector('[data-testid=node-{name}]').innerText");
            // The end of it, if the card has no room for more.
            let part = format!("{shown}.includes(', w') && !{shown}.includes('counted')");
            app.wait_until(&format!("a part of what {name} says is shown"), &part).await?;
            wait_for_node_state(&app, name, "running").await?;
        }
        models.finish();
        wait_until_all_done(&app).await?;
        let calls = u64::try_from(PROVIDERS.len())?;
        let totals = app.evaluate("document.querySelector('[data-testid=run-totals]').innerText").await?;
        let totals = totals.as_str().context("the totals are a text")?.to_owned();
        let tokens = (calls * (INPUT_TOKENS + OUTPUT_TOKENS)).to_string();
        assert!(totals.replace([',', '\u{202f}'], "").contains(&tokens), "{totals}");
        // Per million: $3 and $15 for the first, $0.4 and $1.6 for the second, $0.3 and $2.5 for the fourth, $0 for the
        // last. The third has no known price, so the sum is a lower bound.
        assert!(totals.contains("≥ $0.0075"), "{totals}");
        app.screenshot("totals").await?;
        assert_received(&models, &[("user", "Hello there")])?;
        app.kill().await?;

        let app = App::open("providers", &home, &[&path]).await?;
        // The panel is still open. The actions of a conversation appear under the pointer.
        let row = app.wait_for("[data-testid^=conversation-row-]").await?;
        app.move_pointer(app.rect(&row).await?.center()).await?;
        let go_on = app.wait_for("[data-testid^=conversation-continue-]").await?;
        app.click(&go_on).await?;
        run_with_answer(&app, "And once more").await?;
        wait_until_all_done(&app).await?;
        app.screenshot("continued").await?;
        let before = "Greetings from messages, where every word is counted.";
        assert_received(
            &models,
            &[("user", "Hello there"), ("assistant", before), ("user", "And once more")],
        )?;
        app.close().await?;
        assert_key_not_on_disk(&home.data())
    })
    .await
}

/// Sets the base URL of each provider with the page's own command.
async fn set_base_urls(app: &App, models: &ModelServer) -> Result<()> {
    let mut settings = app.rpc("settings.get", json!({})).await?;
    for (name, path, _) in PROVIDERS {
        settings["providers"][name]["baseUrl"] = format!("{}{path}", models.url).into();
        // Only `anthropic` gets a key in this test.
        if name != "anthropic" {
            settings["providers"][name]["keyEnv"] = Value::Null;
        }
    }
    app.rpc("settings.set", json!({ "settings": settings })).await?;
    app.client.refresh().await?;
    app.wait_for("#root > :not(.static-shell)").await?;
    Ok(())
}

async fn set_key(app: &App) -> Result<()> {
    click(app, "rail-settings").await?;
    let card = app.wait_for("[data-testid=provider-anthropic] button").await?;
    app.scroll_to(&card).await?;
    app.click(&card).await?;
    let field = app.wait_for("[data-testid=provider-anthropic] input[type=password]").await?;
    app.scroll_to(&field).await?;
    app.click(&field).await?;
    app.type_text(KEY).await?;
    let set = app.wait_for_role("button", "Set the API key of anthropic").await?;
    app.click(&set).await?;
    let place = "document.querySelector('[data-testid=key-place-anthropic]').innerText";
    app.wait_until("the key is kept", &format!("{place}.includes('{}')", &KEY[KEY.len() - 4..])).await?;
    let test = app.wait_for_role("button", "Test anthropic").await?;
    app.scroll_to(&test).await?;
    app.click(&test).await?;
    let result = "document.querySelector('[data-testid=test-anthropic]').innerText";
    app.wait_until("the provider answers", &format!("{result}.includes('Connected')")).await?;
    app.screenshot("settings").await?;
    Ok(())
}

async fn run_with_answer(app: &App, text: &str) -> Result<()> {
    click(app, "run-button").await?;
    wait_for_run_status(app, "waiting").await?;
    answer(app, text).await
}

async fn wait_until_all_done(app: &App) -> Result<()> {
    wait_for_run_status(app, "finished").await?;
    for (name, ..) in PROVIDERS {
        wait_for_node_state(app, name, "done").await?;
    }
    Ok(())
}

/// Asserts that the last call of the conversation's provider had exactly these messages and the key.
fn assert_received(models: &ModelServer, expected: &[(&str, &str)]) -> Result<()> {
    let calls = models.calls();
    let call = calls.iter().rfind(|call| call.path.ends_with("/messages")).context("it was not called")?;
    assert_eq!(call.key.as_deref(), Some(KEY));
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap_or_default().to_owned(),
    };
    let messages = call.body["messages"].as_array().context("it was sent no messages")?;
    let messages: Vec<_> = messages
        .iter()
        .map(|message| (message["role"].as_str().unwrap_or_default(), text(message)))
        .collect();
    let expected: Vec<_> = expected.iter().map(|(role, text)| (*role, (*text).to_owned())).collect();
    assert_eq!(messages, expected);
    Ok(())
}

/// Asserts that no file of the data directory contains the key.
fn assert_key_not_on_disk(directory: &std::path::Path) -> Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            assert_key_not_on_disk(&path)?;
        } else if path.is_file() {
            let bytes = std::fs::read(&path)?;
            let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
            assert!(!found, "{} holds the key", path.display());
        }
    }
    Ok(())
}

/// One message to every provider at once, each in its own context; the first is the conversation's.
fn flow() -> Value {
    let (mut nodes, mut edges) = (json!({ "ask": { "type": "userInput" } }), json!({}));
    let mut join = |source: &str, output: &str, target: &str, input: &str| {
        edges[format!("{source}-{target}-{input}")] =
            json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    };
    for (at, (name, _, model)) in PROVIDERS.into_iter().enumerate() {
        let start = format!("start-{name}");
        let context = if at == 0 { "main".to_owned() } else { name.to_owned() };
        nodes[&start] = json!({ "type": "contextStart", "config": { "contextId": context, "provider": name, "model": model } });
        nodes[name] = json!({ "type": "chat", "title": name });
        join(&start, "context", name, "context");
        join("ask", "message", name, "message");
    }
    let place = |id: &str, x: i32, y: i32| (id.to_owned(), json!({ "x": x, "y": y }));
    let mut layout = serde_json::Map::from_iter([place("ask", 0, 240)]);
    for (row, (name, ..)) in (0..).zip(PROVIDERS) {
        layout.extend([place(&format!("start-{name}"), 0, 400 + row * 110), place(name, 380, row * 150)]);
    }
    json!({ "version": 1, "name": "Every protocol", "nodes": nodes, "edges": edges, "layout": layout })
}
