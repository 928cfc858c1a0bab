//! Breakpoints as people write them on a command line, and as they are shown.
//!
//! ```text
//! chat                              before the node
//! review/chat:after:when=value > 1  after a node of a sub-flow, with a condition
//! judge.score                       where an output has a value
//! a.value->b.value                  where a value comes over an edge
//! chat:after:context                where a value leaves over an edge of this kind
//! event:spent=0.50                  when something happens, anywhere
//! chat:event:retried                when something happens to a node
//! ```

use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::{Breakpoint, OutputRef, Side, StopEvent, StopScope};
use plait_core::id::{ContextId, NodeId, PortName};
use plait_core::port::PortKind;

/// How breakpoints are written.
pub const BREAKPOINT_SYNTAX: &str = "NODE[.PORT][:before|call|after][:context|data|tools][:branch][:when=CEL][:log=TEXT] | \
                                     NODE.PORT->NODE.PORT[:…] | [NODE:]event:EVENT[:…]";

/// What stands for every node.
const EVERY_NODE: &str = "*";
const NANO_USD: u64 = 1_000_000_000;
const NANO_DIGITS: usize = 9;

/// A breakpoint as it was written. Which part of `a.b` is the node depends on the nodes that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointText {
    /// All of it.
    text: String,
    /// Everything but the node, the port and the other end of an edge.
    rest: Breakpoint,
    /// `NODE[.PORT]`. Nothing for every node.
    place: Option<String>,
    /// The other end of an edge, `NODE.PORT`.
    from: Option<String>,
    /// If one is named.
    side: Option<Side>,
}

impl FromStr for BreakpointText {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let (text, log) = split_option(written, ":log=");
        let (text, when) = split_option(text, ":when=");
        let (text, scope) = match text.strip_suffix(":branch") {
            Some(text) => (text, StopScope::Branch),
            None => (text, StopScope::Tree),
        };
        let (mut place, event) = match text.strip_prefix("event:") {
            Some(event) if !is_side(event) => (EVERY_NODE, Some(event)),
            _ => split_option(text, ":event:"),
        };
        let event = event.map(parse_event).transpose()?;
        let (mut side, mut kind) = (None, None);
        while let Some((before, word)) = place.rsplit_once(':') {
            match word {
                "before" => side = Some(Side::Before),
                "call" => side = Some(Side::Call),
                "after" => side = Some(Side::After),
                "context" => kind = Some(PortKind::Context),
                "data" => kind = Some(PortKind::Data),
                "tools" => kind = Some(PortKind::Tools),
                other => {
                    return Err(format!(
                        "`{other}` is no side of a node; there are `before`, `call` and `after`, and the kinds of edges `context`, `data` and `tools`"
                    ));
                }
            }
            place = before;
        }
        let (from, place) = match place.split_once("->") {
            Some((from, to)) => (Some(from.trim()), to.trim()),
            None => (None, place.trim()),
        };
        // The way stands before the edge.
        let with_way = from.unwrap_or(place);
        let (above, last) =
            with_way.rsplit_once('/').map_or((None, with_way), |(above, last)| (Some(above), last));
        let (from, place) = if from.is_some() { (Some(last), place) } else { (None, last) };
        if place.is_empty() || from == Some("") {
            return Err("expected the name of a node".to_owned());
        }
        let path = above.map(|above| above.split('/').map(NodeId::from).collect()).unwrap_or_default();
        let (when, log) = (when.map(str::to_owned), log.map(str::to_owned));
        Ok(Self {
            text: written.to_owned(),
            rest: Breakpoint { path, kind, event, when, log, scope, ..Breakpoint::default() },
            place: Some(place).filter(|place| *place != EVERY_NODE).map(str::to_owned),
            from: from.map(str::to_owned),
            side,
        })
    }
}

impl BreakpointText {
    /// Whether the nodes that there are decide where the name of a node ends.
    pub fn has_dots(&self) -> bool {
        self.place.iter().chain(&self.from).any(|name| name.contains('.'))
    }

    /// The breakpoint, in a flow with these nodes. Its id is what it is written as, so that two people who set the same one set one.
    pub fn resolve(self, is_node: impl Fn(&str) -> bool) -> Result<Breakpoint, String> {
        let Self { mut rest, place, from, side, .. } = self;
        let place = place.map(|place| split_port(&place, &is_node));
        if let Some((node, port)) = place {
            rest.port = port.map(|port| non_empty_port(&node, &port)).transpose()?;
            if node.is_empty() {
                return Err("expected the name of a node".to_owned());
            }
            rest.node = Some(node.as_str().into());
        }
        if let Some(from) = from {
            let (node, port) = split_port(&from, &is_node);
            let port =
                port.ok_or_else(|| format!("expected `{from}.PORT`, the output that the edge comes from"))?;
            rest.from = Some(OutputRef { port: non_empty_port(&node, &port)?, node: node.as_str().into() });
            if rest.port.is_none() {
                return Err("expected `NODE.PORT`, the input that the edge leads to".to_owned());
            }
            if side.is_some_and(|side| side != Side::Before) {
                return Err("an edge is where its value comes in: leave out the side".to_owned());
            }
        }
        if rest.event.is_some() && (side.is_some() || rest.port.is_some() || rest.kind.is_some()) {
            return Err(
                "an event says itself where it stops: leave out the side, the port and the kind".to_owned()
            );
        }
        let is_of_value = (rest.port.is_some() || rest.kind.is_some()) && rest.from.is_none();
        rest.side = side.unwrap_or(if is_of_value { Side::After } else { Side::Before });
        rest.id = rest.to_string();
        Ok(rest)
    }
}

impl fmt::Display for BreakpointText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Breakpoint {
    /// As it is written, without its id and whether it is disabled.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, node, side, port, from, kind, event, when, log, scope, .. } = self;
        path.iter().try_for_each(|node| write!(f, "{node}/"))?;
        if let Some(OutputRef { node, port }) = from {
            write!(f, "{node}.{port}->")?;
        }
        let is_anywhere = node.is_none() && path.is_empty();
        match node {
            Some(node) => write!(f, "{node}")?,
            None if event.is_some() && is_anywhere => {}
            None => f.write_str(EVERY_NODE)?,
        }
        if let Some(port) = port {
            write!(f, ".{port}")?;
        }
        match event {
            Some(event) if is_anywhere => write!(f, "event:{event}")?,
            Some(event) => write!(f, ":event:{event}")?,
            None if from.is_some() => {}
            None => f.write_str(match side {
                Side::Before => ":before",
                Side::Call => ":call",
                Side::After => ":after",
            })?,
        }
        if let Some(kind) = kind {
            f.write_str(match kind {
                PortKind::Context => ":context",
                PortKind::Data => ":data",
                PortKind::Tools => ":tools",
            })?;
        }
        if *scope == StopScope::Branch {
            f.write_str(":branch")?;
        }
        for (name, value) in [("when", when), ("log", log)] {
            if let Some(value) = value {
                write!(f, ":{name}={value}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for StopEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ContextChanged { context: None } => f.write_str("changed"),
            Self::ContextChanged { context: Some(context) } => write!(f, "changed={context}"),
            Self::MemoryChanged => f.write_str("memory"),
            Self::HistoryTrimmed => f.write_str("trimmed"),
            Self::UntrustedSent => f.write_str("untrusted"),
            Self::GrantUsed => f.write_str("granted"),
            Self::AttemptRetried => f.write_str("retried"),
            Self::SpendingPassed { nano_usd } => {
                write!(f, "spent={}", nano_usd / NANO_USD)?;
                let digits = format!("{:0NANO_DIGITS$}", nano_usd % NANO_USD);
                match digits.trim_end_matches('0') {
                    "" => Ok(()),
                    digits => {
                        f.write_char('.')?;
                        f.write_str(digits)
                    }
                }
            }
        }
    }
}

/// Reads an event: `changed[=CONTEXT]`, `memory`, `trimmed`, `untrusted`, `granted`, `retried`, `spent=USD`.
fn parse_event(text: &str) -> Result<StopEvent, String> {
    let (name, value) = split_option(text, "=");
    match (name, value) {
        ("changed", None) => Ok(StopEvent::ContextChanged { context: None }),
        ("changed", Some(context)) if !context.is_empty() => {
            Ok(StopEvent::ContextChanged { context: Some(ContextId::from(context)) })
        }
        ("memory", None) => Ok(StopEvent::MemoryChanged),
        ("trimmed", None) => Ok(StopEvent::HistoryTrimmed),
        ("untrusted", None) => Ok(StopEvent::UntrustedSent),
        ("granted", None) => Ok(StopEvent::GrantUsed),
        ("retried", None) => Ok(StopEvent::AttemptRetried),
        ("spent", Some(sum)) => match parse_usd(sum) {
            Some(nano_usd) => Ok(StopEvent::SpendingPassed { nano_usd }),
            None => Err(format!("`{sum}` is no sum in US dollars, such as `0.50`")),
        },
        _ => Err(format!(
            "`{text}` is no event; there are `changed`, `changed=CONTEXT`, `memory`, `trimmed`, `untrusted`, `granted`, `retried` and `spent=USD`"
        )),
    }
}

/// A sum in US dollars, in billionths of them.
fn parse_usd(text: &str) -> Option<u64> {
    let (dollars, rest) = text.split_once('.').unwrap_or((text, "0"));
    if dollars.is_empty() || rest.is_empty() || rest.len() > NANO_DIGITS {
        return None;
    }
    let number = |digits: &str| {
        digits.bytes().try_fold(0_u64, |number, digit| {
            let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })
    };
    number(dollars)?.checked_mul(NANO_USD)?.checked_add(number(&format!("{rest:0<NANO_DIGITS$}"))?)
}

/// The node and the port of `NODE[.PORT]`. The longest name of a node that there is comes first; names may have dots.
fn split_port(text: &str, is_node: impl Fn(&str) -> bool) -> (String, Option<String>) {
    if is_node(text) {
        return (text.to_owned(), None);
    }
    let mut dots = text.rmatch_indices('.').map(|(at, _)| at);
    let known = dots.clone().find(|at| is_node(&text[..*at]));
    match known.or_else(|| dots.next_back()) {
        None => (text.to_owned(), None),
        Some(at) => (text[..at].to_owned(), Some(text[at + 1..].to_owned())),
    }
}

fn non_empty_port(node: &str, port: &str) -> Result<PortName, String> {
    if port.is_empty() {
        return Err(format!("expected the name of a port after `{node}.`"));
    }
    Ok(port.into())
}

fn is_side(word: &str) -> bool {
    matches!(word, "before" | "call" | "after")
}

fn split_option<'t>(text: &'t str, option: &str) -> (&'t str, Option<&'t str>) {
    text.split_once(option).map_or((text, None), |(before, value)| (before, Some(value)))
}

#[cfg(test)]
mod tests;
