//! n8n's `set` (Edit Fields), of all versions: a program that writes fields of each item as their types.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::settings::Settings;
use super::expressions::{self, Part};
use super::programs::{CONVERT, FIELDS, Items, Program, RESULTS, javascript, literal};
use super::{Reader, Shape, Shapes};

/// A field that is set.
struct Field {
    name: Value,
    kind: Kind,
    value: Value,
}

/// What a value becomes.
enum Kind {
    /// A value of a type, or the node fails.
    Typed(String),
    Truth,
    /// A number, if it is a text of one.
    Digits,
    Any,
}

const DIGITS: &str =
    "(value) => (typeof value === \"string\" && !Number.isNaN(Number(value)) ? Number(value) : value)";

impl Reader<'_> {
    pub(super) fn set(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        settings.ignore_all(&["/options", "/duplicateItem", "/duplicateCount", "/mode"]);
        if settings.flag("/duplicateItem") {
            self.builder.lose(node.name, "That items are duplicated in a test of the workflow.");
        }
        let body = match body(settings, node.version) {
            Ok(body) => body,
            Err(reason) => return self.placeholder(at, &reason),
        };
        let about = about(settings, node.version);
        let program = Program {
            about: about.as_deref().unwrap_or(&body),
            body: &body,
            tail: RESULTS,
            items: Items::Each,
            parts: &[CONVERT, FIELDS],
            inputs: &[],
        };
        match self.program(at, node.name, &program, input, node.at) {
            Ok(id) => vec![Some(Shape::object(Output::new(&id, "result")))],
            Err(reason) => self.placeholder(at, &reason),
        }
    }
}

/// The names of the fields that it sets, or the JSON that it makes.
fn about(settings: &Settings<'_>, version: f64) -> Option<String> {
    if version >= 3.0 && settings.text("/mode") == Some("raw") {
        return settings.text("/jsonOutput").map(str::to_owned);
    }
    let fields = fields(settings, version);
    let names: Vec<&str> = fields.iter().filter_map(|field| field.name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn body(settings: &Settings<'_>, version: f64) -> Result<String, String> {
    let has_dots = settings.get("/options/dotNotation") != Some(&json!(false));
    let (mode, names) = included(settings, version);
    let mut body =
        format!("  const json = included($json, {}, {}, {has_dots});\n", json!(mode), json!(names));
    if version >= 3.0 && settings.text("/mode") == Some("raw") {
        let _ = writeln!(body, "  const fields = {};", raw_json(settings.get("/jsonOutput"))?);
        let _ = writeln!(
            body,
            "  for (const name of Object.keys(fields)) writeField(json, name, fields[name], {has_dots});"
        );
    } else {
        let ignores_errors = settings.flag("/options/ignoreConversionErrors");
        for field in fields(settings, version) {
            let value = javascript(&field.value)?;
            let value = match field.kind {
                Kind::Typed(kind) => format!("typed({}, {value})", json!(kind)),
                Kind::Truth => format!("Boolean({value})"),
                Kind::Digits => format!("[{value}].map({DIGITS})[0]"),
                Kind::Any => value,
            };
            let _ = writeln!(body, "  writeField(json, {}, {value}, {has_dots});", javascript(&field.name)?);
        }
        if version >= 3.0 {
            body.insert_str(0, &typed(version, ignores_errors));
        }
    }
    body.push_str("  return json;");
    Ok(body)
}

/// How values become their types. Since version 3.2, what is missing is null; in versions 3.1, a missing text is an error.
fn typed(version: f64, ignores_errors: bool) -> String {
    let missing = if version >= 3.2 || (version > 3.0 && ignores_errors) {
        "value === undefined || value === null"
    } else {
        "type !== \"string\" && (value === undefined || value === null)"
    };
    let converted = if ignores_errors {
        "{ try { return convert(type, value); } catch (error) { return value; } }"
    } else {
        "{ return convert(type, value); }"
    };
    let refused = if version > 3.0 && version < 3.2 && !ignores_errors {
        "if (value === undefined || value === null) throw new Error(`A text is expected, and there is ${value}.`); "
    } else {
        ""
    };
    format!("  const typed = (type, value) => {{ if ({missing}) return null; {refused}{converted} }};\n")
}

/// What of the item is kept, and the names of the fields that the mode is about.
fn included(settings: &Settings<'_>, version: f64) -> (&'static str, Vec<String>) {
    settings.ignore_all(&[
        "/include",
        "/includeOtherFields",
        "/includeFields",
        "/excludeFields",
        "/keepOnlySet",
    ]);
    if version < 3.0 {
        return (if settings.flag("/keepOnlySet") { "none" } else { "all" }, Vec::new());
    }
    // Version 3.3 brought a switch beside the list of modes.
    if version >= 3.3 && !settings.flag("/includeOtherFields") {
        return ("none", Vec::new());
    }
    let names = |pointer: &str| {
        let names = settings.text(pointer).unwrap_or_default().trim_start_matches('=').split(',');
        names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    };
    match settings.text("/include") {
        Some("none") => ("none", Vec::new()),
        Some("selected") => ("selected", names("/includeFields")),
        Some("except") => ("except", names("/excludeFields")),
        _ => ("all", Vec::new()),
    }
}

/// The fields of any version, in the order in which they are written.
fn fields(settings: &Settings<'_>, version: f64) -> Vec<Field> {
    let mut found = Vec::new();
    let name = |entry: &Value| entry.get("name").cloned().unwrap_or_else(|| json!(""));
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    for entry in settings.items("/assignments/assignments") {
        let kind = text(entry, "type").unwrap_or_else(|| "string".to_owned());
        let value = entry.get("value").cloned().unwrap_or(Value::Null);
        found.push(Field { name: name(entry), kind: Kind::Typed(kind), value });
    }
    for entry in settings.items("/fields/values") {
        let key = text(entry, "type").unwrap_or_else(|| "stringValue".to_owned());
        let kind = key.trim_end_matches("Value").to_owned();
        let missing = match kind.as_str() {
            "number" => json!(0),
            "boolean" => json!("true"),
            "object" => json!("{}"),
            _ => json!(""),
        };
        found.push(Field {
            name: name(entry),
            value: entry.get(&key).cloned().unwrap_or(missing),
            kind: Kind::Typed(kind),
        });
    }
    for (kind, missing) in [("boolean", json!(false)), ("number", json!(0)), ("string", json!(""))] {
        for entry in settings.items(&format!("/values/{kind}")) {
            let value = entry.get("value").cloned().unwrap_or_else(|| missing.clone());
            let name = entry.get("name").cloned().unwrap_or_else(|| json!("propertyName"));
            // The first versions leave values what they are, but for these two.
            let kind = match kind {
                "boolean" => Kind::Truth,
                "number" if version >= 2.0 => Kind::Digits,
                _ => Kind::Any,
            };
            found.push(Field { name, kind, value });
        }
    }
    found
}

/// JSON that is written out, with the values of its expressions as JSON or text.
fn raw_json(parameter: Option<&Value>) -> Result<String, String> {
    let text = match parameter {
        Some(Value::String(text)) => text,
        Some(object @ Value::Object(_)) => return Ok(literal(object)),
        _ => return Ok("{}".to_owned()),
    };
    let mut parts = Vec::new();
    for part in expressions::parse(text) {
        parts.push(match part {
            Part::Text(text) => literal(&text.into()),
            Part::Expression(source) => {
                let value = javascript(&format!("={{{{ {source} }}}}").into())?;
                format!("describe({value})")
            }
        });
    }
    Ok(format!("convert(\"object\", [{}].join(\"\"))", parts.join(", ")))
}
