//! One walk through the debugger by keys alone, in both sizes: a conditional breakpoint is set and hit, a prompt is edited for this run,
//! the run goes on, is looked at in its past, and forked there once the bill is seen. A server counts what the models are asked.

use std::time::Duration;

use anyhow::{Result, bail};
use plait_window_tests::{App, Home, run_test};
use serde_json::{Value, json};

use crate::editor::{ALT, CONTROL, ENTER, SHIFT, TAB, run_palette_command, wait_for_run_status};
use crate::model_server::ModelServer;

const F7: char = '\u{E037}';
const F8: char = '\u{E038}';
const F9: char = '\u{E039}';
const LEFT: char = '\u{E012}';

/// An answer to a customer, and what another call says of it.
fn triage() -> Value {
    let chat = |title: &str, prompt: &str| {
        let config = json!({ "prompt": prompt, "skipHistory": true, "maxTokens": 500 });
        json!({ "type": "chat", "title": title, "config": config })
    };
    let edge = |source: &str, output: &str, target: &str, input: &str| json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    let at = |x: u32, y: u32| json!({ "x": x, "y": y });
    let ticket = json!({ "value": "Where is parcel 7731? It was due on Monday." });
    let model = json!({ "provider": "openai", "model": "gpt-4.1-mini" });
    json!({
        "version": 1,
        "name": "Support triage",
        "nodes": {
            "main": { "type": "contextStart", "title": "main", "config": model },
            "ticket": { "type": "value", "title": "Ticket", "config": ticket },
            "answer": chat("Answer", "Answer the customer: {{ticket}}"),
            "review": chat("Review", "Is this polite? {{answer}}"),
            "reply": { "type": "output", "title": "Reply" },
        },
        "edges": {
            "a": edge("main", "context", "answer", "context"),
            "b": edge("ticket", "value", "answer", "ticket"),
            "c": edge("answer", "context", "review", "context"),
            "d": edge("answer", "response", "review", "answer"),
            "e": edge("review", "response", "reply", "value"),
        },
        "layout": {
            "main": at(0, 0), "ticket": at(0, 140), "answer": at(280, 0), "review": at(560, 0), "reply": at(840, 0),
        },
    })
}

#[tokio::test]
async fn run_is_paused_changed_looked_back_at_and_forked_by_keys_in_a_wide_window() -> Result<()> {
    run_test(async { walk((1280, 800), "light").await }).await
}

#[tokio::test]
async fn run_is_paused_changed_looked_back_at_and_forked_by_keys_in_a_small_window() -> Result<()> {
    run_test(async { walk((1000, 700), "dark").await }).await
}

async fn walk((width, height): (u32, u32), theme: &str) -> Result<()> {
    let models = ModelServer::start().await?;
    models.finish();
    let home = Home::new()?;
    let file = home.file("triage.flow.json");
    std::fs::write(&file, triage().to_string())?;
    let app = App::open(&format!("walk-{width}x{height}"), &home, &[&file.to_string_lossy()]).await?;
    let settings = json!({
        "theme": theme,
        "providers": { "openai": { "baseUrl": format!("{}/v1", models.url), "keyEnv": null } },
    });
    app.rpc("settings.change", json!({ "patch": settings })).await?;
    app.client.set_window_size(width, height).await?;
    app.client.refresh().await?;
    app.wait_for_test_id("node-review").await?;
    let size = app.evaluate("[innerWidth, innerHeight, document.documentElement.dataset.theme]").await?;
    assert_eq!(size, json!([width, height, theme]));
    let prompts = || models.calls().iter().map(|call| call.body["input"].to_string()).collect::<Vec<_>>();

    // A breakpoint with a condition, on the selected node.
    app.press(&[CONTROL, 'f']).await?;
    app.wait_for("[role=dialog] input:focus, [role=search] input:focus, input:focus").await?;
    app.type_text("Review").await?;
    app.press(&[ENTER]).await?;
    app.wait_for("[data-testid=node-review][data-selected=true]").await?;
    app.press(&[F9]).await?;
    app.wait_for_test_id("bead-review-before").await?;
    app.press(&[ALT, SHIFT, '5']).await?;
    tab_to(&app, "[data-testid=breakpoint-review-before] input[aria-label^=Condition]", &[TAB]).await?;
    app.type_text("inputs.answer.contains('counted')").await?;
    app.press(&[ENTER]).await?;
    look(&app, "1-breakpoint", &["breakpoint-review-before"]).await?;

    app.press(&[CONTROL, ENTER]).await?;
    wait_for_run_status(&app, "stopped").await?;
    app.wait_for_page_text("Paused before Review").await?;
    tab_to(&app, "[data-testid=stop-bar] button:first-of-type", &[TAB]).await?;
    app.press(&[ENTER]).await?;
    app.wait_for("[data-testid=node-review][data-selected=true]").await?;
    look(&app, "2-hit", &["go-continue", "go-over", "go-into", "go-out", "go-all"]).await?;
    assert_eq!(prompts().len(), 1, "the held call is not made");

    // Another prompt, for this run.
    run_palette_command(&app, "Try another config").await?;
    app.wait_for_test_id("trial-form").await?;
    tab_to(&app, "[data-testid=trial-form] [data-field=prompt] .cm-content", &[TAB]).await?;
    app.press(&[CONTROL, 'a']).await?;
    app.type_text("Is this polite and short? {{answer}}").await?;
    look(&app, "3-edit", &["trial"]).await?;
    tab_to(&app, "[data-testid=trial] button:first-of-type", &[SHIFT, TAB]).await?;
    app.press(&[ENTER]).await?;
    app.wait_for_test_id("trial-badge").await?;
    look(&app, "4-trial", &["trial-badge"]).await?;

    app.press(&[F8]).await?;
    wait_for_run_status(&app, "finished").await?;
    look(&app, "5-finished", &["run-totals"]).await?;
    let asked = prompts();
    assert!(asked.len() == 2 && asked[1].contains("Is this polite and short?"), "{asked:#?}");
    let first = app.rpc("runs.list", json!({})).await?[0]["run"].clone();
    let before = app.rpc("runs.show", json!({ "run": first })).await?["entries"].clone();

    // Back on the slider, to the stop.
    tab_to(&app, "[data-testid=time-slider]", &[TAB]).await?;
    let position = "document.querySelector('[data-testid=time-position]')?.textContent ?? ''";
    for _ in 0..60 {
        if app.evaluate(position).await?.as_str().is_some_and(|text| text.contains("debug.stopped")) {
            break;
        }
        app.press(&[LEFT]).await?;
    }
    app.wait_until("the slider is at the stop", &format!("({position}).includes('debug.stopped')")).await?;
    app.wait_for_page_text("Paused before Review").await?;
    assert_eq!(app.count("[data-testid=go-continue]").await?, 0, "the past can't be continued");
    look(&app, "6-past", &["time-slider"]).await?;

    // The bill, and the fork.
    app.press(&[ALT, F7]).await?;
    app.wait_for("[data-testid=bill-start]:focus").await?;
    app.wait_until(
        "the bill is made",
        "document.querySelector('[data-testid=bill-summary]')?.textContent.includes('reuses 1, buys 1')",
    )
    .await?;
    look(&app, "7-bill", &["bill-start", "bill-summary"]).await?;
    assert_eq!(prompts().len(), 2, "a bill asks nobody");
    app.press(&[ENTER]).await?;
    wait_for_run_status(&app, "stopped").await?;
    app.wait_for_page_text("Paused before Review").await?;
    app.press(&[F8]).await?;
    wait_for_run_status(&app, "finished").await?;
    look(&app, "8-forked", &["run-totals"]).await?;

    assert_eq!(prompts().len(), 3, "one call is bought again");
    let runs = app.rpc("runs.list", json!({})).await?;
    assert_eq!(runs.as_array().map(Vec::len), Some(2), "{runs}");
    let after = app.rpc("runs.show", json!({ "run": first })).await?["entries"].clone();
    assert_eq!(before, after, "the first run is as it was");
    app.close().await
}

/// Presses keys until something has the focus.
async fn tab_to(app: &App, css: &str, keys: &[char]) -> Result<()> {
    app.wait_for(css).await?;
    for _ in 0..120 {
        if app.count(&format!("{css}:focus")).await? == 1 {
            return Ok(());
        }
        app.press(keys).await?;
    }
    bail!(
        "no number of tabs leads to {css}; the focus is at {}",
        app.evaluate("document.activeElement.outerHTML").await?
    )
}

/// A picture in both themes, in which these are whole.
async fn look(app: &App, station: &str, seen: &[&str]) -> Result<()> {
    // What the Tab key has passed says its name for a moment.
    tokio::time::sleep(Duration::from_millis(300)).await;
    for test_id in seen {
        let box_of = format!("document.querySelector('[data-testid=\"{test_id}\"]').getBoundingClientRect()");
        let is_in_view = format!(
            "(({{ top, left, bottom, right }}) => top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth)({box_of})"
        );
        app.wait_until(&format!("{test_id} is in view"), &is_in_view).await?;
    }
    let overflows = app.evaluate("document.documentElement.scrollWidth > innerWidth").await?;
    assert_eq!(overflows, false, "{station}: the page is wider than the window");
    let theme = app.evaluate("document.documentElement.dataset.theme").await?;
    for shown in ["light", "dark"] {
        app.evaluate(&format!("document.documentElement.dataset.theme = '{shown}'")).await?;
        app.screenshot(&format!("{station}-{shown}")).await?;
    }
    app.evaluate(&format!("document.documentElement.dataset.theme = {theme}")).await?;
    Ok(())
}
