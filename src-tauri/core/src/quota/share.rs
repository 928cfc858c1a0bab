//! What may be used of something: tokens and money, each limited or not.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Amount;

/// What may be used. `None` is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub tokens: Option<u64>,
    /// Billionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub nano_usd: Option<u64>,
}

impl Share {
    /// Whether nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an amount is within it.
    pub fn allows(&self, amount: Amount) -> bool {
        self.tokens.is_none_or(|most| amount.tokens <= most)
            && self.nano_usd.is_none_or(|most| amount.nano_usd <= most)
    }

    /// The rest when `used` is gone.
    #[must_use]
    pub fn minus(self, used: Amount) -> Self {
        Self {
            tokens: self.tokens.map(|most| most.saturating_sub(used.tokens)),
            nano_usd: self.nano_usd.map(|most| most.saturating_sub(used.nano_usd)),
        }
    }

    /// So many times as much.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self {
            tokens: self.tokens.map(|most| most.saturating_mul(count)),
            nano_usd: self.nano_usd.map(|most| most.saturating_mul(count)),
        }
    }

    /// An equal part of it for each of `parts`.
    #[must_use]
    pub fn part(self, parts: u64) -> Self {
        let parts = parts.max(1);
        Self {
            tokens: self.tokens.map(|most| most / parts),
            nano_usd: self.nano_usd.map(|most| most / parts),
        }
    }

    /// What both allow.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        Self { tokens: least(self.tokens, other.tokens), nano_usd: least(self.nano_usd, other.nano_usd) }
    }

    /// The limited parts as an amount; zero for unlimited parts.
    pub fn amount(self) -> Amount {
        Amount { tokens: self.tokens.unwrap_or_default(), nano_usd: self.nano_usd.unwrap_or_default() }
    }

    /// The part of `amount` that is limited.
    pub fn limited(self, amount: Amount) -> Amount {
        Amount {
            tokens: self.tokens.map_or(0, |_| amount.tokens),
            nano_usd: self.nano_usd.map_or(0, |_| amount.nano_usd),
        }
    }
}
