//! What happens in the run, as the editor hears of it.

use plait_api::ErrorReply;
use plait_api::runs::{DropBreakpoint, ResumeRun, ShowRun};
use plait_core::id::RunId;
use plait_journal::view::{RunStatus, StopView};
use plait_journal::{DebugEvent, DebugVerb, Entry, Event, NodeEvent, Side, StopCause, StopPoint, StopScope};
use serde_json::{Value, json};

use super::Session;
use super::stops::Stop;
use crate::breakpoints::{ENTRY, Kind};
use crate::codes;
use crate::protocol::bodies::{OutputEvent, StoppedEvent};
use crate::stack::{IDLE_THREAD, Place, threads};
use crate::tree::News;

impl Session {
    pub(super) async fn take_news(&mut self, news: News) {
        match news {
            News::Entry(run, entry) => self.take_entry(run, *entry).await,
            News::Lost(run, error) => self.take_loss(run, error).await,
            News::Idle(at) => {
                if let Some(debuggee) = &mut self.debuggee {
                    debuggee.idle_at = at;
                    debuggee.tree.iter_mut().for_each(crate::tree::Tree::note_idle);
                }
                self.look_at_questions().await;
            }
        }
    }

    async fn take_entry(&mut self, run: RunId, entry: Entry) {
        let Some(debuggee) = &mut self.debuggee else { return };
        let Some(tree) = &mut debuggee.tree else { return };
        if !tree.apply(&run, &entry) {
            return;
        }
        let is_root = run == tree.root;
        if is_root {
            tree.await_idle();
        }
        match &entry.event {
            Event::Debug(DebugEvent::Stopped { cause, .. })
                if !matches!(cause, StopCause::Elsewhere { .. }) =>
            {
                let stops = tree.log(&run).map(|log| &log.outline.stops[..]).unwrap_or_default();
                if let Some(stop) = stops.last().map(|view| Stop::new(run, view)) {
                    self.take_stop(stop, cause).await;
                }
            }
            Event::Debug(DebugEvent::Continued { .. }) => {
                // Those that somebody else continued.
                let left = debuggee.take_left();
                self.show_continued(&left);
            }
            Event::Debug(DebugEvent::Logged { point, text, .. }) => self.print_at(&run, point, text),
            Event::Debug(DebugEvent::Overridden { .. } | DebugEvent::Rerouted { .. })
            | Event::Context(..)
                if !debuggee.stops.is_empty() && debuggee.past.is_none() =>
            {
                self.containers.forget_values();
                if self.editor.as_ref().is_some_and(|editor| editor.supports_invalidated_event) {
                    self.outbox.event("invalidated", &json!({ "areas": ["variables"] }));
                }
            }
            Event::Node(at, NodeEvent::Noticed { notice }) => {
                self.print("console", format!("{at}: {} [{}]", notice.message, notice.code));
            }
            Event::Node(at, NodeEvent::Failed { error, handled, .. }) => {
                let category = if *handled { "console" } else { "stderr" };
                self.print(category, format!("{at} failed: {} [{}]", error.message, error.code));
            }
            _ => {}
        }
        if is_root && entry.event.run_end().is_some() {
            self.end();
        } else if is_root {
            self.look_at_questions().await;
        }
    }

    /// A run stands still: says so, unless the breakpoint is still to be reached more often.
    async fn take_stop(&mut self, stop: Stop, cause: &StopCause) {
        let Some(debuggee) = &mut self.debuggee else { return };
        debuggee.take_left();
        debuggee.stops.push(stop.clone());
        let is_only_one = debuggee.stops.len() == 1;
        if is_only_one {
            self.forget_numbers();
        }
        if let StopCause::Breakpoint { id } = cause {
            if id == ENTRY {
                self.drop_entry().await;
            } else {
                self.breakpoints.count(id);
                let Some(debuggee) = &self.debuggee else { return };
                // A step that ends here has gone as far as it can: the engine keeps it no longer.
                if !self.breakpoints.stops(id) && debuggee.verb == DebugVerb::Continue {
                    match self.go(stop.clone(), DebugVerb::Continue).await {
                        Ok(()) => return,
                        Err(error) => self.print_error(&error),
                    }
                }
            }
        }
        if let Some(debuggee) = &mut self.debuggee
            && debuggee.past.take().is_some()
        {
            self.print(
                "console",
                "The run stands still at another place: the session is in the present again.",
            );
            return self.show_where_it_stands().await;
        }
        self.show_stop(&stop).await;
    }

    /// Somebody else let go on what stood still.
    fn show_continued(&mut self, left: &[Stop]) {
        let Some(debuggee) = self.debuggee.as_mut().filter(|_| !left.is_empty()) else { return };
        let is_none_left = debuggee.stops.is_empty();
        if is_none_left && debuggee.past.take().is_some() {
            self.print("console", "The run goes on: the session is in the present again.");
        }
        self.forget_left();
        let of_past = self.debuggee.as_ref().is_some_and(|debuggee| debuggee.past.is_some());
        for stop in left.iter().filter(|_| !of_past) {
            let thread = stop.place().map_or(IDLE_THREAD, |place| self.numbers.thread(&place));
            let all = is_none_left || stop.is_whole;
            self.outbox.event("continued", &json!({ "threadId": thread, "allThreadsContinued": all }));
        }
    }

    /// The first node is reached: no other one is to stop for that.
    async fn drop_entry(&mut self) {
        let Ok(debuggee) = self.running() else { return };
        let Some(root) = debuggee.tree.as_ref().map(|tree| tree.root.clone()) else { return };
        let dropped = debuggee.app.call(DropBreakpoint { run: root, id: ENTRY.to_owned() }).await;
        if let Err(error) = dropped {
            self.print_error(&error);
        }
    }

    /// Says where the run stands still, if it does, or that it has ended.
    pub(super) async fn show_where_it_stands(&mut self) {
        let Some(debuggee) = &self.debuggee else { return };
        if debuggee.has_ended {
            return self.show_end().await;
        }
        for stop in debuggee.stops.clone() {
            self.show_stop(&stop).await;
        }
    }

    async fn show_stop(&mut self, stop: &Stop) {
        let view = self.debuggee.as_ref().and_then(|debuggee| debuggee.view_of(stop)).cloned();
        let Some(view) = view else { return };
        let thread_id = self.thread_to_show(stop.place()).await;
        let (reason, hit_breakpoint_ids) = self.reason(&view);
        let error = match &view.cause {
            StopCause::Condition { error, .. } => Some(&**error),
            _ => view.error.as_ref(),
        };
        let text = error.map(|error| format!("{} [{}]", error.message, error.code));
        self.outbox.event(
            "stopped",
            &StoppedEvent {
                reason,
                description: describe(&view),
                text,
                thread_id,
                all_threads_stopped: view.scope == StopScope::Tree,
                hit_breakpoint_ids,
            },
        );
    }

    /// A run that has ended is looked at from its last node on.
    async fn show_end(&mut self) {
        let Some(debuggee) = &mut self.debuggee else { return };
        let last = debuggee.present().and_then(|present| present.back(debuggee.tree.as_ref()?));
        if last.is_none() {
            self.outbox.event("terminated", &Value::Null);
            return;
        }
        debuggee.past = last;
        self.print(
            "console",
            "The run has ended: this is its past. Step back and forth; nothing can be changed.",
        );
        self.show_past("pause").await;
    }

    /// Says which moment of the past is looked at.
    pub(super) async fn show_past(&mut self, reason: &'static str) {
        let Some(debuggee) = &self.debuggee else { return };
        let (Some(past), Some(tree)) = (&debuggee.past, &debuggee.tree) else { return };
        let activation = past.activation(tree);
        let events = tree.log(&past.run).map_or(0, |log| log.entries.len());
        let description = format!("In the past: event {} of {events}", past.events);
        let place = activation.map(|at| Place { run: past.run.clone(), at });
        let thread_id = self.thread_to_show(place).await;
        self.outbox.event(
            "stopped",
            &StoppedEvent {
                reason,
                description,
                text: None,
                thread_id,
                all_threads_stopped: true,
                hit_breakpoint_ids: Vec::new(),
            },
        );
    }

    async fn thread_to_show(&mut self, place: Option<Place>) -> i64 {
        let place = match place {
            Some(place) => Some(place),
            None => match self.debuggee.as_mut() {
                Some(debuggee) => match &mut debuggee.tree {
                    Some(tree) => threads(tree, debuggee.past.as_ref())
                        .await
                        .ok()
                        .and_then(|places| places.into_iter().next()),
                    None => None,
                },
                None => None,
            },
        };
        place.map_or(IDLE_THREAD, |place| self.numbers.thread(&place))
    }

    fn reason(&self, view: &StopView) -> (&'static str, Vec<i64>) {
        match &view.cause {
            StopCause::Breakpoint { id } if id == ENTRY => ("entry", Vec::new()),
            StopCause::Breakpoint { id } => {
                let (kind, numbers) = self.breakpoints.find(id).unwrap_or((Kind::Line, Vec::new()));
                let reason = match kind {
                    Kind::Line => "breakpoint",
                    Kind::Function => "function breakpoint",
                    Kind::Data => "data breakpoint",
                    Kind::Exception => "exception",
                };
                (reason, numbers)
            }
            StopCause::Condition { .. } => ("exception", Vec::new()),
            StopCause::Step => ("step", Vec::new()),
            StopCause::Pause | StopCause::Elsewhere { .. } => ("pause", Vec::new()),
        }
    }

    fn print_at(&self, run: &RunId, point: &StopPoint, text: &str) {
        let line = self.debuggee.as_ref().and_then(|debuggee| {
            let path = debuggee.tree.as_ref()?.path(run);
            debuggee.sources.line_of(&path, &point.node)
        });
        let (source, line) = line.map(|(source, line)| (source, self.shown_line(line))).unzip();
        self.outbox
            .event("output", &OutputEvent { category: "console", output: format!("{text}\n"), source, line });
    }

    /// The run has ended: shows what came out.
    fn end(&mut self) {
        let Some(debuggee) = &mut self.debuggee else { return };
        debuggee.has_ended = true;
        debuggee.stops.clear();
        debuggee.past = None;
        let Some(outline) = debuggee.tree.as_ref().and_then(crate::tree::Tree::outline) else { return };
        let (status, error) = (outline.status, outline.error.clone());
        let values: Vec<String> = outline
            .outputs
            .iter()
            .flat_map(|(node, ports)| ports.iter().map(move |(port, value)| (node, port, value)))
            // Context outputs are wiring, not results.
            .filter(|(_, _, value)| value.get("contextId").is_none())
            .map(|(node, port, value)| match &**value {
                Value::String(text) => format!("{node}.{port}: {text}"),
                value => format!("{node}.{port}: {value}"),
            })
            .collect();
        for text in values {
            self.print("stdout", text);
        }
        let code = match status {
            RunStatus::Finished => 0,
            RunStatus::Cancelled => 130,
            _ => 1,
        };
        if let Some(failed) = error {
            self.print(
                "stderr",
                format!(
                    "The run failed at `{}`: {} [{}]",
                    failed.node, failed.error.message, failed.error.code
                ),
            );
        }
        self.outbox.event("exited", &json!({ "exitCode": code }));
        self.outbox.event("terminated", &Value::Null);
    }

    /// The process that drove the run has ended, or the run can't be read.
    async fn take_loss(&mut self, run: RunId, error: ErrorReply) {
        if error.code != codes::OWNER_LOST {
            return self.print_error(&error);
        }
        if let Err(error) = self.go_on_here(run).await {
            self.print_error(&error);
        }
    }

    async fn go_on_here(&mut self, run: RunId) -> Result<(), ErrorReply> {
        let debuggee = self.running()?;
        let Some(tree) = &debuggee.tree else { return Ok(()) };
        let root = tree.root.clone();
        let is_root = root == run;
        let status = debuggee.app.call(ShowRun { run: root.clone() }).await?.summary.status;
        if is_root && !status.is_final() {
            debuggee.app.call(ResumeRun { run: root.clone() }).await?;
        }
        if let Some(tree) = &debuggee.tree {
            tree.follow(run);
        }
        if is_root {
            self.print("console", format!("The process that drove run {root} has ended. The run goes on."));
        }
        Ok(())
    }
}

/// Where a run stands still and why, for a person.
fn describe(view: &StopView) -> String {
    let Some(at) = &view.at else { return "Nothing is held: nothing follows from this step".to_owned() };
    let place = match (at.side, &at.call) {
        (Side::Before, _) => format!("Before {}", at.activation()),
        (Side::Call, Some(call)) => format!("In {}, before {call}", at.activation()),
        (Side::Call, None) => format!("In {}", at.activation()),
        (Side::After, _) => format!("After {}, with its outputs not delivered yet", at.activation()),
    };
    match &view.cause {
        StopCause::Breakpoint { id } if id != ENTRY => format!("{place}, at breakpoint {id}"),
        _ => place,
    }
}
