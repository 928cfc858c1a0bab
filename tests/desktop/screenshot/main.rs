//! Takes screenshots of the window for the README: a conversation that waits for its next answer, dark and light.
//!
//! Usage: screenshot DIRECTORY. `cargo xtask screenshot` builds what it needs and runs it.

use anyhow::{Context, Result};
use plait_window_tests::{App, Home, run_test};

#[tokio::main]
async fn main() -> Result<()> {
    let into = std::path::PathBuf::from(std::env::args_os().nth(1).context("usage: screenshot DIRECTORY")?);
    run_test(async {
        std::fs::create_dir_all(&into)?;
        let home = Home::new()?;
        let app = App::open("screenshot", &home, &["--example", "chat-loop"]).await?;
        click(&app, "fit-button").await?;
        click(&app, "run-button").await?;
        for (answer, reply) in
            [("Hello", "Ask me what 23 × 17 is"), ("What is 23 × 17?", "I called the calculator")]
        {
            click(&app, "pause-answer").await?;
            app.type_text(answer).await?;
            click(&app, "pause-send").await?;
            app.wait_for_page_text(reply).await?;
            app.wait_for("[data-testid=run-status][data-status=waiting]").await?;
        }
        let chat = app.wait_for_test_id("node-chat").await?;
        let header = app.rect(&chat).await?.origin.offset(14.0, 12.0);
        app.click_at(header).await?;
        for theme in ["dark", "light"] {
            click(&app, "rail-settings").await?;
            app.wait_for_test_id("setting-theme").await?.select_by_value(theme).await?;
            click(&app, "rail-nodes").await?;
            app.wait_until(
                "the colors have changed",
                &format!("document.documentElement.dataset.theme === '{theme}'"),
            )
            .await?;
            for tab in ["prompt", "io"] {
                click(&app, &format!("inspector-tab-{tab}")).await?;
                app.wait_for(&format!("[data-testid=inspector-tab-{tab}][aria-selected=true]")).await?;
                let path = app.screenshot(&format!("{theme}-{tab}")).await?;
                let copy = into.join(format!("editor-{theme}-{tab}.png"));
                std::fs::copy(&path, &copy)?;
                println!("{}", copy.display());
            }
        }
        app.close().await
    })
    .await
}

async fn click(app: &App, test_id: &str) -> Result<()> {
    let element = app.wait_for_test_id(test_id).await?;
    app.click(&element).await
}
