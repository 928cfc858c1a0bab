//! The newcomer's path with the mouse. Only messages are typed. The test of the packages takes it.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use plait_window_tests::input::Point;
use plait_window_tests::{App, Home};

use super::{ANSWERS, enter, expect_saved_cycle};
use crate::editor::{center, click, wait_for_node_state, wait_for_run_status};

/// Between two gestures: a person looks for the next place and goes there.
const GESTURE_INTERVAL: Duration = Duration::from_millis(1_500);

/// Does all of it in the window of this binary. `name` is the name of the test, for its pictures.
pub(crate) async fn build_run_and_save(name: &str, binary: &Path) -> Result<()> {
    let home = Home::new()?;
    let app = App::open_binary(name, binary, &home, &[]).await?;
    app.wait_for_test_id("start-page").await?;
    press_button(&app, "start-flow.new").await?;

    let canvas = app.wait_for_test_id("canvas").await?;
    let canvas = app.rect(&canvas).await?.origin;
    let start = app.wait_for_test_id("palette-contextStart").await?;
    app.scroll_to(&start).await?;
    drag(&app, app.rect(&start).await?.center(), canvas.offset(140.0, 90.0)).await?;
    app.wait_for_test_id("node-contextStart").await?;
    draw_to_new(&app, "contextStart", "userInput", canvas.offset(430.0, 90.0)).await?;
    draw_to_new(&app, "userInput", "chat", canvas.offset(430.0, 330.0)).await?;
    app.screenshot("before-the-edge-back").await?;
    drag(&app, center(&app, &out("chat")).await?, center(&app, "handle-userInput-in-context").await?).await?;
    app.wait_until("the cycle is closed", "document.querySelectorAll('.react-flow__edge').length === 3")
        .await?;
    app.screenshot("built").await?;

    press_button(&app, "run-button").await?;
    wait_for_run_status(&app, "waiting").await?;
    wait_for_node_state(&app, "userInput", "paused").await?;
    for answer in ANSWERS {
        // The field has the focus when a run asks.
        app.wait_for("[data-testid=pause-answer]:focus").await?;
        enter(&app, answer).await?;
        app.wait_for_page_text(&format!("You said: {answer}")).await?;
        app.wait_for("[data-testid=pause-answer]").await?;
    }
    app.screenshot("answered").await?;
    press_button(&app, "pause-end").await?;
    wait_for_run_status(&app, "finished").await?;

    // The elements that the guide points out.
    app.click_at(center(&app, "node-chat").await?).await?;
    tokio::time::sleep(GESTURE_INTERVAL).await;
    press_button(&app, "inspector-tab-io").await?;
    app.wait_for_page_text("Thank you.").await?;
    press_button(&app, "inspector-tab-prompt").await?;
    press_button(&app, "inspector-tab-context").await?;
    app.screenshot("inspected").await?;

    press_button(&app, "save-button").await?;
    expect_saved_cycle(&app, &home).await?;
    app.close().await
}

/// The handle of a node's output `context`.
fn out(node: &str) -> String {
    format!("handle-{node}-out-context")
}

/// Drags from the output `context` over empty canvas, lets go, and chooses the node that comes there.
async fn draw_to_new(app: &App, source: &str, node_type: &str, at: Point) -> Result<()> {
    drag(app, center(app, &out(source)).await?, at).await?;
    press_button(app, &format!("quick-add-{node_type}")).await?;
    app.wait_for_test_id(&format!("node-{node_type}")).await?;
    Ok(())
}

async fn drag(app: &App, from: Point, to: Point) -> Result<()> {
    app.drag_slowly(from, to).await?;
    tokio::time::sleep(GESTURE_INTERVAL).await;
    Ok(())
}

async fn press_button(app: &App, test_id: &str) -> Result<()> {
    click(app, test_id).await?;
    tokio::time::sleep(GESTURE_INTERVAL).await;
    Ok(())
}
