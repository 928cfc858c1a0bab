//! `provider.setKey` and `provider.removeKey`.

use plait_adapters::keys::Keep;
use secrecy::SecretString;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use ts_rs::TS;

use super::status::{self, ProviderStatus};
use crate::command::Command;
use crate::{ErrorReply, Plait};

/// A key on its way in. Prints as nothing, is wiped when it goes, and is never written out.
#[derive(Clone, Debug, Deserialize)]
pub struct SecretText(SecretString);

impl From<SecretString> for SecretText {
    fn from(key: SecretString) -> Self {
        Self(key)
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("a key is not written out"))
    }
}

/// `provider.setKey`: gives a provider its key, in place of any it had. Faults `provider.unknown`, `provider.no_key` (it
/// takes none), `keys.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SetKey {
    /// The provider.
    pub provider: String,
    /// The key. Spaces and line ends around it are no part of it.
    #[ts(type = "string")]
    pub key: SecretText,
    /// How long to keep it; without it, for good.
    #[serde(default)]
    #[ts(as = "Option<Keep>", optional)]
    pub keep: Keep,
}

impl Command for SetKey {
    const NAME: &'static str = "provider.setKey";
    type Reply = ProviderStatus;

    async fn run(self, app: &Plait) -> Result<ProviderStatus, ErrorReply> {
        app.provider_table().takes_key(&self.provider)?;
        app.keys().set(&self.provider, &self.key.0, self.keep).await?;
        app.forget_models(&self.provider);
        status::of(app, &self.provider).await
    }
}

/// `provider.removeKey`: forgets the key of a provider, wherever Plait keeps it; one in the environment stays. No error
/// when there is none. Faults `provider.unknown`, `keys.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RemoveKey {
    /// The provider.
    pub provider: String,
}

impl Command for RemoveKey {
    const NAME: &'static str = "provider.removeKey";
    type Reply = ProviderStatus;

    async fn run(self, app: &Plait) -> Result<ProviderStatus, ErrorReply> {
        app.provider_table().takes_key(&self.provider)?;
        app.keys().remove(&self.provider).await?;
        app.forget_models(&self.provider);
        status::of(app, &self.provider).await
    }
}
