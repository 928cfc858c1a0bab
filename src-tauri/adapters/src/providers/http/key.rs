//! The key of one provider, as it travels: in a header that nothing prints. Where it is kept is the [`KeyStore`]'s.

use plait_engine::error::Fault;
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

    /// The header to send; none where there is no key and none is needed. Faults `provider.unauthorized` where one is
    /// needed, `keys.*` where it can't be had.
    pub(super) async fn to_send(&self) -> Result<Option<(HeaderName, HeaderValue)>, Fault> {
        match (self.keys.find(&self.provider, self.variables.as_deref()).await, &self.variables) {
            (Ok(Some(found)), _) => self.header(&found).map(Some),
            // Nobody said that it needs one: a place that can't be read is no reason not to try.
            (Ok(None) | Err(_), None) => Ok(None),
            (Ok(None), Some(variables)) => Err(self.missing(variables)),
            (Err(fault), Some(_)) => Err(fault),
        }
    }

    fn header(&self, found: &FoundKey) -> Result<(HeaderName, HeaderValue), Fault> {
        let text = Zeroizing::new(format!("{}{}", self.manner.key_prefix, found.key.expose_secret()));
        let mut header = HeaderValue::from_str(&text).map_err(|_| {
            let said = format!("The key for the provider `{}` has characters no key has.", self.provider);
            Fault::new("keys.bad_key", said).hint("Look for spaces or line ends copied along.")
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
        Fault::new("provider.unauthorized", said).hint(format!(
            "Give the key in the settings or with `plait keys set {provider}`, or set {} in the environment.",
            all[0]
        ))
    }
}
