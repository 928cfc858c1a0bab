//! What a provider's refusal of a prompt that is too large says, and what follows from it: the prompt is trimmed once more.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use crate::models::{
    CalibrationSample, Correction, EXACT_PERMILLE, ModelConfig, ModelOverrides, is_exact, reserve,
};
use plait_core::error::Fault;

/// The share of a refused prompt that is sent again if the refusal names no numbers: three quarters.
const KEPT_SHARE: (u64, u64) = (3, 4);

/// A prompt that the provider refused as larger than the model's window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RefusedPrompt {
    /// What Plait had counted it to, before any correction.
    #[ts(type = "number")]
    pub counted: u64,
    /// Its tokens, if the provider names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub tokens: Option<u64>,
    /// The window, if the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub limit: Option<u64>,
    /// What the provider said.
    pub message: String,
}

impl RefusedPrompt {
    /// The refusal of a prompt that was counted to `counted` tokens; none if the call failed for another reason.
    pub fn of(fault: &Fault, counted: u64) -> Option<Self> {
        let number = |key: &str| fault.details.get(key)?.as_u64().filter(|number| *number > 0);
        (fault.code == codes::PROVIDER_CONTEXT_EXCEEDED).then(|| Self {
            counted,
            tokens: number("tokens"),
            limit: number("limit"),
            message: fault.message.clone(),
        })
    }

    /// What later calls can learn from it: its tokens, if they are named and the model is not counted exactly.
    pub fn sample(&self, config: &ModelConfig) -> Option<CalibrationSample> {
        let ModelConfig { provider, model, .. } = config;
        let correction = Correction::from_report(self.counted, self.tokens?)?;
        (!is_exact(provider, model))
            .then(|| CalibrationSample { model: ModelOverrides::key(provider, model), correction })
    }

    /// Makes `config` such that a prompt like this one is trimmed until it fits.
    pub fn apply_to(&self, config: &mut ModelConfig) {
        let known = self.tokens.is_some() || self.limit.is_some_and(|limit| limit < config.window);
        if let Some(tokens) = self.tokens {
            let permille = tokens.saturating_mul(1_000).div_ceil(self.counted.max(1));
            config.caution = config.caution.max(permille).max(EXACT_PERMILLE);
        }
        if let Some(limit) = self.limit {
            config.window = config.window.min(limit);
            config.reserve = reserve(config.window, config.max_tokens);
        }
        if !known {
            let (kept, of) = KEPT_SHARE;
            let estimated = config.correction.apply_cautiously(self.counted, config.caution);
            let smaller = estimated / of * kept + config.reserve;
            config.window = config.window.min(smaller);
        }
    }
}

#[cfg(test)]
mod tests;
