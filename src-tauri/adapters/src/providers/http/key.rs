//! The key of one provider, as it travels: in a header that nothing prints. Where it is kept is the [`KeyStore`]'s.

use plait_engine::error::{ErrorCode, Fault};
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;
use secrecy::zeroize::Zeroizing;

use super::Manner;
use crate::keys::{FoundKey, KeyStore, names};

pub(super) struct Key {
    provider: String,
    manner: &'static Manner,
    /// The environment variables that may hold it, with commas between them. A provider that names any needs a key.
    variables: Option<String>,
    keys: KeyStore,
}

/// What tells a server on whose account it is asked.
pub(super) enum ToSend {
    Header((HeaderName, HeaderValue)),
    /// No key; perhaps because it can't be had. Should the server want one after all, that is what is wrong.
    Nothing(Option<Fault>),
}

impl Key {
    pub(super) fn new(
        provider: &str,
        manner: &'static Manner,
        variables: Option<&str>,
        keys: &KeyStore,
    ) -> Self {
        Self {
            provider: provider.to_owned(),
            manner,
            variables: variables.filter(|all| names(all).next().is_some()).map(str::to_owned),
            keys: keys.clone(),
        }
    }

    /// What to send. Faults `provider.unauthorized` where a key is needed, `keys.*` where it can't be had.
    pub(super) async fn to_send(&self) -> Result<ToSend, Fault> {
        match (self.keys.find(&self.provider, self.variables.as_deref()).await, &self.variables) {
            (Ok(Some(found)), _) => self.header(&found).map(ToSend::Header),
            (Ok(None), None) => Ok(ToSend::Nothing(None)),
            // Nobody said that it needs one: a place that can't be read is no reason not to try.
            (Err(fault), None) => Ok(ToSend::Nothing(Some(fault))),
            (Ok(None), Some(variables)) => Err(self.missing(variables)),
            (Err(fault), Some(_)) => Err(fault),
        }
    }

    /// The fault where the place it is kept in does not answer.
    pub(super) fn out_of_reach(&self) -> Fault {
        let said = format!("The system's keychain did not give the key of the provider `{}`.", self.provider);
        Fault::new(ErrorCode::KeysLocked, said)
            .hint("Unlock the keychain, give the key in the environment, or set PLAIT_KEYCHAIN=off to keep keys in a file.")
    }

    fn header(&self, found: &FoundKey) -> Result<(HeaderName, HeaderValue), Fault> {
        let text = Zeroizing::new(format!("{}{}", self.manner.key_prefix, found.key.expose_secret()));
        let mut header = HeaderValue::from_str(&text).map_err(|_| {
            let said = format!("The key for the provider `{}` has characters no key has.", self.provider);
            Fault::new(ErrorCode::KeysBadKey, said).hint("Look for spaces or line ends copied along.")
        })?;
        header.set_sensitive(true);
        Ok((HeaderName::from_static(self.manner.key_header), header))
    }

    fn missing(&self, variables: &str) -> Fault {
        let all: Vec<_> = names(variables).collect();
        let (provider, verb) = (&self.provider, if all.len() == 1 { "holds" } else { "hold" });
        let said = format!(
            "The provider `{provider}` needs a key: none is stored, and {} {verb} none.",
            all.join(" and ")
        );
        Fault::new(ErrorCode::ProviderUnauthorized, said).hint(format!(
            "Give the key in the settings or with `plait keys set {provider}`, or set {} in the environment.",
            all[0]
        ))
    }
}
