//! What model calls cost, as far as their prices are known.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::usage::is_zero;

/// A sum of money, and the number of calls without a known price that it leaves out. Costs of calls, nodes, contexts, runs,
/// conversations and days can be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Billionths of a US dollar.
    #[ts(type = "number")]
    pub nano_usd: u64,
    /// How many calls it leaves out: without a known price, or failed after they may have been billed.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<u32>")]
    pub unpriced: u64,
}

impl Cost {
    /// The cost of one call; `None` if its price is unknown.
    pub fn of_call(nano_usd: Option<u64>) -> Self {
        match nano_usd {
            Some(nano_usd) => Self { nano_usd, unpriced: 0 },
            None => Self { nano_usd: 0, unpriced: 1 },
        }
    }

    /// It in US dollars, if it leaves nothing out.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a condition compares it with a price that a person wrote"
    )]
    pub fn usd(&self) -> Option<f64> {
        (self.unpriced == 0).then(|| self.nano_usd as f64 / 1e9)
    }

    /// This sum with the part `before` replaced by `after`.
    #[must_use]
    pub fn replace_part(mut self, before: Self, after: Self) -> Self {
        self += after;
        self.nano_usd = self.nano_usd.saturating_sub(before.nano_usd);
        self.unpriced = self.unpriced.saturating_sub(before.unpriced);
        self
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.nano_usd = self.nano_usd.saturating_add(other.nano_usd);
        self.unpriced = self.unpriced.saturating_add(other.unpriced);
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |mut sum, cost| {
            sum += cost;
            sum
        })
    }
}

const NANO_PER_USD: u64 = 1_000_000_000;

/// For people: `$0.0042`, `≥ $1.20` if some calls have no price, `—` if none has.
impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.nano_usd, self.unpriced) {
            (0, 0) => f.write_str("$0"),
            (0, _) => f.write_str("—"),
            (1..100_000, 0) => f.write_str("< $0.0001"),
            (1..100_000, _) => f.write_str("> $0"),
            (nano, unpriced) => {
                let (unit, digits) = if nano < NANO_PER_USD { (100_000, 4) } else { (10_000_000, 2) };
                // Half a unit is rounded up. Floats round some halves down.
                let units = nano / unit + u64::from(nano % unit >= unit / 2);
                let units_per_usd = NANO_PER_USD / unit;
                let (dollars, rest) = (units / units_per_usd, units % units_per_usd);
                write!(f, "{}${dollars}.{rest:0digits$}", if unpriced > 0 { "≥ " } else { "" })
            }
        }
    }
}

#[cfg(test)]
mod tests;
