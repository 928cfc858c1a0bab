//! `plait import --compare`: what `import.compare` says, as text or JSON.

use std::fmt::Write as _;
use std::io::Write as _;

use plait_api::runs::ImportComparison;
use plait_core::id::Epoch;
use plait_formats::foreign::{Compared, ComparedNode};
use serde_json::{Value, json};

use crate::exit::{CliError, ExitStatus};
use crate::format::first_line;
use crate::printable::printable;
use crate::terminal::{redact_value, stdout};

/// Prints it. A flow that departs from the record is a failure.
pub(super) fn print(comparison: &ImportComparison, as_json: bool) -> Result<ExitStatus, CliError> {
    if as_json {
        writeln!(stdout(), "{}", redact_value(json!(comparison)))?;
    } else {
        writeln!(stdout(), "{}", printable(&text(comparison)))?;
    }
    let is_same = comparison.departures == 0 && comparison.failure.is_none();
    Ok(if is_same { ExitStatus::Success } else { ExitStatus::Failure })
}

fn text(ImportComparison { nodes, departures, failure, .. }: &ImportComparison) -> String {
    let short = |value: &Value| first_line(&redact_value(value.clone()).to_string(), 300);
    let mut text = String::new();
    for node in nodes {
        let name = name_of(node);
        let (recorded, here) = match &node.compared {
            Compared::Same => {
                let _ = writeln!(text, "= {name}");
                continue;
            }
            Compared::Given => {
                let _ = writeln!(text, "· {name}: delivers what is recorded");
                continue;
            }
            Compared::NotCompared { reason } => {
                let _ = writeln!(text, "? {name}: not compared, {reason}");
                continue;
            }
            Compared::Differs { recorded, here } => (short(recorded), short(here)),
            Compared::OnlyRecorded { recorded } => (short(recorded), "nothing".to_owned()),
            Compared::OnlyHere { here } => ("nothing".to_owned(), short(here)),
        };
        let _ = writeln!(text, "≠ {name}\n    recorded: {recorded}\n    here:     {here}");
    }
    if let Some(failure) = failure {
        let _ = writeln!(text, "The run failed: {failure}");
    }
    let _ = match nodes.iter().find(|node| node.compared.departs()).map(name_of) {
        None => write!(text, "No node departs from the record."),
        Some(first) if *departures == 1 => write!(text, "One node departs from the record: {first}."),
        Some(first) => write!(text, "{departures} nodes depart from the record; the first is {first}."),
    };
    text
}

/// Its name, and the iteration in which it departs.
fn name_of(node: &ComparedNode) -> String {
    match node.epoch.as_ref().and_then(Epoch::label) {
        Some(iteration) => format!("{}, iteration {iteration}", node.name),
        None => node.name.clone(),
    }
}
