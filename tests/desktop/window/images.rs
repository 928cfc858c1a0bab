//! A flow as an image: exported as SVG, and copied.

use anyhow::{Context, Result};
use plait_window_tests::{App, Home, run_test};

use crate::editor::{CONTROL, ENTER};

/// Finds a command in the palette and executes it.
async fn execute(app: &App, title: &str) -> Result<()> {
    app.press(&[CONTROL, 'k']).await?;
    app.wait_for("[cmdk-input]").await?;
    app.type_text(title).await?;
    let chosen = format!(
        "document.querySelector('[cmdk-item][aria-selected=true]')?.innerText.includes('{title}') === true"
    );
    app.wait_until("the command is chosen", &chosen).await?;
    app.press(&[ENTER]).await
}

#[tokio::test]
async fn exported_svg_is_in_the_chosen_file() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("images", &home, &["--example", "hello"]).await?;
        app.wait_for(".react-flow__node").await?;
        execute(&app, "Export as SVG").await?;
        app.wait_for_page_text("Saved as chosen.flow.json").await?;
        let svg = std::fs::read_to_string(home.dialog_answer()).context("nothing was saved")?;
        assert!(svg.starts_with("<svg") && svg.contains("</svg>"), "{svg}");
        app.close().await
    })
    .await
}

#[tokio::test]
async fn copied_image_is_on_the_clipboard() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("copies", &home, &["--example", "hello"]).await?;
        app.wait_for(".react-flow__node").await?;
        execute(&app, "Copy as image").await?;
        app.wait_for_page_text("Copied as image").await?;
        app.close().await
    })
    .await
}
