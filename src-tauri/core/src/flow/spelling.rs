//! Some settings have the names of the pipeline format, with underscores. A file may also have them in the spelling of all other settings:
//! `maxIterations` is read as `max_iterations`.

use serde_json::{Map, Value};

use super::document::Node;

/// The names with underscores in the config of a loop, at any depth.
const OF_LOOPS: [&str; 13] = [
    "ai_turn_source",
    "from_initial_input",
    "history_management",
    "history_template",
    "max_iterations",
    "max_tokens",
    "max_turns",
    "named_steps",
    "on_error",
    "start_with",
    "summarize_ratio",
    "summarizer_agent",
    "user_turn_sources",
];
/// Those of nodes that call a model.
const OF_MODEL_NODES: [&str; 1] = ["use_history"];

/// Gives the settings of a node the names of its schema. One that is there in both spellings stays as it is: `check` reports it.
pub(super) fn respell(node: &mut Node) {
    match node.node_type.as_str() {
        "loop" => rename(&mut node.config, &OF_LOOPS),
        "chat" | "classify" | "extract" => rename(&mut node.config, &OF_MODEL_NODES),
        _ => {}
    }
}

fn rename(settings: &mut Map<String, Value>, names: &[&str]) {
    for name in names {
        let Some(value) = settings.get(&without_underscores(name)) else { continue };
        if settings.contains_key(*name) {
            continue;
        }
        let value = value.clone();
        settings.remove(&without_underscores(name));
        settings.insert((*name).to_owned(), value);
    }
    for value in settings.values_mut() {
        if let Value::Object(inner) = value {
            rename(inner, names);
        }
    }
}

/// `max_iterations` as `maxIterations`.
fn without_underscores(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut spelled, word| {
        let mut letters = word.chars();
        spelled.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        spelled.push_str(letters.as_str());
        spelled
    })
}

#[cfg(test)]
mod tests;
