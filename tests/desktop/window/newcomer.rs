//! The newcomer's path, as the guide's first page describes it: with the mouse, and by keyboard alone, each at the pace of a person.
//! The bound of every test, four minutes, is below the five that a newcomer may need.

mod keyboard;
mod mouse;

use std::time::Duration;

use anyhow::Result;
use plait_window_tests::{App, Home};

use crate::editor::{ENTER, read_saved_flow};

pub(crate) use keyboard::build_run_and_save as build_by_keyboard;
pub(crate) use mouse::build_run_and_save as build_by_mouse;

/// The newcomer's message to the model.
const ANSWERS: [&str; 2] = ["Where is my parcel?", "Thank you."];

/// Between two keys: 300 characters a minute, the speed of a person who knows the text.
const KEY_INTERVAL: Duration = Duration::from_millis(200);

/// Presses keys together, and waits as long as a person takes for the next ones.
async fn press(app: &App, chord: &[char]) -> Result<()> {
    app.press(chord).await?;
    tokio::time::sleep(KEY_INTERVAL).await;
    Ok(())
}

/// Types text and presses Enter.
async fn enter(app: &App, text: &str) -> Result<()> {
    for letter in text.chars() {
        press(app, &[letter]).await?;
    }
    press(app, &[ENTER]).await
}

/// Waits until the flow is saved, and looks at the file: a start, and the cycle of a question and a reply.
async fn expect_saved_cycle(app: &App, home: &Home) -> Result<()> {
    app.wait_until("the flow is saved", "document.title.startsWith('•') === false").await?;
    let flow = read_saved_flow(&home.dialog_answer())?;
    let mut edges: Vec<_> = flow["edges"].as_object().into_iter().flat_map(|edges| edges.values()).collect();
    edges.sort_by_key(|edge| edge["source"].to_string());
    let ends: Vec<_> = edges.iter().map(|edge| format!("{} {}", edge["source"], edge["target"])).collect();
    assert_eq!(ends, [r#""chat" "userInput""#, r#""contextStart" "userInput""#, r#""userInput" "chat""#]);
    Ok(())
}
