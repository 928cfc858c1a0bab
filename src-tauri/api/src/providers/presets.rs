//! `provider.presets`.

use plait_adapters::providers;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

pub use plait_adapters::providers::ProviderPreset;

/// `provider.presets`: ready-made settings for servers that speak a known protocol.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListPresets {}

impl Command for ListPresets {
    const NAME: &'static str = "provider.presets";
    type Service = ();
    type Reply = Vec<ProviderPreset>;

    async fn run(self, (): &()) -> Result<Vec<ProviderPreset>, ErrorReply> {
        Ok(providers::presets().to_vec())
    }
}
