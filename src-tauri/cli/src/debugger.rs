//! The debugger in the terminal: `--break`, and the prompt at a stop.

use std::io::{self, Write as _};
use std::ops::RangeInclusive;

use console::style;
use plait_api::ErrorReply;
use plait_api::runs::HeldRun;
use plait_core::exact_json;
use plait_core::expression::as_text;
use plait_core::id::{PortName, RunId};
use plait_journal::view::StopView;
use plait_journal::{BREAKPOINT_SYNTAX, BreakpointText};
use plait_journal::{Breakpoint, DebugVerb, Side, StopCause, StopPoint, StopScope};
use plait_llm::context::{History, MessageEdit};
use serde_json::{Map, Value};

use crate::codes;
use crate::exit::CliError;
use crate::format::first_line;
use crate::printable::printable;
use crate::stdin_lines;

/// What a person types at a stop.
#[derive(Debug, PartialEq)]
pub(crate) enum StopCommand {
    Go(DebugVerb),
    /// Lets everything go on that stands still.
    ContinueAll,
    /// Lists the stops.
    Stops,
    /// Goes to the stop with this number.
    At(u64),
    /// Shows all values here, or that of a port or an expression.
    Print(Option<String>),
    /// Puts a value in place of one that is held.
    Set(String, Value),
    /// Takes another way.
    Force(String),
    /// Shows the history before the next turn, or edits it.
    History(HistoryCommand),
    /// Shows the config with which a node executes from now on, or changes a setting of it.
    Try(String, Option<(Vec<String>, Value)>),
    /// Drops what is tried on a node, or on all.
    Drop(Option<String>),
    /// Writes what is tried on a node, or on all, into the flow's file.
    Accept(Option<String>),
    /// Sets a breakpoint.
    Break(BreakpointText),
    /// Removes a breakpoint.
    Delete(String),
    /// Leaves the run where it stands.
    Quit,
    Help,
}

/// What a person wants of a history. Its messages are numbered from 1.
#[derive(Debug, PartialEq)]
pub(crate) enum HistoryCommand {
    Show,
    Reword(usize, String),
    Remove(RangeInclusive<usize>),
}

const HELP: &str =
    "  continue, c      go on to the next breakpoint; of several branches that stand still, this one
  continue all     let all of them go on
  stops            list where the run and its branches stand still
  at N             go to the stop with this number
  step, s          go on until this node's outputs are delivered
  into, i          go on to the next place inside: an iteration, a call, a sub-flow
  out, o           go on to the end of the loop or sub-flow around this node
  all, a           let everything that is held go on by one place
  print, p [PORT]  show the values here
  print, p CEL     show the value of an expression over value, inputs, outputs, error,
                   iteration, attempt, tokens, cost, trimmed and nodes.NAME.PORT
  set PORT=JSON    put a value in place of one that is held here
  skip             before a node: go on without running it
  retry            after a node: drop what it gave and run it again
  force PORT       after a switch or the like: take another way
  history          before a node that calls a model: show the messages of its context
  history N TEXT   have message N say something else
  history remove N[-M]
                   remove messages
  try NODE         show the config with which a node executes from its next start on
  try NODE.SETTING=JSON
                   have it execute with another setting; null removes the setting
  drop [NODE]      drop what is tried on this node, or on all nodes
  accept [NODE]    write what is tried on this node, or on all nodes, into the flow's file
  break NODE[.PORT][:before|call|after][:context|data|tools][:branch][:when=CEL][:log=TEXT]
                   stop there, too; with PORT, where a value comes out there, or with
                   `before` comes in; with a kind, where one passes over an edge of it;
                   with `branch`, other branches go on
  break A.PORT->B.PORT
                   stop where a value comes over this edge
  break [NODE:]event:EVENT
                   stop when this happens: changed, changed=CONTEXT, memory, trimmed,
                   untrusted, granted, retried, spent=USD
  delete N         remove a breakpoint, by its number or as it is written
  quit, q          leave the run here; `plait resume` goes on
";

/// A breakpoint as it was written, in a flow with these nodes. `usage.input`.
pub(crate) fn resolve(
    breakpoint: BreakpointText,
    is_node: impl Fn(&str) -> bool,
) -> Result<Breakpoint, ErrorReply> {
    breakpoint.resolve(is_node).map_err(|problem| {
        ErrorReply::new(codes::USAGE_INPUT, format!("A breakpoint can't be read: {problem}."))
            .hint(format!("Breakpoints are written as {BREAKPOINT_SYNTAX}."))
    })
}

/// Reads a line that was typed at a stop. An error says what is wrong with it.
pub(crate) fn parse_command(line: &str) -> Result<StopCommand, String> {
    let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let rest = rest.trim();
    let takes_nothing =
        ["stops", "step", "s", "into", "i", "out", "o", "all", "a", "skip", "retry", "quit", "q"];
    if !rest.is_empty() && takes_nothing.contains(&word) {
        // Else `skip other` would skip the node that is held.
        return Err(format!(
            "`{word}` is about the node that is held here, and takes nothing; `at N` goes to another stop"
        ));
    }
    Ok(match word {
        "continue" | "c" => match rest {
            "" => StopCommand::Go(DebugVerb::Continue),
            "all" => StopCommand::ContinueAll,
            _ => return Err("`continue` takes `all`, or nothing".to_owned()),
        },
        "stops" => StopCommand::Stops,
        "at" => {
            StopCommand::At(rest.parse().map_err(|_| "`at` takes the number of a stop; `stops` lists them")?)
        }
        "step" | "s" | "" => StopCommand::Go(DebugVerb::Over),
        "into" | "i" => StopCommand::Go(DebugVerb::Into),
        "out" | "o" => StopCommand::Go(DebugVerb::Out),
        "all" | "a" => StopCommand::Go(DebugVerb::All),
        "print" | "p" => StopCommand::Print((!rest.is_empty()).then(|| rest.to_owned())),
        "set" => {
            let (port, json) = rest.split_once('=').ok_or("`set` takes PORT=JSON")?;
            StopCommand::Set(port.trim().to_owned(), parse_value(json)?)
        }
        "skip" => StopCommand::Go(DebugVerb::Skip),
        "retry" => StopCommand::Go(DebugVerb::Retry),
        "force" if rest.is_empty() => return Err("`force` takes the name of an output".to_owned()),
        "force" => StopCommand::Force(rest.to_owned()),
        "history" => StopCommand::History(parse_history(rest)?),
        "try" => parse_try(rest)?,
        "drop" => StopCommand::Drop((!rest.is_empty()).then(|| rest.to_owned())),
        "accept" => StopCommand::Accept((!rest.is_empty()).then(|| rest.to_owned())),
        "break" | "b" => StopCommand::Break(rest.parse()?),
        "delete" | "d" if rest.is_empty() => {
            return Err(
                "`delete` takes the number of a breakpoint, or the breakpoint as it is written".to_owned()
            );
        }
        "delete" | "d" => StopCommand::Delete(rest.to_owned()),
        "quit" | "q" => StopCommand::Quit,
        "help" | "h" | "?" => StopCommand::Help,
        other => return Err(format!("there is no `{other}` here; `help` lists the words")),
    })
}

fn parse_value(json: &str) -> Result<Value, String> {
    exact_json::parse(json.trim())
        .map_err(|error| format!("`{}` is not valid JSON ({error}); texts stand in quotes", json.trim()))
}

fn parse_try(text: &str) -> Result<StopCommand, String> {
    let usage = || "`try` takes NODE.SETTING=JSON, or NODE".to_owned();
    let Some((place, json)) = text.split_once('=') else {
        return if text.is_empty() { Err(usage()) } else { Ok(StopCommand::Try(text.to_owned(), None)) };
    };
    let (node, path) = place.trim().split_once('.').ok_or_else(usage)?;
    let path = path.split('.').map(str::to_owned).collect();
    Ok(StopCommand::Try(node.to_owned(), Some((path, parse_value(json)?))))
}

/// A config with a value put at a place of it: names of settings and, in lists, positions from 0. Null removes what stands there. An error
/// says what the config does not have.
pub(crate) fn with_setting(
    config: Map<String, Value>,
    path: &[String],
    value: Value,
) -> Result<Map<String, Value>, String> {
    let mut config = Value::Object(config);
    let Some((last, above)) = path.split_last() else { return Err("expected a setting".to_owned()) };
    let mut place = &mut config;
    for name in above {
        place = match place {
            Value::Object(members) => {
                members.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()))
            }
            Value::Array(items) => at_position(items, name)?,
            _ => return Err(nothing_inside(name)),
        };
    }
    match place {
        Value::Object(members) if value.is_null() => drop(members.remove(last)),
        Value::Object(members) => drop(members.insert(last.clone(), value)),
        Value::Array(items) => *at_position(items, last)? = value,
        _ => return Err(nothing_inside(last)),
    }
    match config {
        Value::Object(config) => Ok(config),
        _ => Err("A config is an object.".to_owned()),
    }
}

fn nothing_inside(name: &str) -> String {
    format!("There is nothing inside of the setting before `{name}`.")
}

fn at_position<'v>(items: &'v mut [Value], position: &str) -> Result<&'v mut Value, String> {
    let count = items.len();
    let item = position.parse().ok().and_then(|at: usize| items.get_mut(at));
    item.ok_or_else(|| format!("There is no item `{position}` in this list of {count}; the first one is 0."))
}

fn parse_history(text: &str) -> Result<HistoryCommand, String> {
    let number = |text: &str| {
        let number = text.trim().parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| format!("`{}` is no number of a message", text.trim()))
    };
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match first {
        "" => HistoryCommand::Show,
        "remove" => {
            let (from, to) = rest.split_once('-').unwrap_or((rest, rest));
            let (from, to) = (number(from)?, number(to)?);
            if from > to {
                return Err(format!("there are no messages from {from} to {to}"));
            }
            HistoryCommand::Remove(from..=to)
        }
        _ if rest.trim().is_empty() => {
            return Err("`history` takes N TEXT, `remove N`, or nothing".to_owned());
        }
        first => HistoryCommand::Reword(number(first)?, rest.trim().to_owned()),
    })
}

/// Shows the messages of a history with their numbers.
pub(crate) fn print_history(messages: &History) -> Result<(), CliError> {
    let mut err = io::stderr();
    if messages.iter().next().is_none() {
        writeln!(err, "  no messages")?;
    }
    for (number, message) in (1..).zip(messages.iter()) {
        let text = first_line(&message.content.labeled_text(), MAX_SHOWN);
        writeln!(err, "  {number}  {}: {}", message.role.speaker(), printable(&text))?;
    }
    Ok(())
}

/// The edits that a command asks for. An error names a message that the history does not have.
pub(crate) fn edits_of(command: HistoryCommand, messages: &History) -> Result<Vec<MessageEdit>, String> {
    let (numbers, text) = match command {
        HistoryCommand::Show => return Ok(Vec::new()),
        HistoryCommand::Reword(number, text) => (number..=number, Some(text)),
        HistoryCommand::Remove(numbers) => (numbers, None),
    };
    let edits = numbers.map(|number| {
        let message =
            messages.get(number - 1).ok_or_else(|| format!("There is no message {number} here."))?;
        Ok(MessageEdit { message: message.id.clone(), text: text.clone() })
    });
    edits.collect()
}

/// A place, as part of a sentence: ``before `chat#1` ``.
pub(crate) fn describe_point(at: &StopPoint) -> String {
    let node = at.activation();
    match (at.side, &at.call) {
        (Side::Before, _) => format!("before `{node}`"),
        (Side::Call, Some(call)) => format!("in `{node}`, before {call}"),
        (Side::Call, None) => format!("in `{node}`"),
        (Side::After, _) => format!("after `{node}`"),
    }
}

/// Where a run stands, why and how much of it, as part of a sentence: ``before `chat#1`, at breakpoint 2``.
pub(crate) fn describe(stop: &StopView) -> String {
    let place = stop.at.as_ref().map(|at| match at.side {
        Side::After => format!("{}, whose outputs are not delivered yet", describe_point(at)),
        Side::Before | Side::Call => describe_point(at),
    });
    let why = match &stop.cause {
        StopCause::Breakpoint { id } => Some(format!("at breakpoint `{id}`")),
        StopCause::Condition { id, error } => {
            Some(format!("since breakpoint `{id}` can't be evaluated: {}", error.message))
        }
        StopCause::Step if stop.at.is_none() => Some("with nothing that follows from this step".to_owned()),
        StopCause::Elsewhere { run } => Some(format!("with run {run}")),
        StopCause::Step | StopCause::Pause => None,
    };
    let alone = (stop.scope == StopScope::Branch).then(|| "which holds this branch alone".to_owned());
    printable(&[place, why, alone].into_iter().flatten().collect::<Vec<_>>().join(", ")).into_owned()
}

/// The longest value that is shown without being asked for, in characters.
const MAX_SHOWN: usize = 200;

/// Shows where a run stands, with the values there.
pub(crate) fn print_stop(HeldRun { run, stop }: &HeldRun) -> Result<(), CliError> {
    let mut err = io::stderr();
    writeln!(err, "\n{} {run} stands still {}", style("●").red().for_stderr(), describe(stop))?;
    for (port, value) in &stop.values {
        let text = as_text(value);
        writeln!(err, "  {}: {}", printable(port.as_str()), printable(&first_line(&text, MAX_SHOWN)))?;
    }
    if let Some(error) = &stop.error {
        writeln!(err, "  {} {}", style("✗").red().for_stderr(), printable(&error.to_string()))?;
    }
    if !stop.ways.is_empty() {
        let ways: Vec<&str> = stop.ways.iter().map(PortName::as_str).collect();
        writeln!(err, "  other ways: {}", printable(&ways.join(", ")))?;
    }
    Ok(())
}

/// Lists stops behind their numbers. `root` is the run whose stops need no name of a run.
pub(crate) fn print_stops(root: &RunId, stops: &[HeldRun]) -> Result<(), CliError> {
    let mut err = io::stderr();
    for HeldRun { run, stop } in stops {
        let below = if run == root { String::new() } else { format!(" (run {run})") };
        writeln!(err, "  {}: {}{below}", stop.number, describe(stop))?;
    }
    Ok(())
}

/// Reads what to do at a stop. `None` at the end of input.
pub(crate) async fn ask() -> Result<Option<StopCommand>, CliError> {
    let mut err = io::stderr();
    stdin_lines::forget_typed();
    loop {
        print_marker()?;
        let Some(line) = stdin_lines::next_line().await? else { return Ok(None) };
        match parse_command(&line) {
            Ok(command) => return Ok(Some(command)),
            Err(problem) => writeln!(err, "  {}", printable(&problem))?,
        }
    }
}

/// Prints the marker of the prompt at a stop.
pub(crate) fn print_marker() -> io::Result<()> {
    let mut err = io::stderr();
    write!(err, "{} ", style("debug ›").red().for_stderr())?;
    err.flush()
}

pub(crate) fn print_help() -> Result<(), CliError> {
    Ok(io::stderr().write_all(HELP.as_bytes())?)
}

/// Prints the breakpoints of a run, each as it is written on the command line, behind its number in the list.
pub(crate) fn print_breakpoints(breakpoints: &[Breakpoint]) -> Result<(), CliError> {
    let mut err = io::stderr();
    if breakpoints.is_empty() {
        writeln!(err, "  no breakpoints")?;
    }
    for (number, breakpoint) in (1..).zip(breakpoints) {
        let disabled = if breakpoint.disabled { " (disabled)" } else { "" };
        writeln!(err, "  {number}: {}{disabled}", printable(&breakpoint.to_string()))?;
    }
    Ok(())
}

/// The id of the breakpoint that a person names: by its id, as it is written, or by its number in the list.
pub(crate) fn find_breakpoint<'b>(breakpoints: &'b [Breakpoint], name: &'b str) -> &'b str {
    let by_number = || breakpoints.get(name.parse::<usize>().ok()?.checked_sub(1)?);
    let found = breakpoints.iter().find(|known| known.id == name);
    let found = found.or_else(|| breakpoints.iter().find(|known| known.to_string() == name));
    found.or_else(by_number).map_or(name, |found| found.id.as_str())
}

/// Prints a config as JSON.
pub(crate) fn print_config(config: &Map<String, Value>) -> Result<(), CliError> {
    let json = serde_json::to_string_pretty(config).unwrap_or_default();
    Ok(writeln!(io::stderr(), "{}", printable(&json))?)
}

/// Prints values, each below its name.
pub(crate) fn print_values(values: &Map<String, Value>) -> Result<(), CliError> {
    let mut err = io::stderr();
    if values.is_empty() {
        writeln!(err, "  There are no values here.")?;
    }
    for (name, value) in values {
        let text = if value.is_null() { "null".to_owned() } else { as_text(value) };
        writeln!(err, "{}:\n{}", printable(name), printable(&text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
