//! A conversational loop: drawn on an empty canvas, run with its pauses, looked at in the lens, killed and continued.

use anyhow::{Context, Result, bail};
use plait_window_tests::{App, Home, run_test};
use serde_json::{Value, json};

use crate::editor::{
    CONTROL, add_node, answer, click, connect, drag_between, open_inspector, wait_for_node_state,
    wait_for_run_status,
};

#[tokio::test]
async fn conversational_loop_is_drawn_run_killed_and_continued() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("loop", &home, &[]).await?;
        draw(&app).await?;
        set_up(&app).await?;
        app.screenshot("1-drawn").await?;

        click(&app, "run-button").await?;
        wait_for_pauses(&app, 1).await?;
        answer(&app, "I want to see Lyon.").await?;
        wait_for_pauses(&app, 2).await?;
        answer(&app, "In May.").await?;
        wait_for_pauses(&app, 3).await?;
        open_inspector(&app, "chat", "prompt").await?;
        app.wait_for_test_id("conversation-injected").await?;
        app.wait_for_test_id("quota-bar").await?;
        app.wait_for_role("switch", "Compare with the previous call").await?;
        // In the page: the prompt is drawn again while the run settles, which replaces the element.
        app.evaluate("document.querySelector('[role=switch][aria-label^=Compare]').click()").await?;
        app.wait_for_test_id("prompt-diff").await?;
        app.screenshot("2-prompt").await?;
        // The inspector stays where the person has put it, also when the run settles.
        app.wait_for("[data-testid=inspector-tab-prompt][aria-selected=true]").await?;
        app.wait_for_test_id("prompt-diff").await?;
        app.kill().await?;

        let app = App::open("loop", &home, &[]).await?;
        let offer = app.wait_for_role("button", "Open").await?;
        app.click(&offer).await?;
        click(&app, "rail-runs").await?;
        app.wait_for("[data-testid^=run-row-][data-status=waiting][data-shown]").await?;
        wait_for_node_state(&app, "userInput", "paused").await?;
        app.wait_for_test_id("quota-bar").await?;
        app.screenshot("3-reopened").await?;
        answer(&app, "With two children.").await?;
        wait_for_pauses(&app, 4).await?;
        click(&app, "pause-end").await?;
        wait_for_run_status(&app, "finished").await?;
        app.screenshot("4-finished").await?;
        app.guide_picture("loops").await?;

        let run = run(&app).await?;
        let shown = app.rpc("lens.show", json!({ "run": run })).await?;
        let calls = shown["calls"].as_array().context("a run has calls")?;
        let received: Vec<_> = calls.iter().map(texts).collect();
        let reply = |call: usize| calls[call]["reply"]["text"].as_str().unwrap_or_default().to_owned();
        let asked = ["I want to see Lyon.", "In May.", "With two children."].map(str::to_owned);
        let [first, second, third] = asked;
        assert_eq!(received.len(), 3, "each reply was bought once");
        assert_eq!(received[0], std::slice::from_ref(&first));
        assert_eq!(received[1], [first.clone(), reply(0), second.clone()]);
        assert_eq!(received[2], [first, reply(0), second, reply(1), third]);
        app.close().await
    })
    .await
}

/// Draws a loop in which a person and a model speak.
async fn draw(app: &App) -> Result<()> {
    // Room for all of it.
    app.press(&[CONTROL, 'j']).await?;
    app.press(&[CONTROL, 'i']).await?;
    add_node(app, "contextStart", 30.0, 200.0).await?;
    add_node(app, "loop", 620.0, 240.0).await?;
    add_node(app, "userInput", 500.0, 180.0).await?;
    add_node(app, "chat", 500.0, 330.0).await?;
    app.screenshot("0-placed").await?;
    connect(app, ("contextStart", "context"), ("loop", "context")).await?;
    drag_between(app, "handle-loop-inner-out-context", "handle-userInput-in-context").await?;
    connect(app, ("userInput", "context"), ("chat", "context")).await?;
    connect(app, ("userInput", "message"), ("chat", "message")).await?;
    drag_between(app, "handle-chat-out-response", "handle-loop-inner-in-next").await?;
    app.press(&[CONTROL, 'j']).await?;
    app.press(&[CONTROL, 'i']).await?;
    Ok(())
}

/// Gives the loop a conversation, and the run a quota.
async fn set_up(app: &App) -> Result<()> {
    click(app, "fit-button").await?;
    // Nothing is selected, so there is no inspector until the settings of the flow are asked for.
    let canvas = app.wait_for_test_id("canvas").await?;
    app.click_at(app.rect(&canvas).await?.origin.offset(60.0, 480.0)).await?;
    click(app, "flow-settings-button").await?;
    let tokens = app.wait_for("[data-field=\"quotas.run.tokens\"] input").await?;
    app.scroll_to(&tokens).await?;
    app.click(&tokens).await?;
    app.type_text("100000").await?;
    open_inspector(app, "loop", "config").await?;
    let conversation = app.wait_for("[data-field=conversation] [role=switch]").await?;
    app.scroll_to(&conversation).await?;
    app.click(&conversation).await?;
    Ok(())
}

/// The only run.
async fn run(app: &App) -> Result<Value> {
    let runs = app.rpc("runs.list", json!({})).await?;
    assert!(runs.as_array().is_none_or(|runs| runs.len() <= 1), "{runs}");
    Ok(runs[0]["run"].clone())
}

/// Waits until the run has asked this many times.
async fn wait_for_pauses(app: &App, count: usize) -> Result<()> {
    for _ in 0..200 {
        let run = run(app).await?;
        if !run.is_null() {
            let shown = app.rpc("runs.show", json!({ "run": run })).await?;
            let entries = shown["entries"].as_array().context("a run has entries")?;
            if entries.iter().filter(|entry| entry["type"] == "run.paused").count() == count {
                wait_for_run_status(app, "waiting").await?;
                return Ok(());
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    bail!("the run did not ask {count} times; {}", app.log())
}

/// The texts that a call sent, except instructions.
fn texts(call: &Value) -> Vec<String> {
    let messages = call["messages"].as_array().into_iter().flatten();
    let said = messages.filter(|message| message["role"] != "system");
    said.map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
}
