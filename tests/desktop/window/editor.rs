//! The editor's verbs, as a person would say them. No scenario here.

use anyhow::{Context, Result};
use plait_window_tests::App;
use plait_window_tests::input::Area;
use serde_json::Value;

/// The key that a person holds for a command of the editor.
pub(crate) const CONTROL: char = '\u{E009}';

/// Drags a node type from the palette to a place on the canvas, counted from the canvas's corner.
/// Gives the id of the node, which is the type's name for the first one.
pub(crate) async fn place(app: &App, node_type: &str, x: f64, y: f64) -> Result<()> {
    let item = app.test_id(&format!("palette-{node_type}")).await?;
    app.scroll_to(&item).await?;
    let from = app.area(&item).await?.middle();
    let canvas = area(app, "canvas").await?;
    app.drag(from, canvas.corner.by(x, y)).await?;
    app.test_id(&format!("node-{node_type}")).await.context("the node is not on the canvas")?;
    Ok(())
}

/// Draws an edge from an output to an input by hand.
pub(crate) async fn wire(
    app: &App,
    (source, output): (&str, &str),
    (target, input): (&str, &str),
) -> Result<()> {
    let edges = app.count(".react-flow__edge").await?;
    let from = area(app, &format!("handle-{source}-out-{output}")).await?.middle();
    let to = area(app, &format!("handle-{target}-in-{input}")).await?.middle();
    app.drag(from, to).await?;
    app.until(
        &format!("{source}.{output} is wired to {target}.{input}"),
        &format!("document.querySelectorAll('.react-flow__edge').length === {}", edges + 1),
    )
    .await
}

/// Waits until a node is in this state.
pub(crate) async fn node_is(app: &App, node: &str, state: &str) -> Result<()> {
    app.wait_for(&format!("[data-testid=\"node-{node}\"][data-state=\"{state}\"]")).await?;
    Ok(())
}

/// Waits until the run is in this state.
pub(crate) async fn run_is(app: &App, status: &str) -> Result<()> {
    app.wait_for(&format!("[data-testid=\"run-status\"][data-status=\"{status}\"]")).await?;
    Ok(())
}

/// Clicks what has this test id.
pub(crate) async fn press(app: &App, test_id: &str) -> Result<()> {
    let element = app.test_id(test_id).await?;
    app.click(&element).await
}

/// Selects a node by its title, and shows a tab of the inspector: `config`, `io`, `prompt` or `context`.
pub(crate) async fn inspect(app: &App, node: &str, tab: &str) -> Result<()> {
    // Beside the title, where neither a port nor the title's own field is.
    let beside = area(app, &format!("node-{node}")).await?.corner.by(14.0, 12.0);
    app.click_at(beside).await?;
    press(app, &format!("inspector-tab-{tab}")).await
}

/// Answers the pause that is shown.
pub(crate) async fn answer(app: &App, text: &str) -> Result<()> {
    press(app, "pause-answer").await?;
    app.type_text(text).await?;
    press(app, "pause-send").await
}

async fn area(app: &App, test_id: &str) -> Result<Area> {
    let element = app.test_id(test_id).await?;
    app.area(&element).await
}

/// The flow in a file.
pub(crate) fn saved(path: &std::path::Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} was not saved", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// Has the page write down what a card shows whenever that changes: a stream is quicker than a driver can ask.
pub(crate) async fn watch_stream(app: &App, card: &str) -> Result<()> {
    let script = format!(
        "(() => {{
            const card = document.querySelector('[data-testid={card}]');
            const seen = (window.seenOfStream = {{ states: [], texts: [] }});
            const look = () => {{
                if (seen.states.at(-1) !== card.dataset.state) seen.states.push(card.dataset.state);
                if (seen.texts.at(-1) !== card.innerText) seen.texts.push(card.innerText);
            }};
            new MutationObserver(look).observe(card, {{ subtree: true, childList: true, characterData: true, attributes: true }});
            return true;
        }})()"
    );
    app.evaluate(&script).await?;
    Ok(())
}

/// The states and the texts that the watched card has shown, in order.
pub(crate) async fn streamed(app: &App) -> Result<(Vec<String>, Vec<String>)> {
    let seen = app.evaluate("[window.seenOfStream.states, window.seenOfStream.texts]").await?;
    Ok(serde_json::from_value(seen)?)
}
