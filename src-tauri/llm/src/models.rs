//! Properties of models: context windows, prices, and how far Plait's token counts are off.
//!
//! The built-in tables (`catalog.json`, which `cargo xtask models` refreshes, and `windows.json` for whole families) come second
//! to settings and calibrations ([`ModelOverrides`]). Nothing is fetched: an outdated entry is overridden in the settings, by model.

mod catalog;
mod caution;
mod correction;
mod cost;
mod model_config;
mod names;
mod overrides;
mod price;
mod reserve;
mod sampling;
mod tree_spending;
mod usage;
mod window;

pub use catalog::{price, prices_date, takes};
pub use caution::{EXACT_PERMILLE, caution_permille};
pub use correction::{CalibrationSample, Correction, MAX_COUNTED_TOKENS, is_exact};
pub use cost::Cost;
pub use model_config::{ModelConfig, RunModelSettings};
pub use overrides::{MAX_CONTEXT_WINDOW, ModelOverride, ModelOverrides};
pub use price::{MAX_USD_PER_MILLION_TOKENS, Price, PriceStep};
pub use reserve::reserve;
pub use sampling::{sampling_parameters, takes_sampling};
pub use tree_spending::TreeSpending;
pub use usage::TokenUsage;
pub use window::{DEFAULT_WINDOW, window};
