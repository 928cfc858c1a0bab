//! Actions in the editor, for the scenarios.

use anyhow::{Context, Result, bail};
use plait_window_tests::App;
use plait_window_tests::input::{Point, Rect};
use serde_json::Value;

/// WebDriver's code of the Control key.
pub(crate) const CONTROL: char = '\u{E009}';
pub(crate) const SHIFT: char = '\u{E008}';
pub(crate) const ALT: char = '\u{E00A}';
pub(crate) const ENTER: char = '\u{E007}';
pub(crate) const DELETE: char = '\u{E017}';
pub(crate) const TAB: char = '\u{E004}';

/// Drags a node type from the palette to a point on the canvas, relative to its top left corner. The id of the first node
/// of a type is the type's name.
pub(crate) async fn add_node(app: &App, node_type: &str, x: f64, y: f64) -> Result<()> {
    let item = app.wait_for_test_id(&format!("palette-{node_type}")).await?;
    app.scroll_to(&item).await?;
    let from = app.rect(&item).await?.center();
    let canvas = rect(app, "canvas").await?;
    app.drag(from, canvas.origin.offset(x, y)).await?;
    app.wait_for_test_id(&format!("node-{node_type}")).await.context("the node is not on the canvas")?;
    Ok(())
}

/// Draws an edge from an output to an input with the pointer.
pub(crate) async fn connect(
    app: &App,
    (source, output): (&str, &str),
    (target, input): (&str, &str),
) -> Result<()> {
    drag_between(app, &format!("handle-{source}-out-{output}"), &format!("handle-{target}-in-{input}")).await
}

/// Draws an edge between two handles, by their test ids.
pub(crate) async fn drag_between(app: &App, source: &str, target: &str) -> Result<()> {
    let edges = app.count(".react-flow__edge").await?;
    let (from, to) = (center(app, source).await?, center(app, target).await?);
    app.drag(from, to).await?;
    app.wait_until(
        &format!("{source} is connected to {target}"),
        &format!("document.querySelectorAll('.react-flow__edge').length === {}", edges + 1),
    )
    .await
}

pub(crate) async fn wait_for_node_state(app: &App, node: &str, state: &str) -> Result<()> {
    app.wait_for(&format!("[data-testid=\"node-{node}\"][data-state=\"{state}\"]")).await?;
    Ok(())
}

pub(crate) async fn wait_for_run_status(app: &App, status: &str) -> Result<()> {
    app.wait_for(&format!("[data-testid=\"run-status\"][data-status=\"{status}\"]")).await?;
    Ok(())
}

/// Clicks the element with this test id. An element that is redrawn before the click arrives is looked up again.
pub(crate) async fn click(app: &App, test_id: &str) -> Result<()> {
    for _ in 0..3 {
        let element = app.wait_for_test_id(test_id).await?;
        match app.click(&element).await {
            Err(error) if format!("{error:#}").contains("was not found") => {}
            clicked => return clicked,
        }
    }
    bail!("`{test_id}` is redrawn all the time")
}

/// Selects a node and opens a tab of the inspector: `config`, `io`, `prompt` or `context`.
pub(crate) async fn open_inspector(app: &App, node: &str, tab: &str) -> Result<()> {
    // In the header, next to the title: not on a port or the title's field.
    let header = rect(app, &format!("node-{node}")).await?.origin.offset(14.0, 12.0);
    app.click_at(header).await?;
    click(app, &format!("inspector-tab-{tab}")).await
}

/// Answers the displayed pause.
pub(crate) async fn answer(app: &App, text: &str) -> Result<()> {
    click(app, "pause-answer").await?;
    app.type_text(text).await?;
    click(app, "pause-send").await
}

/// The middle of the element with this test id.
pub(crate) async fn center(app: &App, test_id: &str) -> Result<Point> {
    Ok(rect(app, test_id).await?.center())
}

async fn rect(app: &App, test_id: &str) -> Result<Rect> {
    let element = app.wait_for_test_id(test_id).await?;
    app.rect(&element).await
}

/// The flow in a file.
pub(crate) fn read_saved_flow(path: &std::path::Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} was not saved", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// Makes the page record the changes of a card, since a stream is too fast to poll through the driver.
pub(crate) async fn record_card_changes(app: &App, card: &str) -> Result<()> {
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

/// The recorded states and texts of the card, in order.
pub(crate) async fn recorded_card_changes(app: &App) -> Result<(Vec<String>, Vec<String>)> {
    let seen = app.evaluate("[window.seenOfStream.states, window.seenOfStream.texts]").await?;
    Ok(serde_json::from_value(seen)?)
}

/// Runs a command of the palette, by keys.
pub(crate) async fn run_palette_command(app: &App, title: &str) -> Result<()> {
    app.press(&[CONTROL, 'k']).await?;
    app.wait_for("[data-testid=command-palette] [role=combobox]").await?;
    app.type_text(title).await?;
    app.press(&[ENTER]).await?;
    app.wait_until("the palette is closed", "!document.querySelector('[data-testid=command-palette]')").await
}
