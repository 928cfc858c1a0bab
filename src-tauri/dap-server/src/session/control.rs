//! Going on, stopping, and looking at the past.

use std::collections::HashMap;

use plait_api::ErrorReply;
use plait_api::runs::{CancelRun, DropBreakpoint, GoOn, StopRun};
use plait_core::id::{NodeId, RunId};
use plait_journal::{DebugVerb, Side};
use serde_json::{Value, json};

use super::Session;
use super::stops::{Stop, not_stopped};
use crate::codes;
use crate::moments::Moment;
use crate::protocol::Asked;
use crate::protocol::requests::{DisconnectArguments, FrameArguments, ThreadArguments};
use crate::stack::IDLE_THREAD;

impl Session {
    /// `continue`, `next`, `stepIn`, `stepOut`: from a stop, or through what was recorded.
    pub(super) async fn go_on(
        &mut self,
        asked: &Asked,
        verb: DebugVerb,
        of: &ThreadArguments,
    ) -> Result<(), ErrorReply> {
        if self.running()?.past.is_some() {
            return self.step_forward(asked, verb).await;
        }
        let stop = self.live_stop_of(of.thread_id)?;
        if verb != DebugVerb::Continue
            && of.thread_id != IDLE_THREAD
            && let Some(at) = &stop.at
            && stop.place().as_ref() != Some(self.numbers.place(of.thread_id)?)
        {
            let message = format!("A step goes on from `{at}`, where the run stands still.");
            return Err(
                ErrorReply::new(codes::DAP_NOT_STOPPED, message).hint("Choose its thread, or continue.")
            );
        }
        let lets_others_go = verb == DebugVerb::Continue && stop.is_whole;
        self.go(stop, verb).await?;
        let is_none_left = self.running()?.stops.is_empty();
        self.outbox.respond(asked, Ok(json!({ "allThreadsContinued": is_none_left || lets_others_go })));
        if lets_others_go {
            // The branches that stand still alone stay where they are.
            self.show_where_it_stands().await;
        }
        Ok(())
    }

    /// Lets the run go on, or a branch.
    pub(super) async fn go(&mut self, stop: Stop, verb: DebugVerb) -> Result<(), ErrorReply> {
        let (run, number) = (stop.run.clone(), stop.number);
        let debuggee = self.running()?;
        debuggee.app.call(GoOn { run, verb, stop: number }).await?;
        let is_step = verb != DebugVerb::Continue;
        debuggee.stops.retain(|other| *other != stop && !(is_step && other.is_whole));
        debuggee.verb = verb;
        self.forget_left();
        Ok(())
    }

    /// `restartFrame`: runs the node again that has ended and is held.
    pub(super) async fn restart_frame(
        &mut self,
        asked: &Asked,
        arguments: &FrameArguments,
    ) -> Result<(), ErrorReply> {
        let frame = self.numbers.frame(arguments.frame_id)?.clone();
        let stop = self.live_stop(Some(&frame.place))?;
        let debuggee = self.running()?;
        let point = debuggee.view_of(&stop).and_then(|view| view.at.clone());
        let is_held = point.is_some_and(|point| {
            point.side == Side::After && point.activation() == frame.place.at && frame.place.run == stop.run
        });
        if !is_held {
            let message = format!("`{}` has not just ended, so it can't be run again.", frame.place.at);
            return Err(ErrorReply::new(codes::DAP_NOT_STOPPED, message).hint(
                "Stop after the node, with a breakpoint of the mode `after` or the filter for failures.",
            ));
        }
        self.go(stop, DebugVerb::Retry).await?;
        self.outbox.respond(asked, Ok(Value::Null));
        Ok(())
    }

    pub(super) async fn pause(&mut self) -> Result<(), ErrorReply> {
        let debuggee = self.running()?;
        let Some(tree) = &debuggee.tree else { return Err(not_stopped()) };
        let run = tree.root.clone();
        debuggee.app.call(StopRun { run, node: None, epoch: None }).await
    }

    /// `terminate`: cancels the run.
    pub(super) async fn cancel(&mut self) -> Result<(), ErrorReply> {
        let debuggee = self.running()?;
        let Some(tree) = debuggee.tree.as_ref().filter(|_| !debuggee.has_ended) else { return Ok(()) };
        let run = tree.root.clone();
        debuggee.app.call(CancelRun { run }).await
    }

    /// `disconnect`: cancels a run that the session began, unless the editor wants to keep it. Another one stays as it is, without the
    /// breakpoints of the editor.
    pub(super) async fn disconnect(&mut self, arguments: &DisconnectArguments) -> Result<(), ErrorReply> {
        self.is_over = true;
        let Some(debuggee) = &mut self.debuggee else { return Ok(()) };
        let Some(tree) = debuggee.tree.as_ref().filter(|tree| tree.is_followed() && !debuggee.has_ended)
        else {
            return Ok(());
        };
        let run = tree.root.clone();
        if arguments.terminate_debuggee.unwrap_or_else(|| debuggee.origin.is_launch()) {
            match debuggee.app.call(CancelRun { run: run.clone() }).await {
                Err(error) if error.code == codes::RUN_ENDED => return Ok(()),
                cancelled => cancelled?,
            }
            // Editors kill the adapter once it has replied. A run that stands still is idle before it has ended.
            if debuggee.app.here().is_some() {
                debuggee.app.settled(&run).await;
            }
            return Ok(());
        }
        for id in std::mem::take(&mut debuggee.applied) {
            match debuggee.app.call(DropBreakpoint { run: run.clone(), id }).await {
                Err(error) if error.code == codes::DEBUG_NO_BREAKPOINT => {}
                // Before this session has seen it.
                Err(error) if error.code == codes::RUN_ENDED => return Ok(()),
                dropped => dropped?,
            }
        }
        Ok(())
    }

    /// `stepBack`: to the moment before the last node started.
    pub(super) async fn step_back(&mut self, asked: &Asked) -> Result<(), ErrorReply> {
        let debuggee = self.running()?;
        let from = debuggee.past.clone().or_else(|| debuggee.present()).ok_or_else(not_stopped)?;
        let back = debuggee.tree.as_ref().and_then(|tree| from.back(tree)).ok_or_else(at_the_beginning)?;
        self.look_at(asked, Some(back), "step").await;
        Ok(())
    }

    /// `reverseContinue`: back to where the run stood still, or to a breakpoint; else to the beginning.
    pub(super) async fn reverse_continue(&mut self, asked: &Asked) -> Result<(), ErrorReply> {
        let is_breakpoint = self.is_breakpoint();
        let debuggee = self.running()?;
        let from = debuggee.past.clone().or_else(|| debuggee.present()).ok_or_else(not_stopped)?;
        let back = debuggee.tree.as_ref().and_then(|tree| from.back_to_stop(tree, is_breakpoint));
        let back = back.ok_or_else(at_the_beginning)?;
        let is_first = debuggee.tree.as_ref().is_some_and(|tree| back.back(tree).is_none());
        self.look_at(asked, Some(back), if is_first { "entry" } else { "breakpoint" }).await;
        Ok(())
    }

    async fn step_forward(&mut self, asked: &Asked, verb: DebugVerb) -> Result<(), ErrorReply> {
        let is_breakpoint = self.is_breakpoint();
        let debuggee = self.running()?;
        let (Some(tree), Some(from)) = (&debuggee.tree, &debuggee.past) else { return Err(not_stopped()) };
        let next = match verb {
            DebugVerb::Continue => from.on_to_stop(tree, is_breakpoint),
            DebugVerb::Into => from.inside(tree),
            DebugVerb::Out => from.out(tree),
            _ => from.over(tree),
        };
        // The last stop that was recorded is where the run stands now.
        let next = next.filter(|next| {
            let present =
                debuggee.newest_stop().and_then(|stop| Some((stop, usize::try_from(stop.number).ok()?)));
            !present.is_some_and(|(stop, number)| stop.run == next.run && next.events > number)
        });
        let reason = if verb == DebugVerb::Continue { "breakpoint" } else { "step" };
        self.look_at(asked, next, reason).await;
        Ok(())
    }

    /// Whether the editor has a breakpoint before a node that stops each time.
    fn is_breakpoint(&self) -> impl Fn(&RunId, &NodeId) -> bool + use<> {
        let mut at = HashMap::new();
        let debuggee = self.debuggee.as_ref();
        if let Some(tree) = debuggee.and_then(|debuggee| debuggee.tree.as_ref()) {
            for (run, _) in tree.runs() {
                at.insert(run.clone(), self.breakpoints.nodes(&tree.path(run)));
            }
        }
        move |run: &RunId, node: &NodeId| at.get(run).is_some_and(|nodes: &Vec<NodeId>| nodes.contains(node))
    }

    /// Looks at a moment of the past, or at the present.
    async fn look_at(&mut self, asked: &Asked, moment: Option<Moment>, reason: &'static str) {
        let is_past = moment.is_some();
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.past = moment;
        }
        self.forget_numbers();
        self.outbox.respond(asked, Ok(json!({ "allThreadsContinued": true })));
        if is_past {
            self.show_past(reason).await;
        } else {
            self.show_where_it_stands().await;
        }
    }
}

fn at_the_beginning() -> ErrorReply {
    ErrorReply::new(codes::DAP_BEGINNING, "No node started before this place.")
        .hint("Step forward, or continue to the present.")
}
