//! The editor in Chromium: panning beside bare React Flow, and 10,000 events a second.

use anyhow::Result;
use serde_json::Value;

use super::notes::Note;
use crate::needs::{self, Purpose};
use crate::steps::{Step, npm};

/// Measures both. What was lost or came in disorder is an error; what was slow is not.
pub(crate) fn measure() -> Result<Vec<Note>> {
    needs::provide(&[Purpose::Editor, Purpose::Browser])?;
    crate::editor::packages()?;
    let said =
        Step::new("Measure the editor in Chromium", npm(&["run", "--silent", "perf"])).for_its_output()?;
    Ok(said
        .iter()
        .filter_map(|line| serde_json::from_str(line).ok())
        .flat_map(|result| read(&result))
        .collect())
}

/// The figures in one line of `ui/perf`.
fn read(result: &Value) -> Vec<Note> {
    let note = |group: &str, by: &str, value: Option<f64>, unit: &str| {
        Some(Note { group: group.to_owned(), by: by.to_owned(), value: value?, unit: unit.to_owned() })
    };
    if result["measure"] == "events" {
        let tab = result["tab"].as_str().unwrap_or_default();
        return note(
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
        .filter_map(|by| note(&group, by, result[by]["fps"].as_f64(), "fps"))
        .collect()
}

#[cfg(test)]
mod tests;
