//! A terminal beside the open window: the window drives its runs, lists them and follows them.

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};
use serde_json::json;

use crate::editor::{answer, click, wait_for_run_status};

#[tokio::test]
async fn run_of_a_terminal_is_listed_and_followed_by_the_window() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("terminal", &home, &[]).await?;
        app.wait_for_test_id("start-page").await?;
        click(&app, "rail-runs").await?;

        // The list learns of the run without being asked for.
        let (code, said) = app.terminal(&["run", "chat-loop"])?;
        assert_eq!(code, Some(3), "{said}");
        let row = app.wait_for("[data-testid^=run-row-][data-status=waiting]").await?;
        app.click(&row).await?;
        wait_for_run_status(&app, "waiting").await?;
        app.screenshot("listed").await?;

        // Each answers once; the window shows what the terminal said.
        let (code, said) = app.terminal(&["resume", "last", "--answer", "Hello"])?;
        assert_eq!(code, Some(3), "{said}");
        app.wait_for_page_text("Ask me what 23 × 17 is").await?;
        answer(&app, "What is 23 × 17?").await?;
        app.wait_for_page_text("I called the calculator").await?;
        let (code, said) = app.terminal(&["resume", "last", "--end"])?;
        assert_eq!(code, Some(0), "{said}");
        wait_for_run_status(&app, "finished").await?;
        app.wait_for("[data-testid^=run-row-][data-status=finished]").await?;
        app.screenshot("finished").await?;
        let runs = app.rpc("runs.list", json!({})).await?;
        assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
        app.close().await
    })
    .await
}
