//! The settings, and how they are read from the store. A setting that cannot be read must not keep the application from
//! starting, and must not be lost: a newer version of Plait may have written it. One that bounds what runs may do (a quota, a limit, a
//! pattern of redaction, a value of the configuration) keeps runs from starting instead: they would go on without it.

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_adapters::redaction::RedactionSettings;
use plait_adapters::telemetry::TelemetrySettings;
use plait_adapters::{ProviderRegistry, ProviderSettings, ToolSettings};
use plait_core::config;
use plait_core::config::{ConfigValues, Layer, check_values};
use plait_core::error::Fault;
use plait_core::flow::{SummarizerSettings, TreeLimits};
use plait_core::quota::{DefaultQuotas, Quota};
use plait_core::similar_name::similar_name;
use plait_run::models::{ModelOverride, Price};
use plait_store::Store;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::codes;

/// The color theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// The settings of the application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub theme: Theme,
    /// Turns animations off.
    pub reduced_motion: bool,
    /// Layout of the panels, in a format that the window defines.
    #[ts(type = "unknown")]
    pub panels: Value,
    /// The model providers, by name. The built-in ones are always present.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Context windows and prices that override the built-in tables, by `provider/model` or, for every provider, `model`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, ModelOverride>>")]
    pub models: BTreeMap<String, ModelOverride>,
    /// What a run and all runs below it may use together, where the flow does not say.
    #[serde(skip_serializing_if = "TreeLimits::is_default")]
    #[ts(optional, as = "Option<TreeLimits>")]
    pub limits: TreeLimits,
    /// What model calls may use, per run, conversation and day.
    #[serde(skip_serializing_if = "DefaultQuotas::is_default")]
    #[ts(optional, as = "Option<DefaultQuotas>")]
    pub quotas: DefaultQuotas,
    /// The model that summarizes a workflow's memory where neither the node nor the flow sets one. If empty, the model of the
    /// node's context does.
    #[serde(skip_serializing_if = "SummarizerSettings::is_empty")]
    #[ts(optional, as = "Option<SummarizerSettings>")]
    pub summarizer: SummarizerSettings,
    /// What holds for runs whose flows leave it open, by key: the default agent, retries, bounds of histories, …
    #[serde(skip_serializing_if = "ConfigValues::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub config: ConfigValues,
    /// What the person allows tools: hosts and secrets.
    #[serde(skip_serializing_if = "ToolSettings::is_default")]
    #[ts(optional, as = "Option<ToolSettings>")]
    pub tools: ToolSettings,
    /// What is redacted besides keys and values of the environment.
    #[serde(skip_serializing_if = "RedactionSettings::is_empty")]
    #[ts(optional, as = "Option<RedactionSettings>")]
    pub redaction: RedactionSettings,
    /// Where the spans of runs are sent.
    #[serde(skip_serializing_if = "TelemetrySettings::is_default")]
    #[ts(optional, as = "Option<TelemetrySettings>")]
    pub telemetry: TelemetrySettings,
    /// Other state that the window stores.
    #[ts(type = "unknown")]
    pub ui: Value,
}

impl Settings {
    /// The values of the configuration that these settings set, by key.
    pub fn values(&self) -> ConfigValues {
        let of =
            |settings: &Self| config::settings_values(&serde_json::to_value(settings).unwrap_or_default());
        let default = of(&Self::default());
        let mut values = of(self);
        // Some are always written.
        values.retain(|name, value| default.get(name) != Some(value));
        values
    }

    /// Checks what the types cannot express. `settings.price` for an invalid price, `settings.limits` for a limit of 0, `quota.bad`,
    /// `settings.bad_value`, `settings.unknown_key` and `settings.wrong_layer` for a value of the configuration, `settings.tools` for an
    /// invalid host or secret, `settings.redaction` for a pattern that cannot be used, `settings.telemetry` and
    /// `telemetry.bad_endpoint` for the export.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if let Some(key) = self.limits.zero() {
            return Err(zero_limit(key));
        }
        check_quotas(&self.quotas)?;
        for (_, checked) in check_values(&self.config, Layer::Settings) {
            checked.map_err(Fault::from)?;
        }
        self.tools.check()?;
        self.telemetry.check()?;
        if let Some(fault) = self.redaction.problems().into_iter().next() {
            return Err(fault);
        }
        for (model, overrides) in &self.models {
            if let Some(problem) = overrides.price.as_ref().and_then(Price::problem) {
                return Err(Fault::new(codes::SETTINGS_PRICE, format!("The price of `{model}`: {problem}."))
                    .hint("Enter US dollars per million tokens, or leave the price out."));
            }
        }
        Ok(())
    }
}

/// `quota.bad` for a quota that allows nothing.
fn check_quotas(quotas: &DefaultQuotas) -> Result<(), Fault> {
    quotas.entries().try_for_each(|(key, quota)| check_quota(key, quota))
}

fn check_quota(key: &str, quota: &Quota) -> Result<(), Fault> {
    let Some((field, message)) = quota.problem() else { return Ok(()) };
    Err(Fault::new(codes::QUOTA_BAD, format!("`quotas.{key}.{field}`: {message}")).hint(
        "Set `tokens`, `usd` or both to more than 0; with `onExceeded: fallback`, name a model in `fallback`.",
    ))
}

fn unknown_key_in(setting: &str, key: &str, known: &[&str]) -> Fault {
    let fault = unknown_key(key, known.iter().copied());
    Fault { message: format!("There is no setting `{setting}.{key}`, so it has no effect."), ..fault }
}

fn zero_limit(key: &str) -> Fault {
    Fault::new(codes::SETTINGS_LIMITS, format!("The limit `{key}` is 0, so nothing could run."))
        .hint("Enter a number from 1, or remove the limit to use the default.")
}

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
        let mut stored = match store.settings() {
            Ok(values) => Self::parse(&values),
            Err(fault) => {
                // The person has to see what stands there to accept it.
                let found =
                    store.settings_as_found().ok().filter(|_| fault.code == codes::STORE_CHANGED_OUTSIDE);
                let mut stored = found.map(|values| Self::parse(&values)).unwrap_or_default();
                stored.guard_problems.add(Guard::File, &fault);
                stored.faults.insert(0, fault);
                stored
            }
        };
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

/// What bounds runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guard {
    /// All settings: the file itself.
    File,
    Quotas,
    Limits,
    Redaction,
    Config,
}

impl Guard {
    const SECTIONS: [Self; 4] = [Self::Quotas, Self::Limits, Self::Redaction, Self::Config];

    /// The key of its section.
    fn key(self) -> &'static str {
        match self {
            Self::File => "",
            Self::Quotas => "quotas",
            Self::Limits => "limits",
            Self::Redaction => "redaction",
            Self::Config => "config",
        }
    }

    /// Whether two settings differ in it.
    fn differs(self, one: &Settings, other: &Settings) -> bool {
        match self {
            Self::File => false,
            Self::Quotas => one.quotas != other.quotas,
            Self::Limits => one.limits != other.limits,
            Self::Redaction => one.redaction != other.redaction,
            Self::Config => one.config != other.config,
        }
    }
}

/// Why runs would lack a bound that a person has set, by what bounds them.
#[derive(Clone, Default)]
pub(crate) struct GuardProblems(BTreeMap<Guard, Fault>);

impl GuardProblems {
    /// The first problem of a guard counts.
    fn add(&mut self, guard: Guard, fault: &Fault) {
        self.0.entry(guard).or_insert_with(|| fault.clone());
    }

    /// The problem of the whole file, which has to be solved before anything is written.
    pub(super) fn of_file(&self) -> Option<&Fault> {
        self.0.get(&Guard::File)
    }

    /// A person has set these settings in place of others. What is set again has no problem any more. Returns the keys of these
    /// sections.
    pub(super) fn settle(&mut self, before: &Settings, after: &Settings) -> Vec<&'static str> {
        let set = Guard::SECTIONS.into_iter().filter(|guard| guard.differs(before, after));
        let set: Vec<_> = set.collect();
        self.0.retain(|guard, _| !set.contains(guard));
        set.into_iter().map(Guard::key).collect()
    }

    /// Why no run may start.
    pub(super) fn to_fault(&self) -> Option<Fault> {
        let (guard, fault) = self.0.first_key_value()?;
        let message =
            format!("No run starts while the settings have a bound that can't be kept. {}", fault.message);
        let fault = Fault { message, ..fault.clone() };
        Some(match guard {
            Guard::File => fault,
            Guard::Quotas => Fault { code: codes::QUOTA_BAD, ..fault }.hint(set_again(*guard)),
            guard => fault.hint(set_again(*guard)),
        })
    }
}

fn set_again(guard: Guard) -> String {
    let key = guard.key();
    format!(
        "Set `{key}` again in the settings, or with `plait config set`, or correct `settings.json` and accept it: plait doctor \
         --accept-edits. What can't be kept is removed with that."
    )
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

/// The stored settings that this version of Plait cannot use, as they are. They are merged into the settings whenever these
/// are written, so that running an older version loses nothing that a newer one set.
#[derive(Default)]
pub(crate) struct UnreadableSettings(Map<String, Value>);

impl UnreadableSettings {
    /// Adds an entry of a setting that is a table.
    fn insert(&mut self, key: &str, name: &str, value: Value) {
        let table = self.0.entry(key).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(table) = table {
            table.insert(name.to_owned(), value);
        }
    }

    /// Forgets the unusable stored value of a setting that a person has set again.
    pub(super) fn forget(&mut self, key: &str) {
        self.0.remove(key);
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
        let (key, before) = (guard.key(), self.faults.len());
        let read = self.read(key);
        if let Some(fault) = self.faults.get_mut(before) {
            fault.hint = Some("It is stored unchanged but not used. Set it again to replace it.".to_owned());
        }
        self.note_problems(guard, before);
        if self.faults.len() > before {
            self.keep(key);
        }
        read
    }

    /// The faults since `before` are problems of a guard.
    fn note_problems(&mut self, guard: Guard, before: usize) {
        for fault in &self.faults[before..] {
            self.problems.add(guard, fault);
        }
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
        // Those who compile the patterns report them.
        for fault in redaction.problems() {
            self.problems.add(Guard::Redaction, &fault);
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

    /// Reads the limits of run trees. A limit of 0 is not used.
    fn read_limits(&mut self) -> TreeLimits {
        let limits: TreeLimits = self.read_guard(Guard::Limits);
        self.report_unknown_keys("limits", &TreeLimits::KEYS);
        let Some(key) = limits.zero() else { return limits };
        let fault = zero_limit(key);
        self.problems.add(Guard::Limits, &fault);
        self.faults.push(fault);
        self.keep("limits");
        TreeLimits::default()
    }

    /// Keeps an entry of a setting that is a table as it is stored.
    fn keep_unreadable(&mut self, key: &str, name: &str) {
        if let Some(value) = self.values.get(key).and_then(|table| table.get(name)) {
            self.unreadable.insert(key, name, value.clone());
        }
    }

    /// Reads the quotas. An entry that cannot be read does not affect the others.
    fn read_quotas(&mut self) -> DefaultQuotas {
        let faults_before = self.faults.len();
        let mut quotas: BTreeMap<String, Quota> = self.read_table("quotas");
        let mut take = |key: &str| {
            let quota = quotas.remove(key)?;
            let Err(fault) = check_quota(key, &quota) else { return Some(Arc::new(quota)) };
            self.faults.push(fault);
            self.keep_unreadable("quotas", key);
            None
        };
        let known = DefaultQuotas { run: take("run"), conversation: take("conversation"), day: take("day") };
        for key in quotas.into_keys() {
            let message = format!("There is no quota `quotas.{key}`.");
            let fault = Fault::new(codes::QUOTA_BAD, message);
            self.faults.push(fault.hint("The quotas of the settings are `run`, `conversation` and `day`."));
            self.keep_unreadable("quotas", &key);
        }
        if !self.values.get("quotas").is_none_or(Value::is_object) {
            self.keep("quotas");
        }
        self.note_problems(Guard::Quotas, faults_before);
        known
    }

    /// Reads the values of the configuration. One that cannot be used is stored unchanged: a newer version may have written it.
    fn read_config(&mut self) -> ConfigValues {
        let mut values: ConfigValues = self.read_guard(Guard::Config);
        let problems = check_values(&values, Layer::Settings);
        let problems: Vec<_> =
            problems.filter_map(|(name, checked)| Some((name.to_owned(), checked.err()?))).collect();
        for (name, problem) in problems {
            let fault = Fault::from(problem);
            // A key of a newer version bounds nothing that this one does.
            if fault.code != codes::SETTINGS_UNKNOWN_KEY {
                self.problems.add(Guard::Config, &fault);
            }
            self.faults.push(fault);
            if let Some(value) = values.remove(&name) {
                self.unreadable.insert("config", &name, value);
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
                    let message = format!("The setting `{key}` of `{name}` could not be read: {error}.");
                    let fault = Fault::new(codes::SETTINGS_UNREADABLE, message);
                    self.faults
                        .push(fault.hint("It is stored unchanged but not used. Set it again to replace it."));
                    self.unreadable.insert(key, name, value.clone());
                }
            }
        }
        entries
    }
}
