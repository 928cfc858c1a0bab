//! What a quota allows: amounts of tokens and money, and the settings of quotas.

mod amount;
mod settings;
mod share;

pub use amount::Amount;
pub use settings::{DefaultQuotas, FallbackModel, FlowQuotas, OnExceeded, Quota};
pub use share::Share;
