//! What is known of models apart from any run: how large their windows are, what they cost, how far Plait's counts of
//! tokens are off for them.
//!
//! Tables that come with Plait (`windows.json`, `prices.json`) under what a person has set and what was learned
//! ([`ModelOverrides`]). Refuses to ask anybody: a table that is out of date is put right in the settings, by model.

mod correction;
mod cost;
mod names;
mod overrides;
mod price;
mod usage;
mod window;

pub use correction::{CalibrationSample, Correction, is_exact};
pub use cost::Cost;
pub use overrides::{ModelOverride, ModelOverrides};
pub use price::{Price, PriceStep, price, prices_date};
pub use usage::TokenUsage;
pub use window::{DEFAULT_WINDOW, window};

/// The provider of a context that names none: a built-in simulator without key and network.
pub const OFFLINE: &str = "offline";
/// The offline provider's model that repeats the message it receives.
pub const ECHO: &str = "echo";
