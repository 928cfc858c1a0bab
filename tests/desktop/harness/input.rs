//! The pointer and the keyboard: real input, as the driver gives it to the webview.

use std::time::Duration;

use anyhow::{Context, Result};
use fantoccini::actions::{ActionSequence, InputSource, KeyAction, KeyActions, MouseActions, PointerAction};
use fantoccini::elements::Element;

use crate::App;

/// The left button.
const LEFT: u64 = 0;
/// The middle button, which pans.
const WHEEL: u64 = 1;

/// A place in the page, in CSS pixels from its top left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// To the right
    pub x: f64,
    /// Down
    pub y: f64,
}

impl Place {
    /// The place this far off.
    #[must_use]
    pub fn by(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y }
    }
}

/// Where an element is in the page, and how large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its top left corner
    pub corner: Place,
    /// Its width
    pub width: f64,
    /// Its height
    pub height: f64,
}

impl Area {
    /// Its middle.
    pub fn middle(self) -> Place {
        self.corner.by(self.width / 2.0, self.height / 2.0)
    }
}

impl App {
    /// Where an element is. (The page is asked, because the driver refuses places that are not whole pixels.)
    pub async fn area(&self, element: &Element) -> Result<Area> {
        let script =
            "const box = arguments[0].getBoundingClientRect(); return [box.x, box.y, box.width, box.height];";
        let found = self.client.execute(script, vec![serde_json::to_value(element)?]).await?;
        let (x, y, width, height) = serde_json::from_value(found)?;
        Ok(Area { corner: Place { x, y }, width, height })
    }

    /// Scrolls an element into view, where it can be touched.
    pub async fn scroll_to(&self, element: &Element) -> Result<()> {
        let script = "arguments[0].scrollIntoView({ block: 'center' });";
        self.client.execute(script, vec![serde_json::to_value(element)?]).await?;
        Ok(())
    }

    /// Where an element has come to rest, with nothing over it: some slide in, and a busy machine may show the first
    /// frame of that for a while.
    async fn at_rest(&self, element: &Element) -> Result<Area> {
        const STILL: u32 = 3;
        let script = "const box = arguments[0].getBoundingClientRect();
            const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return top !== null && arguments[0].contains(top);";
        let mut before = self.area(element).await?;
        let mut still = 0;
        for _ in 0..200 {
            tokio::time::sleep(Duration::from_millis(40)).await;
            let now = self.area(element).await?;
            let touchable = self.client.execute(script, vec![serde_json::to_value(element)?]).await?;
            still = if now == before && touchable == true { still + 1 } else { 0 };
            before = now;
            if still == STILL {
                break;
            }
        }
        Ok(before)
    }

    /// Presses and releases the pointer in the middle of an element, once that is at rest. On a busy machine the driver now
    /// and then loses a press: a button that has received none is pressed again.
    pub async fn click(&self, element: &Element) -> Result<()> {
        const TRIES: u32 = 3;
        let listen = "window.receivedClick = false;
            arguments[0].addEventListener('click', () => { window.receivedClick = true; }, { once: true, capture: true });
            return arguments[0].closest('button') !== null;";
        for _ in 0..TRIES {
            let at = self.at_rest(element).await?.middle();
            let is_button = self.client.execute(listen, vec![serde_json::to_value(element)?]).await?;
            self.click_at(at).await?;
            if is_button != true || self.has_received_click().await {
                break;
            }
        }
        Ok(())
    }

    /// Whether the press arrived; also where it has closed the page.
    async fn has_received_click(&self) -> bool {
        for _ in 0..50 {
            match self.evaluate("window.receivedClick === true").await {
                Ok(received) if received != true => tokio::time::sleep(Duration::from_millis(20)).await,
                _ => return true,
            }
        }
        false
    }

    /// Presses and releases the pointer at a place.
    pub async fn click_at(&self, at: Place) -> Result<()> {
        let hand = MouseActions::new("hand".to_owned())
            .then(go(at, 0))
            .then(PointerAction::Down { button: LEFT })
            .then(PointerAction::Up { button: LEFT });
        self.act(hand).await
    }

    async fn act(&self, sequence: impl Into<ActionSequence>) -> Result<()> {
        let sequence = sequence.into();
        let asked = format!("{sequence:?}");
        self.client.perform_actions(sequence).await.with_context(|| format!("the driver refused {asked}"))
    }

    /// Moves the pointer to a place.
    pub async fn point(&self, at: Place) -> Result<()> {
        self.act(MouseActions::new("hand".to_owned()).then(go(at, 0))).await
    }

    /// Presses at one place, moves in steps as a hand does, and releases at the other.
    pub async fn drag(&self, from: Place, to: Place) -> Result<()> {
        self.drag_with(LEFT, 12, from, to).await
    }

    /// Drags with the middle button, at the pace of a hand: half a second.
    pub async fn drag_with_wheel(&self, from: Place, to: Place) -> Result<()> {
        self.drag_with(WHEEL, 30, from, to).await
    }

    async fn drag_with(&self, button: u64, steps: u32, from: Place, to: Place) -> Result<()> {
        let mut hand = MouseActions::new("hand".to_owned())
            .then(go(from, 0))
            .then(PointerAction::Down { button })
            .then(pause(60));
        for step in 1..=steps {
            let part = f64::from(step) / f64::from(steps);
            hand = hand.then(go(from.by((to.x - from.x) * part, (to.y - from.y) * part), 16));
        }
        hand = hand.then(pause(60)).then(PointerAction::Up { button });
        self.act(hand).await
    }

    /// Types text where the focus is.
    pub async fn type_text(&self, text: &str) -> Result<()> {
        let mut keys = KeyActions::new("keys".to_owned());
        for value in text.chars() {
            keys = keys.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        }
        self.act(keys).await
    }

    /// Presses the last key while the others are held, for example `[Control, 's']`.
    pub async fn press(&self, chord: &[char]) -> Result<()> {
        let mut keys = KeyActions::new("keys".to_owned());
        for &value in chord {
            keys = keys.then(KeyAction::Down { value });
        }
        for &value in chord.iter().rev() {
            keys = keys.then(KeyAction::Up { value });
        }
        self.act(keys).await
    }
}

fn go(to: Place, milliseconds: u64) -> PointerAction {
    let duration = Some(Duration::from_millis(milliseconds));
    // The driver takes whole pixels only.
    #[allow(clippy::cast_possible_truncation)]
    let (x, y) = (to.x.round() as i64, to.y.round() as i64);
    #[allow(clippy::cast_precision_loss)]
    PointerAction::MoveTo { duration, x: x as f64, y: y as f64 }
}

fn pause(milliseconds: u64) -> PointerAction {
    PointerAction::Pause { duration: Duration::from_millis(milliseconds) }
}
