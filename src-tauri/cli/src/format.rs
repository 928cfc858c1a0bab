//! Output formats: tables, times, durations, and JSON.

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use plait_api::ErrorReply;

use crate::codes;

/// An empty table with these columns. Cells wrap to the width of the terminal; in a pipe nothing is wrapped.
pub(crate) fn new_table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─')));
    table.set_header(columns.iter().copied());
    match console::Term::stdout().size_checked() {
        Some((_, width)) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    table
}

/// A time in the local time zone.
pub(crate) fn format_time(at_ms: u64) -> String {
    let at =
        i64::try_from(at_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
    at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// A duration with suitable units: `12 ms`, `3.4 s`, `2 min 5 s`, `3 h 20 min`.
#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
pub(crate) fn format_duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1_000.0),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// The first line of a text, cut to `max_chars` characters.
pub(crate) fn first_line(text: &str, max_chars: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let is_cut = text.trim().lines().count() > 1 || line.chars().count() > max_chars;
    let cut: String = line.chars().take(max_chars).collect();
    if is_cut { format!("{}…", cut.trim_end()) } else { cut }
}

/// A value as one line of JSON.
pub(crate) fn to_json(value: &impl serde::Serialize) -> Result<String, ErrorReply> {
    serde_json::to_string(value).map_err(|error| not_serialized(&error))
}

/// Appends the same to `line`.
pub(crate) fn write_json(line: &mut Vec<u8>, value: &impl serde::Serialize) -> Result<(), ErrorReply> {
    serde_json::to_writer(line, value).map_err(|error| not_serialized(&error))
}

fn not_serialized(error: &serde_json::Error) -> ErrorReply {
    ErrorReply::new(codes::OUTPUT_FAILED, format!("The output could not be serialized: {error}."))
}

#[cfg(test)]
mod tests;
