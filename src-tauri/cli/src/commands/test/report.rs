//! The results of tests, for people: a line for each case as it ends, why it failed, and what to do.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use console::Style;
use plait_api::suites::CaseOutcome;

use super::{rate_text, title};
use crate::format::format_duration;
use crate::printable::printable;
use crate::terminal::{print_styled_output, stdout_color};

pub(super) struct Report {
    prints: bool,
    outcomes: Vec<(String, CaseOutcome)>,
}

impl Report {
    pub(super) fn new(prints: bool) -> Self {
        Self { prints, outcomes: Vec::new() }
    }

    pub(super) fn outcomes(&self) -> &[(String, CaseOutcome)] {
        &self.outcomes
    }

    pub(super) fn has_failures(&self) -> bool {
        self.outcomes.iter().any(|(_, outcome)| !outcome.passed)
    }

    /// Takes in the outcome of a case of a suite.
    pub(super) fn add(&mut self, suite: String, outcome: CaseOutcome) {
        if self.prints {
            let mut text = String::new();
            if self.outcomes.last().is_none_or(|(last, _)| *last != suite) {
                let _ = writeln!(text, "{}", printable(&shown(&suite)));
            }
            write_outcome(&mut text, &suite, &outcome);
            print_styled_output(&text);
        }
        self.outcomes.push((suite, outcome));
    }

    /// Prints the sums.
    pub(super) fn finish(&self, took: Duration) {
        let failed = self.outcomes.iter().filter(|(_, outcome)| !outcome.passed).count();
        let passed = self.outcomes.len() - failed;
        let took = format_duration(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        print_styled_output(&format!("\n{passed} passed{failed} in {took}.\n"));
    }
}

/// A path, relative to the current folder if it is below it.
fn shown(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let relative =
        here.and_then(|here| Path::new(path).strip_prefix(here).ok().map(|path| path.display().to_string()));
    relative.unwrap_or_else(|| path.to_owned())
}

fn write_outcome(text: &mut String, suite: &str, outcome: &CaseOutcome) {
    let mark = |mark: &str, color: Style| {
        if stdout_color() { color.force_styling(true).apply_to(mark).to_string() } else { mark.to_owned() }
    };
    let mark =
        if outcome.passed { mark("✓", Style::new().green()) } else { mark("✗", Style::new().red()) };
    let name = title(&outcome.case, &outcome.variant);
    let time = match &*outcome.results {
        [only] => format_duration(only.duration_ms),
        _ => rate_text(outcome),
    };
    let _ = writeln!(text, "  {mark} {}  {time}", printable(&name));
    for (index, result) in outcome.results.iter().enumerate() {
        for failure in &result.failures {
            let number =
                if outcome.results.len() > 1 { format!("run {}: ", index + 1) } else { String::new() };
            let failure = printable(&failure.to_string()).replace('\n', "\n        ");
            let _ = writeln!(text, "      {number}{failure}");
        }
        if let Some(run) = result.run.as_ref().filter(|_| !result.has_passed()) {
            let _ = writeln!(text, "      run {run}");
        }
    }
    // What has no run can't be looked at.
    if outcome.results.iter().any(|result| !result.has_passed() && result.run.is_some()) && !outcome.passed {
        let case = name.replace('\'', "'\\''");
        let _ =
            writeln!(text, "      plait test {} --debug '{}'", printable(&shown(suite)), printable(&case));
    }
}
