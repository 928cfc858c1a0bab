//! The names of variables, which are inputs of the node that a template is a part of.

use std::collections::{HashMap, HashSet};

use crate::output::Output;

const MAX_IDENTIFIER_CHARS: usize = 40;

/// Names that are ports of nodes with templates, or that the language of templates has for itself.
const RESERVED: [&str; 16] = [
    "context",
    "tools",
    "attach",
    "data",
    "message",
    "in",
    "this",
    "else",
    "true",
    "false",
    "null",
    "root",
    "hitl_history",
    "contextId",
    "after",
    "default",
];

/// The inputs that the templates of a node share, by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputNames {
    inputs: Vec<(String, Output)>,
    names: HashMap<Output, String>,
    taken: HashSet<String>,
    /// How often each name was wanted.
    counts: HashMap<String, usize>,
}

impl InputNames {
    /// Those of a request, which has inputs of its own.
    pub(crate) fn of_request() -> Self {
        let taken = ["url", "body"].map(str::to_owned);
        Self { taken: HashSet::from(taken), ..Self::default() }
    }

    /// The inputs, and what feeds them.
    pub(crate) fn inputs(&self) -> &[(String, Output)] {
        &self.inputs
    }

    pub(super) fn name_of(&mut self, wanted: &str, output: &Output) -> String {
        if let Some(known) = self.names.get(output) {
            return known.clone();
        }
        let base = identifier(wanted);
        let count = self.counts.entry(base.clone()).or_insert(0);
        let name = loop {
            *count += 1;
            let name = if *count == 1 { base.clone() } else { format!("{base}_{count}") };
            if !RESERVED.contains(&name.as_str()) && self.taken.insert(name.clone()) {
                break name;
            }
        };
        self.inputs.push((name.clone(), output.clone()));
        self.names.insert(output.clone(), name.clone());
        name
    }
}

/// A name as variables of templates have them.
pub(crate) fn identifier(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars().take(MAX_IDENTIFIER_CHARS) {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' => text.push(character.to_ascii_lowercase()),
            _ if text.ends_with('_') || text.is_empty() => {}
            _ => text.push('_'),
        }
    }
    let text = text.trim_end_matches('_');
    match text.chars().next() {
        None => "value".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("value_{text}"),
        Some(_) => text.to_owned(),
    }
}
