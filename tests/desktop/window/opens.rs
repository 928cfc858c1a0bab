//! The window opens, and closes when nothing is to be kept.

use anyhow::Result;
use plait_window_tests::{App, Home, play};

#[tokio::test]
async fn the_window_opens_and_paints() -> Result<()> {
    play(async {
        let home = Home::new()?;
        let app = App::open("opens", &home, None).await?;
        assert_eq!(app.client.title().await?, "Untitled – Plait");
        app.photograph("first-paint").await?;
        app.close().await
    })
    .await
}
