//! The providers a run may use, by name, made from settings. Owns which names there are; what a provider says on the
//! wire is its own file's.

mod address;
mod http;
pub mod offline;
mod openai_chat;
mod settings;
mod strict;
mod tool_calls;

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_engine::error::Fault;
use plait_engine::provider::{Provider, Providers};

use offline::Offline;
use openai_chat::OpenAiChat;

pub use http::KeyFrom;
use http::Link;
pub use settings::{ProviderKind, ProviderSettings};

/// The name of the simulator, and of the provider a new flow begins with.
pub const OFFLINE: &str = "offline";

/// The providers there are. Cheap to clone; clones share keys given for the session.
#[derive(Clone)]
pub struct ProviderTable(Arc<BTreeMap<String, Entry>>);

struct Entry {
    settings: ProviderSettings,
    provider: Arc<dyn Provider>,
    /// The way to it, where it is asked over HTTP.
    link: Option<Arc<Link>>,
}

impl ProviderTable {
    /// The built-in providers (`offline`, `openai`, `ollama`, `lmstudio`, `llamacpp`, `vllm`) with `settings` over
    /// them, by name. Fault `provider.bad_settings`.
    pub fn new(settings: &BTreeMap<String, ProviderSettings>) -> Result<Self, Fault> {
        let mut all = settings::built_in();
        all.extend(settings.iter().map(|(name, settings)| (name.clone(), settings.clone())));
        let entries =
            all.into_iter().map(|(name, settings)| Ok((name.clone(), Entry::new(&name, settings)?)));
        Ok(Self(Arc::new(entries.collect::<Result<_, Fault>>()?)))
    }

    /// The settings in force, by name, built-in ones included.
    pub fn settings(&self) -> BTreeMap<String, ProviderSettings> {
        self.0.iter().map(|(name, entry)| (name.clone(), entry.settings.clone())).collect()
    }

    /// Gives a provider its key for as long as this process lives; it is never written anywhere and goes before the
    /// environment's. An empty key takes it back. Faults `provider.unknown`, `provider.bad_settings` (it takes no key,
    /// or this can't be one).
    pub fn set_key(&self, name: &str, key: &str) -> Result<(), Fault> {
        let link = self.entry(name)?.link.as_ref();
        let link = link.ok_or_else(|| {
            Fault::new("provider.bad_settings", format!("The provider `{name}` takes no key."))
        })?;
        link.set_key(key)
    }

    /// Where a provider's key comes from. Fault `provider.unknown`.
    pub fn key_from(&self, name: &str) -> Result<KeyFrom, Fault> {
        Ok(self.entry(name)?.link.as_ref().map_or(KeyFrom::NotNeeded, |link| link.key_from()))
    }

    fn entry(&self, name: &str) -> Result<&Entry, Fault> {
        self.0.get(name).ok_or_else(|| {
            let names: Vec<_> = self.0.keys().map(|name| format!("`{name}`")).collect();
            Fault::new("provider.unknown", format!("There is no provider `{name}`."))
                .hint(format!("There are {}. Others can be added in the settings.", names.join(", ")))
        })
    }
}

impl Providers for ProviderTable {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        self.entry(name).map(|entry| Arc::clone(&entry.provider))
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

impl Entry {
    fn new(name: &str, settings: ProviderSettings) -> Result<Self, Fault> {
        let link = |manner| Link::new(manner, name, &settings).map(Arc::new);
        let (link, provider): (_, Arc<dyn Provider>) = match settings.kind {
            ProviderKind::Offline => (None, Arc::new(Offline)),
            ProviderKind::OpenAi => {
                let link = link(&openai_chat::MANNER)?;
                (Some(Arc::clone(&link)), Arc::new(OpenAiChat::new(link)))
            }
        };
        Ok(Self { settings, provider, link })
    }
}

/// Whether another try can help against a fault of that code.
pub(crate) fn is_retryable(code: &str) -> bool {
    matches!(
        code,
        "provider.unreachable"
            | "provider.timeout"
            | "provider.rate_limited"
            | "provider.overloaded"
            | "provider.server_error"
            | "provider.cut_short"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base_url: Option<&str>) -> BTreeMap<String, ProviderSettings> {
        let one = ProviderSettings {
            base_url: base_url.map(str::to_owned),
            ..ProviderSettings::of(ProviderKind::OpenAi)
        };
        BTreeMap::from([("mine".to_owned(), one)])
    }

    #[test]
    fn settings_come_over_what_is_built_in() {
        let table = ProviderTable::new(&settings(Some("http://box:9000/v1"))).expect("made");
        assert_eq!(table.names(), ["llamacpp", "lmstudio", "mine", "offline", "ollama", "openai", "vllm"]);
        assert!(table.get("mine").is_ok());
        let fault = table.get("nobody").err().expect("unknown");
        assert_eq!(fault.code, "provider.unknown");
        assert!(fault.hint.expect("names them").contains("`ollama`"));
        let mut changed = table.settings();
        changed.get_mut("ollama").expect("there").base_url = Some("http://other:1/v1".into());
        let again = ProviderTable::new(&changed).expect("made");
        assert_eq!(again.settings(), changed);
    }

    #[test]
    fn wrong_settings_are_told() {
        for base_url in [
            None,
            Some(""),
            Some("box:9000"),
            Some("ftp://box/v1"),
            Some("http://"),
            Some("http://box/v1?key=1"),
        ] {
            let fault = ProviderTable::new(&settings(base_url)).err().expect("refused");
            assert_eq!(fault.code, "provider.bad_settings", "{base_url:?}");
            assert!(fault.message.contains("`mine`"), "{fault}");
        }
        let table = ProviderTable::new(&BTreeMap::new()).expect("made");
        assert_eq!(table.set_key("offline", "k").expect_err("none").code, "provider.bad_settings");
        assert_eq!(table.set_key("nobody", "k").expect_err("none").code, "provider.unknown");
        assert_eq!(table.set_key("openai", "two\nlines").expect_err("none").code, "provider.bad_settings");
        assert!(table.set_key("openai", "k").is_ok());
    }
}
