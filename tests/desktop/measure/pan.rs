//! Frames per second while panning, in the real webview: bare React Flow with the same number of plain nodes, the editor
//! idle, and the editor while a run streams into 50 nodes.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use plait_window_tests::input::Point;
use plait_window_tests::{App, Home};
use serde_json::{Value, json};

use crate::print_figure;

const SIZES: [usize; 2] = [1_000, 5_000];
const COLUMNS: usize = 50;
const STREAMS: usize = 50;
const PAN_DURATION: Duration = Duration::from_secs(4);
/// WebDriver's key codes.
const CONTROL: char = '\u{E009}';
const ENTER: char = '\u{E007}';

/// Prints the frame rate of each.
pub(crate) async fn measure(editor: &Path, empty: &Path, bare: &str) -> Result<()> {
    for size in SIZES {
        let group = format!("pan-window-{size}");
        let home = Home::new()?;
        let app = App::open_binary("measure", empty, &home, &[]).await?;
        app.client.goto(&format!("{bare}?nodes={size}")).await?;
        app.wait_for(".react-flow__node").await?;
        print_figure(&group, "bare", pan(&app).await?, "fps");
        app.close().await?;

        let home = Home::new()?;
        let file = home.file("grid.flow.json");
        std::fs::write(&file, grid(size).to_string())?;
        let app = App::open_binary("measure", editor, &home, &[&file.display().to_string()]).await?;
        // It opens with all nodes in view, so small that they are painted as tiles.
        app.wait_for(".far-picture").await?;
        // At zoom 100 % with the top left corner in view, like the bare page.
        app.press(&[CONTROL, 'k']).await?;
        app.type_text("n00102").await?;
        app.press(&[ENTER]).await?;
        tokio::time::sleep(Duration::from_secs(1)).await;
        print_figure(&group, "idle", pan(&app).await?, "fps");
        let run = app.wait_for_test_id("run-button").await?;
        app.click(&run).await?;
        app.wait_for("[data-testid^=node-][data-state=running]").await?;
        print_figure(&group, "streaming", pan(&app).await?, "fps");
        app.close().await?;
    }
    Ok(())
}

/// Pans back and forth and returns the frames per second.
async fn pan(app: &App) -> Result<f64> {
    let pane = app.wait_for(".react-flow__pane").await?;
    let middle = app.rect(&pane).await?.center();
    app.evaluate(
        "(() => { window.framesSeen = { count: 0, from: performance.now() };
            const next = () => { window.framesSeen.count += 1; requestAnimationFrame(next); };
            requestAnimationFrame(next); return true; })()",
    )
    .await?;
    let begin = Instant::now();
    let mut side = 300.0;
    while begin.elapsed() < PAN_DURATION {
        let (from, to): (Point, Point) = (middle.offset(side, 0.0), middle.offset(-side, side / 3.0));
        app.drag_with_middle_button(from, to).await?;
        side = -side;
    }
    let rate = "1000 * window.framesSeen.count / (performance.now() - window.framesSeen.from)";
    app.evaluate(rate).await?.as_f64().context("no number")
}

/// Nodes in a grid, each connected to the next one in its row. The chats stream for the whole measurement.
fn grid(size: usize) -> Value {
    let (mut nodes, mut edges, mut layout) = (json!({}), json!({}), json!({}));
    let id = |at: usize| format!("n{at:05}");
    for at in 0..size {
        nodes[id(at)] = node(at);
        layout[id(at)] = json!({ "x": at % COLUMNS * 280, "y": at / COLUMNS * 170 });
        if !at.is_multiple_of(COLUMNS) && at >= 2 * STREAMS {
            edges[format!("e{at:05}")] = json!({ "source": id(at - 1), "sourceOutput": "text", "target": id(at), "targetInput": "before" });
        }
        if (STREAMS..2 * STREAMS).contains(&at) {
            edges[format!("e{at:05}")] = json!({
                "source": id(at - STREAMS), "sourceOutput": "context", "target": id(at), "targetInput": "context",
            });
        }
    }
    json!({ "version": 1, "name": "Grid", "nodes": nodes, "edges": edges, "layout": layout, "settings": { "maxConcurrency": 64 } })
}

/// The first row creates contexts, the second row has slow chats in them, all others pass a text on.
fn node(at: usize) -> Value {
    if at < STREAMS {
        json!({ "type": "contextStart", "config": { "contextId": format!("c{at}"), "provider": "offline", "model": "echo" } })
    } else if at < 2 * STREAMS {
        let words = "the parcel left the depot this morning and the carrier was asked to hold it ".repeat(40);
        json!({ "type": "chat", "config": { "prompt": words, "options": { "tokensPerSecond": 40 } } })
    } else if at.is_multiple_of(COLUMNS) {
        json!({ "type": "text", "config": { "template": format!("Text {at}") } })
    } else {
        json!({ "type": "text", "config": { "template": "{{before}}" } })
    }
}
