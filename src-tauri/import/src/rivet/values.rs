//! Nodes that compute a value of others, as queries.

use serde_json::json;

use super::super::builder::Output;
use super::super::settings::Settings;
use super::Reader;

impl Reader<'_> {
    /// Adds a node that computes a value.
    pub(super) fn compute(&mut self, at: usize, settings: &Settings<'_>) {
        match self.graph.nodes[at].kind {
            "ifElse" => {
                drop(
                    self.query(at, "if .if and .if != \"\" and .if != \"false\" then .true else .false end"),
                );
            }
            "object" => self.object_template(at, settings),
            "extractJson" => {
                self.query(at, "(.input // .) | if type == \"string\" then (try fromjson catch (match(\"[\\\\[{].*[\\\\]}]\"; \"s\").string | fromjson)) else . end");
            }
            "extractObjectPath" => match json_path(settings.text("/path").unwrap_or_default()) {
                Some(path) if !settings.flag("/usePathInput") => {
                    self.query(at, &format!(".object | {path}"));
                }
                _ => drop(self.placeholder(
                    at,
                    "Its path is more than names and numbers. A query (`json`) can do the same.",
                )),
            },
            "extractRegex" if !settings.flag("/useRegexInput") => self.extract_regex(at, settings),
            "split" => {
                let delimiter = json!(settings.text("/delimiter").unwrap_or(",")).to_string();
                settings.ignore_all(&["/useDelimiterInput", "/regex"]);
                self.query(at, &format!(".string | split({delimiter})"));
            }
            "slice" => {
                let start = settings.number("/start").unwrap_or(0.0).max(0.0);
                let end = settings
                    .number("/count")
                    .map_or_else(String::new, |count| (start + count.max(0.0)).to_string());
                settings.ignore_all(&["/useStartInput", "/useCountInput"]);
                self.query(at, &format!(".input | .[{start}:{end}]"));
            }
            "pop" => drop(self.query(at, ".array | last")),
            "toJson" => drop(self.query(at, ".data | tojson")),
            "evaluate" => {
                let operation = settings.text("/operation").unwrap_or("+");
                if ["+", "-", "*", "/", "%"].contains(&operation) {
                    self.query(at, &format!("(.a | tonumber) {operation} (.b | tonumber)"));
                } else {
                    self.placeholder(at, "A query (`json`) or a program (`code`) can do the same.");
                }
            }
            "compare" => {
                let operation = settings.text("/comparisonFunction").unwrap_or("==");
                if ["==", "!=", "<", ">", "<=", ">="].contains(&operation) {
                    self.query(at, &format!(".a {operation} .b"));
                } else {
                    self.placeholder(at, "A query (`json`) can do the same.");
                }
            }
            _ => drop(self.placeholder(at, "Plait has no node for this.")),
        }
    }

    /// An object that is written as a template of JSON.
    fn object_template(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let text = settings.text("/jsonTemplate").unwrap_or("{}");
        // Values are written as JSON, wherever the template has them.
        let mut template = self.template(at, text);
        template.write_values_as_json();
        let title = format!("{}: text", node.title);
        let written = self.builder.add_text(&node.key, &title, &template, node.at.beside(-0.5, 1.0));
        let id = self.add(at, "json", json!({ "query": "fromjson" }), "result");
        self.builder.connect(&Output::new(&written, "text"), &id, "value");
    }

    /// The groups of a pattern, each an output.
    fn extract_regex(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let regex = json!(settings.text("/regex").unwrap_or_default()).to_string();
        settings.ignore_all(&["/errorOnFailed", "/multilineMode"]);
        let id = self.query(at, &format!("[.input | match({regex}) | .captures[].string]"));
        for index in 0..10 {
            let name = format!("output{}", index + 1);
            if self.graph.outgoing(at).any(|edge| edge.output == name) {
                let query = format!(".[{index}]");
                let one = self.builder.add(
                    &node.key,
                    &name,
                    "json",
                    json!({ "query": query }),
                    node.at.beside(0.0, 1.0),
                );
                self.builder.connect(&Output::new(&id, "result"), &one, "value");
                self.set(at, &name, Output::new(&one, "result"));
            }
        }
    }
}

/// A simple path, such as `$.a[0].b`, in the language of queries.
fn json_path(path: &str) -> Option<String> {
    let path = path.trim().strip_prefix('$')?;
    let is_simple =
        path.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '.' | '[' | ']' | '_'));
    if !is_simple || path.contains("..") {
        return None;
    }
    Some(format!(".{}", path.trim_start_matches('.')))
}
