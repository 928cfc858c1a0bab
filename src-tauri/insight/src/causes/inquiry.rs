//! Which mixture is run next, and what the trials say so far.

use plait_core::id::RunId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Swap;
use crate::pass_rate::PassRate;

/// With more differences than this, no two are tried together: there would be more than 28 such trials.
pub const MAX_PAIRED_SWAPS: usize = 8;

/// The search for what made the difference between two runs. A document: it is made once, and each trial gives the next one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Inquiry {
    /// The run that is forked with differences of the other one.
    pub before: RunId,
    pub after: RunId,
    /// A condition in CEL that is true of one of the two runs. Without it: the outputs are not those of the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub when: Option<String>,
    /// How often each mixture is run.
    pub samples: u32,
    pub swaps: Vec<Swap>,
    /// Each swap alone, then two together, in the order in which they are run.
    pub trials: Vec<Trial>,
}

/// A mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// The places of its swaps in the inquiry.
    #[ts(type = "number[]")]
    pub swaps: Vec<usize>,
    /// What one sample costs at most, in billionths of a US dollar, without calls that have no upper bound.
    #[ts(type = "number")]
    pub at_most_nano_usd: u64,
    /// How many calls and nodes have no upper bound.
    #[ts(type = "number")]
    pub unknown: u64,
    /// Why it is not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub refused: Option<String>,
    /// Its samples so far.
    pub runs: Vec<TrialRun>,
}

/// A sample of a mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TrialRun {
    pub run: RunId,
    /// Whether its outcome is that of the second run. Nothing if it was canceled at a question, or the condition has no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub flipped: Option<bool>,
    /// What it asked that nobody was asked in the two runs, so that it was canceled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub unanswered: Option<String>,
    /// What it bought, in billionths of a US dollar.
    #[ts(type = "number")]
    pub nano_usd: u64,
}

/// A mixture that turns the outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FoundCause {
    /// The places of its swaps in the inquiry.
    #[ts(type = "number[]")]
    pub swaps: Vec<usize>,
    /// In how many of its decided samples.
    pub rate: PassRate,
}

/// How far an inquiry has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InquiryState {
    pub inquiry: Inquiry,
    pub verdict: Verdict,
    /// The trial that is run next, by its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub next: Option<usize>,
    /// What all samples that may be run cost at most, in billionths of a US dollar.
    #[ts(type = "number")]
    pub at_most_nano_usd: u64,
    /// How many calls and nodes of them have no upper bound.
    #[ts(type = "number")]
    pub unknown: u64,
    /// What has been bought, in billionths of a US dollar.
    #[ts(type = "number")]
    pub spent_nano_usd: u64,
}

impl From<Inquiry> for InquiryState {
    fn from(inquiry: Inquiry) -> Self {
        let (at_most_nano_usd, unknown) = inquiry.at_most();
        let (verdict, next, spent_nano_usd) = (inquiry.verdict(), inquiry.next(), inquiry.spent_nano_usd());
        Self { inquiry, verdict, next, at_most_nano_usd, unknown, spent_nano_usd }
    }
}

/// What an inquiry has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Verdict {
    /// There is more to run.
    Open,
    /// Each of these mixtures turns the outcome in most of its samples: one swap, or two together where none does alone.
    Found { causes: Vec<FoundCause> },
    /// No mixture that was tried turns it: more differences work together, or what is no difference of flow and inputs.
    NotFound,
}

impl Trial {
    /// A mixture that was not run yet.
    pub fn new(swaps: Vec<usize>) -> Self {
        Self { swaps, at_most_nano_usd: 0, unknown: 0, refused: None, runs: Vec::new() }
    }

    /// How many of its samples have the outcome of the second run.
    fn flips(&self) -> usize {
        self.runs.iter().filter(|run| run.flipped == Some(true)).count()
    }

    /// In how many of its decided samples the outcome is that of the second run.
    fn rate(&self) -> PassRate {
        let decided = self.runs.iter().filter(|run| run.flipped.is_some()).count();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        PassRate::of(count(self.flips()), count(decided))
    }

    pub(super) fn turns_the_outcome(&self) -> bool {
        self.flips() * 2 > self.runs.len()
    }
}

impl Inquiry {
    /// All mixtures of one swap and, if there are not too many, of two.
    pub fn planned_trials(swaps: usize) -> Vec<Trial> {
        let single = (0..swaps).map(|at| vec![at]);
        let paired = if swaps <= MAX_PAIRED_SWAPS { swaps } else { 0 };
        let pairs = (0..paired).flat_map(|first| (first + 1..paired).map(move |second| vec![first, second]));
        single.chain(pairs).map(Trial::new).collect()
    }

    /// The trial to run once more. Two swaps together only if none turns the outcome alone, and only until one pair does.
    pub fn next(&self) -> Option<usize> {
        let samples = usize::try_from(self.samples).unwrap_or(usize::MAX);
        let is_open = |trial: &Trial| trial.refused.is_none() && trial.runs.len() < samples;
        let next = self.trials.iter().position(is_open)?;
        let of_size = |size: usize| self.trials.iter().filter(move |trial| trial.swaps.len() == size);
        let is_found = |size: usize| of_size(size).any(|trial| !is_open(trial) && trial.turns_the_outcome());
        match self.trials[next].swaps.len() {
            1 => Some(next),
            _ => (!is_found(1) && !is_found(2)).then_some(next),
        }
    }

    /// What has been found.
    pub(super) fn verdict(&self) -> Verdict {
        if self.next().is_some() {
            return Verdict::Open;
        }
        let turning = |size: usize| -> Vec<FoundCause> {
            let found =
                self.trials.iter().filter(|trial| trial.swaps.len() == size && trial.turns_the_outcome());
            found.map(|trial| FoundCause { swaps: trial.swaps.clone(), rate: trial.rate() }).collect()
        };
        let causes = Some(turning(1)).filter(|found| !found.is_empty()).unwrap_or_else(|| turning(2));
        if causes.is_empty() { Verdict::NotFound } else { Verdict::Found { causes } }
    }

    /// What all samples that may be run cost at most, in billionths of a US dollar, and how many calls and nodes have no upper bound.
    pub(super) fn at_most(&self) -> (u64, u64) {
        let runs = self.trials.iter().filter(|trial| trial.refused.is_none());
        runs.fold((0, 0), |(nano_usd, unknown): (u64, u64), trial| {
            let all = trial.at_most_nano_usd.saturating_mul(self.samples.into());
            (nano_usd.saturating_add(all), unknown.saturating_add(trial.unknown))
        })
    }

    /// What has been bought, in billionths of a US dollar.
    pub(super) fn spent_nano_usd(&self) -> u64 {
        let runs = self.trials.iter().flat_map(|trial| &trial.runs);
        runs.fold(0, |sum, run| sum.saturating_add(run.nano_usd))
    }
}
