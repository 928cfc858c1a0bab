//! What of an earlier run tree counts for a fork: all of it, or what had happened up to an event of one of its runs.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::earlier_run::{EarlierTree, OtherReplies};
use plait_journal::{ChildEvent, Entry, Event, EventRef, FreshFrom, RunOrigin};
use plait_run::host::subflow::MAX_DEPTH;

use super::earlier_journal::EarlierJournal;
use super::{Launch, fork};
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
                Ok(mut journal) if !journal.is_empty() => {
                    journal.leave_first(from.seq);
                    self.read_tree(from, &journal, (recording, others))?
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

    /// The tree of an earlier run of which this counts. A child run that cannot be read counts for nothing: what it recorded is made
    /// again.
    pub(super) fn read_tree(
        &self,
        from: &RunOrigin,
        journal: &EarlierJournal<'_>,
        (recording, others): (Option<&Recording>, Option<Arc<dyn OtherReplies>>),
    ) -> Result<EarlierTree, Fault> {
        let inside = from.cut_in.as_ref().map(|cut| self.cut_inside(cut)).transpose()?;
        // Of other child runs, what had happened by then. Their journals do not say at which event of their parent.
        let until = match &inside {
            Some(inside) => Some(inside.until),
            None => journal.last_time().filter(|_| from.cut),
        };
        let children: Vec<RunId> = match recording {
            Some(recording) => recording.runs.iter().map(|(run, _)| run.clone()).collect(),
            None => self.store.tree(&from.run)?.into_iter().map(|record| record.run).collect(),
        };
        let mut journals = Vec::new();
        for run in children {
            if run != from.run
                && let Ok(mut journal) = self.read_earlier(&run, recording)
            {
                if !inside.as_ref().is_some_and(|inside| inside.cut(&run, &mut journal))
                    && let Some(until) = until
                {
                    journal.leave_until(until);
                }
                journals.push((run, journal));
            }
        }
        let root = (from.run.clone(), journal.entries());
        let children = journals.iter().map(|(run, journal)| (run.clone(), journal.entries()));
        let runs = std::iter::once(root).chain(children);
        Ok(match &from.recording {
            Some(file) => EarlierTree::of_recording(runs, (from.edited, from.world.clone()), &file.hash),
            None => EarlierTree::asking(runs, from.edited, from.world.clone(), others),
        })
    }

    /// What of a run counts for a fork of it: its first `at` events, or what had happened by an event of a child run. With
    /// whether it went on after them. `run.no_event`.
    pub(super) fn counted_journal<'r>(
        &self,
        earlier: &RunId,
        at: Option<u64>,
        cut_in: Option<&EventRef>,
        recording: Option<&'r Recording>,
    ) -> Result<(EarlierJournal<'r>, bool), ErrorReply> {
        let mut journal = self.read_earlier(earlier, recording)?;
        let all = journal.len();
        if let Some(at) = at {
            check_event(&journal, at)?;
            journal.leave_first(at);
        }
        if let Some(cut) = cut_in {
            check_event(&self.read_earlier(&cut.run, None)?, cut.seq)?;
            self.cut_inside(cut)?.cut(earlier, &mut journal);
        }
        let is_cut = cut_in.is_some() || journal.len() < all;
        Ok((journal, is_cut))
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
        let journal = self.read_earlier(earlier, recording)?;
        let children: Vec<&RunId> =
            journal.entries().iter().filter_map(|entry| started_child(entry, fresh)).collect();
        if children.is_empty() {
            let message = format!("The earlier run did not run a flow in `{}`.", fresh.node);
            return Err(ErrorReply::new(codes::RUN_NO_PLACE, message)
                .hint("Name the node that runs the sub-flow, and then a node in it: `NODE/NODE`."));
        }
        for child in children {
            let plan = self.recorded_plan(self.read_earlier(child, recording)?.entries())?;
            plan.fresh_from(inside).ok_or_else(|| fork::no_place(inside))?;
            self.check_inside(child, inside, recording)?;
        }
        Ok(())
    }

    /// The journal of a run to fork from, without what is damaged of it.
    pub(super) fn read_earlier<'r>(
        &self,
        run: &RunId,
        recording: Option<&'r Recording>,
    ) -> Result<EarlierJournal<'r>, Fault> {
        if let Some(recording) = recording {
            return Ok(EarlierJournal::of_entries(recording.entries(run)?));
        }
        self.store.keep_attachments_of(run)?;
        Ok(EarlierJournal::of_lines(&self.store.journal_lines(run)?))
    }

    fn cut_inside(&self, first_left_out: &EventRef) -> Result<CutInside, Fault> {
        let mut journal = self.read_earlier(&first_left_out.run, None)?;
        journal.leave_first(first_left_out.seq);
        let until = journal.last_time().unwrap_or_default();
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
    /// Leaves what of a run had happened, if it is the child run or leads to it. Says whether it is.
    fn cut(&self, run: &RunId, journal: &mut EarlierJournal<'_>) -> bool {
        match self.path.iter().position(|on_path| on_path == run) {
            None => return false,
            Some(0) => journal.leave_first(self.seq),
            Some(place) => journal.leave_before_end_of(&self.path[place - 1], self.until),
        }
        true
    }
}

/// `run.no_event` if a fork can't begin after so many events.
fn check_event(journal: &EarlierJournal<'_>, at: u64) -> Result<(), ErrorReply> {
    let end = journal.end();
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
