//! Bounds of runs that the settings have and that cannot be kept: quotas, limits, patterns of redaction, values of the configuration. No
//! run starts until a person sets them again, since it would go on without them.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use serde_json::Value;

use crate::codes;

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
    /// The key of its section.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::File => "",
            Self::Quotas => "quotas",
            Self::Limits => "limits",
            Self::Redaction => "redaction",
            Self::Config => "config",
        }
    }
}

/// What a person changes in the settings.
pub(super) struct SettingsChange {
    before: Value,
    after: Value,
    /// An object with the keys that the person named, also those that stay as they are: a bound may be reset to its default. A section
    /// that is no object names all its entries.
    named: Value,
}

impl SettingsChange {
    pub(super) fn new(before: Value, after: Value, named: Value) -> Self {
        Self { before, after, named }
    }

    /// Whether the person sets or removes an entry of a section; without an entry, anything in the section.
    pub(super) fn sets(&self, section: &str, entry: Option<&str>) -> bool {
        let value_in = |settings: &'_ Value| -> Option<Value> {
            let section = settings.get(section)?;
            entry.map_or_else(|| Some(section.clone()), |entry| section.get(entry).cloned())
        };
        let is_named = match (self.named.get(section), entry) {
            (Some(Value::Object(entries)), Some(entry)) => entries.contains_key(entry),
            (section, _) => section.is_some(),
        };
        is_named || value_in(&self.before) != value_in(&self.after)
    }
}

/// Why runs would lack a bound that a person has set, by section and entry. Without an entry the whole section cannot be read.
#[derive(Clone, Default)]
pub(crate) struct GuardProblems(BTreeMap<(Guard, Option<String>), Fault>);

impl GuardProblems {
    /// The first problem of an entry counts.
    pub(super) fn add(&mut self, guard: Guard, entry: Option<&str>, fault: &Fault) {
        self.0.entry((guard, entry.map(str::to_owned))).or_insert_with(|| fault.clone());
    }

    /// The problem of the whole file, which has to be solved before anything is written.
    pub(super) fn of_file(&self) -> Option<&Fault> {
        self.0.get(&(Guard::File, None))
    }

    /// Removes the problems of the bounds that a person sets again.
    pub(super) fn settle(&mut self, change: &SettingsChange) {
        self.0
            .retain(|(guard, entry), _| *guard == Guard::File || !change.sets(guard.key(), entry.as_deref()));
    }

    /// Why no run may start.
    pub(super) fn to_fault(&self) -> Option<Fault> {
        let ((guard, entry), fault) = self.0.first_key_value()?;
        let message = format!("No run starts until the settings are corrected. {}", fault.message);
        let fault = Fault { message, ..fault.clone() };
        Some(match guard {
            Guard::File => fault,
            Guard::Quotas => {
                Fault { code: codes::QUOTA_BAD, ..fault }.hint(set_again(*guard, entry.as_deref()))
            }
            guard => fault.hint(set_again(*guard, entry.as_deref())),
        })
    }
}

fn set_again(guard: Guard, entry: Option<&str>) -> String {
    let section = guard.key();
    let key = match (guard, entry) {
        (Guard::Config, Some(entry)) => entry.to_owned(),
        (_, Some(entry)) => format!("{section}.{entry}"),
        (_, None) => section.to_owned(),
    };
    format!(
        "Set `{key}` again in the settings, or with `plait config set`; that replaces the bad value. Or correct \
         `settings.json` and accept the changes: press *Accept* in Plait, or close Plait and run `plait doctor --accept-edits`."
    )
}
