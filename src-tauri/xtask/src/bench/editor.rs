//! The editor in Chromium: panning compared with bare React Flow, 10,000 events per second, opening large flows, and going
//! through the past of a long run.

use anyhow::Result;
use serde_json::Value;

use super::figures::Figure;
use crate::requirements::{self, Purpose};
use crate::steps::{Step, npm};

/// Measures all of it. Lost or unordered events are an error.
pub(crate) fn measure() -> Result<Vec<Figure>> {
    requirements::ensure_installed(&[Purpose::Editor, Purpose::Browser])?;
    crate::editor::install_packages()?;
    let lines =
        Step::new("Measure the editor in Chromium", npm(&["run", "--silent", "perf"])).capture_output()?;
    Ok(lines
        .iter()
        .filter_map(|line| serde_json::from_str(line).ok())
        .flat_map(|result| read(&result))
        .collect())
}

/// The figures in one line of `ui/perf`.
fn read(result: &Value) -> Vec<Figure> {
    let figure = |group: &str, by: &str, value: Option<f64>, unit: &str| {
        Some(Figure { group: group.to_owned(), by: by.to_owned(), value: value?, unit: unit.to_owned() })
    };
    if result["measure"] == "events" {
        let tab = result["tab"].as_str().unwrap_or_default();
        return [
            figure("events-longest-task", tab, result["longestTaskMs"].as_f64(), "ms of processor"),
            figure("events-worst-frame", tab, result["worstMs"].as_f64(), "ms"),
            figure("events-slow-frames", tab, result["over50Ms"].as_f64(), "frames"),
            figure("events-slow-frames-empty-page", tab, result["emptyPage"]["over50Ms"].as_f64(), "frames"),
        ]
        .into_iter()
        .flatten()
        .collect();
    }
    if result["measure"] == "time-travel" {
        let kind = result["kind"].as_str().unwrap_or_default();
        let unit = "ms of processor";
        return [
            figure("time-travel-first", kind, result["open"]["longestTaskMs"].as_f64(), unit),
            figure("time-travel-worst", kind, result["positions"]["longestTaskMs"].as_f64(), unit),
        ]
        .into_iter()
        .flatten()
        .collect();
    }
    if result["measure"] == "open" {
        let by = format!("{} nodes", result["nodes"]);
        return figure("open-chromium", &by, result["ms"].as_f64(), "ms").into_iter().collect();
    }
    let group = format!("pan-chromium-{}", result["nodes"]);
    ["bare", "idle", "streaming", "bareFar", "far", "farStreaming"]
        .iter()
        .filter_map(|by| figure(&group, by, result[by]["fps"].as_f64(), "fps"))
        .collect()
}

#[cfg(test)]
mod tests;
