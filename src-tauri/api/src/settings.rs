//! `settings.*`: what a person set up. Never a secret: keys are the key store's.

use std::collections::BTreeMap;

use plait_adapters::ProviderSettings;
use plait_engine::error::Fault;
use plait_engine::models::{ModelOverride, Price};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// What a person set up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Light or dark.
    pub theme: Theme,
    /// Nothing moves.
    pub reduced_motion: bool,
    /// Sizes and folds of the window's panels, as the window has them.
    #[ts(type = "unknown")]
    pub panels: Value,
    /// The model providers, by name; the built-in ones are always there.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Windows and prices of models in place of the tables', by `provider/model` or, for every provider, `model`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, ModelOverride>>")]
    pub models: BTreeMap<String, ModelOverride>,
    /// Anything more the window remembers.
    #[ts(type = "unknown")]
    pub ui: Value,
}

impl Settings {
    /// The settings as the store has them. What can't be read is as if it had never been set, and named in the faults:
    /// a setting of another version must not keep the application from starting.
    pub(crate) fn load(stored: &Map<String, Value>) -> (Self, Unread, Vec<Fault>) {
        let (mut unread, mut faults) = (Unread::default(), Vec::new());
        let settings = Self {
            theme: read(stored, "theme", &mut faults),
            reduced_motion: read(stored, "reducedMotion", &mut faults),
            panels: read(stored, "panels", &mut faults),
            providers: read_each(stored, "providers", &mut unread, &mut faults),
            models: read_each(stored, "models", &mut unread, &mut faults),
            ui: read(stored, "ui", &mut faults),
        };
        let known = serde_json::to_value(Self::default()).unwrap_or_default();
        let unknown = stored.iter().filter(|(key, _)| known.get(key).is_none() && *key != "models");
        unread.0.extend(unknown.map(|(key, value)| (key.clone(), value.clone())));
        (settings, unread, faults)
    }

    /// What their types can't say: `settings.price` for a price that is none.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        for (model, note) in &self.models {
            if let Some(problem) = note.price.as_ref().and_then(Price::problem) {
                return Err(Fault::new("settings.price", format!("The price of `{model}`: {problem}."))
                    .hint("Give US dollars per million tokens, or leave the price out."));
            }
        }
        Ok(())
    }
}

/// What of the stored settings this Plait can't use, as it stands there. It is put back whenever settings are kept: what a
/// newer Plait set must not be lost by running an older one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unread(Map<String, Value>);

impl Unread {
    /// Takes note of one entry of a setting that is a table.
    pub(crate) fn keep(&mut self, key: &str, name: &str, value: Value) {
        let table = self.0.entry(key).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(table) = table {
            table.insert(name.to_owned(), value);
        }
    }

    /// Puts it beside what is about to be stored.
    pub(crate) fn put_back(&self, stored: &mut Map<String, Value>) {
        for (key, value) in &self.0 {
            match (stored.get_mut(key), value) {
                (None, value) => {
                    stored.insert(key.clone(), value.clone());
                }
                (Some(Value::Object(table)), Value::Object(entries)) => {
                    for (name, value) in entries {
                        table.entry(name).or_insert_with(|| value.clone());
                    }
                }
                _ => {}
            }
        }
    }
}

/// A setting that is a table: an entry that can't be read costs no other.
fn read_each<T: DeserializeOwned>(
    stored: &Map<String, Value>,
    key: &str,
    unread: &mut Unread,
    faults: &mut Vec<Fault>,
) -> BTreeMap<String, T> {
    let Some(Value::Object(table)) = stored.get(key) else { return read(stored, key, faults) };
    let mut found = BTreeMap::new();
    for (name, value) in table {
        match T::deserialize(value) {
            Ok(entry) => {
                found.insert(name.clone(), entry);
            }
            Err(error) => {
                let said = format!("The setting `{key}` of `{name}` could not be read: {error}.");
                faults.push(
                    Fault::new("settings.unreadable", said).hint(
                        "It is kept as it is, and nothing is done with it. Set it again to replace it.",
                    ),
                );
                unread.keep(key, name, value.clone());
            }
        }
    }
    found
}

fn read<T: Default + DeserializeOwned>(stored: &Map<String, Value>, key: &str, faults: &mut Vec<Fault>) -> T {
    let Some(value) = stored.get(key) else { return T::default() };
    T::deserialize(value).unwrap_or_else(|error| {
        faults.push(
            Fault::new("settings.unreadable", format!("The setting `{key}` could not be read: {error}."))
                .hint("It is back at its default; set it again."),
        );
        T::default()
    })
}

/// `settings.get`: the settings in force, the built-in providers included.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct GetSettings {}

/// `settings.set`: replaces the settings and answers with those in force. Runs that have begun keep theirs.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SetSettings {
    /// The new settings.
    pub settings: Settings,
}

impl Command for GetSettings {
    const NAME: &'static str = "settings.get";
    type Reply = Settings;

    async fn run(self, app: &Plait) -> Result<Settings, ErrorReply> {
        Ok(app.settings())
    }
}

impl Command for SetSettings {
    const NAME: &'static str = "settings.set";
    type Reply = Settings;

    async fn run(self, app: &Plait) -> Result<Settings, ErrorReply> {
        app.set_settings(self.settings).await
    }
}
