//! The model of a call and what bounds its prompts.

use super::{Correction, ModelOverrides};

/// The model settings of a run, for each of its calls.
#[derive(Clone, Copy, Debug)]
pub struct RunModelSettings<'a> {
    /// The window that the flow sets for all calls, in tokens.
    pub flow_window: Option<u64>,
    /// Model settings and calibrations.
    pub models: &'a ModelOverrides,
}

/// The model of a call and its window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// Maximum tokens of the reply, if set.
    pub max_tokens: Option<u32>,
    /// The window, in tokens of prompt and reply together.
    pub window: u64,
    /// The part of the window that is reserved: room for the reply, and the margin.
    pub reserve: u64,
    /// How far token counts are off for this model.
    pub correction: Correction,
    /// The factor that estimates start with before anything was reported, in thousandths. It bounds prompts, and
    /// changes no count.
    pub caution: u64,
    /// Whether the model takes a single prompt, and no messages before it.
    pub prompt_only: bool,
}
