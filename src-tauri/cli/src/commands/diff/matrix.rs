//! What varies between many runs, as text.

use std::fmt::Write as _;

use plait_core::id::NodeId;
use plait_insight::run_matrix::{MatrixRow, MatrixRun, RunMatrix};

use crate::commands::runs::status_text;
use crate::format::{first_line, format_duration, new_table};
use crate::printable::printable;

/// The most characters of a value that are shown.
const VALUE_CHARS: usize = 100;

pub(super) fn text(RunMatrix { runs, rows }: &RunMatrix) -> String {
    let mut text = String::new();
    for (number, run) in (1..).zip(runs) {
        let MatrixRun { run, status, tokens, cost, duration_ms } = run;
        let time = duration_ms.map(|ms| format!(" in {}", format_duration(ms))).unwrap_or_default();
        let tokens = tokens.input.saturating_add(tokens.output);
        let _ =
            writeln!(text, "{number}: run {run}, {}{time}, {tokens} tokens, {cost}", status_text(*status));
    }
    let varying: Vec<&MatrixRow> = rows.iter().filter(|row| row.varies).collect();
    if !varying.is_empty() {
        let numbers = (1..=runs.len()).map(|number| number.to_string());
        let columns: Vec<String> = std::iter::once("OUTPUT".to_owned()).chain(numbers).collect();
        let mut table = new_table(&columns.iter().map(String::as_str).collect::<Vec<_>>());
        for row in &varying {
            let cells = row.cells.iter().map(|cell| cell.map_or_else(|| "–".to_owned(), letter));
            table.add_row(std::iter::once(name(row)).chain(cells));
        }
        let _ = writeln!(text, "\nWhat varies, in the order in which it happened\n{}", table.trim_fmt());
        for row in &varying {
            let _ = writeln!(text, "\n{}", name(row));
            for (place, value) in row.values.iter().enumerate() {
                let count = row.cells.iter().filter(|cell| **cell == Some(place)).count();
                let value = first_line(value, VALUE_CHARS);
                let _ =
                    writeln!(text, "  {} ({count} of {}): {}", letter(place), runs.len(), printable(&value));
            }
        }
    }
    let same = rows.len() - varying.len();
    let _ = writeln!(text, "\nOutputs that are the same in all runs: {same}. That vary: {}.", varying.len());
    text
}

fn name(row: &MatrixRow) -> String {
    let path: Vec<&str> = row.path.iter().chain([&row.node]).map(NodeId::as_str).collect();
    match &row.port {
        Some(port) => format!("{}.{port}", path.join("/")),
        None => format!("{} (error)", path.join("/")),
    }
}

/// `A` to `Z`, then numbers.
fn letter(place: usize) -> String {
    let letter = u8::try_from(place).ok().filter(|place| *place < 26).map(|place| char::from(b'A' + place));
    letter.map_or_else(|| (place + 1).to_string(), String::from)
}
