//! The time from the start of the process to the first contentful paint, alternating between the editor and an empty window.

use std::path::Path;

use anyhow::{Context, Result};
use plait_window_tests::process::process_age;
use plait_window_tests::{App, Home};

use crate::print_figure;

const REPETITIONS: usize = 9;

/// Prints the median of both.
pub(crate) async fn measure(editor: &Path, empty: &Path) -> Result<()> {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        bare.push(first_paint(empty).await?);
        ours.push(first_paint(editor).await?);
    }
    print_figure("first-paint", "empty", median(&mut bare), "ms");
    print_figure("first-paint", "editor", median(&mut ours), "ms");
    Ok(())
}

/// Milliseconds from the start of the process to the first contentful paint.
async fn first_paint(binary: &Path) -> Result<f64> {
    let home = Home::new()?;
    let app = App::open_binary("measure", binary, &home, &[]).await?;
    let painted =
        "performance.getEntriesByType('paint').some((entry) => entry.name === 'first-contentful-paint')";
    app.wait_until("the window has painted", painted).await?;
    // The time since the paint, by the page's clock, and since the start of the process, by the system's.
    let since_paint =
        "performance.now() - performance.getEntriesByName('first-contentful-paint')[0].startTime";
    let pid = app.processes().first().copied().context("the window is not running")?;
    let (since_paint, since_start) = (app.evaluate(since_paint).await?, process_age(pid)?);
    app.close().await?;
    Ok(since_start.as_secs_f64() * 1_000.0 - since_paint.as_f64().context("no number")?)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
