//! Unknown keys and invalid values.

use serde_json::Value;

use super::ConfigValues;
use super::key::{ConfigKey, Layer};
use super::keys::keys;
use crate::codes;
use crate::diagnostic::{Diagnostic, escape};
use crate::error::{ErrorCode, Fault};
use crate::flow::FlowSettings;
use crate::similar_name::similar_name;

/// Longer values are cut where they are quoted.
const MAX_QUOTED_CHARS: usize = 60;

/// A problem with a key or its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    pub code: ErrorCode,
    pub message: String,
    pub hint: String,
}

/// The key of this name. `settings.unknown_key` with the name that was probably meant.
pub fn find(name: &str) -> Result<&'static ConfigKey, ConfigProblem> {
    keys().iter().find(|key| key.name == name).ok_or_else(|| unknown_key(name))
}

impl From<ConfigProblem> for Fault {
    fn from(problem: ConfigProblem) -> Self {
        Self::new(problem.code, problem.message).hint(problem.hint)
    }
}

impl ConfigKey {
    /// `settings.bad_value` if it does not take this value.
    pub fn check(&self, value: &Value) -> Result<(), ConfigProblem> {
        if self.kind.accepts(value) { Ok(()) } else { Err(self.bad_value(&value.to_string())) }
    }

    /// The value that a text stands for, as a person types it. `settings.bad_value` if it takes no such value.
    pub fn parse(&self, text: &str) -> Result<Value, ConfigProblem> {
        self.kind.parse(text).ok_or_else(|| self.bad_value(text))
    }

    /// `settings.wrong_layer` if it is not set in this layer.
    pub fn check_layer(&self, layer: Layer) -> Result<(), ConfigProblem> {
        if self.layers().contains(&layer) {
            return Ok(());
        }
        let places: Vec<_> = self.layers().into_iter().map(|layer| format!("in {}", layer.name())).collect();
        Err(ConfigProblem {
            code: codes::SETTINGS_WRONG_LAYER,
            message: format!("`{}` cannot be set in {}.", self.name, layer.name()),
            hint: format!("Set it {}.", places.join(" or ")),
        })
    }

    fn bad_value(&self, text: &str) -> ConfigProblem {
        ConfigProblem {
            code: codes::SETTINGS_BAD_VALUE,
            message: format!("`{}` is no value of `{}`.", shorten(text), self.name),
            hint: format!("It takes {}.", self.kind.describe()),
        }
    }
}

impl Layer {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settings => "the settings",
            Self::Flow => "the flow",
            Self::Loop => "a loop",
            Self::Node => "a node",
        }
    }
}

/// The values of a layer's `config`, each with its problem, if it has one.
pub fn check_values(
    values: &ConfigValues,
    layer: Layer,
) -> impl Iterator<Item = (&str, Result<(), ConfigProblem>)> {
    values.iter().map(move |(name, value)| {
        let checked = find(name).and_then(|key| {
            key.check_layer(layer)?;
            // What has a place of its own is set there, so that it is set once.
            match (layer, key.settings_pointer(), key.flow_pointer()) {
                (Layer::Settings, Some(pointer), _) | (Layer::Flow, _, Some(pointer))
                    if pointer != format!("/config/{name}") =>
                {
                    Err(other_place(name, &pointer))
                }
                _ => key.check(value),
            }
        });
        (name.as_str(), checked)
    })
}

/// The problems with `config` in the settings of a flow.
pub fn check_flow_settings(settings: &FlowSettings) -> Vec<Diagnostic> {
    let problems = check_values(&settings.config, Layer::Flow);
    let problems = problems.filter_map(|(name, checked)| Some((name, checked.err()?)));
    let diagnostic = |(name, problem): (&str, ConfigProblem)| {
        let pointer = format!("/settings/config/{}", escape(name));
        Diagnostic::error(problem.code, pointer, problem.message).hint(problem.hint)
    };
    problems.map(diagnostic).collect()
}

fn other_place(name: &str, pointer: &str) -> ConfigProblem {
    let place = pointer.trim_start_matches('/').replace('/', ".");
    ConfigProblem {
        code: codes::SETTINGS_WRONG_LAYER,
        message: format!("`{name}` has a place of its own."),
        hint: format!("Set `{place}` instead of an entry of `config`."),
    }
}

fn unknown_key(name: &str) -> ConfigProblem {
    let keys = keys();
    let similar = similar_name(name, keys.iter().map(|key| key.name)).or_else(|| {
        // Also the last part alone: `max_tokens`.
        let last = |key: &&ConfigKey| key.name.rsplit('.').next() == Some(name);
        keys.iter().find(last).map(|key| key.name)
    });
    ConfigProblem {
        code: codes::SETTINGS_UNKNOWN_KEY,
        message: format!("There is no setting `{}`.", shorten(name)),
        hint: similar.map_or_else(
            || "`plait config list` shows all settings.".to_owned(),
            |similar| format!("Did you mean `{similar}`?"),
        ),
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
