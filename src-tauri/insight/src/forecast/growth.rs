//! How the prompts of a node grow from iteration to iteration, and when they no longer fit.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::repetition::Iterations;
use plait_core::id::Epoch;

/// From how many of the last iterations the growth is taken.
const GROWTH_SPAN: usize = 8;

/// What becomes of the prompts of a node. The percentages are of the model's window, with the reserve for the reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Outlook {
    /// They fit.
    Fits {
        #[ts(type = "number")]
        percent: u64,
        /// The iteration of the largest, from 1; that of an inner loop after a dot. Absent if all have the same size.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        iteration: Option<String>,
    },
    /// The strategy of a loop's history holds them below this.
    Bounded {
        #[ts(type = "number")]
        percent: u64,
    },
    /// They will not fit.
    Overflows {
        /// The first iteration in which they do not fit. Absent outside of loops and cycles.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        iteration: Option<String>,
        /// Whether the call fails. Else the oldest messages are left out.
        fails: bool,
        /// The share of the window in the iteration before, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        before: Option<WindowShare>,
    },
}

/// How much of the window a prompt takes in one iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WindowShare {
    pub iteration: String,
    #[ts(type = "number")]
    pub percent: u64,
}

impl Outlook {
    /// Whether prompts will not fit, or come close to it.
    pub fn is_near_overflow(&self) -> bool {
        match self {
            Self::Overflows { .. } => true,
            Self::Fits { percent, .. } | Self::Bounded { percent } => *percent >= 90,
        }
    }
}

/// One prompt, as far as its growth is concerned.
#[derive(Clone, Debug)]
pub(super) struct Size {
    pub epoch: Epoch,
    pub tokens: u64,
    pub window: u64,
    pub reserve: u64,
    pub fate: Fate,
}

/// What becomes of one prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Whole,
    /// Turns were left out by the strategy of a loop.
    Bounded,
    /// The oldest messages did not fit.
    Trimmed,
    /// The call fails.
    Fails,
}

impl Size {
    fn room(&self) -> u64 {
        self.window.saturating_sub(self.reserve)
    }

    fn percent_of(&self, tokens: u64) -> u64 {
        let taken = u128::from(tokens) + u128::from(self.reserve);
        let window = u128::from(self.window.max(1));
        u64::try_from((taken * 100 + window / 2) / window).unwrap_or(u64::MAX)
    }

    fn percent(&self) -> u64 {
        self.percent_of(self.tokens)
    }

    fn overflows(&self) -> bool {
        matches!(self.fate, Fate::Trimmed | Fate::Fails) || self.tokens > self.room()
    }
}

/// The growth of the prompts of a node with these first sizes, and the tokens that an iteration adds in the end.
/// `outermost` is the loop or cycle around all others, if there is one.
pub(super) fn outlook(sizes: &[Size], outermost: Option<&Iterations>) -> Option<(Outlook, u64)> {
    let overflow = sizes.iter().position(Size::overflows);
    let fitting = &sizes[..overflow.unwrap_or(sizes.len())];
    let peaks = Peaks::of(fitting);
    let growth = peaks.growth();
    if let Some(first) = overflow.map(|at| &sizes[at]) {
        let before = fitting
            .last()
            .and_then(|last| Some(WindowShare { iteration: last.epoch.label()?, percent: last.percent() }));
        let fails = first.fate == Fate::Fails;
        return Some((Outlook::Overflows { iteration: first.epoch.label(), fails, before }, growth));
    }
    let largest = fitting.iter().rev().max_by_key(|size| size.tokens)?;
    let beyond = outermost.filter(|iterations| !iterations.is_complete && peaks.is_growing());
    if let Some(iterations) = beyond {
        return Some((peaks.extrapolate(largest, iterations.at_most), growth));
    }
    let percent = largest.percent();
    let is_bounded = fitting.iter().any(|size| size.fate == Fate::Bounded);
    let outlook = if is_bounded {
        Outlook::Bounded { percent }
    } else {
        let varies = fitting.iter().any(|size| size.tokens != largest.tokens);
        Outlook::Fits { percent, iteration: varies.then(|| largest.epoch.label()).flatten() }
    };
    Some((outlook, growth))
}

/// The largest prompt of each iteration of the outermost loop or cycle, in order.
struct Peaks(Vec<(u32, u64)>);

impl Peaks {
    fn of(sizes: &[Size]) -> Self {
        let mut peaks: Vec<(u32, u64)> = Vec::new();
        for size in sizes {
            let Some(&outer) = size.epoch.0.first() else { continue };
            match peaks.last_mut() {
                Some((last, tokens)) if *last == outer => *tokens = size.tokens.max(*tokens),
                _ => peaks.push((outer, size.tokens)),
            }
        }
        Self(peaks)
    }

    /// The tokens that an iteration adds, on average of the last ones.
    fn growth(&self) -> u64 {
        let Self(peaks) = self;
        let span = peaks.len().saturating_sub(1).min(GROWTH_SPAN);
        let (Some(last), Some(first)) = (peaks.last(), peaks.len().checked_sub(span + 1)) else { return 0 };
        last.1.saturating_sub(peaks[first].1) / (span as u64).max(1)
    }

    /// Whether the last iterations are larger than all before.
    fn is_growing(&self) -> bool {
        let Self(peaks) = self;
        let recent = peaks.len() - peaks.len() / 3;
        let largest =
            |peaks: &[(u32, u64)]| peaks.iter().map(|(_, tokens)| *tokens).max().unwrap_or_default();
        self.growth() > 0 && peaks.len() >= 3 && largest(&peaks[recent..]) > largest(&peaks[..recent])
    }

    /// What comes after the iterations that were looked at, if they go on growing as they did.
    fn extrapolate(&self, largest: &Size, at_most: Option<u64>) -> Outlook {
        let growth = self.growth().max(1);
        let (last, tokens) = self.0.last().copied().unwrap_or_default();
        let seen = u64::from(last) + 1;
        let steps = largest.room().saturating_sub(tokens) / growth + 1;
        let first = seen.saturating_add(steps);
        let share = |iteration: u64| {
            let tokens = tokens.saturating_add(growth.saturating_mul(iteration.saturating_sub(seen)));
            WindowShare { iteration: iteration.to_string(), percent: largest.percent_of(tokens) }
        };
        match at_most.filter(|at_most| *at_most < first) {
            Some(at_most) => {
                let WindowShare { iteration, percent } = share(at_most.max(seen));
                Outlook::Fits { percent, iteration: Some(iteration) }
            }
            None => Outlook::Overflows {
                iteration: Some(first.to_string()),
                fails: false,
                before: Some(share(first - 1)),
            },
        }
    }
}

#[cfg(test)]
mod tests;
