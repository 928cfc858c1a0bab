//! The whole workflow: draw a flow, run it, watch it stream, answer it, inspect the result, save it, reopen it.

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};

use crate::editor::{
    CONTROL, add_node, answer, click, connect, open_inspector, read_saved_flow, record_card_changes,
    recorded_card_changes, wait_for_node_state, wait_for_run_status,
};

/// Long enough for its echo to stream for a while.
const ANSWER: &str = "My parcel has not come yet, and it was due on Monday. It is a birthday present, so please \
    tell me where it is, and if it cannot be here by Thursday have it held at the depot in Lyon.";

#[tokio::test]
async fn flow_can_be_drawn_run_answered_saved_and_reopened() -> Result<()> {
    run_test(draw_run_save_and_reopen()).await
}

async fn draw_run_save_and_reopen() -> Result<()> {
    let home = Home::new()?;
    let app = App::open("draws", &home, &[]).await?;

    add_node(&app, "contextStart", 140.0, 90.0).await?;
    add_node(&app, "tools", 140.0, 420.0).await?;
    add_node(&app, "userInput", 400.0, 230.0).await?;
    add_node(&app, "chat", 660.0, 120.0).await?;
    add_node(&app, "output", 660.0, 420.0).await?;
    app.screenshot("placed").await?;

    connect(&app, ("contextStart", "context"), ("userInput", "context")).await?;
    connect(&app, ("userInput", "context"), ("chat", "context")).await?;
    connect(&app, ("userInput", "message"), ("chat", "message")).await?;
    connect(&app, ("tools", "tools"), ("chat", "tools")).await?;
    connect(&app, ("chat", "response"), ("output", "value")).await?;
    for (kind, count) in [("context", 2), ("data", 2), ("tools", 1)] {
        assert_eq!(app.count(&format!(".react-flow__edge [data-kind={kind}]")).await?, count, "{kind} edges");
    }
    app.screenshot("wired").await?;
    app.guide_picture("editor").await?;

    // Slow enough to observe the stream.
    open_inspector(&app, "chat", "config").await?;
    let options = app.wait_for("[data-field=options] .cm-content").await?;
    app.scroll_to(&options).await?;
    app.click(&options).await?;
    app.type_text(r#"{"tokensPerSecond": 30}"#).await?;

    click(&app, "run-button").await?;
    // A new *Tools* node offers `fetch_url`, so the flow needs hosts that are unknown before the run. An empty choice
    // denies nothing.
    app.wait_for_test_id("need-host=*").await?;
    app.screenshot("needs").await?;
    click(&app, "grants-run").await?;
    wait_for_run_status(&app, "waiting").await?;
    wait_for_node_state(&app, "userInput", "paused").await?;
    app.screenshot("waiting").await?;

    record_card_changes(&app, "node-chat").await?;
    answer(&app, ANSWER).await?;
    wait_for_run_status(&app, "finished").await?;
    let (states, texts) = recorded_card_changes(&app).await?;
    assert!(states.iter().any(|state| state == "running"), "states shown: {states:?}");
    let growing: Vec<_> = texts.iter().filter(|text| text.contains("You said")).collect();
    assert!(growing.len() >= 2, "the reply came all at once: {texts:?}");
    for node in ["contextStart", "tools", "userInput", "chat", "output"] {
        wait_for_node_state(&app, node, "done").await?;
    }
    open_inspector(&app, "output", "io").await?;
    app.wait_for_page_text("birthday present").await?;
    app.screenshot("finished").await?;
    app.guide_picture("debugging").await?;

    app.press(&[CONTROL, 's']).await?;
    app.wait_until("the flow is saved", "document.title.startsWith('•') === false").await?;
    let flow = read_saved_flow(&home.dialog_answer())?;
    assert_eq!(flow["nodes"].as_object().map(serde_json::Map::len), Some(5));
    assert_eq!(flow["edges"].as_object().map(serde_json::Map::len), Some(5));
    app.close().await?;

    let file = home.dialog_answer().display().to_string();
    let app = App::open("draws", &home, &[&file]).await?;
    app.wait_for_test_id("node-chat").await?;
    assert_eq!(app.count(".react-flow__edge").await?, 5);
    app.screenshot("reopened").await?;
    app.close().await
}
