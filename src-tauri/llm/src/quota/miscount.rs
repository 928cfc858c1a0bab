//! How far the reports of providers went beyond what Plait had counted, by model, as far as this process has seen. A call reserves the
//! most that its model is known to report for as much.
//!
//! Nothing is known of a model before its first report. So the first call of such a model goes alone, and those that would reserve in a
//! quota at the same time wait for its report: otherwise each of them would exceed its reservation, and together they would exceed the quota
//! by the factor of the miscount.

use std::sync::Arc;

use futures::channel::oneshot;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::models::TokenUsage;

/// In smaller prompts, the tokens that a provider adds to every prompt dominate: their factor does not hold for larger ones.
const MIN_FACTOR_TOKENS: u64 = 200;
/// The largest factor that is believed of a small prompt, in thousandths, as `Correction` believes it. What a provider adds beyond it is
/// a number of tokens, which `small_excess` holds.
const MAX_SMALL_PERMILLE: u64 = 4_000;

/// What is known of all models, as `provider/model`.
#[derive(Default)]
pub struct Miscounts(Mutex<FxHashMap<String, ModelState>>);

#[derive(Default)]
struct ModelState {
    known: Option<Miscount>,
    /// Whether the call that finds out is under way.
    is_probed: bool,
    waiting: Vec<oneshot::Sender<()>>,
}

/// The worst that was seen of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Miscount {
    /// How many tokens more than counted were reported of a small prompt.
    small_excess: u64,
    /// The factor of a small prompt, in thousandths.
    small_permille: u64,
    /// The factor of other prompts, in thousandths. None before there was one.
    large_permille: Option<u64>,
    /// The factor of a reply over the longest that was asked for, in thousandths.
    reply_permille: u64,
}

impl Miscount {
    fn learn(&mut self, expected: TokenUsage, reported: TokenUsage) {
        let permille = ratio(reported.input, expected.input);
        if expected.input < MIN_FACTOR_TOKENS {
            self.small_excess = self.small_excess.max(reported.input.saturating_sub(expected.input));
            self.small_permille = self.small_permille.max(permille.min(MAX_SMALL_PERMILLE));
        } else {
            self.large_permille = self.large_permille.max(Some(permille));
        }
        self.reply_permille = self.reply_permille.max(ratio(reported.output, expected.output));
    }

    /// Upper bound of the usage that the provider may report for a call with this estimate.
    fn most(self, expected: TokenUsage) -> TokenUsage {
        let count = expected.input;
        let scaled = match self.large_permille {
            Some(permille) if count >= MIN_FACTOR_TOKENS => times(count, permille),
            _ => {
                let small = count.min(MIN_FACTOR_TOKENS);
                times(small, self.small_permille).saturating_add(count - small)
            }
        };
        let input = count.max(scaled).max(count.saturating_add(self.small_excess));
        TokenUsage::new(input, expected.output.max(times(expected.output, self.reply_permille)))
    }
}

fn ratio(reported: u64, expected: u64) -> u64 {
    let permille = (u128::from(reported) * 1_000).div_ceil(u128::from(expected.max(1)));
    u64::try_from(permille).unwrap_or(u64::MAX)
}

fn times(count: u64, permille: u64) -> u64 {
    u64::try_from((u128::from(count) * u128::from(permille)).div_ceil(1_000)).unwrap_or(u64::MAX)
}

impl Miscounts {
    /// Returns when a call of this model may reserve: something is known of it, or this call is the one that finds out.
    pub async fn admit(self: &Arc<Self>, model: &str) -> Probe {
        loop {
            let wait = {
                let mut models = self.0.lock();
                let state = models.entry(model.to_owned()).or_default();
                if state.known.is_some() {
                    return Probe::default();
                }
                if !state.is_probed {
                    state.is_probed = true;
                    return Probe(Some((Arc::clone(self), model.to_owned())));
                }
                let (send, wait) = oneshot::channel();
                state.waiting.push(send);
                wait
            };
            // A probe that is dropped ends the wait as well.
            let _ = wait.await;
        }
    }

    /// Upper bound of the usage that the provider may report for a call with this estimate.
    pub fn most(&self, model: &str, expected: TokenUsage) -> TokenUsage {
        let known = self.0.lock().get(model).and_then(|state| state.known).unwrap_or_default();
        known.most(expected)
    }

    /// Learns from a reply. Without a report, nothing will be known of the model, and no call waits for it.
    pub fn learn(&self, model: &str, expected: TokenUsage, reported: Option<TokenUsage>) {
        let mut models = self.0.lock();
        let known = models.entry(model.to_owned()).or_default().known.get_or_insert_default();
        if let Some(reported) = reported {
            known.learn(expected, reported);
        }
    }
}

/// A call that finds out how far the counts of its model are off, if nothing is known of it. Dropping it wakes the waiting calls.
#[derive(Default)]
pub struct Probe(Option<(Arc<Miscounts>, String)>);

impl Drop for Probe {
    fn drop(&mut self) {
        let Some((miscounts, model)) = self.0.take() else { return };
        if let Some(state) = miscounts.0.lock().get_mut(&model) {
            state.is_probed = false;
            // Those that were canceled meanwhile do not listen.
            for waiting in state.waiting.drain(..) {
                let _ = waiting.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
