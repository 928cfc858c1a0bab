//! n8n's nodes that send items on one of several ways: `if`, `filter` and `switch`. A program finds the ways of each item, and a query
//! for each output that leads on gives the items that go there. Without one, what follows is skipped.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::settings::Settings;
use super::programs::{COMPARE, CONVERT, Items, Program, javascript};
use super::{Reader, Shape, Shapes, conditions};

/// What a program of branches does with the outputs of each item.
const ROUTE: &str = "\
const ways = {};
results.forEach((outputs, index) => outputs.forEach((output) => (ways[output] ??= []).push(items[index])));
return Object.fromEntries(Object.entries(ways).map(([output, items]) => [output, valueOf(items)]));";

/// The ways that items take.
struct Ways {
    /// The list of outputs of an item, in JavaScript.
    source: String,
    parts: Vec<&'static str>,
    names: Vec<String>,
}

impl Reader<'_> {
    pub(super) fn branch(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let is_filter = node.kind == "filter";
        settings.ignore_all(&[
            "/conditions",
            "/combineOperation",
            "/combineConditions",
            "/options",
            "/combinator",
            "/looseTypeValidation",
        ]);
        let read = conditions::read(settings.get("").unwrap_or(&Value::Null), node.version, 2.2);
        let ways = read.map(|condition| {
            let names: &[&str] = if is_filter { &["kept"] } else { &["true", "false"] };
            let otherwise = if is_filter { "[]" } else { "[1]" };
            Ways {
                source: format!("{} ? [0] : {otherwise}", condition.source),
                parts: condition.parts.to_vec(),
                names: names.iter().map(|&name| name.to_owned()).collect(),
            }
        });
        self.route(at, ways, input)
    }

    pub(super) fn switch(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let version = self.workflow.nodes[at].version;
        let ways = if settings.text("/mode") == Some("expression") {
            by_expression(settings, version)
        } else if version >= 3.0 {
            by_rules(settings, version)
        } else {
            by_comparisons(settings, version)
        };
        self.route(at, ways, input)
    }

    fn route(&mut self, at: usize, ways: Result<Ways, String>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        if input.is_none() {
            return self.placeholder(at, "It has no input.");
        }
        let added = ways.and_then(|ways| {
            let body = format!("  return {};", ways.source);
            let program = Program {
                about: &ways.source,
                body: &body,
                tail: ROUTE,
                items: Items::Each,
                parts: &ways.parts,
                inputs: &[],
            };
            Ok((self.program(at, node.name, &program, input, node.at)?, ways.names))
        });
        let (id, names) = match added {
            Ok(added) => added,
            Err(reason) => return self.placeholder(at, &reason),
        };
        self.primary = Some(id.clone());
        let mut outputs: Vec<usize> =
            self.workflow.outgoing(at).filter(|edge| edge.is_main()).map(|edge| edge.output).collect();
        outputs.sort_unstable();
        outputs.dedup();
        let mut shapes = vec![None; outputs.last().map_or(0, |last| last + 1)];
        for output in outputs {
            let name = names.get(output).cloned().unwrap_or_else(|| output.to_string());
            let query = if output == 0 && self.always_outputs(at) {
                ".[\"0\"] // {}".to_owned()
            } else {
                format!("select(has(\"{output}\")) | .[\"{output}\"]")
            };
            let place = node.at.beside(0.5, f64::from(u32::try_from(output).unwrap_or(0)));
            let title = format!("{}: {name}", node.name);
            let way = self.builder.add(node.name, &title, "json", json!({ "query": query }), place);
            self.builder.connect(&Output::new(&id, "result"), &way, "value");
            shapes[output] = Some(Shape::object(Output::new(&way, "result")));
        }
        shapes
    }
}

/// An expression gives the number of the output.
fn by_expression(settings: &Settings<'_>, version: f64) -> Result<Ways, String> {
    settings.ignore_all(&[
        "/rules",
        "/options",
        "/numberOutputs",
        "/outputsAmount",
        "/fallbackOutput",
        "/dataType",
        "/value1",
    ]);
    let output = javascript(settings.get("/output").unwrap_or(&json!(0)))?;
    let count = match version {
        version if version >= 3.0 => settings.number("/numberOutputs").unwrap_or(4.0),
        version if version >= 2.0 => settings.number("/outputsAmount").unwrap_or(4.0),
        _ => 4.0,
    };
    let source = format!(
        "[convert(\"number\", {output})].map((output) => {{\n    if (output in Array({count}).fill(0)) return output;\n    \
         throw new Error(`There is no output ${{output}}.`);\n  }})"
    );
    Ok(Ways { source, parts: vec![CONVERT], names: Vec::new() })
}

/// Versions 1 and 2: one value is compared with that of each rule.
fn by_comparisons(settings: &Settings<'_>, version: f64) -> Result<Ways, String> {
    settings.ignore_all(&["/mode", "/options"]);
    let kind = settings.text("/dataType").unwrap_or("number");
    let one = settings.get("/value1");
    let mut names = Vec::new();
    let mut cases = Vec::new();
    for (index, rule) in settings.items("/rules/rules").iter().enumerate() {
        let output = if version >= 2.0 {
            names.push(rule.get("outputKey").and_then(Value::as_str).unwrap_or_default().to_owned());
            index
        } else {
            rule.get("output")
                .and_then(Value::as_u64)
                .and_then(|output| usize::try_from(output).ok())
                .unwrap_or(0)
        };
        cases.push(format!("{} ? [{output}]", conditions::comparison(kind, one, rule, 0)?));
    }
    cases.push(fallback(settings.get("/fallbackOutput")));
    let names = names.into_iter().enumerate();
    let names = names.map(|(index, name)| if name.is_empty() { index.to_string() } else { name });
    Ok(Ways { source: cases.join("\n    : "), parts: vec![COMPARE], names: names.collect() })
}

/// Version 3: each rule has conditions, and is an output.
fn by_rules(settings: &Settings<'_>, version: f64) -> Result<Ways, String> {
    settings.ignore_all(&["/mode", "/options", "/looseTypeValidation"]);
    let parameters = settings.get("").unwrap_or(&Value::Null);
    let (mut names, mut rules, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (index, rule) in settings.items("/rules/values").iter().enumerate() {
        let condition =
            conditions::typed(rule.get("conditions").unwrap_or(&Value::Null), parameters, version, 3.2)?;
        let name = rule.get("outputKey").and_then(Value::as_str).filter(|name| !name.is_empty());
        names.push(name.map_or_else(|| index.to_string(), str::to_owned));
        rules.push(format!("() => {}", condition.source));
        parts = condition.parts.to_vec();
    }
    if rules.is_empty() {
        return Err("It has no rules.".to_owned());
    }
    let option = settings.get("/options/fallbackOutput");
    let otherwise = if option == Some(&json!("extra")) {
        let name = settings.text("/options/renameFallbackOutput").unwrap_or("Fallback");
        names.push(name.to_owned());
        format!("[{}]", rules.len())
    } else {
        fallback(option)
    };
    let rules = format!("[\n    {},\n  ]", rules.join(",\n    "));
    let matching = format!("{rules}.flatMap((rule, output) => (rule() ? [output] : []))");
    let first = format!("[{rules}.findIndex((rule) => rule())].filter((output) => output >= 0)");
    let found = if settings.flag("/options/allMatchingOutputs") { matching } else { first };
    let source = format!("[{found}].flatMap((found) => (found.length ? found : {otherwise}))");
    Ok(Ways { source, parts, names })
}

/// The outputs of items that no rule takes.
fn fallback(output: Option<&Value>) -> String {
    match output {
        Some(Value::Number(number)) if number.as_i64().is_some_and(|number| number >= 0) => {
            format!("[{number}]")
        }
        Some(Value::String(text)) if text.parse::<u32>().is_ok() => format!("[{text}]"),
        _ => "[]".to_owned(),
    }
}
