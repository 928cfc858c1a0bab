//! The window is killed in the middle of a conversation, and comes back to it.

use anyhow::{Context, Result};
use plait_window_tests::{App, Home, run_test};
use serde_json::json;

use crate::editor::{answer, node_is, press, run_is};

#[tokio::test]
async fn a_killed_window_comes_back_to_the_same_question() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("killed", &home, &["--example", "chat-loop"]).await?;
        press(&app, "run-button").await?;
        run_is(&app, "waiting").await?;
        answer(&app, "Hello").await?;
        app.shows("Ask me what 23 × 17 is").await?;
        node_is(&app, "ask", "paused").await?;
        run_is(&app, "waiting").await?;
        app.screenshot("before").await?;
        app.kill().await?;

        let app = App::open("killed", &home, &[]).await?;
        // What is left of the run is offered at once; it is in the list of runs, too.
        let offer = app.role("button", "Open").await?;
        app.click(&offer).await?;
        press(&app, "rail-runs").await?;
        app.wait_for("[data-testid^=run-row-][data-status=waiting][data-shown]").await?;
        node_is(&app, "ask", "paused").await?;
        run_is(&app, "waiting").await?;
        app.screenshot("after").await?;

        answer(&app, "What is 23 × 17?").await?;
        app.shows("I called the calculator").await?;
        node_is(&app, "ask", "paused").await?;
        press(&app, "pause-end").await?;
        run_is(&app, "finished").await?;
        app.screenshot("finished").await?;

        // The journal goes on where it was: each answer and each turn stands in it once, in one run.
        let runs = app.rpc("runs.list", json!({})).await?;
        assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
        let shown = app.rpc("runs.show", json!({ "run": runs[0]["run"] })).await?;
        let entries = shown["entries"].as_array().context("a run has entries")?;
        let of = |event: &str| entries.iter().filter(|entry| entry["type"] == event).collect::<Vec<_>>();
        let said: Vec<_> = of("turn.committed").iter().map(|turn| &turn["messages"][0]["content"]).collect();
        assert_eq!(said, ["Hello", "What is 23 × 17?"]);
        assert_eq!(of("input.provided").len(), 3, "two answers, and the end of the third pause");
        assert_eq!(of("run.started").len(), 1);
        app.close().await
    })
    .await
}
