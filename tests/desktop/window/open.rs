//! Opening the window: without a flow, with a missing file, and a second time with the same data, and another window.

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};
use serde_json::json;

use crate::editor::{ALT, CONTROL, DELETE, SHIFT};

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

/// Opens another window from the keyboard and returns it. The client drives it from then on.
async fn open_another(app: &App) -> Result<()> {
    let before = app.client.windows().await?;
    app.press(&[CONTROL, SHIFT, 'N']).await?;
    app.switch_to_new_window(&before).await?;
    app.wait_for_test_id("start-page").await?;
    Ok(())
}

#[tokio::test]
async fn another_window_has_its_own_flow_and_title_and_closes_alone() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("windows", &home, &["--example", "hello"]).await?;
        app.wait_for(".react-flow__node").await?;
        app.wait_for_window_title("Hello – Plait").await?;
        let first = app.client.window().await?;
        open_another(&app).await?;
        app.screenshot("second").await?;
        app.press(&[CONTROL, ALT, 'n']).await?;
        app.wait_for_window_title("Untitled – Plait").await?;
        app.wait_for_window_title("Hello – Plait").await?;
        app.client.close_window().await?;
        app.client.switch_to_window(first).await?;
        app.wait_for(".react-flow__node").await?;
        app.close().await
    })
    .await
}

#[tokio::test]
async fn file_that_is_open_in_a_window_is_shown_there_and_its_draft_is_offered_to_no_other() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let flow = home.dialog_answer();
        std::fs::write(&flow, r#"{"version": 1, "name": "Shared", "nodes": {"t": {"type": "text"}}}"#)?;
        let app = App::open("shared", &home, &[&flow.display().to_string()]).await?;
        let first = app.client.window().await?;
        app.wait_for_test_id("node-t").await?;
        app.press(&[CONTROL, 'a']).await?;
        app.wait_for(".react-flow__node.selected").await?;
        app.press(&[DELETE]).await?;
        app.wait_until("the change is marked", "document.title === '• Shared – Plait'").await?;
        while app.rpc("autosave.list", json!({})).await?.as_array().is_none_or(Vec::is_empty) {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }

        open_another(&app).await?;
        app.press(&[CONTROL, 'o']).await?;
        app.wait_for_page_text("is open in another window").await?;
        app.screenshot("open-elsewhere").await?;
        assert_eq!(app.count("[role=alertdialog]").await?, 0, "the draft of the first window is not offered");
        app.wait_for_test_id("start-page").await?;
        app.client.close_window().await?;
        app.client.switch_to_window(first).await?;
        assert_eq!(app.client.title().await?, "• Shared – Plait");
        app.kill().await?;

        let app = App::open("shared", &home, &[]).await?;
        app.wait_for_page_text("Restore unsaved changes").await?;
        app.close().await
    })
    .await
}

#[tokio::test]
async fn page_comes_with_what_it_begins_with_and_in_the_chosen_theme() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("first-state", &home, &[]).await?;
        app.wait_for_test_id("start-page").await?;
        app.rpc("settings.change", json!({ "patch": { "theme": "light" } })).await?;
        let first = app.client.window().await?;
        open_another(&app).await?;
        // The data that the host wrote into the page, for this window.
        let replies = "JSON.parse(document.getElementById('first-replies').textContent)";
        let names = app.evaluate(&format!("Object.keys({replies}).sort()")).await?;
        assert_eq!(names, json!(["nodes.list", "settings.get", "users.list"]));
        assert_eq!(app.evaluate(&format!("{replies}['settings.get'].theme")).await?, "light");
        assert_eq!(app.evaluate("document.documentElement.dataset.theme").await?, "light");
        app.client.close_window().await?;
        app.client.switch_to_window(first).await?;
        app.close().await
    })
    .await
}
