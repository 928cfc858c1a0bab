//! The quotas that hold the model calls of a run: which ones hold an activation, and what is used of them.
//!
//! What was used before a restart follows from the journal: what was reserved, replied and reconciled. A call that was under way
//! then stays charged with what it had reserved.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::host::RunInfo;
use crate::plan::{NodeIx, Plan, QuotaBranch, QuotaSplit, ScopeIx};
use crate::scheduler::Scheduler;
use plait_core::id::{Activation, Epoch, RunId};
use plait_core::quota::{Amount, Quota};
use plait_journal::{Answer, CallEvent, ChildEvent, Entry, Event, LoopEvent, NodeEvent, Spending};
use plait_llm::quota::{Holder, QuotaChain, QuotaLink, QuotaScope};
use plait_llm::tool::{SamplingRef, ToolPauseKind};

/// The quotas of a run.
pub(super) struct Quotas {
    info: Arc<RunInfo>,
    /// Those from outside of the run.
    outer: QuotaChain,
    /// Whether the flow has quotas.
    in_plan: bool,
    /// Whether a quota held something of this run.
    is_used: bool,
    /// By quota, how often the person has allowed as much again.
    extended: FxHashMap<String, u64>,
    /// The quotas that the person is asked about.
    asked: FxHashMap<Activation, String>,
    /// By loop, how many of its iterations are open.
    open: FxHashMap<(NodeIx, Epoch), u64>,
    /// Where branches meet that have begun, by their index in [`Plan::splits`].
    splits: FxHashSet<(usize, Epoch)>,
}

impl Quotas {
    pub fn new(plan: &Plan, info: Arc<RunInfo>, outer: QuotaChain) -> Self {
        let in_plan = !plan.quotas.is_default() || plan.nodes.iter().any(|node| node.quota.is_some());
        let (extended, asked, open, splits) = Default::default();
        Self { info, outer, in_plan, is_used: false, extended, asked, open, splits }
    }

    /// The quotas that hold an activation, if there are others than those from outside of the run.
    pub fn of(
        &self,
        plan: &Plan,
        node: NodeIx,
        epoch: &Epoch,
        now_ms: impl Fn() -> u64,
    ) -> Option<QuotaChain> {
        if !self.has_any() {
            return None;
        }
        let mut links = self.links_around(plan, node, epoch, now_ms());
        self.add_own(plan, node, epoch, &mut links);
        let is_other = links.len() != self.outer.links.len() || !self.extended.is_empty();
        is_other.then(|| self.outer.with_links(links))
    }

    /// Takes in an event that the scheduler has taken in.
    pub fn follow(&mut self, plan: &Plan, scheduler: &Scheduler, event: &Event, now_ms: impl Fn() -> u64) {
        match event {
            Event::Node(at, NodeEvent::Paused { tool: Some(tool), .. })
                if tool.kind == ToolPauseKind::Quota =>
            {
                self.asked.insert(at.clone(), tool.call_id.clone());
            }
            Event::Node(at, NodeEvent::Answered { answer, .. }) if !self.asked.is_empty() => {
                let Some(key) = self.asked.remove(at) else { return };
                if matches!(answer, Answer::Value(value) if value["approved"] == true) {
                    *self.extended.entry(key).or_default() += 1;
                }
            }
            Event::Loop(at, LoopEvent::IterationStarted) if self.has_any() => {
                self.is_used = true;
                let Some(node) = plan.find(&at.node) else { return };
                let Some((most, remaining)) = scheduler.parallel_iterations(node, &at.epoch) else { return };
                let open = self.open.entry((node, at.epoch.outer())).or_default();
                let parts = most.saturating_sub(*open).min(remaining);
                *open += 1;
                let links = self.iteration_links(plan, node, &at.epoch, now_ms());
                self.outer.bank.open_part(&links, parts);
            }
            Event::Loop(at, LoopEvent::IterationFinished { .. }) if self.is_used => {
                let Some(node) = plan.find(&at.node) else { return };
                if let Some(open) = self.open.get_mut(&(node, at.epoch.outer())) {
                    *open = open.saturating_sub(1);
                }
                let inside = self.splits.iter().filter(|(split, epoch)| {
                    epoch.starts_with(&at.epoch) && plan.is_inside(plan.splits[*split].join, node)
                });
                for (split, epoch) in inside.cloned().collect::<Vec<_>>() {
                    self.close_split(plan, split, &epoch);
                }
                self.outer.bank.close_hold(&Holder::Iteration(self.info.run.clone(), at.clone()));
            }
            Event::Node(at, NodeEvent::Started { .. }) if !plan.splits.is_empty() => {
                let Some(node) = plan.find(&at.node) else { return };
                for &(split, _) in &plan.nodes[node].branches {
                    self.open_split(plan, split, &at.epoch, &now_ms);
                }
            }
            Event::Node(at, NodeEvent::Ready { .. } | NodeEvent::Skipped { .. })
                if !self.splits.is_empty() =>
            {
                let Some(node) = plan.find(&at.node) else { return };
                if let Some(split) = plan.nodes[node].split {
                    self.close_split(plan, split, &at.epoch);
                }
                if matches!(event, Event::Node(_, NodeEvent::Skipped { .. })) {
                    self.close_branch_after(plan, node, at);
                }
            }
            Event::Node(at, NodeEvent::Finished { .. } | NodeEvent::Failed { .. })
                if self.is_used || !self.splits.is_empty() =>
            {
                let Some(node) = plan.find(&at.node) else { return };
                if is_whole_loop(plan, node, &at.epoch) {
                    self.open.remove(&(node, at.epoch.clone()));
                    self.outer.bank.close_loop(&Holder::Loop(self.info.run.clone(), at.clone()));
                }
                if !self.splits.is_empty() {
                    self.close_branch_after(plan, node, at);
                }
            }
            _ => {}
        }
    }

    /// Gives the branches that meet in a node their parts, when the first node of one of them starts.
    fn open_split(&mut self, plan: &Plan, index: usize, epoch: &Epoch, now_ms: impl Fn() -> u64) {
        let split = &plan.splits[index];
        let at = epoch_of(plan, split.join, epoch);
        if !self.splits.insert((index, at.clone())) {
            return;
        }
        let mut links = self.links_around(plan, split.join, &at, now_ms());
        if links.is_empty() {
            return;
        }
        for (branch, parts) in split.branches.iter().zip((1..=split.branches.len() as u64).rev()) {
            links.push(self.branch_link(plan, split.join, branch.input, &at));
            self.outer.bank.open_part(&links, parts);
            links.pop();
        }
    }

    /// Returns what branches have not used, where they meet.
    fn close_split(&mut self, plan: &Plan, index: usize, epoch: &Epoch) {
        if self.splits.remove(&(index, epoch.clone())) {
            let split = &plan.splits[index];
            for branch in &split.branches {
                self.close_branch(plan, split.join, branch, epoch);
            }
        }
    }

    /// Returns what a branch has not used whose last node this is.
    fn close_branch_after(&self, plan: &Plan, node: NodeIx, at: &Activation) {
        for &(split, branch) in &plan.nodes[node].branches {
            let split = &plan.splits[split];
            let branch = &split.branches[branch];
            if branch.last == Some(node) && epoch_of(plan, split.join, &at.epoch) == at.epoch {
                self.close_branch(plan, split.join, branch, &at.epoch);
            }
        }
    }

    fn close_branch(&self, plan: &Plan, join: NodeIx, branch: &QuotaBranch, epoch: &Epoch) {
        let link = self.branch_link(plan, join, branch.input, epoch);
        self.outer.bank.close_hold(link.holder());
    }

    /// Charges the quotas of the run with what its journal says was used, and with what its children that have ended have used.
    /// Quotas that outlive the run know that already, from the records of runs.
    pub fn restore(
        &mut self,
        plan: &Plan,
        scheduler: &Scheduler,
        entries: &[Entry],
        children: &BTreeMap<RunId, Amount>,
    ) {
        if !self.has_any() {
            return;
        }
        let mut ledger = CallLedger::default();
        for entry in entries {
            self.follow(plan, scheduler, &entry.event, || entry.at);
            let Some((at, amount)) = ledger.take(&entry.event, children) else { continue };
            self.outer.bank.charge(&self.links_at(plan, &at, entry.at), amount, ends_with_run);
        }
        for ((at, ..), amount) in std::mem::take(&mut ledger.open) {
            let now_ms = entries.last().map_or(0, |entry| entry.at);
            self.outer.bank.charge(&self.links_at(plan, &at, now_ms), amount, ends_with_run);
        }
        self.restore_iterations(plan, entries, &ledger);
    }

    /// Knows what the latest iterations of open loops reserved.
    fn restore_iterations(&self, plan: &Plan, entries: &[Entry], ledger: &CallLedger) {
        let mut iterations: BTreeMap<Activation, Amount> = BTreeMap::new();
        for (at, amount) in &ledger.reserved {
            let Some(node) = plan.find(&at.node) else { continue };
            for (container, epoch) in loops_around(plan, plan.iteration_of(node, &at.epoch)) {
                let at = Activation { node: plan.nodes[container].id.clone(), epoch };
                *iterations.entry(at).or_default() += *amount;
            }
        }
        let bank = &self.outer.bank;
        for entry in entries {
            match &entry.event {
                Event::Loop(at, LoopEvent::IterationStarted) => {
                    let Some(node) = plan.find(&at.node) else { continue };
                    let Some(reserved) = iterations.get(at) else { continue };
                    let links = self.iteration_links(plan, node, &at.epoch, entry.at);
                    bank.reopen_iteration(&links, *reserved);
                }
                Event::Loop(at, LoopEvent::IterationFinished { .. }) => {
                    bank.close_hold(&Holder::Iteration(self.info.run.clone(), at.clone()));
                }
                _ => {}
            }
        }
    }

    fn has_any(&self) -> bool {
        self.in_plan || !self.outer.is_empty() || self.outer.bank.has_defaults()
    }

    fn links_at(&self, plan: &Plan, at: &Activation, now_ms: u64) -> Vec<QuotaLink> {
        let Some(node) = plan.find(&at.node) else { return Vec::new() };
        let chain = self.of(plan, node, &at.epoch, || now_ms);
        chain.as_ref().unwrap_or(&self.outer).links.to_vec()
    }

    /// The quotas that hold an activation and others beside it.
    fn links_around(&self, plan: &Plan, node: NodeIx, epoch: &Epoch, now_ms: u64) -> Vec<QuotaLink> {
        let mut links = self.run_links(plan, now_ms);
        self.add_loops(plan, plan.iteration_of(node, epoch), &mut links);
        self.add_branches(plan, node, epoch, &mut links);
        links
    }

    /// Those of the day, the conversation and the run, and of the runs around it.
    fn run_links(&self, plan: &Plan, now_ms: u64) -> Vec<QuotaLink> {
        let mut links: Vec<_> = self.outer.links.iter().map(|link| self.with_allowance(link)).collect();
        let has = |scope| links.iter().any(|link: &QuotaLink| link.holder().scope() == scope);
        let (has_day, has_conversation, has_run) =
            (has(QuotaScope::Day), has(QuotaScope::Conversation), has(QuotaScope::Run));
        let defaults = self.outer.bank.defaults();
        let mut add = |holder, quota| links.push(self.link(holder, quota));
        if let Some(quota) = defaults.day.as_ref().filter(|_| !has_day) {
            add(self.outer.bank.day(now_ms), Arc::clone(quota));
        }
        if let Some(conversation) = self.info.conversation.as_ref().filter(|_| !has_conversation) {
            let quota = plan.quotas.conversation.clone().or_else(|| defaults.conversation.clone());
            if let Some(quota) = quota {
                add(Holder::Conversation(conversation.at.id.clone()), quota);
            }
        }
        // A run that has one above it is part of that one.
        let quota = plan.quotas.run.clone().or_else(|| defaults.run.clone().filter(|_| !has_run));
        if let Some(quota) = quota {
            add(Holder::Run(self.info.run.clone()), quota);
        }
        links
    }

    fn add_branches(&self, plan: &Plan, node: NodeIx, epoch: &Epoch, links: &mut Vec<QuotaLink>) {
        if links.is_empty() {
            return;
        }
        for &(split, branch) in &plan.nodes[node].branches {
            let QuotaSplit { join, branches } = &plan.splits[split];
            links.push(self.branch_link(plan, *join, branches[branch].input, &epoch_of(plan, *join, epoch)));
        }
    }

    fn branch_link(&self, plan: &Plan, join: NodeIx, input: usize, epoch: &Epoch) -> QuotaLink {
        let at = Activation { node: plan.nodes[join].id.clone(), epoch: epoch.clone() };
        let holder = Holder::Branch(self.info.run.clone(), at, input);
        let lifted = self.extended.contains_key(&holder.key());
        QuotaLink::Hold { holder, of: None, lifted }
    }

    /// Adds the loops around an iteration, and that iteration itself.
    fn add_loops(&self, plan: &Plan, innermost: Option<(ScopeIx, Epoch)>, links: &mut Vec<QuotaLink>) {
        let around: Vec<_> = loops_around(plan, innermost).collect();
        for (node, epoch) in around.into_iter().rev() {
            let at = |epoch| Activation { node: plan.nodes[node].id.clone(), epoch };
            let run = || self.info.run.clone();
            self.add_branches(plan, node, &epoch.outer(), links);
            let of = Holder::Loop(run(), at(epoch.outer()));
            if let Some(quota) = &plan.nodes[node].quota {
                links.push(self.link(of.clone(), Arc::clone(quota)));
            }
            if !links.is_empty() {
                let holder = Holder::Iteration(run(), at(epoch));
                let lifted = self.extended.contains_key(&holder.key());
                links.push(QuotaLink::Hold { holder, of: Some(of), lifted });
            }
        }
    }

    /// Adds the quota of a node. That of a loop also holds what the loop itself calls, to summarize.
    fn add_own(&self, plan: &Plan, node: NodeIx, epoch: &Epoch, links: &mut Vec<QuotaLink>) {
        let Some(quota) = &plan.nodes[node].quota else { return };
        let (run, id) = (self.info.run.clone(), plan.nodes[node].id.clone());
        let holder = match plan.nodes[node].body {
            Some(body) => {
                let epoch = epoch.prefix(plan.scopes[body].depth - 1);
                Holder::Loop(run, Activation { node: id, epoch })
            }
            None => Holder::Node(run, id),
        };
        links.push(self.link(holder, Arc::clone(quota)));
    }

    /// The quotas that hold an iteration of a loop, and the iteration.
    fn iteration_links(&self, plan: &Plan, node: NodeIx, epoch: &Epoch, now_ms: u64) -> Vec<QuotaLink> {
        let mut links = self.run_links(plan, now_ms);
        self.add_loops(plan, plan.nodes[node].body.map(|body| (body, epoch.clone())), &mut links);
        links
    }

    /// A quota from outside of the run, with what the person has allowed in this run on top.
    fn with_allowance(&self, link: &QuotaLink) -> QuotaLink {
        let mut link = link.clone();
        match &mut link {
            QuotaLink::Quota { holder, extended, .. } => {
                *extended += self.extended.get(&holder.key()).copied().unwrap_or_default();
            }
            QuotaLink::Hold { holder, lifted, .. } => *lifted |= self.extended.contains_key(&holder.key()),
        }
        link
    }

    fn link(&self, holder: Holder, quota: Arc<Quota>) -> QuotaLink {
        let extended = self.extended.get(&holder.key()).copied().unwrap_or_default();
        QuotaLink::Quota { holder, quota, extended }
    }
}

impl Drop for Quotas {
    fn drop(&mut self) {
        self.outer.bank.close_run(&self.info.run);
    }
}

/// The loops around an iteration with the epoch that their iteration has, from the innermost.
fn loops_around(
    plan: &Plan,
    innermost: Option<(ScopeIx, Epoch)>,
) -> impl Iterator<Item = (NodeIx, Epoch)> + '_ {
    let around = std::iter::successors(innermost, |(scope, epoch)| {
        let container = plan.scopes[*scope].container?;
        plan.iteration_of(container.node, epoch)
    });
    around.filter_map(|(scope, epoch)| Some((plan.scopes[scope].container?.node, epoch)))
}

/// Whether it is the activation of a loop itself, and not of its test before an iteration.
fn is_whole_loop(plan: &Plan, node: NodeIx, epoch: &Epoch) -> bool {
    plan.nodes[node].body.is_some_and(|body| plan.scopes[body].depth == epoch.depth() + 1)
}

/// The epoch that a node has in this one, which is that of a node that leads to it.
fn epoch_of(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Epoch {
    epoch.prefix(plan.scopes[plan.nodes[node].scope].depth + plan.nodes[node].clock.len())
}

/// Whether what was used of it is forgotten when a run ends.
fn ends_with_run(link: &QuotaLink) -> bool {
    link.holder().run().is_some()
}

/// A model call: the activation, its attempt, the step and the request of a tool that it serves.
type CallKey = (Activation, u32, u32, Option<SamplingRef>);

/// What a journal says about calls.
#[derive(Default)]
struct CallLedger {
    /// Calls that are under way, and what they reserved.
    open: BTreeMap<CallKey, Amount>,
    /// Everything that was reserved.
    reserved: Vec<(Activation, Amount)>,
}

impl CallLedger {
    /// What an event charges, and to which activation.
    fn take(&mut self, event: &Event, children: &BTreeMap<RunId, Amount>) -> Option<(Activation, Amount)> {
        match event {
            Event::Call(at, CallEvent::QuotaReserved { step, attempt, amount, sampling, .. }) => {
                self.reserved.push((at.clone(), *amount));
                // The same call again, after a crash: the one before it stays charged.
                let before = self.open.insert((at.clone(), *attempt, *step, sampling.clone()), *amount);
                before.map(|amount| (at.clone(), amount))
            }
            Event::Call(at, CallEvent::ModelReplied { step, sampling, .. }) => {
                // The reply is that of the latest attempt to get it; those before it stay charged.
                let key = self
                    .open
                    .keys()
                    .rev()
                    .find(|(one, _, number, request)| one == at && number == step && request == sampling);
                if let Some(key) = key.cloned() {
                    self.open.remove(&key);
                }
                let spent = Spending::of(event)?;
                Some((at.clone(), spent.into()))
            }
            Event::Call(
                at,
                CallEvent::QuotaReconciled { step, attempt, amount, estimated, sampling, .. },
            ) => {
                self.open.remove(&(at.clone(), *attempt, *step, sampling.clone()));
                estimated.then(|| (at.clone(), *amount))
            }
            Event::Child(at, ChildEvent::Started { run }) => Some((at.clone(), *children.get(run)?)),
            _ => None,
        }
    }
}
