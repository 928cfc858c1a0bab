//! From the start of the process to the first paint with content, the editor and an empty window by turns.

use std::path::Path;

use anyhow::{Context, Result};
use plait_window_tests::process::age;
use plait_window_tests::{App, Home};

use crate::tell;

const TIMES: usize = 9;

/// Tells the median of both.
pub(crate) async fn measure(editor: &Path, empty: &Path) -> Result<()> {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        bare.push(first_paint(empty).await?);
        ours.push(first_paint(editor).await?);
    }
    tell("first-paint", "empty", median(&mut bare), "ms");
    tell("first-paint", "editor", median(&mut ours), "ms");
    Ok(())
}

/// Milliseconds from the process's start to the paint.
async fn first_paint(binary: &Path) -> Result<f64> {
    let home = Home::new()?;
    let app = App::open_binary("measure", binary, &home, &[]).await?;
    let painted =
        "performance.getEntriesByType('paint').some((entry) => entry.name === 'first-contentful-paint')";
    app.until("the window has painted", painted).await?;
    // How long ago that was, by the page's clock; and how long ago the process began, by the system's.
    let ago = "performance.now() - performance.getEntriesByName('first-contentful-paint')[0].startTime";
    let pid = app.processes().first().copied().context("the window is not running")?;
    let (ago, began) = (app.evaluate(ago).await?, age(pid)?);
    app.close().await?;
    Ok(began.as_secs_f64() * 1_000.0 - ago.as_f64().context("no number")?)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
