//! What an editor shows of a moment: threads, frames, values; and expressions and changes there.

use std::sync::Arc;

use plait_api::ErrorReply;
use plait_api::lens::{EvaluateWatches, WatchedValue};
use plait_api::runs::{ChangeValue, EditHistory, ForceWay, HeldHistory};
use plait_core::id::PortName;
use plait_journal::{DebugVerb, Side};
use plait_llm::context::MessageEdit;
use serde_json::{Value, json};

use super::{Reply, Session};
use crate::codes;
use crate::console::{self, ConsoleCommand};
use crate::moments::Journals as _;
use crate::protocol::Asked;
use crate::protocol::bodies::{Scope, StackFrame, Thread};
use crate::protocol::requests::{
    EvaluateArguments, FrameArguments, SetVariableArguments, SourceArguments, StackTraceArguments,
    ThreadArguments, VariablesArguments,
};
use crate::stack::{Frame, IDLE_THREAD, events_at, frames, threads, unknown};
use crate::variables::{Container, ScopeKind, parse_typed, scope_value, with_member};

impl Session {
    pub(super) async fn threads(&mut self) -> Result<Value, ErrorReply> {
        let debuggee = self.running()?;
        let places = match &mut debuggee.tree {
            Some(tree) => threads(tree, debuggee.past.as_ref()).await?,
            None => Vec::new(),
        };
        let tree = debuggee.tree.as_ref();
        let names: Vec<(String, _)> = places
            .into_iter()
            .map(|place| {
                let path = tree.map(|tree| tree.path(&place.run)).unwrap_or_default();
                let nodes: Vec<String> =
                    path.iter().map(ToString::to_string).chain([place.at.to_string()]).collect();
                (nodes.join(" › "), place)
            })
            .collect();
        let mut shown: Vec<Thread> =
            names.into_iter().map(|(name, place)| Thread { id: self.numbers.thread(&place), name }).collect();
        if shown.is_empty() {
            shown.push(Thread { id: IDLE_THREAD, name: "no node works".to_owned() });
        }
        Ok(json!({ "threads": shown }))
    }

    pub(super) async fn stack_trace(&mut self, arguments: &StackTraceArguments) -> Result<Value, ErrorReply> {
        let is_idle = arguments.thread_id == IDLE_THREAD;
        let place = if is_idle { None } else { Some(self.numbers.place(arguments.thread_id)?.clone()) };
        let debuggee = self.running()?;
        if debuggee.past.is_none() && debuggee.stops.is_empty() {
            return Err(ErrorReply::new(codes::DAP_NOT_STOPPED, "The run does not stand still.")
                .hint("Pause it first."));
        }
        let here = place.as_ref().filter(|_| debuggee.past.is_none());
        let stop = here.and_then(|place| debuggee.view_of(debuggee.stop_at(place)?));
        let point = stop.and_then(|stop| stop.at.as_ref());
        let call = point.and_then(|point| point.call.clone());
        let held_end =
            point.filter(|point| point.side == Side::After).map(plait_journal::StopPoint::activation);
        let found = match (&mut debuggee.tree, place) {
            (Some(tree), Some(place)) => {
                frames(tree, &place, call.as_deref(), debuggee.past.as_ref()).await?
            }
            _ => Vec::new(),
        };
        let total = found.len();
        let start = usize::try_from(arguments.start_frame.unwrap_or(0)).unwrap_or(0);
        let levels =
            arguments.levels.and_then(|levels| usize::try_from(levels).ok()).filter(|levels| *levels > 0);
        let mut shown = Vec::new();
        for frame in found.into_iter().skip(start).take(levels.unwrap_or(usize::MAX)) {
            let place = self.debuggee.as_ref().and_then(|debuggee| {
                let path = debuggee.tree.as_ref()?.path(&frame.place.run);
                debuggee.sources.line_of(&path, &frame.place.at.node)
            });
            let (source, line) = place.unzip();
            let column = if source.is_some() { self.first_column() } else { 0 };
            let line = line.map_or(0, |line| self.shown_line(line));
            let can_restart = frame.is_node && held_end.as_ref() == Some(&frame.place.at);
            let presentation_hint = frame.is_around.then_some("subtle");
            let name = frame.name.clone();
            let id = self.numbers.add_frame(frame);
            shown.push(StackFrame { id, name, source, line, column, can_restart, presentation_hint });
        }
        Ok(json!({ "stackFrames": shown, "totalFrames": total }))
    }

    pub(super) fn scopes(&mut self, arguments: &FrameArguments) -> Result<Value, ErrorReply> {
        let frame = self.numbers.frame(arguments.frame_id)?.clone();
        let scopes = ScopeKind::ALL.map(|kind| Scope {
            name: kind.title(),
            variables_reference: self.containers.add_scope(kind, frame.clone()),
            expensive: kind == ScopeKind::Prompt,
        });
        Ok(json!({ "scopes": scopes }))
    }

    pub(super) async fn variables(&mut self, arguments: &VariablesArguments) -> Result<Value, ErrorReply> {
        let container = self.container(arguments.variables_reference).await?;
        let number = |given: Option<i64>| given.and_then(|given| usize::try_from(given).ok());
        let (start, count) = (number(arguments.start).unwrap_or(0), number(arguments.count));
        let variables = self.containers.members(&container, arguments.filter.as_deref(), start, count);
        Ok(json!({ "variables": variables }))
    }

    /// A container with its value, which of a scope is computed now.
    async fn container(&mut self, number: i64) -> Result<Container, ErrorReply> {
        let container = self.containers.get(number)?.clone();
        if container.root.is_some() {
            return Ok(container);
        }
        let Some((kind, frame)) = container.scope else { return Err(unknown("variable", number)) };
        let debuggee = self.running()?;
        let past = debuggee.past.clone();
        let Some(tree) = &mut debuggee.tree else { return Err(unknown("variable", number)) };
        let run = frame.place.run.clone();
        let events = events_at(tree, &run, past.as_ref()).unwrap_or_default();
        let fold = tree.fold(&run, events).await?;
        let entries = tree.entries(&run);
        let value = scope_value(kind, &frame, &entries[..events.min(entries.len())], &fold);
        let found = self.containers.get(number)?;
        found.root = Some(Arc::new(value));
        Ok(found.clone())
    }

    /// `setVariable`: edits what the stop holds.
    pub(super) async fn set_variable(
        &mut self,
        arguments: SetVariableArguments,
    ) -> Result<Value, ErrorReply> {
        let SetVariableArguments { variables_reference, name, value: typed } = arguments;
        let container = self.container(variables_reference).await?;
        let Some((kind, frame)) = container.scope.clone() else {
            return Err(not_changeable("What an expression gave"));
        };
        let stop = self.live_stop(Some(&frame.place))?;
        let debuggee = self.running()?;
        let point = debuggee.view_of(&stop).and_then(|view| view.at.clone());
        let Some(point) =
            point.filter(|point| point.activation() == frame.place.at && stop.run == frame.place.run)
        else {
            return Err(not_changeable(&format!(
                "`{}` is not what the run stands still at, and its value",
                frame.place.at
            )));
        };
        let path: Vec<String> = container.path.iter().cloned().chain([name.clone()]).collect();
        let root = container.root.as_deref().cloned().unwrap_or_default();
        let was = path.iter().try_fold(&root, |value, step| {
            value.get(step).or_else(|| value.get(step.parse::<usize>().ok()?))
        });
        let was = was
            .cloned()
            .ok_or_else(|| ErrorReply::new(codes::DAP_UNKNOWN_ID, format!("There is no `{name}` here.")))?;
        let value = parse_typed(&typed, Some(&was))?;
        match (kind, point.side) {
            (ScopeKind::Inputs, Side::Before) | (ScopeKind::Outputs, Side::After) => {
                let (port, inside) = (&path[0], &path[1..]);
                let whole = root.get(port).cloned().unwrap_or_default();
                let changed =
                    with_member(whole, inside, value.clone()).ok_or_else(|| not_changeable("This part"))?;
                let port = PortName::from(port.as_str());
                debuggee
                    .app
                    .call(ChangeValue { run: stop.run, stop: stop.number, port, value: changed })
                    .await?;
            }
            (ScopeKind::Context, Side::Before) => {
                self.edit_message(&stop.run, stop.number, &path, &value).await?;
            }
            _ => {
                let name = kind.title();
                return Err(not_changeable(&format!(
                    "{name} {}",
                    match point.side {
                        Side::Before => "before the node starts",
                        Side::Call => "before a call",
                        Side::After => "after the node has ended",
                    }
                )));
            }
        }
        let changed = with_member(root, &path, value);
        // What is shown further inside changed as well.
        self.containers.forget_values();
        let container = self.containers.get(variables_reference)?;
        container.root = changed.map(Arc::new);
        let container = container.clone();
        let variable = self.containers.variable(&container, &name);
        Ok(serde_json::to_value(variable).unwrap_or_default())
    }

    /// Has a message of the history say something else: the value at `CONTEXT/messages/N/text`.
    async fn edit_message(
        &mut self,
        run: &plait_core::id::RunId,
        stop: u64,
        path: &[String],
        value: &Value,
    ) -> Result<(), ErrorReply> {
        let [context, messages, number, text] = path else {
            return Err(not_changeable("This part of a context"));
        };
        let debuggee = self.running()?;
        let held = debuggee.app.call(HeldHistory { run: run.clone(), stop: Some(stop) }).await?;
        let held = held
            .filter(|held| held.context_id.as_str() == context && messages == "messages" && text == "text");
        let message = held.as_ref().and_then(|held| held.message_history.get(number.parse().ok()?));
        let (Some(message), Value::String(text)) = (message, value) else {
            return Err(not_changeable("Only the text of a message, and this"));
        };
        let edits = vec![MessageEdit { message: message.id.clone(), text: Some(text.clone()) }];
        debuggee.app.call(EditHistory { run: run.clone(), stop, edits }).await
    }

    /// `evaluate`: an expression in CEL, or a word of the console.
    pub(super) async fn evaluate(
        &mut self,
        asked: &Asked,
        arguments: EvaluateArguments,
    ) -> Result<Reply, ErrorReply> {
        let text = |result: &str| Ok(Reply::Now(json!({ "result": result, "variablesReference": 0 })));
        if arguments.context.as_deref() == Some("repl")
            && let Some(command) = ConsoleCommand::parse(&arguments.expression)
        {
            let frame = arguments.frame_id.map(|frame| self.numbers.frame(frame).cloned()).transpose()?;
            let place = frame.as_ref().map(|frame| &frame.place);
            return match command {
                ConsoleCommand::Help => text(console::HELP),
                ConsoleCommand::Answer(answer) => {
                    let node = self.answer_text(answer).await?;
                    text(&format!("Answered {node}."))
                }
                ConsoleCommand::End => {
                    self.end_question().await?;
                    text("Ended without an answer.")
                }
                ConsoleCommand::Skip => {
                    let stop = self.live_stop(place)?;
                    self.go(stop, DebugVerb::Skip).await?;
                    self.outbox.respond(asked, Ok(json!({ "result": "Skipped.", "variablesReference": 0 })));
                    self.outbox
                        .event("continued", &json!({ "threadId": IDLE_THREAD, "allThreadsContinued": true }));
                    Ok(Reply::Sent)
                }
                ConsoleCommand::Force(port) => {
                    let stop = self.live_stop(place)?;
                    let port = PortName::from(port);
                    let taken = format!("Takes {port}.");
                    self.running()?.app.call(ForceWay { run: stop.run, stop: stop.number, port }).await?;
                    text(&taken)
                }
            };
        }
        let frame = arguments.frame_id.map(|frame| self.numbers.frame(frame).cloned()).transpose()?;
        let value = self.value_of(arguments.expression, frame).await?;
        let variable = self.containers.result(value);
        Ok(Reply::Now(json!({
            "result": variable.value,
            "type": variable.kind,
            "variablesReference": variable.variables_reference,
            "indexedVariables": variable.indexed_variables,
            "namedVariables": variable.named_variables,
        })))
    }

    async fn value_of(&mut self, expression: String, frame: Option<Frame>) -> Result<Value, ErrorReply> {
        let debuggee = self.running()?;
        let Some(tree) = &debuggee.tree else { return Err(unknown("frame", 0)) };
        let at = frame.map(|frame| frame.place);
        // Without a frame, what is looked at.
        let here = debuggee.past.as_ref();
        let run = match (&at, here, debuggee.newest_stop()) {
            (Some(place), ..) => place.run.clone(),
            (None, Some(past), _) => past.run.clone(),
            (None, None, Some(stop)) => stop.run.clone(),
            (None, None, None) => tree.root.clone(),
        };
        let focus = at.map(|place| place.at).or_else(|| here.and_then(|past| past.activation(tree)));
        let events = here.and_then(|past| events_at(tree, &run, Some(past))).map(|events| events as u64);
        let watches = EvaluateWatches { run, expressions: vec![expression], focus, events };
        match debuggee.app.call(watches).await?.pop() {
            Some(WatchedValue::Value(value)) => Ok(value),
            Some(WatchedValue::Error(fault)) => Err(fault.into()),
            None => Ok(Value::Null),
        }
    }

    /// `exceptionInfo`: why the node failed at which the run stands still.
    pub(super) fn exception_info(&mut self, arguments: &ThreadArguments) -> Result<Value, ErrorReply> {
        let place = match arguments.thread_id {
            IDLE_THREAD => None,
            thread => Some(self.numbers.place(thread)?.clone()),
        };
        let debuggee = self.running()?;
        let stop = place.map_or_else(|| debuggee.newest_stop(), |place| debuggee.stop_at(&place));
        let view = stop.and_then(|stop| debuggee.view_of(stop)).filter(|_| debuggee.past.is_none());
        let error = view.and_then(|view| match &view.cause {
            plait_journal::StopCause::Condition { error, .. } => Some(&**error),
            _ => view.error.as_ref(),
        });
        let Some(error) = error else {
            return Err(ErrorReply::new(
                codes::DAP_NOT_STOPPED,
                format!("Thread {} does not stand at a failure.", arguments.thread_id),
            ));
        };
        let details = json!({ "message": error.message, "typeName": error.code, "stackTrace": error.hint });
        Ok(
            json!({ "exceptionId": error.code, "description": error.message, "breakMode": "always", "details": details }),
        )
    }

    /// `source`: the text of a flow that no file has.
    pub(super) fn source(&mut self, arguments: &SourceArguments) -> Result<Value, ErrorReply> {
        let given = arguments.source.as_ref().and_then(|source| source.reference);
        let reference = given.unwrap_or(arguments.source_reference);
        let text = self.debuggee()?.sources.text(reference).map(str::to_owned);
        let text = text.ok_or_else(|| unknown("source", reference))?;
        Ok(json!({ "content": text, "mimeType": "application/json" }))
    }
}

fn not_changeable(what: &str) -> ErrorReply {
    ErrorReply::new(codes::DAP_NOT_CHANGEABLE, format!("{what} can't be changed here."))
        .hint("Stop before the node to change an input or a message, or after it to change an output.")
}
