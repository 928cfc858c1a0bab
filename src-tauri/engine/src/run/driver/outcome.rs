//! What comes of running nodes: what they say on the way, and how their tries end.

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;

use super::attempt::{self, Done, Outcome};
use super::{Driver, restore, turns};
use crate::error::Fault;
use crate::id::Activation;
use crate::node::Signal;
use crate::run::Fact;

impl Driver {
    /// Takes the outcome of an attempt.
    pub(super) async fn settle(
        &mut self,
        done: Done,
        running: &mut FuturesUnordered<BoxFuture<'_, Done>>,
    ) -> Result<(), Fault> {
        if self.has_ended() {
            return Ok(());
        }
        // What the node had to say comes before its outcome.
        while let Ok(signal) = self.signals.1.try_recv() {
            self.hear(signal).await?;
        }
        let Activation { node, epoch } = self.activation(done.start.node, &done.start.epoch);
        let key = (done.start.node, done.start.epoch.clone());
        match done.outcome {
            Outcome::Finished { output, written, duration_ms } => {
                let mut facts = turns::facts(&node, &epoch, &written);
                for fact in &facts {
                    turns::fold(&mut self.contexts, fact);
                }
                if let Some(journaled) = self.dangling.remove(&key) {
                    facts.drain(..journaled.len().min(facts.len()));
                }
                let bought = self.recorded.remove(&key).is_some();
                let durable = bought || !facts.is_empty();
                let finished = attempt::finished(node, epoch, output, duration_ms);
                self.turns.close(done.start.node, &done.start.epoch);
                self.happen(facts.into_iter().chain([finished]))?;
                if durable {
                    self.recorder.flush().await?;
                }
            }
            Outcome::Paused(pause) => {
                let activation = Activation { node: node.clone(), epoch: epoch.clone() };
                self.questions.insert(activation, pause.schema.clone());
                self.happen([Fact::RunPaused { node, epoch, prompt: pause.prompt, schema: pause.schema }])?;
                self.recorder.flush().await?;
            }
            Outcome::Retrying { delay_ms, error } => {
                let attempt = done.start.attempt;
                self.happen([Fact::NodeRetrying { node, epoch, attempt, delay_ms, error }])?;
                running.push(attempt::again(done.start, delay_ms, &self.host));
            }
            Outcome::Again => self.again.extend(self.scheduler.running(done.start.node)),
            Outcome::Failed(error) => {
                self.recorded.remove(&key);
                self.dangling.remove(&key);
                self.turns.close(done.start.node, &done.start.epoch);
                let handled = self.plan.nodes[done.start.node].handles_error;
                let mut facts = if handled { Vec::new() } else { self.turns.discard_all(&self.plan) };
                facts.push(Fact::NodeFailed { node, epoch, error, handled });
                self.happen(facts)?;
            }
        }
        Ok(())
    }

    /// Takes what a running node has to say.
    pub(super) async fn hear(&mut self, signal: Signal) -> Result<(), Fault> {
        if self.has_ended() {
            return Ok(());
        }
        match signal {
            Signal::Delta(fact) => {
                self.turns.stream(&self.plan, &fact);
                self.recorder.show(fact);
            }
            Signal::Note(fact) => {
                self.turns.note(&self.plan, &fact);
                // Most of it is only told; that a child run waits is also to be acted on.
                self.happen([fact])?;
            }
            Signal::Durable(fact, done) => {
                if let Some((node, epoch)) = restore::effect_of(&fact)
                    && let Some(node) = self.plan.find(node)
                {
                    self.recorded.entry((node, epoch.clone())).or_default().push(fact.clone());
                }
                self.recorder.append([fact])?;
                self.recorder.flush().await?;
                // A node that was dropped meanwhile does not listen.
                let _ = done.send(());
            }
        }
        Ok(())
    }
}
