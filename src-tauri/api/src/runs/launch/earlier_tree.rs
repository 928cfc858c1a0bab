//! What of an earlier run tree counts for a fork: all of it, or what had happened up to an event of one of its runs.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::{Activation, RunId};
use plait_journal::earlier_run::{EarlierTree, OtherReplies};
use plait_journal::{ChildEvent, Entry, Event, EventRef, FreshFrom, NodeEvent, RunOrigin};
use plait_run::host::subflow::MAX_DEPTH;

use super::{Launch, end_of, fork};
use crate::ErrorReply;
use crate::codes;
use crate::recordings::Recording;

impl Launch {
    /// The tree that the run's own is forked from, if it is, as far as it counted then, with the replies of `others`, without what the
    /// runs of the own tree have taken. Of a tree that was removed meanwhile nothing: what they have not taken yet is bought. Where it is
    /// a file, that has to be there.
    pub(super) fn restored_tree(
        &mut self,
        from: Option<&RunOrigin>,
        others: Option<Arc<dyn OtherReplies>>,
    ) -> Result<(), ErrorReply> {
        let recording = self.open_recording(from.and_then(|from| from.recording.as_ref()))?;
        let recording = recording.as_deref();
        let tree = match (from, others) {
            (None, None) => return Ok(()),
            (None, Some(others)) => EarlierTree::of_other_runs(others),
            (Some(from), others) => match self.read_earlier(&from.run, recording) {
                Ok(mut entries) if !entries.is_empty() => {
                    leave(&mut entries, from.seq);
                    self.read_tree(from, entries, (recording, others))?
                }
                _ => {
                    let nothing: (RunId, &[Entry]) = (from.run.clone(), &[]);
                    EarlierTree::asking([nothing], from.edited, from.world.clone(), others)
                }
            },
        };
        for record in self.store.tree(&self.run)? {
            tree.restore(&self.read_journal(&record.run)?);
        }
        self.host.earlier = tree;
        from.map_or(Ok(()), |from| self.replay(from, recording))
    }

    /// The tree of an earlier run of which these entries count. A child run that cannot be read counts for nothing: what it recorded is
    /// made again.
    pub(super) fn read_tree(
        &self,
        from: &RunOrigin,
        entries: Vec<Entry>,
        (recording, others): (Option<&Recording>, Option<Arc<dyn OtherReplies>>),
    ) -> Result<EarlierTree, Fault> {
        let inside = from.cut_in.as_ref().map(|cut| self.cut_inside(cut)).transpose()?;
        // Of other child runs, what had happened by then. Their journals do not say at which event of their parent.
        let until = match &inside {
            Some(inside) => Some(inside.until),
            None => entries.last().filter(|_| from.cut).map(|last| last.at),
        };
        let children: Vec<RunId> = match recording {
            Some(recording) => recording.runs.iter().map(|(run, _)| run.clone()).collect(),
            None => self.store.tree(&from.run)?.into_iter().map(|record| record.run).collect(),
        };
        let mut runs = vec![(from.run.clone(), entries)];
        for run in children {
            if run != from.run
                && let Ok(mut entries) = self.read_earlier(&run, recording)
            {
                if !inside.as_ref().is_some_and(|inside| inside.cut(&run, &mut entries)) {
                    entries.retain(|entry| until.is_none_or(|until| entry.at <= until));
                }
                runs.push((run, entries));
            }
        }
        let runs = runs.iter().map(|(run, entries)| (run.clone(), &entries[..]));
        Ok(match &from.recording {
            Some(file) => EarlierTree::of_recording(runs, (from.edited, from.world.clone()), &file.hash),
            None => EarlierTree::asking(runs, from.edited, from.world.clone(), others),
        })
    }

    /// The events of a run that count for a fork of it: the first `at` ones, or what had happened by an event of a child run. With
    /// whether it went on after them. `run.no_event`.
    pub(super) fn counted_entries(
        &self,
        earlier: &RunId,
        at: Option<u64>,
        cut_in: Option<&EventRef>,
        recording: Option<&Recording>,
    ) -> Result<(Vec<Entry>, bool), ErrorReply> {
        let mut entries = self.read_earlier(earlier, recording)?;
        let all = entries.len();
        if let Some(at) = at {
            check_event(&entries, at)?;
            leave(&mut entries, at);
        }
        if let Some(cut) = cut_in {
            check_event(&self.read_earlier(&cut.run, None)?, cut.seq)?;
            self.cut_inside(cut)?.cut(earlier, &mut entries);
        }
        let is_cut = cut_in.is_some() || entries.len() < all;
        Ok((entries, is_cut))
    }

    /// `run.no_place` if a fork can't begin inside of a child run of `earlier`, since there was none, or its flow does not have
    /// the place.
    pub(super) fn check_inside(
        &self,
        earlier: &RunId,
        fresh: &FreshFrom,
        recording: Option<&Recording>,
    ) -> Result<(), ErrorReply> {
        let Some(inside) = &fresh.inside else { return Ok(()) };
        let entries = self.read_earlier(earlier, recording)?;
        let children: Vec<&RunId> = entries.iter().filter_map(|entry| started_child(entry, fresh)).collect();
        if children.is_empty() {
            let message = format!("The earlier run did not run a flow in `{}`.", fresh.node);
            return Err(ErrorReply::new(codes::RUN_NO_PLACE, message)
                .hint("Name the node that runs the sub-flow, and then a node in it: `NODE/NODE`."));
        }
        for child in children {
            let plan = self.recorded_plan(&self.read_earlier(child, recording)?)?;
            plan.fresh_from(inside).ok_or_else(|| fork::no_place(inside))?;
            self.check_inside(child, inside, recording)?;
        }
        Ok(())
    }

    /// The entries of a run to fork from, except damaged ones.
    pub(super) fn read_earlier(
        &self,
        run: &RunId,
        recording: Option<&Recording>,
    ) -> Result<Vec<Entry>, Fault> {
        if let Some(recording) = recording {
            return Ok(recording.entries(run)?.to_vec());
        }
        self.store.keep_attachments_of(run)?;
        Ok(self.store.read_damaged_journal(run)?.filter_map(Result::ok).collect())
    }

    fn cut_inside(&self, first_left_out: &EventRef) -> Result<CutInside, Fault> {
        let mut entries = self.read_earlier(&first_left_out.run, None)?;
        leave(&mut entries, first_left_out.seq);
        let until = entries.last().map_or(0, |last| last.at);
        let mut path = vec![first_left_out.run.clone()];
        while let Some(parent) = path.last().map(|run| self.store.run(run)).transpose()?
            && let Some(parent) = parent.parent_run_id.filter(|_| path.len() <= MAX_DEPTH)
        {
            path.push(parent);
        }
        Ok(CutInside { seq: first_left_out.seq, until, path })
    }
}

/// A cut inside of a child run.
struct CutInside {
    /// How many events of the child run count.
    seq: u64,
    /// When the last of them happened.
    until: u64,
    /// The child run, the run that started it, and so on to the root.
    path: Vec<RunId>,
}

impl CutInside {
    /// Leaves those entries of a run that had happened, if it is the child run or leads to it. Says whether it is.
    fn cut(&self, run: &RunId, entries: &mut Vec<Entry>) -> bool {
        match self.path.iter().position(|on_path| on_path == run) {
            None => return false,
            Some(0) => leave(entries, self.seq),
            Some(place) => self.cut_above(&self.path[place - 1], entries),
        }
        true
    }

    /// Leaves what a run did before the end of this child run of it led to anything.
    fn cut_above(&self, child: &RunId, entries: &mut Vec<Entry>) {
        let mut starter: Option<&Activation> = None;
        let end = entries.iter().position(|entry| match (&entry.event, starter) {
            (Event::Child(activation, ChildEvent::Started { run }), None) if run == child => {
                starter = Some(activation);
                false
            }
            (
                Event::Node(
                    activation,
                    NodeEvent::Finished { .. } | NodeEvent::Failed { .. } | NodeEvent::Retrying { .. },
                ),
                Some(starter),
            ) if activation == starter => true,
            (_, starter) => starter.is_some() && entry.at > self.until,
        });
        entries.truncate(end.unwrap_or(entries.len()));
    }
}

/// Leaves the first `count` events.
fn leave(entries: &mut Vec<Entry>, count: u64) {
    entries.retain(|entry| entry.seq.is_some_and(|seq| seq < count));
}

/// `run.no_event` if a fork can't begin after so many events.
fn check_event(entries: &[Entry], at: u64) -> Result<(), ErrorReply> {
    let end = end_of(entries);
    if at == 0 || at > end {
        let message = format!("The run has {end} events, so a fork can't begin after event {at}.");
        return Err(
            ErrorReply::new(codes::RUN_NO_EVENT, message).hint(format!("Give a number from 1 to {end}."))
        );
    }
    Ok(())
}

/// The child run that an event says was started by one of these activations.
fn started_child<'e>(entry: &'e Entry, by: &FreshFrom) -> Option<&'e RunId> {
    match &entry.event {
        Event::Child(activation, ChildEvent::Started { run }) if by.names(activation) => Some(run),
        _ => None,
    }
}
