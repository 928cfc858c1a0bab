//! `plait check`: what is wrong with a flow, and where.

use std::io::Write as _;

use plait_api::engine::diagnostic::{Diagnostic, Severity};
use plait_api::engine::nodes;
use plait_api::flows::check_with_subflows;

use crate::args::CheckArgs;
use crate::failure::{Ending, Failure, say};
use crate::source::Source;
use crate::terminal;

pub(crate) fn check(args: &CheckArgs) -> Result<Ending, Failure> {
    let style = terminal::style();
    let source = match Source::load(&args.flow, style) {
        Err(Failure::InvalidFlow { found, .. }) if args.json => return report(&found),
        other => other?,
    };
    let found =
        check_with_subflows(&source.flow, source.path_text().as_deref(), &nodes::registry()).diagnostics;
    if args.json {
        return report(&found);
    }
    say(&source.draw(&found, style));
    say(&source.count(&found));
    Ok(ending(&found))
}

fn report(found: &[Diagnostic]) -> Result<Ending, Failure> {
    let ending = ending(found);
    let report = serde_json::json!({ "valid": ending == Ending::Finished, "diagnostics": found });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ending)
}

fn ending(found: &[Diagnostic]) -> Ending {
    let bad = found.iter().any(|one| one.severity == Severity::Error);
    if bad { Ending::Invalid } else { Ending::Finished }
}
