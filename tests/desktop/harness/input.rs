//! Pointer and keyboard input through the driver.

use std::time::Duration;

use anyhow::{Context, Result};
use fantoccini::actions::{ActionSequence, InputSource, KeyAction, KeyActions, MouseActions, PointerAction};
use fantoccini::elements::Element;

use crate::App;

const LEFT_BUTTON: u64 = 0;
/// Pans the canvas.
const MIDDLE_BUTTON: u64 = 1;
/// A frame of a display with 60 Hz.
const FRAME_MS: u64 = 16;

/// A point in the page, in CSS pixels from the top left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    #[must_use]
    pub fn offset(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y }
    }
}

/// The bounding box of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// The top left corner
    pub origin: Point,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn center(self) -> Point {
        self.origin.offset(self.width / 2.0, self.height / 2.0)
    }
}

impl App {
    /// The bounding box of an element, from the page: the driver rejects fractional pixels.
    pub async fn rect(&self, element: &Element) -> Result<Rect> {
        let script =
            "const box = arguments[0].getBoundingClientRect(); return [box.x, box.y, box.width, box.height];";
        let found = self.client.execute(script, vec![serde_json::to_value(element)?]).await?;
        let (x, y, width, height) = serde_json::from_value(found)?;
        Ok(Rect { origin: Point { x, y }, width, height })
    }

    /// Scrolls an element into view.
    pub async fn scroll_to(&self, element: &Element) -> Result<()> {
        let script = "arguments[0].scrollIntoView({ block: 'center' });";
        self.client.execute(script, vec![serde_json::to_value(element)?]).await?;
        Ok(())
    }

    /// Waits until an element no longer moves and nothing covers it. Some elements slide in, slowly on a busy machine.
    async fn wait_until_still(&self, element: &Element) -> Result<Rect> {
        const STILL_POLLS: u32 = 3;
        let script = "const box = arguments[0].getBoundingClientRect();
            const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return top !== null && arguments[0].contains(top);";
        let mut before = self.rect(element).await?;
        let mut still = 0;
        for _ in 0..200 {
            tokio::time::sleep(Duration::from_millis(40)).await;
            let now = self.rect(element).await?;
            let clickable = self.client.execute(script, vec![serde_json::to_value(element)?]).await?;
            still = if now == before && clickable == true { still + 1 } else { 0 };
            before = now;
            if still == STILL_POLLS {
                break;
            }
        }
        Ok(before)
    }

    /// Clicks the center of an element once it is still. On a busy machine the driver may lose a click: a button that did
    /// not receive it is clicked again.
    pub async fn click(&self, element: &Element) -> Result<()> {
        const MAX_ATTEMPTS: u32 = 3;
        let listen = "window.receivedClick = false;
            arguments[0].addEventListener('click', () => { window.receivedClick = true; }, { once: true, capture: true });
            return arguments[0].closest('button') !== null;";
        for _ in 0..MAX_ATTEMPTS {
            let at = self.wait_until_still(element).await?.center();
            let is_button = self.client.execute(listen, vec![serde_json::to_value(element)?]).await?;
            self.click_at(at).await?;
            if is_button != true || self.has_received_click().await {
                break;
            }
        }
        Ok(())
    }

    /// Whether the click arrived. Also true if it has closed the page.
    async fn has_received_click(&self) -> bool {
        for _ in 0..50 {
            match self.evaluate("window.receivedClick === true").await {
                Ok(received) if received != true => tokio::time::sleep(Duration::from_millis(20)).await,
                _ => return true,
            }
        }
        false
    }

    pub async fn click_at(&self, at: Point) -> Result<()> {
        let pointer = MouseActions::new("pointer".to_owned())
            .then(move_to(at, 0))
            .then(PointerAction::Down { button: LEFT_BUTTON })
            .then(PointerAction::Up { button: LEFT_BUTTON });
        self.perform(pointer).await
    }

    async fn perform(&self, sequence: impl Into<ActionSequence>) -> Result<()> {
        let sequence = sequence.into();
        let description = format!("{sequence:?}");
        self.client
            .perform_actions(sequence)
            .await
            .with_context(|| format!("the driver refused {description}"))
    }

    pub async fn move_pointer(&self, at: Point) -> Result<()> {
        self.perform(MouseActions::new("pointer".to_owned()).then(move_to(at, 0))).await
    }

    /// Drags from one point to another in small steps.
    pub async fn drag(&self, from: Point, to: Point) -> Result<()> {
        self.drag_with(LEFT_BUTTON, 12, FRAME_MS, from, to).await
    }

    /// Drags as slowly as a person, for most of a second.
    pub async fn drag_slowly(&self, from: Point, to: Point) -> Result<()> {
        self.drag_with(LEFT_BUTTON, 20, 40, from, to).await
    }

    /// Drags with the middle button, for half a second.
    pub async fn drag_with_middle_button(&self, from: Point, to: Point) -> Result<()> {
        self.drag_with(MIDDLE_BUTTON, 30, FRAME_MS, from, to).await
    }

    async fn drag_with(&self, button: u64, steps: u32, step_ms: u64, from: Point, to: Point) -> Result<()> {
        let mut pointer = MouseActions::new("pointer".to_owned())
            .then(move_to(from, 0))
            .then(PointerAction::Down { button })
            .then(pause(60));
        for step in 1..=steps {
            let part = f64::from(step) / f64::from(steps);
            pointer =
                pointer.then(move_to(from.offset((to.x - from.x) * part, (to.y - from.y) * part), step_ms));
        }
        pointer = pointer.then(pause(60)).then(PointerAction::Up { button });
        self.perform(pointer).await
    }

    /// Types text into the focused element.
    pub async fn type_text(&self, text: &str) -> Result<()> {
        let mut keys = KeyActions::new("keys".to_owned());
        for value in text.chars() {
            keys = keys.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        }
        self.perform(keys).await
    }

    /// Presses the last key while holding the others, for example `[Control, 's']`.
    pub async fn press(&self, chord: &[char]) -> Result<()> {
        let mut keys = KeyActions::new("keys".to_owned());
        for &value in chord {
            keys = keys.then(KeyAction::Down { value });
        }
        for &value in chord.iter().rev() {
            keys = keys.then(KeyAction::Up { value });
        }
        self.perform(keys).await
    }
}

fn move_to(to: Point, milliseconds: u64) -> PointerAction {
    let duration = Some(Duration::from_millis(milliseconds));
    // The driver accepts whole pixels only.
    #[allow(clippy::cast_possible_truncation)]
    let (x, y) = (to.x.round() as i64, to.y.round() as i64);
    #[allow(clippy::cast_precision_loss)]
    PointerAction::MoveTo { duration, x: x as f64, y: y as f64 }
}

fn pause(milliseconds: u64) -> PointerAction {
    PointerAction::Pause { duration: Duration::from_millis(milliseconds) }
}
