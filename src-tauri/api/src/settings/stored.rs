//! How the settings are read from the store. A setting that cannot be read must not keep the application from starting, and must not
//! be lost: a newer version of Plait may have written it. One that bounds what runs may do keeps runs from starting instead.

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_adapters::redaction::RedactionSettings;
use plait_adapters::telemetry::TelemetrySettings;
use plait_adapters::{ProviderRegistry, ToolSettings};
use plait_core::config::{ConfigValues, Layer, check_values};
use plait_core::error::Fault;
use plait_core::flow::TreeLimits;
use plait_core::quota::{DefaultQuotas, Quota};
use plait_core::similar_name::similar_name;
use plait_store::Store;
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::document::{Settings, check_quota, zero_limit};
use super::guards::{Guard, GuardProblems, SettingsChange};
use crate::codes;

/// The settings as the store has them.
#[derive(Default)]
pub(crate) struct StoredSettings {
    /// What could be read. The rest has its default.
    pub(crate) settings: Settings,
    /// What could not be read.
    pub(crate) unreadable: UnreadableSettings,
    /// Why it could not be read.
    pub(crate) faults: Vec<Fault>,
    /// Why runs would lack a bound that a person has set.
    pub(crate) guard_problems: GuardProblems,
}

impl StoredSettings {
    /// Reads the settings. Never fails: what cannot be read or is invalid is reported in `faults`.
    pub(crate) fn read(store: &Store) -> Self {
        match store.settings() {
            Ok(values) => Self::of(&values),
            Err(fault) => {
                // The person has to see what stands there to accept it.
                let found =
                    store.settings_as_found().ok().filter(|_| fault.code == codes::STORE_CHANGED_OUTSIDE);
                let mut stored = found.map(|values| Self::of(&values)).unwrap_or_default();
                stored.guard_problems.add(Guard::File, None, &fault);
                stored.faults.insert(0, fault);
                stored
            }
        }
    }

    /// The same for settings that were read.
    pub(super) fn of(values: &Map<String, Value>) -> Self {
        let mut stored = Self::parse(values);
        // Invalid providers must not keep a person from fixing them.
        let Self { settings, unreadable, faults, .. } = &mut stored;
        settings.providers.retain(|name, provider| {
            let Err(fault) = ProviderRegistry::check(name, provider) else { return true };
            faults.push(fault);
            unreadable.insert("providers", name, serde_json::to_value(provider).unwrap_or_default());
            false
        });
        stored
    }

    fn parse(values: &Map<String, Value>) -> Self {
        let mut reader = Reader {
            values,
            unreadable: UnreadableSettings::default(),
            faults: Vec::new(),
            problems: GuardProblems::default(),
        };
        let settings = Settings {
            theme: reader.read("theme"),
            reduced_motion: reader.read("reducedMotion"),
            panels: reader.read("panels"),
            providers: reader.read_table("providers"),
            models: reader.read_table("models"),
            limits: reader.read_limits(),
            quotas: reader.read_quotas(),
            summarizer: reader.read("summarizer"),
            config: reader.read_config(),
            tools: reader.read_tools(),
            redaction: reader.read_redaction(),
            telemetry: reader.read_telemetry(),
            ui: reader.read("ui"),
        };
        let known = serde_json::to_value(Settings::default()).unwrap_or_default();
        let is_optional = |key: &str| OPTIONAL_KEYS.contains(&key);
        let is_known = |key: &str| known.get(key).is_some() || is_optional(key);
        let Reader { mut unreadable, mut faults, problems, .. } = reader;
        for (key, value) in values.iter().filter(|(key, _)| !is_known(key)) {
            faults.push(unknown_key(key, OPTIONAL_KEYS.into_iter().chain(known_keys(&known))));
            unreadable.0.insert(key.clone(), value.clone());
        }
        Self { settings, unreadable, faults, guard_problems: problems }
    }
}

/// The settings that are left out where they are not set.
const OPTIONAL_KEYS: [&str; 8] =
    ["models", "limits", "quotas", "summarizer", "config", "tools", "redaction", "telemetry"];

fn known_keys(document: &Value) -> impl Iterator<Item = &str> {
    document.as_object().into_iter().flat_map(|keys| keys.keys().map(String::as_str))
}

fn unknown_key<'k>(key: &str, known: impl Iterator<Item = &'k str>) -> Fault {
    let hint = similar_name(key, known).map_or_else(
        || {
            "It is kept, for a newer version of Plait may have written it. Remove it if it did not."
                .to_owned()
        },
        |similar| format!("Did you mean `{similar}`?"),
    );
    Fault::new(codes::SETTINGS_UNKNOWN_KEY, format!("There is no setting `{key}`, so it has no effect."))
        .hint(hint)
}

fn unknown_key_in(setting: &str, key: &str, known: &[&str]) -> Fault {
    let fault = unknown_key(key, known.iter().copied());
    Fault { message: format!("There is no setting `{setting}.{key}`, so it has no effect."), ..fault }
}

/// The stored settings that this version of Plait cannot use, as they are. They are merged into the settings whenever these
/// are written, so that running an older version loses nothing that a newer one set.
#[derive(Clone, Default)]
pub(crate) struct UnreadableSettings(Map<String, Value>);

impl UnreadableSettings {
    /// Adds an entry of a setting that is a table.
    fn insert(&mut self, key: &str, name: &str, value: Value) {
        let table = self.0.entry(key).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(table) = table {
            table.insert(name.to_owned(), value);
        }
    }

    /// Forgets what a person sets again.
    pub(super) fn settle(&mut self, change: &SettingsChange) {
        for (section, entry) in self.keys() {
            if change.sets(&section, entry.as_deref()) {
                self.forget(&section, entry.as_deref());
            }
        }
    }

    /// The sections that cannot be used as a whole, and the entries of others.
    fn keys(&self) -> Vec<(String, Option<String>)> {
        let keys_of = |(section, value): (&String, &Value)| match value {
            Value::Object(table) => {
                table.keys().map(|entry| (section.clone(), Some(entry.clone()))).collect()
            }
            _ => vec![(section.clone(), None)],
        };
        self.0.iter().flat_map(keys_of).collect()
    }

    /// Forgets an entry of a section, or the whole section.
    fn forget(&mut self, section: &str, entry: Option<&str>) {
        let (Some(entry), Some(Value::Object(table))) = (entry, self.0.get_mut(section)) else {
            self.0.remove(section);
            return;
        };
        table.remove(entry);
        if table.is_empty() {
            self.0.remove(section);
        }
    }

    /// Adds missing values to settings before they are written.
    pub(super) fn merge_into(&self, stored: &mut Map<String, Value>) {
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

/// The fault of a stored value that this version cannot use.
fn unreadable(what: &str, error: &serde_json::Error) -> Fault {
    Fault::new(codes::SETTINGS_UNREADABLE, format!("{what} could not be read: {error}."))
        .hint("It is stored unchanged but not used. Set it again to replace it.")
}

/// Reads one setting after another and collects what cannot be read.
struct Reader<'a> {
    values: &'a Map<String, Value>,
    unreadable: UnreadableSettings,
    faults: Vec<Fault>,
    problems: GuardProblems,
}

impl Reader<'_> {
    /// Reads a setting that bounds runs. One that cannot be read is kept as it is stored, and no run starts without it.
    fn read_guard<T: Default + DeserializeOwned>(&mut self, guard: Guard) -> T {
        let section = guard.key();
        let Some(value) = self.values.get(section) else { return T::default() };
        T::deserialize(value).unwrap_or_else(|error| {
            let fault = unreadable(&format!("The setting `{section}`"), &error);
            self.problems.add(guard, None, &fault);
            self.faults.push(fault);
            self.keep(section);
            T::default()
        })
    }

    /// Does without an entry of a setting that bounds runs. It is kept as it is stored, and no run starts without it.
    fn refuse_entry(&mut self, guard: Guard, entry: &str, fault: Fault) {
        self.problems.add(guard, Some(entry), &fault);
        self.faults.push(fault);
        self.keep_unreadable(guard.key(), entry);
    }

    /// Keeps a setting as it is stored.
    fn keep(&mut self, key: &str) {
        if let Some(value) = self.values.get(key) {
            self.unreadable.0.insert(key.to_owned(), value.clone());
        }
    }

    /// Reports the keys of a setting that it does not have.
    fn report_unknown_keys(&mut self, setting: &str, known: &[&str]) {
        let keys = self.values.get(setting).and_then(Value::as_object).into_iter().flat_map(Map::keys);
        let unknown: Vec<_> = keys.filter(|key| !known.contains(&key.as_str())).cloned().collect();
        for key in unknown {
            self.faults.push(unknown_key_in(setting, &key, known));
        }
    }

    /// Reads the patterns of redaction. One that cannot be used stays in them, so that the person finds it.
    fn read_redaction(&mut self) -> RedactionSettings {
        let redaction: RedactionSettings = self.read_guard(Guard::Redaction);
        self.report_unknown_keys("redaction", &["patterns"]);
        // `set_patterns` reports these faults; here they only stop runs.
        for fault in redaction.problems() {
            self.problems.add(Guard::Redaction, Some("patterns"), &fault);
        }
        redaction
    }

    fn read<T: Default + DeserializeOwned>(&mut self, key: &str) -> T {
        let Some(value) = self.values.get(key) else { return T::default() };
        T::deserialize(value).unwrap_or_else(|error| {
            let message = format!("The setting `{key}` could not be read: {error}.");
            let fault = Fault::new(codes::SETTINGS_UNREADABLE, message);
            self.faults.push(fault.hint("It was reset to its default. Set it again."));
            T::default()
        })
    }

    /// Reads the limits of run trees. One that is 0 or cannot be read does not affect the others.
    fn read_limits(&mut self) -> TreeLimits {
        let Some(Value::Object(stored)) = self.values.get("limits") else {
            return self.read_guard(Guard::Limits);
        };
        let mut usable = stored.clone();
        for key in TreeLimits::KEYS {
            let Some((key, value)) = stored.get_key_value(key) else { continue };
            let one = Map::from_iter([(key.clone(), value.clone())]);
            let fault = match TreeLimits::deserialize(Value::Object(one)) {
                Ok(limits) if limits.zero().is_none() => continue,
                Ok(_) => zero_limit(key),
                Err(error) => unreadable(&format!("The limit `{key}`"), &error),
            };
            usable.remove(key);
            self.refuse_entry(Guard::Limits, key, fault);
        }
        self.report_unknown_keys("limits", &TreeLimits::KEYS);
        TreeLimits::deserialize(Value::Object(usable)).unwrap_or_default()
    }

    /// Keeps an entry of a setting that is a table as it is stored.
    fn keep_unreadable(&mut self, key: &str, name: &str) {
        if let Some(value) = self.values.get(key).and_then(|table| table.get(name)) {
            self.unreadable.insert(key, name, value.clone());
        }
    }

    /// Reads the quotas. An entry that cannot be read does not affect the others.
    fn read_quotas(&mut self) -> DefaultQuotas {
        let Some(Value::Object(stored)) = self.values.get("quotas") else {
            return self.read_guard(Guard::Quotas);
        };
        let mut quotas = DefaultQuotas::default();
        for (key, value) in stored {
            let place = match key.as_str() {
                "run" => &mut quotas.run,
                "conversation" => &mut quotas.conversation,
                "day" => &mut quotas.day,
                _ => {
                    let fault = Fault::new(codes::QUOTA_BAD, format!("There is no quota `quotas.{key}`."))
                        .hint("The quotas of the settings are `run`, `conversation` and `day`.");
                    self.refuse_entry(Guard::Quotas, key, fault);
                    continue;
                }
            };
            let read = Quota::deserialize(value)
                .map_err(|error| unreadable(&format!("The setting `quotas` of `{key}`"), &error));
            match read.and_then(|quota| check_quota(key, &quota).map(|()| quota)) {
                Ok(quota) => *place = Some(Arc::new(quota)),
                Err(fault) => self.refuse_entry(Guard::Quotas, key, fault),
            }
        }
        quotas
    }

    /// Reads the values of the configuration. One that cannot be used is stored unchanged: a newer version may have written it.
    fn read_config(&mut self) -> ConfigValues {
        let mut values: ConfigValues = self.read_guard(Guard::Config);
        let problems = check_values(&values, Layer::Settings);
        let problems: Vec<_> =
            problems.filter_map(|(name, checked)| Some((name.to_owned(), checked.err()?))).collect();
        for (name, problem) in problems {
            let fault = Fault::from(problem);
            values.remove(&name);
            // A key of a newer version bounds nothing that this one does.
            if fault.code == codes::SETTINGS_UNKNOWN_KEY {
                self.faults.push(fault);
                self.keep_unreadable("config", &name);
            } else {
                self.refuse_entry(Guard::Config, &name, fault);
            }
        }
        values
    }

    /// Reads what tools are allowed. If any of it is invalid, nothing is allowed.
    fn read_tools(&mut self) -> ToolSettings {
        let tools: ToolSettings = self.read("tools");
        match tools.check() {
            Ok(()) => tools,
            Err(fault) => {
                self.faults.push(fault);
                ToolSettings::default()
            }
        }
    }

    /// Reads the settings of the export. If they are invalid, nothing is sent.
    fn read_telemetry(&mut self) -> TelemetrySettings {
        let telemetry: TelemetrySettings = self.read("telemetry");
        match telemetry.check() {
            Ok(()) => telemetry,
            Err(fault) => {
                self.faults.push(fault);
                TelemetrySettings::default()
            }
        }
    }

    /// Reads a setting that is a table. An entry that cannot be read does not affect the others.
    fn read_table<T: DeserializeOwned>(&mut self, key: &str) -> BTreeMap<String, T> {
        let Some(Value::Object(table)) = self.values.get(key) else { return self.read(key) };
        let mut entries = BTreeMap::new();
        for (name, value) in table {
            match T::deserialize(value) {
                Ok(entry) => {
                    entries.insert(name.clone(), entry);
                }
                Err(error) => {
                    self.faults.push(unreadable(&format!("The setting `{key}` of `{name}`"), &error));
                    self.unreadable.insert(key, name, value.clone());
                }
            }
        }
        entries
    }
}
