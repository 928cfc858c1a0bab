//! The context that an activation works in, and what it sees of it: what the model calls before it have added.
//!
//! Model calls that share a context keep plan order, so an activation waits for those before it.

use std::collections::BTreeMap;

use plait_core::id::{ContextId, Epoch, NodeId};

use super::graph::Place;
use super::interpreter::Interpreter;
use super::outcome::{self, Outcome};
use crate::journal_summary::History;
use crate::nodes::semantics::{self, Values};

/// The contexts that a node made before an iteration began.
#[derive(Clone, Debug)]
pub struct OuterContexts {
    pub maker: NodeId,
    /// How many cycles of its scope count its epochs.
    pub depth: usize,
    /// By epoch in that scope: its place for a node in the iteration. Nothing if it is not decided.
    pub made: BTreeMap<Epoch, Option<outcome::Place>>,
    /// Whether these are all epochs before the iteration that there will be.
    pub are_all: bool,
}

/// The state of a context when an activation works in it.
enum Found {
    Place(outcome::Place),
    Undecided,
    /// It is made in no scope that the activation sees.
    Unknown,
}

impl Interpreter<'_> {
    /// The epoch in which `maker` makes the context of this name. Nothing if it makes none of this name.
    fn epoch_in_name(&self, maker: Place, context: &ContextId) -> Option<Epoch> {
        let epoch = epoch_in_name(&self.flow.graph.nodes[maker].id, context)?;
        (epoch.depth() == self.flow.clocks[maker].len()).then_some(epoch)
    }

    /// The context that an activation works in, with its history: what the model calls before it have added. Model calls
    /// that share a context keep plan order, so it waits for them.
    pub fn place(&mut self, node: Place, epoch: &Epoch, values: &Values) -> Option<outcome::Place> {
        let flow = self.flow;
        let it = &flow.graph.nodes[node];
        if !matches!(it.kind.as_str(), "turn" | "guest") {
            return Some(outcome::Place::None);
        }
        let Some(context) = semantics::works_in(&it.settings, values) else {
            return Some(outcome::Place::None);
        };
        let found = match self.find_here(node, epoch, &context) {
            Found::Unknown => self.find_around(node, epoch, &context),
            found => found,
        };
        match found {
            Found::Place(place) => Some(place),
            Found::Undecided => None,
            Found::Unknown => Some(outcome::Place::Missing(context)),
        }
    }

    /// A context that a node of this scope makes.
    fn find_here(&mut self, node: Place, epoch: &Epoch, context: &ContextId) -> Found {
        let flow = self.flow;
        let missing = || Found::Place(outcome::Place::Missing(context.clone()));
        let mut makers = flow.graph.places().filter(|&place| flow.graph.nodes[place].kind == "context");
        let made_by = makers.find_map(|maker| Some((maker, self.epoch_in_name(maker, context)?)));
        let Some((maker, made_in)) = made_by else { return Found::Unknown };
        // Whether it exists is decided by plan order and epochs, so it waits for the activation that makes it.
        if self.precedence(&(maker, made_in.clone()), &(node, epoch.clone())).is_gt() {
            return missing();
        }
        let (before, are_all) = self.epochs_before(maker, node, epoch);
        if !before.contains(&made_in) {
            // There may be more epochs before this activation, and one of them may make it.
            let may_come = !are_all && before.iter().all(|epoch| *epoch < made_in);
            return if may_come { Found::Undecided } else { missing() };
        }
        let outcome = self.outcome(maker, &made_in);
        if !outcome.is_decided() {
            return Found::Undecided;
        }
        if !matches!(&*outcome, Outcome::Finished { makes: Some(_), .. }) {
            return missing();
        }
        let id = flow.graph.nodes[maker].id.clone();
        match self.written_before(node, epoch, &id, context) {
            Some(history) => Found::Place(outcome::Place::In(context.clone(), history)),
            None => Found::Undecided,
        }
    }

    /// A context of the scopes around this one, with what this iteration has added.
    fn find_around(&mut self, node: Place, epoch: &Epoch, context: &ContextId) -> Found {
        let named = |maker: &&OuterContexts| {
            epoch_in_name(&maker.maker, context).is_some_and(|epoch| epoch.depth() == maker.depth)
        };
        let Some(maker) = self.around.contexts.iter().find(named) else { return Found::Unknown };
        let made_in = epoch_in_name(&maker.maker, context).expect("it is in the name");
        let id = maker.maker.clone();
        match maker.made.get(&made_in).cloned() {
            Some(Some(outcome::Place::In(_, mut history))) => {
                match self.written_before(node, epoch, &id, context) {
                    Some(added) => {
                        history.extend(added);
                        Found::Place(outcome::Place::In(context.clone(), history))
                    }
                    None => Found::Undecided,
                }
            }
            Some(Some(place)) => Found::Place(place),
            Some(None) => Found::Undecided,
            None if !maker.are_all && maker.made.keys().all(|epoch| *epoch < made_in) => Found::Undecided,
            None => Found::Unknown,
        }
    }

    /// What the model calls before an activation have added to a context. Nothing if that is not decided.
    fn written_before(
        &mut self,
        node: Place,
        epoch: &Epoch,
        maker: &NodeId,
        context: &ContextId,
    ) -> Option<History> {
        let flow = self.flow;
        let mut turns = Vec::new();
        for other in flow.graph.places() {
            if !self.reach[other].any && !self.reach[other].makers.contains(maker) {
                continue;
            }
            for (epoch, outcome) in self.all_decided(other, |this| this.epochs_before(other, node, epoch))? {
                let added = outcome.writes().iter().filter_map(|write| write.to_context(context));
                let added: History = added.flatten().cloned().collect();
                if !added.is_empty() {
                    turns.push(((other, epoch), added));
                }
            }
        }
        turns.sort_by(|(one, _), (other, _)| self.precedence(one, other));
        Some(turns.into_iter().flat_map(|(_, added)| added).collect())
    }

    /// The iterations of a loop see the contexts as they are when it begins: so it begins when all that comes before it in them
    /// is decided. Nothing if something is not.
    pub fn wait_for_turn(&mut self, node: Place, epoch: &Epoch) -> Option<()> {
        let flow = self.flow;
        let own = self.reach[node].clone();
        if own.is_nothing() {
            return Some(());
        }
        for other in flow.graph.places() {
            let it = &flow.graph.nodes[other];
            let makes = it.kind == "context" && (own.any || own.makers.contains(&it.id));
            if makes || own.meets(&self.reach[other]) {
                self.all_decided(other, |this| this.epochs_before(other, node, epoch))?;
            }
        }
        Some(())
    }

    /// The contexts that an iteration of a loop sees if it begins now.
    pub fn contexts_for(&mut self, node: Place, epoch: &Epoch) -> Vec<OuterContexts> {
        let flow = self.flow;
        let mut all = Vec::new();
        for outer in self.around.contexts.clone() {
            let mut made = BTreeMap::new();
            for (made_in, place) in outer.made {
                let place = match place {
                    Some(outcome::Place::In(context, mut history)) => {
                        let added = self.written_before(node, epoch, &outer.maker, &context);
                        added.map(|added| {
                            history.extend(added);
                            outcome::Place::In(context, history)
                        })
                    }
                    other => other,
                };
                made.insert(made_in, place);
            }
            all.push(OuterContexts { made, ..outer });
        }
        for maker in flow.graph.places().filter(|&place| flow.graph.nodes[place].kind == "context") {
            let id = flow.graph.nodes[maker].id.clone();
            if !self.reach[node].any && !self.reach[node].makers.contains(&id) {
                continue;
            }
            let (before, are_all) = self.epochs_before(maker, node, epoch);
            let mut made = BTreeMap::new();
            for made_in in before {
                let name = self.name_in_scope(maker, &made_in);
                let place = match self.find_here(node, epoch, &name.as_str().into()) {
                    Found::Place(place) => Some(place),
                    Found::Undecided | Found::Unknown => None,
                };
                made.insert(made_in, place);
            }
            all.push(OuterContexts { maker: id, depth: flow.clocks[maker].len(), made, are_all });
        }
        all
    }
}

/// The epoch in which a node makes the context of this name, if it is the name of one of its contexts.
fn epoch_in_name(maker: &NodeId, context: &ContextId) -> Option<Epoch> {
    let rest = context.as_str().strip_prefix(maker.as_str())?;
    let counters = rest.strip_prefix('#').unwrap_or(rest).split('.').filter(|counter| !counter.is_empty());
    let epoch = Epoch(counters.map(str::parse).collect::<Result<_, _>>().ok()?);
    (epoch.to_string() == rest).then_some(epoch)
}
