//! The editor in Chromium: panning compared with bare React Flow, and 10,000 events per second.

use anyhow::Result;
use serde_json::Value;

use super::figures::Figure;
use crate::requirements::{self, Purpose};
use crate::steps::{Step, npm};

/// Measures both. Lost or unordered events are an error.
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
        return figure(
            "events-10000-a-second",
            &format!("worst frame, {tab}"),
            result["worstMs"].as_f64(),
            "ms",
        )
        .into_iter()
        .collect();
    }
    let group = format!("pan-chromium-{}", result["nodes"]);
    ["bare", "idle", "streaming"]
        .iter()
        .filter_map(|by| figure(&group, by, result[by]["fps"].as_f64(), "fps"))
        .collect()
}

#[cfg(test)]
mod tests;
