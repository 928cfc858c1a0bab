//! Values as an editor shows them: scopes, members and items, each with a number until the run goes on.

use std::sync::Arc;

use plait_api::ErrorReply;
use plait_core::exact_json;
use plait_insight::lens::CallFilter;
use plait_insight::lineage::RecordedRun;
use plait_insight::watches::watched_variables;
use plait_journal::Entry;
use plait_llm::context::ContextHandle;
use serde_json::{Map, Value, json};

use crate::codes;
use crate::protocol::bodies::{Variable, VariableHint};
use crate::stack::{Frame, unknown};

/// How much of a list or an object is shown in one line, in characters.
const MAX_PREVIEW: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Inputs,
    Outputs,
    Context,
    Prompt,
}

impl ScopeKind {
    pub(crate) const ALL: [Self; 4] = [Self::Inputs, Self::Outputs, Self::Context, Self::Prompt];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Inputs => "Inputs",
            Self::Outputs => "Outputs",
            Self::Context => "Context",
            Self::Prompt => "Prompt",
        }
    }

    /// What an expression calls it.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Inputs => Some("inputs"),
            Self::Outputs => Some("outputs"),
            Self::Context | Self::Prompt => None,
        }
    }
}

/// Something with members: a scope, or a part of a value.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    /// Where it is, unless it is what an expression gave.
    pub(crate) scope: Option<(ScopeKind, Frame)>,
    /// The whole value; of a scope it is computed when it is asked for.
    pub(crate) root: Option<Arc<Value>>,
    /// The members and items that lead to it.
    pub(crate) path: Vec<String>,
    /// The expression that gives it.
    expression: Option<String>,
}

impl Container {
    /// The value at the end of the path.
    pub(crate) fn value(&self) -> Option<&Value> {
        self.path.iter().try_fold(self.root.as_deref()?, |value, step| member(value, step))
    }
}

fn member<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    match value {
        Value::Object(members) => members.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The numbers of containers.
#[derive(Default)]
pub(crate) struct Containers(Vec<Container>);

impl Containers {
    pub(crate) fn add_scope(&mut self, kind: ScopeKind, frame: Frame) -> i64 {
        let expression = kind.name().map(str::to_owned);
        self.add(Container { scope: Some((kind, frame)), root: None, path: Vec::new(), expression })
    }

    fn add(&mut self, container: Container) -> i64 {
        self.0.push(container);
        i64::try_from(self.0.len()).unwrap_or(i64::MAX)
    }

    /// `dap.unknown_id`.
    pub(crate) fn get(&mut self, number: i64) -> Result<&mut Container, ErrorReply> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.0.get_mut(at)).ok_or_else(|| unknown("variable", number))
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Has the values of scopes computed again when they are asked for; the numbers stay.
    pub(crate) fn forget_values(&mut self) {
        for container in self.0.iter_mut().filter(|container| container.scope.is_some()) {
            container.root = None;
        }
    }

    /// The members of a container: of a list, so many items from `start` on.
    pub(crate) fn members(
        &mut self,
        container: &Container,
        filter: Option<&str>,
        start: usize,
        count: Option<usize>,
    ) -> Vec<Variable> {
        let names: Vec<String> = match container.value() {
            Some(Value::Object(members)) if filter != Some("indexed") => members.keys().cloned().collect(),
            Some(Value::Array(items)) if filter != Some("named") => {
                let end =
                    count.filter(|count| *count > 0).map_or(items.len(), |count| start.saturating_add(count));
                (start.min(items.len())..end.min(items.len())).map(|at| at.to_string()).collect()
            }
            _ => Vec::new(),
        };
        names.into_iter().filter_map(|name| self.variable(container, &name)).collect()
    }

    /// One member of a container.
    pub(crate) fn variable(&mut self, container: &Container, name: &str) -> Option<Variable> {
        let value = member(container.value()?, name)?.clone();
        let is_item = matches!(container.value()?, Value::Array(_));
        let expression = container.expression.as_ref().map(|around| {
            if is_item {
                format!("{around}[{name}]")
            } else if is_identifier(name) {
                format!("{around}.{name}")
            } else {
                format!("{around}[{}]", Value::from(name))
            }
        });
        let inside = Container {
            path: container.path.iter().map(String::as_str).chain([name]).map(str::to_owned).collect(),
            expression: expression.clone(),
            ..container.clone()
        };
        let is_changeable = container.scope.as_ref().is_some_and(|(kind, _)| *kind != ScopeKind::Prompt);
        let hint = (!is_changeable).then_some(VariableHint { attributes: &["readOnly"] });
        Some(self.show(name.to_owned(), &value, inside, expression, hint))
    }

    /// What an expression gave.
    pub(crate) fn result(&mut self, value: Value) -> Variable {
        let root = Arc::new(value);
        let inside =
            Container { scope: None, root: Some(Arc::clone(&root)), path: Vec::new(), expression: None };
        self.show(String::new(), &root, inside, None, None)
    }

    fn show(
        &mut self,
        name: String,
        value: &Value,
        inside: Container,
        evaluate_name: Option<String>,
        presentation_hint: Option<VariableHint>,
    ) -> Variable {
        let (kind, indexed, named) = match value {
            Value::Null => ("null", None, None),
            Value::Bool(_) => ("boolean", None, None),
            Value::Number(_) => ("number", None, None),
            Value::String(_) => ("string", None, None),
            Value::Array(items) => ("list", Some(items.len()), None),
            Value::Object(members) => ("object", None, Some(members.len())),
        };
        let has_members = indexed.or(named).is_some_and(|count| count > 0);
        let variables_reference = if has_members { self.add(inside) } else { 0 };
        Variable {
            name,
            value: preview(value),
            kind,
            variables_reference,
            indexed_variables: indexed,
            named_variables: named,
            evaluate_name,
            presentation_hint,
        }
    }
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// A value in one line: a text in full, since a person may edit it; a list or an object as far as it fits.
fn preview(value: &Value) -> String {
    let text = value.to_string();
    if matches!(value, Value::String(_)) || text.len() <= MAX_PREVIEW {
        return text;
    }
    format!("{}…", text.chars().take(MAX_PREVIEW).collect::<String>())
}

/// What a person typed in place of a value: JSON, or a plain text where a text stands. `dap.arguments`.
pub(crate) fn parse_typed(text: &str, was: Option<&Value>) -> Result<Value, ErrorReply> {
    exact_json::parse(text.trim()).or_else(|error| match was {
        Some(Value::String(_)) => Ok(text.into()),
        _ => Err(ErrorReply::new(codes::DAP_ARGUMENTS, format!("`{text}` is not valid JSON ({error})."))
            .hint("Texts stand in quotes.")),
    })
}

/// A value with another one at the end of a path. None if the path leads nowhere.
pub(crate) fn with_member(mut value: Value, path: &[String], new: Value) -> Option<Value> {
    let mut place = &mut value;
    for step in path {
        place = match place {
            Value::Object(members) => members.get_mut(step)?,
            Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    *place = new;
    Some(value)
}

/// The content of a scope of a frame. `entries` are the events of its run at the moment, `run` what they amount to.
pub(crate) fn scope_value(kind: ScopeKind, frame: &Frame, entries: &[Entry], run: &RecordedRun) -> Value {
    let variables = || watched_variables(entries, run, Some(&frame.place.at));
    let object = |value: &Value| if value.is_object() { value.clone() } else { Value::Object(Map::new()) };
    match kind {
        ScopeKind::Inputs => object(&variables()["inputs"]),
        ScopeKind::Outputs => {
            let variables = variables();
            let mut outputs = object(&variables["outputs"]);
            if !variables["error"].is_null() {
                outputs["error"] = variables["error"].clone();
            }
            outputs
        }
        ScopeKind::Context => contexts(&variables(), frame, run),
        ScopeKind::Prompt => prompts(frame, run),
    }
}

/// The contexts that come in or go out, or that the activation worked in, by their names.
fn contexts(variables: &Value, frame: &Frame, run: &RecordedRun) -> Value {
    let at = &frame.place.at;
    let ports = ["inputs", "outputs"].into_iter().filter_map(|name| variables[name].as_object());
    let mut ids: Vec<_> = ports
        .flat_map(Map::values)
        .filter(|value| value.is_object())
        .filter_map(ContextHandle::id_in_value)
        .collect();
    let epoch = run.view().nodes.get(&at.node).and_then(|node| node.at(&at.epoch));
    ids.extend(epoch.into_iter().flat_map(|epoch| epoch.contexts.iter().cloned()));
    let shown = ids.into_iter().filter_map(|id| {
        let record = &run.view().contexts.get(&id)?.record;
        let messages: Vec<Value> = record
            .message_history
            .iter()
            .map(|message| json!({ "role": message.role, "text": message.content.labeled_text() }))
            .collect();
        let mut shown =
            json!({ "model": format!("{}/{}", record.provider, record.model), "messages": messages });
        if let Some(instructions) = &record.system_instructions {
            shown["instructions"] = instructions.as_str().into();
        }
        Some((id.to_string(), shown))
    });
    Value::Object(shown.collect())
}

/// The model calls of an activation, as they were sent.
fn prompts(frame: &Frame, run: &RecordedRun) -> Value {
    let at = &frame.place.at;
    let wanted = CallFilter { node: Some(at.node.clone()), epoch: Some(at.epoch.clone()), index: None };
    let calls = run.lens().calls(&wanted).into_iter().map(|call| {
        let messages: Vec<Value> = call
            .messages
            .iter()
            .map(|message| json!({ "role": message.role, "text": message.text }))
            .collect();
        let mut shown = json!({
            "model": format!("{}/{}", call.provider, call.model),
            "messages": messages,
            "tokens": call.tokens,
        });
        if !call.tools.is_empty() {
            shown["tools"] = json!(call.tools);
        }
        if let Some(reply) = &call.reply {
            shown["reply"] = serde_json::to_value(reply).unwrap_or_default();
        }
        (format!("call {}", call.call + 1), shown)
    });
    Value::Object(calls.collect())
}

#[cfg(test)]
mod tests;
