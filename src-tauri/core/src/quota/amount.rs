//! An amount of tokens and money.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Tokens, of prompts and replies alike, and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Amount {
    #[ts(type = "number")]
    pub tokens: u64,
    /// Billionths of a US dollar. 0 where the price is not known.
    #[ts(type = "number")]
    pub nano_usd: u64,
}

impl Amount {
    /// Whether it is nothing.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// This amount without `other`, and not below nothing.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.zip(other, u64::saturating_sub)
    }

    /// The lesser of both, for tokens and for money.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        self.zip(other, u64::min)
    }

    /// The greater of both, for tokens and for money.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        self.zip(other, u64::max)
    }

    fn zip(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self { tokens: with(self.tokens, other.tokens), nano_usd: with(self.nano_usd, other.nano_usd) }
    }
}

impl std::ops::Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, u64::saturating_add)
    }
}

impl std::ops::AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
