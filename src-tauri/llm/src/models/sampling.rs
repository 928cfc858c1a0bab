//! Which models refuse parameters of sampling: a table by the beginning of their names (`sampling.json`), each entry with its source.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::names::{candidate_names, find_longest_prefix};

#[derive(Default, Deserialize)]
struct Table {
    parameters: Vec<String>,
    families: Vec<Family>,
}

#[derive(Deserialize)]
struct Family {
    prefixes: Vec<String>,
    takes: TakesSampling,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum TakesSampling {
    Never,
    /// Only while the call sets no effort of reasoning.
    WithoutEffort,
    Always,
}

#[derive(Default)]
struct Models {
    parameters: Vec<String>,
    by_prefix: BTreeMap<String, TakesSampling>,
}

// The file is compiled in and a test parses it, so the default is never used.
static MODELS: LazyLock<Models> = LazyLock::new(|| {
    let Table { parameters, families } =
        serde_json::from_str(include_str!("sampling.json")).unwrap_or_default();
    let entries = families
        .into_iter()
        .flat_map(|Family { prefixes, takes }| prefixes.into_iter().map(move |prefix| (prefix, takes)));
    Models { parameters, by_prefix: entries.collect() }
});

/// The parameters of sampling, by their names in options.
pub fn sampling_parameters() -> &'static [String] {
    &MODELS.parameters
}

/// Whether a provider's model takes them in a call with these options, as far as the table knows.
pub fn takes_sampling(provider: &str, model: &str, options: &Value) -> bool {
    let found = candidate_names(provider, model)
        .find_map(|name| Some(*find_longest_prefix(&MODELS.by_prefix, &name)?.1));
    match found {
        None | Some(TakesSampling::Always) => true,
        Some(TakesSampling::Never) => false,
        Some(TakesSampling::WithoutEffort) => !sets_effort(options),
    }
}

/// Whether options set an effort of reasoning, as chat completions or the Responses API name it.
fn sets_effort(options: &Value) -> bool {
    [options.get("reasoning_effort"), options.pointer("/reasoning/effort")]
        .into_iter()
        .flatten()
        .any(|effort| !effort.is_null() && effort != "none")
}

#[cfg(test)]
mod tests;
