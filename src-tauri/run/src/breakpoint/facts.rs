//! What a condition can read of an activation beside its values: what its calls used, and whether a history was trimmed for one.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::Key;
use crate::journal::{CallEvent, Event, Spending};
use crate::models::Cost;
use crate::plan::Plan;

/// The facts of one activation's calls.
#[derive(Default)]
pub(crate) struct CallFacts {
    tokens: u64,
    cost: Cost,
    trimmed: bool,
}

/// The facts of the calls of open activations.
#[derive(Default)]
pub(crate) struct ActivationFacts(FxHashMap<Key, CallFacts>);

impl CallFacts {
    /// What its calls cost, in US dollars, if all prices are known.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a condition compares it with a price that a person wrote"
    )]
    fn cost_usd(&self) -> Option<f64> {
        (self.cost.unpriced == 0).then(|| self.cost.nano_usd as f64 / 1e9)
    }

    /// The variables `tokens`, `cost` and `trimmed`. The cost is in US dollars; null where no price is known.
    pub fn add_to(&self, variables: &mut serde_json::Map<String, Value>) {
        variables.insert("tokens".to_owned(), json!(self.tokens));
        variables.insert("cost".to_owned(), json!(self.cost_usd()));
        variables.insert("trimmed".to_owned(), json!(self.trimmed));
    }
}

impl ActivationFacts {
    /// The facts of an activation. None if it made no calls.
    pub fn get(&self, key: &Key) -> Option<&CallFacts> {
        self.0.get(key)
    }

    /// Forgets an activation that has ended.
    pub fn remove(&mut self, key: &Key) {
        if !self.0.is_empty() {
            self.0.remove(key);
        }
    }

    /// Notes what an event says of an open activation.
    pub fn note(&mut self, plan: &Plan, event: &Event) {
        let Event::Call(at, call) = event else { return };
        let spending = match call {
            CallEvent::PromptRendered { prompt, .. } if prompt.omitted.is_some() => None,
            CallEvent::ModelReplied { .. } | CallEvent::ModelFailed { .. } => match Spending::of(event) {
                None => return,
                spending => spending,
            },
            _ => return,
        };
        let Some(node) = plan.find(&at.node) else { return };
        let facts = self.0.entry((node, at.epoch.clone())).or_default();
        match spending {
            Some(spending) => {
                facts.tokens += spending.tokens.input.saturating_add(spending.tokens.output);
                facts.cost += spending.cost;
            }
            None => facts.trimmed = true,
        }
    }
}
