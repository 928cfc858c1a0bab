//! The window opens: on nothing, on an example, and not a second time on the same data.

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};

#[tokio::test]
async fn the_window_opens_and_paints() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("opens", &home, &[]).await?;
        app.test_id("empty-canvas").await?;
        assert_eq!(app.client.title().await?, "Untitled – Plait");
        app.screenshot("first-paint").await?;
        app.close().await
    })
    .await
}

#[tokio::test]
async fn a_flow_that_is_not_there_is_said_so_and_the_editor_opens() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let missing = home.file("missing.flow.json").display().to_string();
        let app = App::open("missing", &home, &[&missing]).await?;
        app.shows("missing.flow.json").await?;
        app.test_id("empty-canvas").await?;
        app.screenshot("said").await?;
        app.close().await
    })
    .await
}

#[tokio::test]
async fn a_second_window_on_the_same_data_says_why_it_cannot_start() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("second", &home, &[]).await?;
        let said = app.open_again()?;
        assert!(said.contains("error[store.locked]"), "{said}");
        app.close().await
    })
    .await
}
