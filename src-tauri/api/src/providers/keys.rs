//! `provider.setKey` and `provider.removeKey`.

use plait_adapters::keys::KeyRetention;
use secrecy::SecretString;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use ts_rs::TS;

use super::service::ProviderService;
use super::status::{ProviderStatus, status_of};
use crate::ErrorReply;
use crate::command::Command;

/// A key that a caller passes in. Its debug output is redacted, it is wiped when dropped, and it cannot be serialized.
#[derive(Clone, Debug, Deserialize)]
pub struct SecretText(SecretString);

impl SecretText {
    pub(crate) fn secret(&self) -> &SecretString {
        &self.0
    }
}

impl From<SecretString> for SecretText {
    fn from(key: SecretString) -> Self {
        Self(key)
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("keys are never serialized"))
    }
}

/// `provider.setKey`: sets or replaces the key of a provider. `provider.unknown`, `provider.no_key` when it takes none,
/// `keys.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SetKey {
    pub provider: String,
    /// The key. Surrounding whitespace is ignored.
    #[ts(type = "string")]
    pub key: SecretText,
    /// How long to store it. Permanently when left out.
    #[serde(default)]
    #[ts(as = "Option<KeyRetention>", optional)]
    pub keep: KeyRetention,
}

impl Command for SetKey {
    const NAME: &'static str = "provider.setKey";
    type Service = ProviderService;
    type Reply = ProviderStatus;

    async fn run(self, service: &ProviderService) -> Result<ProviderStatus, ErrorReply> {
        let owner = service.table().key_owner(&self.provider)?;
        service.keys().set(&owner, &self.key.0, self.keep).await?;
        service.forget_models(&self.provider);
        service.forget_removed_key(&self.provider);
        status_of(service, &self.provider).await
    }
}

/// `provider.removeKey`: removes the key of a provider from where Plait stores it. A key in the environment stays. Does
/// nothing when there is none. `provider.unknown`, `keys.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RemoveKey {
    pub provider: String,
}

impl Command for RemoveKey {
    const NAME: &'static str = "provider.removeKey";
    type Service = ProviderService;
    type Reply = ProviderStatus;

    async fn run(self, service: &ProviderService) -> Result<ProviderStatus, ErrorReply> {
        let owner = service.table().key_owner(&self.provider)?;
        service.keys().remove(&owner).await?;
        service.forget_models(&self.provider);
        status_of(service, &self.provider).await
    }
}
