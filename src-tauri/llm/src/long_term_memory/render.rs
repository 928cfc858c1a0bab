//! Memories as a text for a prompt.

use std::fmt::Write as _;

use super::{MemoryKind, MemoryRecord};

/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// The memories as a list, one line each, in their order. Empty if there are none.
pub fn render(memories: &[MemoryRecord]) -> String {
    let mut text = String::new();
    // Writing to a `String` never fails.
    for memory in memories {
        let content = &memory.content;
        let separator = if text.is_empty() { "" } else { "\n" };
        let _ = match content.kind {
            MemoryKind::Fact => write!(text, "{separator}- {}", content.text),
            MemoryKind::Episode => write!(text, "{separator}- {}: {}", civil_date(memory.at), content.text),
            MemoryKind::Procedure => write!(text, "{separator}- {}:", content.text),
        };
        for (index, step) in content.steps.iter().enumerate() {
            let _ = write!(text, "\n  {}. {step}", index + 1);
        }
    }
    text
}

/// The date of a time since the Unix epoch, in UTC: `2026-11-22`.
pub fn civil_date(at_ms: u64) -> String {
    // Days since 0000-03-01 in the Gregorian calendar, with cycles of 400 years or 146,097 days (Howard Hinnant's
    // algorithm).
    let days = at_ms / DAY_MS + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
