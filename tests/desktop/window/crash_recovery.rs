//! The window is killed during a conversation and continues it after a restart.

use anyhow::{Context, Result};
use plait_window_tests::{App, Home, run_test};
use serde_json::json;

use crate::editor::{answer, click, wait_for_node_state, wait_for_run_status};

/// The pairs of cards that cover a part of each other.
const OVERLAPS: &str = "(() => {
    const boxes = [...document.querySelectorAll('.react-flow__node')].map((card) => [card.dataset.id, card.getBoundingClientRect()]);
    return boxes.flatMap(([a, one]) => boxes.filter(([b, other]) => a < b && one.left < other.right && other.left < one.right
        && one.top < other.bottom && other.top < one.bottom).map(([b]) => `${a} ${b}`));
})()";
/// The question and its buttons that are not wholly within the window.
const OUTSIDE: &str = "['[data-testid=pause-ask]', '[data-testid=pause-answer]', '[data-testid=pause-send]', '[data-testid=pause-end]']
    .flatMap((css) => [...document.querySelectorAll(css)])
    .filter((part) => { const box = part.getBoundingClientRect();
        return box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth; })
    .map((part) => part.dataset.testid)";

#[tokio::test]
async fn killed_window_reopens_at_the_same_pause() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("killed", &home, &["--example", "chat-loop"]).await?;
        app.wait_for_test_id("node-ask").await?;
        let overlaps = app.evaluate(OVERLAPS).await?;
        click(&app, "run-button").await?;
        wait_for_run_status(&app, "waiting").await?;
        answer(&app, "Hello").await?;
        app.wait_for_page_text("Ask me what 23 × 17 is").await?;
        wait_for_node_state(&app, "ask", "paused").await?;
        wait_for_run_status(&app, "waiting").await?;
        assert_eq!(app.evaluate(OVERLAPS).await?, overlaps, "a run moves no card over another");
        app.screenshot("before").await?;
        app.guide_picture("conversation").await?;
        app.kill().await?;

        let app = App::open("killed", &home, &[]).await?;
        // The interrupted run is offered at once and is in the list of runs.
        let offer = app.wait_for_role("button", "Open").await?;
        app.click(&offer).await?;
        // Typed at once: the question has the focus, and no letter is a command of the window.
        app.type_text("What is 23 × 17?").await?;
        app.wait_until(
            "the answer is in its field",
            "document.querySelector('[data-testid=pause-answer]')?.value === 'What is 23 × 17?'",
        )
        .await?;
        for (width, height) in [(1000, 700), (1280, 800)] {
            app.client.set_window_size(width, height).await?;
            app.wait_until("the window has this size", &format!("innerWidth === {width}")).await?;
            app.wait_until("the question is within it", &format!("{OUTSIDE}.length === 0")).await?;
        }
        click(&app, "rail-runs").await?;
        app.wait_for("[data-testid^=run-row-][data-status=waiting][data-shown]").await?;
        wait_for_node_state(&app, "ask", "paused").await?;
        wait_for_run_status(&app, "waiting").await?;
        app.screenshot("after").await?;

        click(&app, "pause-send").await?;
        app.wait_for_page_text("I called the calculator").await?;
        wait_for_node_state(&app, "ask", "paused").await?;
        click(&app, "pause-end").await?;
        wait_for_run_status(&app, "finished").await?;
        app.screenshot("finished").await?;

        // The journal continues: one run with each answer and each turn once.
        let runs = app.rpc("runs.list", json!({})).await?;
        assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
        let shown = app.rpc("runs.show", json!({ "run": runs[0]["run"] })).await?;
        let entries = shown["entries"].as_array().context("a run has entries")?;
        let of = |event: &str| entries.iter().filter(|entry| entry["type"] == event).collect::<Vec<_>>();
        let texts: Vec<_> = of("turn.committed").iter().map(|turn| &turn["messages"][0]["content"]).collect();
        assert_eq!(texts, ["Hello", "What is 23 × 17?"]);
        assert_eq!(of("input.provided").len(), 3, "two answers, and the end of the third pause");
        assert_eq!(of("run.started").len(), 1);
        app.close().await
    })
    .await
}
