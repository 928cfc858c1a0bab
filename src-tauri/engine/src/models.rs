//! Properties of models: context windows, prices, and how far Plait's token counts are off.
//!
//! The built-in tables (`catalog.json`, which `cargo xtask models` refreshes, and `windows.json` for whole families) come second
//! to settings and calibrations ([`ModelOverrides`]). Nothing is fetched: an outdated entry is overridden in the settings, by model.

mod catalog;
mod caution;
mod correction;
mod cost;
mod names;
mod overrides;
mod price;
mod sampling;
mod usage;
mod window;

pub use catalog::{price, prices_date, takes};
pub use caution::{EXACT_PERMILLE, caution_permille};
pub use correction::{CalibrationSample, Correction, is_exact};
pub use cost::Cost;
pub use overrides::{ModelOverride, ModelOverrides};
pub use price::{Price, PriceStep};
pub use sampling::{sampling_parameters, takes_sampling};
pub use usage::TokenUsage;
pub use window::{DEFAULT_WINDOW, window};

/// The provider of a context that names none: a built-in simulator without key and network.
pub const OFFLINE: &str = "offline";
/// The offline provider's model that repeats the message it receives.
pub const ECHO: &str = "echo";
/// The same for a single prompt: it takes no messages before it.
pub const PROMPT: &str = "prompt";
