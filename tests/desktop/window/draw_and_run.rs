//! The whole way once: draw a flow by hand, run it, watch it stream, answer it, see what came out, save it, come back.

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};

use crate::editor::{
    CONTROL, answer, inspect, node_is, place, press, run_is, saved, streamed, watch_stream, wire,
};

/// Long enough that its echo streams for a while.
const ANSWER: &str = "My parcel has not come yet, and it was due on Monday. It is a birthday present, so please \
    tell me where it is, and if it cannot be here by Thursday have it held at the depot in Lyon.";

#[tokio::test]
async fn a_flow_is_drawn_run_answered_saved_and_opened_again() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("draws", &home, &[]).await?;

        place(&app, "contextStart", 140.0, 90.0).await?;
        place(&app, "tools", 140.0, 420.0).await?;
        place(&app, "userInput", 400.0, 230.0).await?;
        place(&app, "chat", 660.0, 120.0).await?;
        place(&app, "output", 660.0, 420.0).await?;
        app.screenshot("placed").await?;

        wire(&app, ("contextStart", "context"), ("userInput", "context")).await?;
        wire(&app, ("userInput", "context"), ("chat", "context")).await?;
        wire(&app, ("userInput", "message"), ("chat", "message")).await?;
        wire(&app, ("tools", "tools"), ("chat", "tools")).await?;
        wire(&app, ("chat", "response"), ("output", "value")).await?;
        for (kind, count) in [("context", 2), ("data", 2), ("tools", 1)] {
            assert_eq!(
                app.count(&format!(".react-flow__edge [data-kind={kind}]")).await?,
                count,
                "{kind} edges"
            );
        }
        app.screenshot("wired").await?;

        // Slow enough to be seen streaming.
        inspect(&app, "chat", "config").await?;
        let options = app.wait_for("[data-field=options] .cm-content").await?;
        app.scroll_to(&options).await?;
        app.click(&options).await?;
        app.type_text(r#"{"tokensPerSecond": 30}"#).await?;

        press(&app, "run-button").await?;
        run_is(&app, "waiting").await?;
        node_is(&app, "userInput", "paused").await?;
        app.screenshot("waiting").await?;

        watch_stream(&app, "node-chat").await?;
        answer(&app, ANSWER).await?;
        run_is(&app, "finished").await?;
        let (states, texts) = streamed(&app).await?;
        assert!(states.iter().any(|state| state == "running"), "states shown: {states:?}");
        let growing: Vec<_> = texts.iter().filter(|text| text.contains("You said")).collect();
        assert!(growing.len() >= 2, "the reply came all at once: {texts:?}");
        for node in ["contextStart", "tools", "userInput", "chat", "output"] {
            node_is(&app, node, "done").await?;
        }
        inspect(&app, "output", "io").await?;
        app.shows("birthday present").await?;
        app.screenshot("finished").await?;

        app.press(&[CONTROL, 's']).await?;
        app.until("the flow is saved", "document.title.startsWith('•') === false").await?;
        let flow = saved(&home.dialog_answer())?;
        assert_eq!(flow["nodes"].as_object().map(serde_json::Map::len), Some(5));
        assert_eq!(flow["edges"].as_object().map(serde_json::Map::len), Some(5));
        app.close().await?;

        let file = home.dialog_answer().display().to_string();
        let app = App::open("draws", &home, &[&file]).await?;
        app.test_id("node-chat").await?;
        assert_eq!(app.count(".react-flow__edge").await?, 5);
        app.screenshot("reopened").await?;
        app.close().await
    })
    .await
}
