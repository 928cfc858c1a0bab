//! `provider.*`: the model providers as they are set up: their keys, their models, whether they answer, and which run on
//! this machine. Refuses to show a key.

mod connection_test;
mod detect;
mod keys;
mod models;
mod status;
pub(crate) mod token_calibration;

pub use connection_test::{TestProvider, TestReport, Tested};
pub use detect::DetectProviders;
pub use keys::{RemoveKey, SecretText, SetKey};
pub use models::{ListModels, ModelList};
pub use status::{GetProviderStatus, KeyStatus, ProviderStatus, ProvidersStatus};

pub use plait_adapters::providers::FoundServer;
