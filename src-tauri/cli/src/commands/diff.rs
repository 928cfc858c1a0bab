//! `plait diff`.

mod causes;
mod flows;
mod git;
mod matrix;
mod runs;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Args;
use plait_api::ErrorReply;
use plait_api::lens::{CompareManyRuns, CompareRuns};
use plait_insight::comparison::RunDifference;
use plait_insight::flow_diff::FlowDiff;

use self::causes::WhyArgs;
use super::runs::find;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::format::to_json;
use crate::grant_rules::named_hosts;
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::terminal::print_styled_output;

#[derive(Debug, Args)]
#[command(after_help = "\
Of two flows, it says what differs by meaning: moving a node is no difference, and renaming one is a single one. Of two runs, it aligns what \
they did, names the first difference, and says which others follow from it.
The exit code is 1 if they differ, 0 if not.

`--why` finds what made the difference between two runs of a flow and its edit: it forks the first run with one difference of the second at a time, \
then with two, and says which turn the outcome. What it costs at most comes first.

Examples:
  plait diff old.flow.json new.flow.json
  plait diff 0197 last
  plait diff 0197 last --json
  plait diff 0197 0198 0199
  plait diff 0197 last --why --when 'value.contains(\"Kiel\")' --samples 5

For git, once in a repository:
  echo '*.flow.json diff=plait' >> .gitattributes
  git config diff.plait.command 'plait diff'")]
pub(crate) struct DiffArgs {
    /// Two flow files, or two runs: an ID, a unique prefix of one, or `last`. More runs are shown as a table of what varies. Or what git gives
    /// to an external diff.
    #[arg(num_args = 1.., required = true, value_name = "FLOW|RUN")]
    what: Vec<OsString>,
    /// Print the differences as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    why: WhyArgs,
}

pub(crate) async fn execute(home: &Home, args: DiffArgs) -> Result<ExitStatus, CliError> {
    match &*args.what {
        [before, after] if args.why.why && is_run(before) && is_run(after) => {
            let rules = args.why.grants.rules(None)?;
            let app = open_app::for_running(home, &named_hosts(&rules)).await?;
            let name = |name: &OsStr| name.to_string_lossy().into_owned();
            let runs = (find(&app, &name(before)).await?, find(&app, &name(after)).await?);
            let status = causes::execute(&app, runs, args.why, rules, args.json).await;
            open_app::close(&app).await?;
            status
        }
        _ if args.why.why => {
            Err(ErrorReply::new(codes::DIFF_ARGUMENTS, "`plait diff --why` takes two runs.")
                .hint("`plait runs list` lists runs.")
                .into())
        }
        [before, after] if is_run(before) && is_run(after) => {
            let app = open_app::for_reading(home).await?;
            let name = |name: &OsStr| name.to_string_lossy().into_owned();
            let before = find(&app, &name(before)).await?;
            let after = find(&app, &name(after)).await?;
            let compared = app.call(CompareRuns { before: before.clone(), after: after.clone() }).await?;
            app.close().await?;
            let text =
                if args.json { to_json(&compared)? + "\n" } else { runs::text(&before, &after, &compared) };
            print_styled_output(&text);
            Ok(status(compared.differences.is_empty() && compared.input.is_none()))
        }
        [before, after] if !is_run(before) && !is_run(after) => {
            let diff = FlowDiff::between(
                &FlowSource::load(before)?.into_flow(),
                &FlowSource::load(after)?.into_flow(),
            );
            print_styled_output(&if args.json { to_json(&diff)? + "\n" } else { flows::text(&diff) });
            Ok(status(diff.is_empty()))
        }
        runs if runs.len() > 2 && runs.iter().all(|run| is_run(run)) => {
            let app = open_app::for_reading(home).await?;
            let mut found = Vec::new();
            for run in runs {
                found.push(find(&app, &run.to_string_lossy()).await?);
            }
            let matrix = app.call(CompareManyRuns { runs: found }).await?;
            app.close().await?;
            print_styled_output(&if args.json { to_json(&matrix)? + "\n" } else { matrix::text(&matrix) });
            Ok(status(matrix.rows.iter().all(|row| !row.varies)))
        }
        // What git passes: path, old file, its hash and mode, new file, its hash and mode; for a renamed file also its new path and a
        // header. Git takes any exit code but 0 for a failure.
        [path, old, _, _, new, _, _] | [path, old, _, _, new, _, _, _, _] => {
            let name = path.to_string_lossy();
            let name = args.what.get(7).map_or_else(
                || name.clone().into_owned(),
                |renamed| format!("{name} → {}", renamed.to_string_lossy()),
            );
            print_styled_output(&format!("{}\n{}", printable(&name), git::text(old, new)));
            Ok(ExitStatus::Success)
        }
        // For a file with conflicts, git passes only its path.
        [path] if git::is_caller() => {
            print_styled_output(&format!("{} has conflicts.\n", printable(&path.to_string_lossy())));
            Ok(ExitStatus::Success)
        }
        _ => {
            Err(ErrorReply::new(codes::DIFF_ARGUMENTS, "`plait diff` takes two flows, or two runs or more.")
                .hint("`plait runs list` lists runs. For git, see `plait diff --help`.")
                .into())
        }
    }
}

/// What differs between two flows.
pub(super) fn flows_text(diff: &FlowDiff) -> String {
    flows::text(diff)
}

/// One difference between two runs.
pub(super) fn difference_text(difference: &RunDifference) -> String {
    let mut text = String::new();
    runs::describe(&mut text, difference);
    text
}

fn status(is_same: bool) -> ExitStatus {
    if is_same { ExitStatus::Success } else { ExitStatus::Failure }
}

/// Whether an argument names a run: `last`, or what an ID can begin with. A file comes first.
fn is_run(argument: &OsStr) -> bool {
    if Path::new(argument).is_file() {
        return false;
    }
    let name = argument.to_string_lossy();
    name == "last" || (!name.is_empty() && name.chars().all(|c| c.is_ascii_hexdigit() || c == '-'))
}
