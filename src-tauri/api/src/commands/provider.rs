//! `provider.*`: the model providers as they are set up: their keys, their models, whether they answer, and which run on
//! this machine. Refuses to show a key.

mod detect;
mod key;
mod models;
mod status;
mod test;

pub use detect::DetectProviders;
pub use key::{RemoveKey, SecretText, SetKey};
pub use models::{ListModels, ModelList};
pub use status::{GetProviderStatus, KeyStatus, ProviderStatus, ProvidersStatus};
pub use test::{TestProvider, TestReport, Tested};
