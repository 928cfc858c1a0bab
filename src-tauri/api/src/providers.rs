//! `provider.*`: the model providers: their keys, their models, whether they reply, and local model servers. Never reveals a
//! key.

mod connection_test;
mod detect;
mod keys;
mod models;
mod presets;
mod service;
mod status;
mod token_calibration;

pub use connection_test::{TestProvider, TestReport, Tested};
pub use detect::DetectProviders;
pub use keys::{RemoveKey, SecretText, SetKey};
pub use models::{ListModels, ModelList};
pub use presets::{ListPresets, ProviderPreset};
pub use service::ProviderService;
pub use status::{GetProviderStatus, KeyStatus, ProviderStatus, ProvidersStatus};
pub(crate) use token_calibration::TokenCalibration;

pub use plait_adapters::providers::{
    ChatQuirks, DetectedServer, ProviderKind, ProviderSettings, ReasoningField, StructuredOutput,
    TokenLimitField,
};
