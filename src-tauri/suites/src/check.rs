//! Whether checks hold of a run. Rubrics need a model, so they are left out here.

use std::sync::Arc;

use plait_core::expression::condition::StopCondition;
use plait_core::expression::evaluation::Evaluator;
use plait_core::expression::schema::find_violations;
use plait_core::expression::{as_text, values_equal};
use plait_core::id::NodeId;
use plait_insight::words::{PieceSide, compare_words};
use plait_journal::view::RunStatus;
use plait_run::breakpoint::facts_after;
use regex::Regex;
use serde_json::Value;
use serde_json_path::JsonPath;

use crate::document::{
    ArgumentsCheck, Check, ConditionCheck, JsonPathCheck, OutputCheck, PatternCheck, PromptCheck,
    SchemaCheck, TextCheck, ValueCheck,
};
use crate::evidence::Evidence;
use crate::outcome::CheckFailure;

/// How much of a value a message shows, in characters.
const MAX_SHOWN_CHARS: usize = 300;
/// How much of what is the same is shown beside what differs, in characters.
const CONTEXT_CHARS: usize = 40;

/// What does not hold of a run. Of a run that did not finish, that alone. `recorded` is the run of the recording, if there is one.
pub async fn check(
    checks: impl IntoIterator<Item = &Check>,
    run: &Evidence,
    recorded: Option<&Evidence>,
    evaluator: &dyn Evaluator,
) -> Vec<CheckFailure> {
    if let Some(message) = unfinished(run) {
        return vec![message];
    }
    let mut failures = Vec::new();
    for check in checks {
        let held = match check {
            Check::Condition(check) => condition(check, run, evaluator).await,
            other => holds(other, run, recorded),
        };
        if let Err(message) = held {
            let node = check.node().map(str::to_owned);
            failures.push(CheckFailure { check: check.label(), code: None, message, node });
        }
    }
    failures
}

/// Why a run gave nothing to check, if it did not finish.
fn unfinished(run: &Evidence) -> Option<CheckFailure> {
    let outline = &run.root().view().outline;
    if outline.status == RunStatus::Finished {
        return None;
    }
    let failed = outline.error.as_ref().map(|failed| &failed.error);
    // The innermost node knows best: the error of a sub-flow is in its run, too.
    let node = run
        .all()
        .filter(|(_, _, view)| view.error.is_some() && !view.handled)
        .max_by_key(|(path, ..)| path.len());
    let node = node.map(|(path, id, _)| {
        let names: Vec<&str> = path.iter().chain([id]).map(NodeId::as_str).collect();
        names.join("/")
    });
    let message = match failed {
        Some(failed) => {
            let hint = failed.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
            format!("{}{hint}", failed.message)
        }
        None => "The run did not finish.".to_owned(),
    };
    let code = failed.map(|failed| failed.code.clone());
    Some(CheckFailure { check: "run".to_owned(), code, message, node })
}

fn holds(check: &Check, run: &Evidence, recorded: Option<&Evidence>) -> Result<(), String> {
    match check {
        Check::Equals(ValueCheck { output, value }) => {
            let found = run.output(output.as_deref())?;
            same(value, &found)
        }
        Check::Contains(TextCheck { output, text }) => {
            let found = as_text(&*run.output(output.as_deref())?);
            require(found.contains(text.as_str()), || {
                format!("`{}` is not in {}.", shown(text), quoted(&found))
            })
        }
        Check::Regex(PatternCheck { output, pattern }) => {
            let found = as_text(&*run.output(output.as_deref())?);
            let regex = Regex::new(pattern).map_err(|error| error.to_string())?;
            require(regex.is_match(&found), || {
                format!("`{}` matches nothing in {}.", shown(pattern), quoted(&found))
            })
        }
        Check::Schema(SchemaCheck { output, schema }) => {
            let violations =
                find_violations(&Value::Object(schema.clone()), &*run.output(output.as_deref())?)?;
            require(violations.is_empty(), || {
                format!("The output does not match the schema: {}.", violations.join("; "))
            })
        }
        Check::JsonPath(check) => json_path(check, run),
        Check::Unchanged(OutputCheck { output }) => {
            let recorded = recorded.ok_or("There is no recording to compare with.")?;
            same(&*recorded.output(output.as_deref())?, &*run.output(output.as_deref())?)
        }
        Check::MaxTokens(most) => {
            let used = run.tokens();
            let used = used.input.saturating_add(used.output);
            require(used <= *most, || format!("The model calls used {used} tokens, and may use {most}."))
        }
        Check::MaxCost(most) => {
            let cost = run.cost();
            if cost.unpriced > 0 {
                return Err(format!("The price of {} model calls is not known.", cost.unpriced));
            }
            #[expect(clippy::cast_precision_loss, reason = "compared with a price that a person wrote")]
            let dollars = cost.nano_usd as f64 / 1e9;
            require(dollars <= *most, || format!("The model calls cost {cost}, and may cost ${most}."))
        }
        Check::MaxSeconds(most) => {
            #[expect(clippy::cast_precision_loss, reason = "compared with a time that a person wrote")]
            let seconds = run.duration_ms() as f64 / 1000.0;
            require(seconds <= *most, || format!("The run took {seconds:.1} s, and may take {most} s."))
        }
        Check::Prompt(check) => prompt(check, run),
        Check::Tool(check) => tool(check, run),
        Check::Condition(_) | Check::Rubric(_) => Ok(()),
    }
}

fn require(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

fn same(wanted: &Value, found: &Value) -> Result<(), String> {
    if values_equal(wanted, found) {
        return Ok(());
    }
    Err(match (wanted, found) {
        (Value::String(wanted), Value::String(found)) => {
            format!("The words that differ: {}", differences(wanted, found))
        }
        _ => format!("It is {}, not {}.", quoted(&found.to_string()), quoted(&wanted.to_string())),
    })
}

/// Both texts with what differs as `[-wanted-]{+found+}`.
fn differences(wanted: &str, found: &str) -> String {
    let pieces = compare_words(wanted, found).into_iter().map(|piece| match piece.side {
        PieceSide::Before => format!("[-{}-]", shown(&piece.text)),
        PieceSide::After => format!("{{+{}+}}", shown(&piece.text)),
        PieceSide::Both => {
            let chars: Vec<char> = piece.text.chars().collect();
            if chars.len() <= 2 * CONTEXT_CHARS + 1 {
                return piece.text;
            }
            let start: String = chars[..CONTEXT_CHARS].iter().collect();
            let end: String = chars[chars.len() - CONTEXT_CHARS..].iter().collect();
            format!("{start}…{end}")
        }
    });
    let text: String = pieces.collect();
    // A change of most of a long text is not read to its end.
    match text.char_indices().nth(4 * MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn json_path(JsonPathCheck { output, path, values }: &JsonPathCheck, run: &Evidence) -> Result<(), String> {
    let found = run.output(output.as_deref())?;
    let path = JsonPath::parse(path).map_err(|error| error.to_string())?;
    let selected: Vec<Value> = path.query(&found).all().into_iter().cloned().collect();
    match values {
        None => require(!selected.is_empty(), || {
            format!("`{path}` selects nothing of {}.", quoted(&found.to_string()))
        }),
        Some(wanted) => same(&Value::Array(wanted.clone()), &Value::Array(selected)),
    }
}

async fn condition(
    ConditionCheck { node, when }: &ConditionCheck,
    run: &Evidence,
    evaluator: &dyn Evaluator,
) -> Result<(), String> {
    let condition = StopCondition::new(when);
    let mut has_ended = false;
    for placed in run.activations(node).into_iter().filter(|placed| !placed.view.attempts.is_empty()) {
        has_ended = true;
        let held = condition.is_true(&Arc::new(facts_after(placed.at.clone(), placed.view)), evaluator).await;
        let held = held.map_err(|fault| {
            format!("`{when}` can't be evaluated after `{}`: {}", placed.at, fault.message)
        })?;
        require(held, || format!("`{when}` is false after `{}`.", placed.at))?;
    }
    require(has_ended, || format!("The run did not get to a node `{node}`."))
}

fn prompt(PromptCheck { node, contains }: &PromptCheck, run: &Evidence) -> Result<(), String> {
    let (mut calls, mut last) = (0_usize, String::new());
    for placed in run.activations(node) {
        for call in 0..placed.view.calls.len() {
            calls += 1;
            let messages = placed.run.messages(&placed.at, call);
            let texts: Vec<&str> = messages.iter().map(|(message, _)| message.text.as_str()).collect();
            last = texts.join("\n");
            if last.contains(contains.as_str()) {
                return Ok(());
            }
        }
    }
    Err(match calls {
        0 => format!("`{node}` called no model."),
        _ => format!("`{}` is in no prompt of `{node}`. The last one is {}.", shown(contains), quoted(&last)),
    })
}

fn tool(
    ArgumentsCheck { name, node, arguments, times }: &ArgumentsCheck,
    run: &Evidence,
) -> Result<(), String> {
    let views: Vec<_> = match node {
        Some(node) => run.activations(node).into_iter().map(|placed| placed.view).collect(),
        None => run.all().map(|(_, _, view)| view).collect(),
    };
    let of_name: Vec<&Value> = views
        .iter()
        .flat_map(|view| &view.tools)
        .filter(|tool| tool.call.name == *name)
        .map(|tool| &tool.call.arguments)
        .collect();
    let fits = |found: &&&Value| arguments.as_ref().is_none_or(|wanted| is_part(wanted, found));
    let count = of_name.iter().filter(fits).count();
    let is_enough = times.map_or(count > 0, |times| count == times as usize);
    require(is_enough, || {
        let with = arguments
            .as_ref()
            .map(|wanted| format!(" with {}", quoted(&wanted.to_string())))
            .unwrap_or_default();
        let wanted = times.map(|times| format!(", not {times} times")).unwrap_or_default();
        let others = match (of_name.last(), arguments) {
            (Some(last), Some(_)) if count == 0 => {
                format!(" Its last call had {}.", quoted(&last.to_string()))
            }
            _ => String::new(),
        };
        match count {
            0 => format!("`{name}` was not called{with}{wanted}.{others}"),
            count => format!("`{name}` was called {count} times{with}{wanted}."),
        }
    })
}

/// Whether a value has all that another one has: objects may have more.
fn is_part(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(key, value)| found.get(key).is_some_and(|found| is_part(value, found)))
        }
        _ => values_equal(wanted, found),
    }
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn quoted(text: &str) -> String {
    format!("“{}”", shown(text))
}
