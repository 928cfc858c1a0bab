//! `plait test --debug`: a failing case, stopped at its first difference.

use plait_api::runs::answers::Answers;
use plait_api::suites::{DebugTest, RunTest};
use plait_api::{Connection, ErrorReply};
use plait_llm::grant::GrantRule;

use super::{WantedCase, no_tests, title};
use crate::codes;
use crate::commands::diff;
use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus};
use crate::printable::printable;
use crate::run_follower::RunFollower;
use crate::terminal::print_styled_output;

/// The case of that name. Of several variants, each has the name with its brackets.
pub(super) fn only(wanted: Vec<WantedCase>, name: &str) -> Result<WantedCase, ErrorReply> {
    let of_name = |wanted: &WantedCase| {
        let WantedCase { case, .. } = wanted;
        case.name == name || title(&case.name, &case.variant) == name
    };
    let mut found: Vec<WantedCase> = wanted.into_iter().filter(of_name).collect();
    match found.pop() {
        Some(only) if found.is_empty() => Ok(only),
        Some(last) => {
            let titles = found.iter().chain([&last]).map(|wanted| {
                format!("`{}` in {}", title(&wanted.case.name, &wanted.case.variant), wanted.file)
            });
            let message =
                format!("There are several cases `{name}`: {}.", titles.collect::<Vec<_>>().join(", "));
            Err(ErrorReply::new(codes::SUITE_UNKNOWN_CASE, message).hint("Name the suite and the variant."))
        }
        None => Err(no_tests(&format!("No suite here has a case `{name}`."))),
    }
}

pub(super) async fn execute(
    app: &Connection,
    WantedCase { file, case }: WantedCase,
    grants: Vec<GrantRule>,
) -> Result<ExitStatus, CliError> {
    let test = RunTest {
        file: file.clone(),
        case: case.name.clone(),
        variant: case.variant.clone(),
        resume: false,
        grants,
    };
    if app.call(test).await?.passed {
        print_styled_output(&format!("The case `{}` passes.\n", printable(&case.name)));
        return Ok(ExitStatus::Success);
    }
    let ctrl_c = CtrlC::listen()?;
    let debugged = app.call(DebugTest { file, case: case.name, variant: case.variant }).await?;
    for failure in &debugged.failures {
        print_styled_output(&format!("{}\n", printable(&failure.to_string())));
    }
    if let Some(difference) = &debugged.difference {
        print_styled_output(&format!(
            "\nThe first difference from the recording\n{}",
            diff::difference_text(difference)
        ));
    }
    let at = match &debugged.at {
        Some(at) => format!("\nRun {} stands still at {}.\n", debugged.run, printable(at)),
        None => format!("\nRun {} ended before it came there.\n", debugged.run),
    };
    print_styled_output(&at);
    RunFollower::new(app, debugged.run, ctrl_c, Answers::default(), false).follow().await
}
