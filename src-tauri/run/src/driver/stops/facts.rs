//! What a condition can read of an activation beside its values: what its calls used, and whether a history was trimmed for one.

use serde_json::{Value, json};

use super::{Key, Stops};
use crate::journal::{CallEvent, ChildEvent, Event, NodeEvent, Spending};
use crate::models::Cost;
use crate::plan::Plan;
use plait_core::id::Activation;

#[derive(Default)]
pub(super) struct Facts {
    tokens: u64,
    cost: Cost,
    trimmed: bool,
}

impl Facts {
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

impl Stops {
    /// Notes what an event says of an open activation.
    pub fn note(&mut self, plan: &Plan, event: &Event) {
        match event {
            Event::Call(at, CallEvent::PromptRendered { prompt, .. }) if prompt.omitted.is_some() => {
                self.change_facts(plan, at, |facts| facts.trimmed = true);
            }
            Event::Call(at, CallEvent::ModelReplied { .. } | CallEvent::ModelFailed { .. }) => {
                if let Some(spending) = Spending::of(event) {
                    self.change_facts(plan, at, |facts| {
                        facts.tokens += spending.tokens.input.saturating_add(spending.tokens.output);
                        facts.cost += spending.cost;
                    });
                }
            }
            Event::Child(at, ChildEvent::Started { run }) => {
                if let Some(node) = plan.find(&at.node) {
                    self.children.insert(run.clone(), (node, at.epoch.clone()));
                }
            }
            _ => {}
        }
    }

    /// The same for an event of the journal, in which activations end.
    pub fn note_recorded(&mut self, plan: &Plan, event: &Event) {
        self.note(plan, event);
        if let Event::Node(at, NodeEvent::Finished { .. } | NodeEvent::Failed { .. }) = event
            && let Some(node) = plan.find(&at.node)
        {
            self.close(&(node, at.epoch.clone()));
        }
    }

    fn change_facts(&mut self, plan: &Plan, at: &Activation, change: impl FnOnce(&mut Facts)) {
        if let Some(node) = plan.find(&at.node) {
            let key: Key = (node, at.epoch.clone());
            change(self.facts.entry(key).or_default());
        }
    }
}
