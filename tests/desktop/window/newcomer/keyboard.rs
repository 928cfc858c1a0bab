//! The newcomer's path by keyboard alone.

use std::path::Path;

use anyhow::Result;
use plait_window_tests::{App, Home, built_binary, run_test};

use super::{ANSWERS, enter, expect_saved_cycle, press};
use crate::editor::{ALT, CONTROL, ENTER, SHIFT, TAB, wait_for_node_state, wait_for_run_status};

const ESCAPE: char = '\u{E00C}';

#[tokio::test]
async fn flow_can_be_built_run_answered_and_saved_by_keyboard_alone() -> Result<()> {
    run_test(async { build_run_and_save("keyboard", &built_binary()?).await }).await
}

/// Does all of it in the window of this binary. `name` is the name of the test, for its pictures.
pub(crate) async fn build_run_and_save(name: &str, binary: &Path) -> Result<()> {
    let home = Home::new()?;
    let app = App::open_binary(name, binary, &home, &[]).await?;
    app.wait_for_test_id("start-page").await?;

    press(&app, &[CONTROL, ALT, 'n']).await?;
    app.wait_for_test_id("canvas").await?;
    press(&app, &['/']).await?;
    enter(&app, "context start").await?;
    leave_config(&app, "contextStart").await?;
    let searched = app.evaluate("document.getElementById('palette-search').value").await?;
    assert_eq!(searched, "", "the node that was searched is there, so that the next search begins anew");
    connect_to(&app, "user input").await?;
    leave_config(&app, "userInput").await?;
    connect_to(&app, "chat").await?;
    leave_config(&app, "chat").await?;
    connect_to(&app, "user input").await?;
    app.wait_until("the cycle is closed", "document.querySelectorAll('.react-flow__edge').length === 3")
        .await?;
    assert_eq!(app.count(".react-flow__node").await?, 3);
    app.screenshot("built").await?;

    press(&app, &[CONTROL, ENTER]).await?;
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
    // The button that ends the conversation is in front of the field.
    app.wait_for("[data-testid=pause-answer]:focus").await?;
    go_back_to(&app, "[data-testid=pause-end]").await?;
    press(&app, &[ENTER]).await?;
    wait_for_run_status(&app, "finished").await?;
    app.screenshot("finished").await?;
    press(&app, &['f']).await?;
    app.guide_picture("first-flow").await?;

    press(&app, &[CONTROL, 's']).await?;
    expect_saved_cycle(&app, &home).await?;
    app.close().await
}

/// Back from the config of a new node, with the focus in its first field, to the node on the canvas.
async fn leave_config(app: &App, node: &str) -> Result<()> {
    app.wait_for(&format!("[data-config-of={node}] :focus")).await?;
    press(app, &[ESCAPE]).await?;
    app.wait_for(&format!(".react-flow__node[data-id={node}]:focus")).await?;
    Ok(())
}

/// Connects the first output of the focused node to another node, which may be a new one.
async fn connect_to(app: &App, target: &str) -> Result<()> {
    press(app, &['c']).await?;
    app.wait_for_test_id("connect-dialog").await?;
    enter(app, target).await
}

/// Moves the focus backward until it is there.
async fn go_back_to(app: &App, css: &str) -> Result<()> {
    for _ in 0..8 {
        if app.count(&format!("{css}:focus")).await? == 1 {
            break;
        }
        press(app, &[SHIFT, TAB]).await?;
    }
    app.wait_for(&format!("{css}:focus")).await?;
    Ok(())
}
