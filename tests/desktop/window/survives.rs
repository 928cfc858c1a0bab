//! The window is killed in the middle of a conversation, and comes back to it.

use anyhow::Result;
use plait_window_tests::{App, Home, play};

use crate::editor::{answer, node_is, press, run_is};

#[tokio::test]
async fn a_killed_window_comes_back_to_the_same_question() -> Result<()> {
    play(async {
        let home = Home::new()?;
        let app = App::open("killed", &home, &["--example", "chat-loop"]).await?;
        press(&app, "run-button").await?;
        run_is(&app, "waiting").await?;
        answer(&app, "Hello").await?;
        app.shows("Ask me what 23 × 17 is").await?;
        node_is(&app, "ask", "paused").await?;
        run_is(&app, "waiting").await?;
        app.photograph("before").await?;
        app.kill().await?;

        let app = App::open("killed", &home, &[]).await?;
        press(&app, "rail-runs").await?;
        app.wait_for("[data-testid^=run-row-][data-status=waiting] > button").await?.click().await?;
        node_is(&app, "ask", "paused").await?;
        run_is(&app, "waiting").await?;
        app.photograph("after").await?;

        answer(&app, "What is 23 × 17?").await?;
        app.shows("I called the calculator").await?;
        // Nothing was said twice: the conversation holds each message once.
        for said in ["Hello! I am the offline simulator", "What is 23 × 17?"] {
            let times = format!(
                "document.querySelector('[data-testid=messages]').innerText.split({said:?}).length - 1"
            );
            assert_eq!(app.evaluate(&times).await?, 1, "{said}");
        }
        node_is(&app, "ask", "paused").await?;
        press(&app, "pause-end").await?;
        run_is(&app, "finished").await?;
        app.photograph("finished").await?;
        app.close().await
    })
    .await
}
