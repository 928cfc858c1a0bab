//! Text of another tool as a template of Plait: literal text, and values of nodes as its variables.

use super::output::Output;

/// A template, and what feeds its variables.
#[derive(Clone, Debug, Default)]
pub(super) struct TemplateText {
    source: String,
    variables: Vec<(String, Output)>,
}

impl TemplateText {
    /// A template without variables.
    pub(super) fn constant(text: &str) -> Self {
        let mut template = Self::default();
        template.push_text(text);
        template
    }

    /// A template that is one value.
    pub(super) fn of(name: &str, output: &Output, path: &[String]) -> Self {
        let mut template = Self::default();
        template.push_value(name, output, path);
        template
    }

    /// Adds literal text.
    pub(super) fn push_text(&mut self, text: &str) {
        // Braces that two parts share are escaped together.
        let mut own = self.source.trim_end_matches('{').len();
        if self.source[..own].ends_with('\\') {
            own = self.source.len().min(own + 2);
        }
        let text = format!("{}{text}", self.source.split_off(own));
        if self.source.ends_with("{{") && text.starts_with('{') {
            self.source.push(' ');
        }
        let mut rest = text.as_str();
        while let Some(at) = rest.find("{{") {
            let before = &rest[..at];
            self.source.push_str(before);
            // A backslash before the braces would escape the escape.
            if before.ends_with('\\') {
                self.source.push(' ');
            }
            self.source.push_str("\\{{");
            rest = &rest[at + 2..];
            // Two more braces right after would belong to the escape.
            if rest.starts_with('{') {
                self.source.push(' ');
            }
        }
        self.source.push_str(rest);
    }

    /// Adds a value. `name` is what the variable is called, as far as that is possible.
    pub(super) fn push_value(&mut self, name: &str, output: &Output, path: &[String]) {
        let name = self.variable(name, output);
        // A brace or a backslash before the tag would change what it means.
        if self.source.ends_with(['{', '\\']) {
            self.source.push(' ');
        }
        self.source.push_str("{{");
        match path_text(&name, path) {
            Some(path) => self.source.push_str(&path),
            None => self.source.push_str(&lookup_text(&name, path)),
        }
        self.source.push_str("}}");
    }

    /// Adds a value that a helper is applied to.
    pub(super) fn push_call(&mut self, helper: &str, name: &str, output: &Output, path: &[String]) {
        let name = self.variable(name, output);
        if self.source.ends_with(['{', '\\']) {
            self.source.push(' ');
        }
        let value = path_text(&name, path).unwrap_or_else(|| format!("({})", lookup_text(&name, path)));
        self.source.push_str(&format!("{{{{{helper} {value}}}}}"));
    }

    /// Writes each plain value as JSON.
    pub(super) fn write_values_as_json(&mut self) {
        for (name, _) in self.variables.clone() {
            for end in ["}}", "."] {
                self.source =
                    self.source.replace(&format!("{{{{{name}{end}"), &format!("{{{{json {name}{end}"));
            }
        }
    }

    /// Adds another template.
    pub(super) fn push(&mut self, other: &Self) {
        let mut source = other.source.clone();
        for (name, output) in &other.variables {
            let own = self.variable(name, output);
            if own != *name {
                source = rename(&source, name, &own);
            }
        }
        if self.source.ends_with(['{', '\\']) && source.starts_with('{') {
            self.source.push(' ');
        }
        self.source.push_str(&source);
    }

    /// Adds a part in the language of templates, without variables of its own.
    pub(super) fn push_source(&mut self, source: &str) {
        self.source.push_str(source);
    }

    /// Makes it require a value that it doesn't show.
    pub(super) fn require(&mut self, name: &str, output: &Output) {
        let name = self.variable(name, output);
        self.source.insert_str(0, &format!("{{{{#with {name}}}}}{{{{/with}}}}"));
    }

    /// The variable for an output.
    pub(super) fn variable(&mut self, name: &str, output: &Output) -> String {
        if let Some((known, _)) = self.variables.iter().find(|(_, known)| known == output) {
            return known.clone();
        }
        let base = identifier(name);
        let mut unique = base.clone();
        let mut count = 1;
        while RESERVED.contains(&unique.as_str()) || self.variables.iter().any(|(known, _)| *known == unique)
        {
            count += 1;
            unique = format!("{base}_{count}");
        }
        self.variables.push((unique.clone(), output.clone()));
        unique
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Its variables, and what feeds them.
    pub(super) fn variables(&self) -> &[(String, Output)] {
        &self.variables
    }

    pub(super) fn is_constant(&self) -> bool {
        self.variables.is_empty()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.source.trim().is_empty()
    }

    /// The text of a template without variables.
    pub(super) fn literal(&self) -> Option<String> {
        self.is_constant().then(|| self.source.replace("\\{{", "{{"))
    }

    /// The output, if the template is nothing but one whole value.
    pub(super) fn single_output(&self) -> Option<&Output> {
        let [(name, output)] = self.variables.as_slice() else { return None };
        (self.source.trim() == format!("{{{{{name}}}}}")).then_some(output)
    }
}

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

/// A name as variables of templates have them.
pub(super) fn identifier(name: &str) -> String {
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

const MAX_IDENTIFIER_CHARS: usize = 40;

fn path_text(name: &str, path: &[String]) -> Option<String> {
    let mut text = name.to_owned();
    for step in path {
        let is_name = !step.is_empty()
            && step.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
            && !step.starts_with(|first: char| first.is_ascii_digit());
        let is_index = !step.is_empty() && step.len() < 10 && step.bytes().all(|one| one.is_ascii_digit());
        if is_name {
            text.push('.');
            text.push_str(step);
        } else if is_index {
            text.push_str(&format!(".[{step}]"));
        } else {
            return None;
        }
    }
    Some(text)
}

/// A path whose steps are no plain names.
fn lookup_text(name: &str, path: &[String]) -> String {
    let mut text = name.to_owned();
    for (index, step) in path.iter().enumerate() {
        let step: String = step.chars().filter(|one| !matches!(one, '"' | '\\' | '{' | '}')).collect();
        let inner = if index == 0 { text } else { format!("({text})") };
        text = format!("lookup {inner} \"{step}\"");
    }
    text
}

/// Renames a variable in a template that was built here: it stands after `{{`, `{{#with ` or `lookup `.
fn rename(source: &str, from: &str, to: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find(from) {
        let before = &rest[..at];
        let after = &rest[at + from.len()..];
        let opens = before.ends_with("{{") || before.ends_with("{{#with ") || before.ends_with("lookup ");
        let closes = after.starts_with(['}', '.', ' ']);
        text.push_str(before);
        text.push_str(if opens && closes { to } else { from });
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests;
