//! Model providers and conversations, as a person uses them: a key is set, a flow speaks every protocol there is, tokens and
//! cost are watched, and the conversation goes on after a restart.

use anyhow::{Context, Result};
use plait_window_tests::{App, Home, run_test};
use serde_json::{Value, json};

use crate::editor::{answer, node_is, press, run_is};
use crate::models::{INPUT, Models, OUTPUT};

/// Long enough to be distinguished from anything else in a file.
const KEY: &str = "sk-ant-a-key-that-nobody-may-see-0001";
/// Each provider, the address of its server, and a model of it.
const PROVIDERS: [(&str, &str, &str); 5] = [
    ("anthropic", "", "claude-sonnet-4-5"),
    ("openai", "/v1", "gpt-4.1-mini"),
    ("openai-chat", "/v1", "a-model-nobody-knows"),
    ("gemini", "", "gemini-2.5-flash"),
    ("ollama", "", "a-model-of-ones-own"),
];

#[tokio::test]
async fn a_key_a_flow_of_every_protocol_and_a_conversation_that_goes_on() -> Result<()> {
    run_test(async {
        let models = Models::start().await?;
        let home = Home::new()?;
        let file = home.file("every-protocol.flow.json");
        std::fs::write(&file, flow().to_string())?;
        let path = file.display().to_string();

        let app = App::open("providers", &home, &[&path]).await?;
        point_at(&app, &models).await?;
        set_key(&app).await?;
        press(&app, "rail-conversations").await?;
        press(&app, "conversation-begin").await?;
        say(&app, "Hello there").await?;
        // The servers hold back the rest of what they say: this is shown while it is not there yet.
        for (name, ..) in PROVIDERS {
            let shown = format!("document.querySelector('[data-testid=node-{name}]').innerText");
            let part = format!("{shown}.includes('Greetings') && !{shown}.includes('counted')");
            app.until(&format!("a part of what {name} says is shown"), &part).await?;
            node_is(&app, name, "running").await?;
        }
        models.finish();
        all_done(&app).await?;
        let calls = u64::try_from(PROVIDERS.len())?;
        let totals = app.evaluate("document.querySelector('[data-testid=run-totals]').innerText").await?;
        let totals = totals.as_str().context("the totals are a text")?.to_owned();
        let tokens = (calls * (INPUT + OUTPUT)).to_string();
        assert!(totals.replace([',', '\u{202f}'], "").contains(&tokens), "{totals}");
        // $3 and $15 a million for the first, $0.4 and $1.6 for the second, $0.3 and $2.5 for the fourth, nothing for the
        // last; what the third costs is not known, so the sum is a least.
        assert!(totals.contains("≥ $0.0075"), "{totals}");
        app.screenshot("totals").await?;
        received(&models, &[("user", "Hello there")])?;
        app.kill().await?;

        let app = App::open("providers", &home, &[&path]).await?;
        // The panel is open where it was left. What can be done with a conversation shows under the pointer.
        let row = app.wait_for("[data-testid^=conversation-row-]").await?;
        app.point(app.area(&row).await?.middle()).await?;
        let go_on = app.wait_for("[data-testid^=conversation-continue-]").await?;
        app.click(&go_on).await?;
        say(&app, "And once more").await?;
        all_done(&app).await?;
        app.screenshot("continued").await?;
        let before = "Greetings from messages, where every word is counted.";
        received(&models, &[("user", "Hello there"), ("assistant", before), ("user", "And once more")])?;
        app.close().await?;
        key_is_nowhere(&home.data())
    })
    .await
}

/// Tells each provider where its server is. (By the page's own command: the addresses are not what is shown here.)
async fn point_at(app: &App, models: &Models) -> Result<()> {
    let mut settings = app.rpc("settings.get", json!({})).await?;
    for (name, path, _) in PROVIDERS {
        settings["providers"][name]["baseUrl"] = format!("{}{path}", models.url).into();
        // These need a key from somewhere; only one of them is given here.
        if name != "anthropic" {
            settings["providers"][name]["keyEnv"] = Value::Null;
        }
    }
    app.rpc("settings.set", json!({ "settings": settings })).await?;
    app.client.refresh().await?;
    app.wait_for("#root > *").await?;
    Ok(())
}

async fn set_key(app: &App) -> Result<()> {
    press(app, "rail-settings").await?;
    let card = app.wait_for("[data-testid=provider-anthropic] button").await?;
    app.scroll_to(&card).await?;
    app.click(&card).await?;
    let field = app.wait_for("[data-testid=provider-anthropic] input[type=password]").await?;
    app.scroll_to(&field).await?;
    app.click(&field).await?;
    app.type_text(KEY).await?;
    let set = app.role("button", "Set the API key of anthropic").await?;
    app.click(&set).await?;
    let place = "document.querySelector('[data-testid=key-place-anthropic]').innerText";
    app.until("the key is kept", &format!("{place}.includes('{}')", &KEY[KEY.len() - 4..])).await?;
    let test = app.role("button", "Test anthropic").await?;
    app.scroll_to(&test).await?;
    app.click(&test).await?;
    let result = "document.querySelector('[data-testid=test-anthropic]').innerText";
    app.until("the provider answers", &format!("{result}.includes('Connected')")).await?;
    app.screenshot("settings").await?;
    Ok(())
}

async fn say(app: &App, text: &str) -> Result<()> {
    press(app, "run-button").await?;
    run_is(app, "waiting").await?;
    answer(app, text).await
}

async fn all_done(app: &App) -> Result<()> {
    run_is(app, "finished").await?;
    for (name, ..) in PROVIDERS {
        node_is(app, name, "done").await?;
    }
    Ok(())
}

/// The last call of the provider that the conversation is with had exactly these messages, and the key.
fn received(models: &Models, expected: &[(&str, &str)]) -> Result<()> {
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

/// No file of the data directory holds the key.
fn key_is_nowhere(directory: &std::path::Path) -> Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            key_is_nowhere(&path)?;
        } else {
            let bytes = std::fs::read(&path)?;
            let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
            assert!(!found, "{} holds the key", path.display());
        }
    }
    Ok(())
}

/// One question, put to every provider at once, each in a context of its own; the first is the conversation.
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
