//! The configuration: which values can be set in more than one place, and which place holds.
//!
//! | layer | where it is written |
//! |---|---|
//! | built-in | here, in [`keys`] |
//! | settings | the settings of the application |
//! | flow | `settings` of the flow |
//! | loop | the config of the loop around a node |
//! | node | the node itself |
//!
//! A narrower layer comes before a wider one. The table of keys is the only place that knows the order: [`resolve`] explains it,
//! [`with_settings`] and [`Inheritance`] apply it, so that what runs reads one flow in which everything stands where it holds.
//! Nothing here reads a file or the environment.

use std::collections::BTreeMap;

use serde_json::Value;

mod check;
mod form;
mod inherit;
mod json;
mod key;
mod keys;
mod names;
mod resolve;
mod unused_setting;
mod values;

pub use check::{ConfigProblem, check_flow_settings, check_values, find};
pub use form::{ConfigField, ConfigForms, ConfigSection, flow_settings_schema, forms, node_schema};
pub use inherit::{Inheritance, with_settings};
pub use key::{BuiltIn, ConfigKey, Layer, ValueKind};
pub use keys::{
    DEFAULT_MAX_CONCURRENCY, DEFAULT_MAX_ITERATIONS, DEFAULT_MAX_TOKENS, DEFAULT_MAX_TOOL_ROUNDS,
    DEFAULT_MAX_TURNS, DEFAULT_MAX_UNATTENDED_EPOCHS, DEFAULT_SUMMARIZE_RATIO, MAX_ITERATIONS, keys,
};
pub use names::{NameKind, SettingName, may_name, names_in};
pub use resolve::{ConfigLayer, ConfigScope, ConfigSource, ResolvedConfig, resolve, resolve_all};
pub use unused_setting::{Unused, no_effect};
pub use values::{
    default_summarizer, max_concurrency, max_unattended_epochs, narrower_summarizer, run_values,
    settings_values, summarizer_with_default, tree_limits,
};

/// Values of one layer, by the names of their keys.
pub type ConfigValues = BTreeMap<String, Value>;

#[cfg(test)]
mod tests;
