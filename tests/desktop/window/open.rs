//! Opening the window: without a flow, with a missing file, and a second time with the same data.

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};

#[tokio::test]
async fn window_opens_and_paints() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("opens", &home, &[]).await?;
        app.wait_for_test_id("empty-canvas").await?;
        assert_eq!(app.client.title().await?, "Untitled – Plait");
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
        app.wait_for_test_id("empty-canvas").await?;
        app.screenshot("missing").await?;
        app.close().await
    })
    .await
}

#[tokio::test]
async fn second_window_with_the_same_data_is_refused() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("second", &home, &[]).await?;
        let output = app.start_second_instance()?;
        assert!(output.contains("error[store.locked]"), "{output}");
        app.close().await
    })
    .await
}
