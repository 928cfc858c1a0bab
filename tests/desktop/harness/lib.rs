//! Drives the real window: the built binary, the real webview, real pointer and keyboard input, on a display
//! and a message bus of its own.
//!
//! Owns how the window is started, found, touched, killed and looked at. Knows nothing of flows: the
//! scenarios in `window/` do. Everything it starts ends with it, and every wait has a limit.
//!
//! Where things are: [`app`] is the window with its verbs, [`look`] finds things in the page, [`hand`] moves the
//! pointer and types, [`stage`] is the display and the driver, [`process`] finds and ends processes.
#![cfg(target_os = "linux")]

pub mod app;
pub mod hand;
pub mod look;
pub mod process;
pub mod stage;

pub use app::{App, Home};

use std::time::Duration;

/// How long a test waits for anything to show. Long, because the machine may be building something else; a test that
/// passes never waits this long.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A whole test takes no longer than this; then it fails, and what it started ends.
const LIMIT: Duration = Duration::from_mins(4);

/// Plays a test to its end, or fails it when it takes too long: a driver that hangs answers no other way.
///
/// # Errors
///
/// What the test itself gives, or that it took too long.
pub async fn play(test: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    match tokio::time::timeout(LIMIT, test).await {
        Ok(done) => done,
        Err(_) => anyhow::bail!("the test took longer than {} s", LIMIT.as_secs()),
    }
}
