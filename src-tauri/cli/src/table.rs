//! Tables for people, and how moments and durations are written in them.

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// An empty table with these columns. On a terminal its cells wrap to the width; in a pipe nothing is cut or wrapped.
pub(crate) fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─')));
    table.set_header(columns.iter().copied());
    match console::Term::stdout().size_checked() {
        Some((_, width)) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    table
}

/// A moment, in the time zone of the person.
pub(crate) fn moment(at_ms: u64) -> String {
    let at =
        i64::try_from(at_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
    at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// A duration, as short as it can be read: `12 ms`, `3.4 s`, `2 min 5 s`, `3 h 20 min`.
#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1_000.0),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// The first line of a text, cut to `most` characters.
pub(crate) fn first_line(text: &str, most: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let more = text.trim().lines().count() > 1 || line.chars().count() > most;
    let cut: String = line.chars().take(most).collect();
    if more { format!("{}…", cut.trim_end()) } else { cut }
}

#[cfg(test)]
mod tests;
