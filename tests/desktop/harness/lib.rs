//! Drives the real window: the built binary with the real webview, pointer and keyboard, on a virtual display with its own
//! message bus.
//!
//! Knows nothing about flows; the scenarios in `window/` do. Everything it starts ends with it, and every wait has a timeout.
//!
//! [`app`] is the window, [`query`] finds elements in the page, [`input`] is pointer and keyboard, [`environment`] is the
//! display and the driver, `picture` writes the pictures of the guide, [`process`] finds and ends processes.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "variables control tests")]

pub mod app;
pub mod environment;
pub mod input;
mod picture;
pub mod process;
pub mod query;

pub use app::{App, Home, built_binary};

use std::time::Duration;

/// How long a test waits for an element. Long, because the machine may be busy; a passing test never waits this long.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum duration of a test. After it the test fails and its processes end.
const TEST_TIMEOUT: Duration = Duration::from_mins(4);

/// Runs a test with a timeout, since a driver that hangs reports nothing.
///
/// # Errors
///
/// The error of the test, or that it took too long.
pub async fn run_test(test: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    match tokio::time::timeout(TEST_TIMEOUT, test).await {
        Ok(done) => done,
        Err(_) => anyhow::bail!("the test took longer than {} s", TEST_TIMEOUT.as_secs()),
    }
}
