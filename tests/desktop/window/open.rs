//! Opening the window: without a flow, with a missing file, and a second time with the same data, and another window.

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};

use crate::editor::CONTROL;

const SHIFT: char = '\u{E008}';

#[tokio::test]
async fn window_opens_and_paints() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("opens", &home, &[]).await?;
        app.wait_for_test_id("start-page").await?;
        assert_eq!(app.client.title().await?, "Plait");
        app.screenshot("first-paint").await?;
        app.close().await
    })
    .await
}

#[tokio::test]
async fn missing_flow_is_reported_in_the_open_editor() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let missing = home.file("missing.flow.json").display().to_string();
        let app = App::open("missing", &home, &[&missing]).await?;
        app.wait_for_page_text("missing.flow.json").await?;
        app.wait_for_test_id("start-page").await?;
        app.screenshot("missing").await?;
        app.close().await
    })
    .await
}

#[tokio::test]
async fn second_start_opens_its_flow_in_the_window_that_is_there() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let flow = home.file("second start.flow.json");
        std::fs::write(&flow, r#"{"version": 1, "name": "Second start", "nodes": {"t": {"type": "text"}}}"#)?;
        let app = App::open("second", &home, &[]).await?;
        app.wait_for_test_id("start-page").await?;
        let output = app.start_again(&[&flow.display().to_string()])?;
        assert!(output.contains("Plait is open already."), "{output}");
        app.wait_until("the title of the second flow", "document.title === 'Second start – Plait'").await?;
        app.screenshot("start").await?;

        // A start without a flow only brings the window to the front.
        let output = app.start_again(&[])?;
        assert!(output.contains("Plait is open already."), "{output}");
        app.wait_until("the same flow", "document.title === 'Second start – Plait'").await?;
        app.close().await
    })
    .await
}

#[tokio::test]
async fn second_start_that_finds_no_window_to_use_is_refused() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("refused", &home, &[]).await?;
        app.wait_for_test_id("start-page").await?;
        std::fs::remove_file(home.data().join("window.sock"))?;
        let output = app.start_again(&[])?;
        assert!(output.contains("error[store.locked]"), "{output}");
        app.close().await
    })
    .await
}

#[tokio::test]
async fn another_window_has_its_own_flow_and_closes_alone() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("windows", &home, &["--example", "hello"]).await?;
        app.wait_for(".react-flow__node").await?;
        let first = app.client.window().await?;
        app.press(&[CONTROL, SHIFT, 'N']).await?;
        let second = loop {
            let windows = app.client.windows().await?;
            if let Some(other) = windows.into_iter().find(|window| *window != first) {
                break other;
            }
        };
        app.client.switch_to_window(second).await?;
        app.wait_for_test_id("start-page").await?;
        app.screenshot("second").await?;
        app.client.close_window().await?;
        app.client.switch_to_window(first).await?;
        app.wait_for(".react-flow__node").await?;
        app.close().await
    })
    .await
}
