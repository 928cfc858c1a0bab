//! What is known of models apart from any run: how large their windows are, what they cost, how far Plait's counts of
//! tokens are off for them.
//!
//! Tables that come with Plait (`windows.json`, `prices.json`) under what a person has set and what was learnt
//! ([`ModelBook`]). Refuses to ask anybody: a table that is out of date is put right in the settings, by model.

mod book;
mod correction;
mod names;
mod price;
mod window;

pub use book::{ModelBook, ModelNote};
pub use correction::{Correction, Learned, is_exact};
pub use price::{Price, PriceStep, price, prices_date};
pub use window::{DEFAULT_WINDOW, window};
