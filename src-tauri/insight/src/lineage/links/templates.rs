//! Templates, rendered again from the recorded inputs.

use plait_core::expression::template::{PieceSource, Template};
use plait_core::expression::{HITL_HISTORY, as_text};
use plait_core::id::Activation;
use serde_json::{Map, Value};

use super::super::json_text::{pairs, part};
use super::super::ranges::{mapped, overlap};
use super::super::{Lineage, LineagePlace, LineageSource, RecordedRun};
use super::{At, Link, Origin, copies, swap};

/// A variable of a template: the place that has its value, and the path to it there.
struct Variable {
    name: String,
    place: LineagePlace,
    path: Vec<String>,
    whole: std::sync::Arc<Value>,
}

impl Lineage<'_> {
    /// What a template in the setting of a node made of the node's inputs: the text, and its links. `None` if the flow is not known, if
    /// the template reads more than inputs, or if it fails.
    pub(super) fn render_again(&self, at: At<'_>, setting: &str) -> Option<(String, Vec<Link>)> {
        let source = template_of(at.run, at.activation, setting)?;
        let template = Template::new(source);
        if template.variables().iter().any(|variable| variable.name == HITL_HISTORY) {
            return None;
        }
        let variables: Vec<Variable> =
            template.variables().iter().filter_map(|variable| self.variable(at, &variable.name)).collect();
        let values: Map<String, Value> = variables
            .iter()
            .filter_map(|variable| {
                Some((variable.name.clone(), part(&variable.whole, &variable.path)?.clone()))
            })
            .collect();
        let rendered = template.render_pieces(values).ok()?;
        let mut links = Vec::new();
        for piece in rendered.pieces {
            match piece.source {
                PieceSource::Literal => {
                    let origin = Origin::Source(at.run.setting(at.activation, format!("/{setting}")));
                    links.push(Link { range: piece.range, origin });
                }
                PieceSource::Computed { paths } => {
                    let read = |variable: &&Variable| {
                        paths.is_empty() || paths.iter().any(|path| path.first() == Some(&variable.name))
                    };
                    let places: Vec<LineagePlace> =
                        variables.iter().filter(read).map(|variable| variable.place.clone()).collect();
                    let otherwise = places.is_empty().then_some(LineageSource::Unknown);
                    links.push(Link { range: piece.range, origin: Origin::Computed { places, otherwise } });
                }
                PieceSource::Copy { path, start } => {
                    let (name, rest) = path.split_first()?;
                    let variable = variables.iter().find(|variable| variable.name == *name)?;
                    let path: Vec<String> = variable.path.iter().chain(rest).cloned().collect();
                    let (from, by) = (start..start + piece.range.len(), piece.range.start);
                    let pairs = pairs(&variable.whole, &path).into_iter().filter_map(|(whole, own)| {
                        let both = overlap(&own, &from)?;
                        let whole = mapped(&own, &whole, &both);
                        Some((by + both.start - start..by + both.end - start, whole))
                    });
                    links.extend(copies(pairs.collect(), &variable.place));
                }
            }
        }
        Some((rendered.text, links))
    }

    /// The value of a variable: the input of that name. A `message` that no edge brings to a chat is the last output on the context edge.
    fn variable(&self, at: At<'_>, name: &str) -> Option<Variable> {
        let place = at.input(name, 0);
        if let Some(whole) = self.value(&place) {
            return Some(Variable { name: name.to_owned(), place, path: Vec::new(), whole });
        }
        let place = at.input("context", 0);
        let whole = self.value(&place).filter(|_| name == "message")?;
        let path = vec![CURRENT_OUTPUT.to_owned()];
        part(&whole, &path)?;
        Some(Variable { name: name.to_owned(), place, path, whole })
    }
}

/// The member of a context's handle that has the last output.
pub(super) const CURRENT_OUTPUT: &str = "currentOutput";

fn template_of(run: &RecordedRun, at: &Activation, setting: &str) -> Option<String> {
    let config = run.config(at)?;
    // Jinja computes what it writes: no piece of the text is a copy that is known.
    let is_jinja = config.get("syntax").is_some_and(|syntax| syntax == "jinja");
    (!is_jinja).then(|| config.get(setting)?.as_str().map(str::to_owned)).flatten()
}

impl Lineage<'_> {
    /// Links of a text that has the value of an input, or of the last output on the context edge, as a part.
    pub(super) fn input_within(&self, at: At<'_>, port: &str, text: &str) -> Option<Vec<Link>> {
        let place = at.input(port, 0);
        let value = self.value(&place)?;
        let path: Vec<String> = match port {
            "context" => vec![CURRENT_OUTPUT.to_owned()],
            _ => Vec::new(),
        };
        let own = as_text(part(&value, &path)?);
        let start = position(text, &own)?;
        let pairs = swap(pairs(&value, &path));
        let moved = pairs.into_iter().map(|(own, whole)| (own.start + start..own.end + start, whole));
        Some(copies(moved.collect(), &place))
    }
}

/// Where a text stands in a message that was made of it: alone, at the end after a label, or before what was attached to it. Elsewhere the
/// same text may stand there for other reasons.
pub(super) fn position(message: &str, text: &str) -> Option<usize> {
    if text.trim().is_empty() {
        return None;
    }
    if message == text || message.strip_prefix(text).is_some_and(|rest| rest.starts_with('\n')) {
        return Some(0);
    }
    message.strip_suffix(text).filter(|before| before.ends_with('\n')).map(str::len)
}
