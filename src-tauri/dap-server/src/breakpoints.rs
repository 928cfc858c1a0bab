//! The breakpoints of the editor, as breakpoints of the run.

use std::collections::{BTreeMap, HashMap};

use plait_core::id::NodeId;
use plait_journal::{BREAKPOINT_SYNTAX, BreakpointText};
use plait_journal::{Breakpoint, Side, StopEvent};

use crate::hits::HitCondition;
use crate::protocol::requests::{ExceptionFilterOptions, Source, SourceBreakpoint};

/// The name of the breakpoint that stops a run before its first node.
pub(crate) const ENTRY: &str = "entry";

/// What a breakpoint is in the editor, which says so when it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Line,
    Function,
    Data,
    Exception,
}

/// One breakpoint of the editor.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    /// Its number in the protocol.
    pub(crate) number: i64,
    /// Those of the run: several for a line of a file that several nodes run.
    pub(crate) breakpoints: Vec<Breakpoint>,
    pub(crate) hits: Option<HitCondition>,
}

/// All breakpoints of the editor. A request replaces those of its kind, and for lines those of its source.
#[derive(Default)]
pub(crate) struct EditorBreakpoints {
    lines: HashMap<String, Vec<Set>>,
    others: HashMap<Kind, Vec<Set>>,
    last_number: i64,
    /// How often each was reached.
    reached: HashMap<String, u64>,
}

impl EditorBreakpoints {
    pub(crate) fn next_number(&mut self) -> i64 {
        self.last_number += 1;
        self.last_number
    }

    pub(crate) fn replace_lines(&mut self, source: &Source, sets: Vec<Set>) {
        self.lines.insert(key_of(source), sets);
    }

    /// Adds one that the run has already to those of a source.
    pub(crate) fn add_line(&mut self, source: Option<&Source>, set: Set) {
        let source = source.cloned().unwrap_or_default();
        self.lines.entry(key_of(&source)).or_default().push(set);
    }

    pub(crate) fn replace(&mut self, kind: Kind, sets: Vec<Set>) {
        self.others.insert(kind, sets);
    }

    fn sets(&self) -> impl Iterator<Item = (Kind, &Set)> {
        let lines = self.lines.values().flatten().map(|set| (Kind::Line, set));
        lines.chain(self.others.iter().flat_map(|(kind, sets)| sets.iter().map(|set| (*kind, set))))
    }

    /// Those that the run is to have, by their names. Equal ones are one.
    pub(crate) fn wanted(&self) -> BTreeMap<String, Breakpoint> {
        let all = self.sets().flat_map(|(_, set)| &set.breakpoints);
        all.map(|breakpoint| (breakpoint.id.clone(), breakpoint.clone())).collect()
    }

    /// What a breakpoint of the run is in the editor, and its numbers there. A line has precedence.
    pub(crate) fn find(&self, id: &str) -> Option<(Kind, Vec<i64>)> {
        let of = |set: &Set| set.breakpoints.iter().any(|breakpoint| breakpoint.id == id);
        let found: Vec<(Kind, i64)> =
            self.sets().filter(|(_, set)| of(set)).map(|(kind, set)| (kind, set.number)).collect();
        let kind = found.iter().map(|(kind, _)| *kind).min_by_key(|kind| *kind != Kind::Line)?;
        Some((kind, found.into_iter().map(|(_, number)| number).collect()))
    }

    /// Counts that a breakpoint was reached.
    pub(crate) fn count(&mut self, id: &str) {
        *self.reached.entry(id.to_owned()).or_default() += 1;
    }

    /// Whether a breakpoint stops, as often as it was reached: if one of the editor's that it is for has a count that holds, or none.
    pub(crate) fn stops(&self, id: &str) -> bool {
        let hits = self.reached.get(id).copied().unwrap_or_default();
        let mut of = self
            .sets()
            .filter(|(_, set)| set.breakpoints.iter().any(|breakpoint| breakpoint.id == id))
            .map(|(_, set)| set.hits)
            .peekable();
        of.peek().is_none() || of.any(|condition| condition.is_none_or(|condition| condition.holds(hits)))
    }

    /// The nodes of the flow at the end of this way that a breakpoint is before, without a condition.
    pub(crate) fn nodes(&self, path: &[NodeId]) -> Vec<NodeId> {
        let each_time =
            self.sets().filter(|(_, set)| set.hits.is_none()).flat_map(|(_, set)| &set.breakpoints);
        let before = each_time.filter(|breakpoint| {
            breakpoint.side == Side::Before
                && breakpoint.path == path
                && breakpoint.event.is_none()
                && breakpoint.port.is_none()
                && breakpoint.kind.is_none()
                && breakpoint.when.is_none()
                && breakpoint.log.is_none()
        });
        before.filter_map(|breakpoint| breakpoint.node.clone()).collect()
    }
}

fn key_of(source: &Source) -> String {
    format!("{:?} {:?}", source.reference, source.path)
}

/// A breakpoint with its name, which is how it is written: equal ones of several people are one.
pub(crate) fn named(mut breakpoint: Breakpoint) -> Breakpoint {
    breakpoint.id = breakpoint.to_string();
    breakpoint
}

/// The breakpoint of a line that is in a node. An error says what is wrong with it.
pub(crate) fn at_node(
    path: Vec<NodeId>,
    node: NodeId,
    asked: &SourceBreakpoint,
) -> Result<Breakpoint, String> {
    let side = match asked.mode.as_deref() {
        None | Some("" | "before") => Side::Before,
        Some("call") => Side::Call,
        Some("after") => Side::After,
        Some(other) => return Err(format!("`{other}` is no side of a node: `before`, `call` or `after`.")),
    };
    let when = non_empty(asked.condition.as_deref());
    let log = non_empty(asked.log_message.as_deref()).map(|text| as_template(&text));
    Ok(named(Breakpoint { path, node: Some(node), side, when, log, ..Breakpoint::default() }))
}

/// The breakpoint that is written as on the command line. An error says what is wrong with it.
pub(crate) fn as_written(
    text: &str,
    condition: Option<&str>,
    is_node: impl Fn(&str) -> bool,
) -> Result<Breakpoint, String> {
    let parsed: Result<BreakpointText, String> = text.parse();
    let breakpoint = parsed.and_then(|text| text.resolve(is_node));
    let mut breakpoint = breakpoint
        .map_err(|problem| format!("It can't be read: {problem}. It is written as {BREAKPOINT_SYNTAX}."))?;
    if let Some(when) = non_empty(condition) {
        breakpoint.when = Some(match breakpoint.when {
            Some(own) => format!("({own}) && ({when})"),
            None => when,
        });
    }
    Ok(named(breakpoint))
}

/// The breakpoint of an exception filter. An error says what is wrong with it.
pub(crate) fn of_filter(options: &ExceptionFilterOptions) -> Result<Breakpoint, String> {
    let condition = non_empty(options.condition.as_deref());
    let event = match options.filter_id.as_str() {
        "failed" => {
            let when = match condition {
                Some(condition) => format!("error != null && ({condition})"),
                None => "error != null".to_owned(),
            };
            return Ok(named(Breakpoint { side: Side::After, when: Some(when), ..Breakpoint::default() }));
        }
        "spent" => {
            let sum = condition.ok_or("It needs a sum in US dollars as its condition, such as 0.50.")?;
            return as_written(&format!("event:spent={}", sum.trim_start_matches('$')), None, |_| false);
        }
        "retried" => StopEvent::AttemptRetried,
        "trimmed" => StopEvent::HistoryTrimmed,
        "untrusted" => StopEvent::UntrustedSent,
        "granted" => StopEvent::GrantUsed,
        other => return Err(format!("There is no filter `{other}`.")),
    };
    Ok(named(Breakpoint { event: Some(event), when: condition, ..Breakpoint::default() }))
}

fn non_empty(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A log message, whose expressions stand in single braces, as a template.
fn as_template(message: &str) -> String {
    if message.contains("{{") { message.to_owned() } else { message.replace('{', "{{").replace('}', "}}") }
}

#[cfg(test)]
mod tests;
