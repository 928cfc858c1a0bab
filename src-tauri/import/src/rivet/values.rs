//! Nodes that compute values of others: programs by Rivet's rules. An output that Rivet excludes gives nothing, so what depends on it
//! is skipped.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::settings::Settings;
use super::Reader;

pub(super) const RUNTIME: &str = include_str!("runtime/values.js");

impl Reader<'_> {
    /// Adds a node that computes a value.
    pub(super) fn compute(&mut self, at: usize, settings: &Settings<'_>) {
        let written = match self.graph.nodes[at].kind {
            "ifElse" => Ok("return { output: isTrue(input.if) ? input.true : input.false };".to_owned()),
            "if" => {
                settings.ignore("/unconnectedControlFlowExcluded");
                Ok("return isTrue(input.if) ? { output: input.value ?? null } : { falseOutput: input.value ?? null };".to_owned())
            }
            "match" => match_cases(settings),
            "array" => {
                let flattens = settings.flag("/flatten");
                Ok(format!(
                    "const list = {flattens} ? numbered().flat() : numbered();\nreturn {{ output: list, indices: list.map((_, index) => index) }};"
                ))
            }
            "join" => Ok(join(settings)),
            "object" => Ok(object(settings)),
            "extractJson" => Ok(EXTRACT_JSON.to_owned()),
            "extractObjectPath" => object_path(settings),
            "extractRegex" => Ok(extract_regex(settings)),
            "split" => Ok(split(settings)),
            "slice" => {
                let number = |pointer: &str| {
                    settings
                        .number(pointer)
                        .map_or_else(|| "undefined".to_owned(), |number| number.to_string())
                };
                let (start, count) = (number("/start"), number("/count"));
                settings.ignore_all(&["/useStartInput", "/useCountInput"]);
                Ok(format!(
                    "const start = input.start ?? {start} ?? 0;\nconst count = input.count ?? {count};\n\
                     return {{ output: (input.input ?? []).slice(start, count === undefined ? undefined : start + count) }};"
                ))
            }
            "pop" => {
                let is_first = settings.flag("/fromFront");
                Ok(format!(
                    "const list = input.array ?? [];\n\
                     return {is_first} ? {{ lastItem: list[0], restOfArray: list.slice(1) }} : {{ lastItem: list[list.length - 1], restOfArray: list.slice(0, -1) }};"
                ))
            }
            "toJson" => {
                let space = if settings.flag("/indented") { "2" } else { "undefined" };
                Ok(format!("return {{ json: JSON.stringify(input.data ?? null, undefined, {space}) }};"))
            }
            "evaluate" => evaluate(settings),
            _ => compare(settings),
        };
        match written {
            Ok(body) => self.program(at, &body),
            Err(reason) => drop(self.placeholder(at, reason)),
        }
    }

    /// Adds a program that returns an object of outputs, with the fed inputs as `input`, and a query for each output that is used.
    fn program(&mut self, at: usize, body: &str) {
        let Some(object) = self.object(at) else {
            self.placeholder(at, "Nothing feeds it.");
            return;
        };
        let node = &self.graph.nodes[at];
        let id = self.add(at, "code", json!({ "code": format!("{RUNTIME}{body}") }), "result");
        self.builder.connect(&object, &id, "input");
        let mut used: Vec<&str> = self.graph.outgoing(at).map(|edge| edge.output.as_str()).collect();
        used.sort_unstable();
        used.dedup();
        for (index, name) in used.into_iter().enumerate() {
            let query = format!("select(has({0})) | .[{0}]", json!(name));
            let title = format!("{}: {name}", node.title);
            let place = node.at.beside(0.5, f64::from(u32::try_from(index).unwrap_or(0)));
            let one = self.builder.add(&node.key, &title, "json", json!({ "query": query }), place);
            self.builder.connect(&Output::new(&id, "result"), &one, "value");
            self.set(at, name, Output::new(&one, "result"));
        }
    }
}

const EXTRACT_JSON: &str = "\
const found = text(input.input);
const first = found.search(/[{[]/);
const last = Math.max(found.lastIndexOf(\"}\"), found.lastIndexOf(\"]\"));
try {
  return { output: JSON.parse(found.slice(Math.max(first, 0), last + 1)) };
} catch (error) {
  return { noMatch: found };
}";

/// A setting that an input of the node takes the place of.
fn or_input(name: &str, setting: &Value) -> String {
    format!("text(input.{name} ?? {setting})")
}

fn join(settings: &Settings<'_>) -> String {
    let separator = settings.get("/joinString").cloned().unwrap_or_else(|| json!("\n"));
    settings.ignore("/useJoinStringInput");
    let flattens = settings.flag("/flatten");
    format!(
        "const list = {flattens} ? numbered().flat() : numbered();\nreturn {{ output: list.map(text).join(unescape({})) }};",
        or_input("joinString", &separator)
    )
}

/// An object that is written as a template of JSON. A variable in quotes is a text, one without is its value.
fn object(settings: &Settings<'_>) -> String {
    let template = settings.get("/jsonTemplate").and_then(Value::as_str).unwrap_or("{}");
    format!(
        "const written = {}.replace(/(\"?)\\{{\\{{([^}}]+)\\}}\\}}(\"?)/g, (_, quote, name) => {{\n  \
         const value = input[name.trim()];\n  if (value === undefined || value === null) return \"null\";\n  \
         return JSON.stringify(quote && typeof value !== \"string\" ? JSON.stringify(value) : value);\n}});\n\
         return {{ output: JSON.parse(written) }};",
        json!(template)
    )
}

fn split(settings: &Settings<'_>) -> String {
    let delimiter = settings.get("/delimiter").cloned().unwrap_or_else(|| json!(","));
    settings.ignore("/useDelimiterInput");
    let delimiter = or_input("delimiter", &delimiter);
    let delimiter = if settings.flag("/regex") {
        format!("new RegExp({delimiter})")
    } else {
        format!("unescape({delimiter})")
    };
    format!("return {{ splitString: text(input.string).split({delimiter}) }};")
}

/// The cases are patterns. All that match get the value, or the first.
fn match_cases(settings: &Settings<'_>) -> Result<String, &'static str> {
    let cases = settings.items("/cases");
    let is_exclusive = settings.flag("/exclusive");
    settings.ignore("/caseNames");
    if cases.is_empty() {
        return Err("It has no cases.");
    }
    Ok(format!(
        "const tested = text(input.input);\nconst value = input.value === undefined ? tested : input.value;\n\
         const found = {}.flatMap((pattern, index) => (new RegExp(pattern).test(tested) ? [`case${{index + 1}}`] : []));\n\
         const taken = found.length === 0 ? [\"unmatched\"] : {is_exclusive} ? found.slice(0, 1) : found;\n\
         return Object.fromEntries(taken.map((name) => [name, value]));",
        json!(cases)
    ))
}

/// The groups of the first match of a pattern, each an output, and the first group of all matches.
fn extract_regex(settings: &Settings<'_>) -> String {
    let regex = settings.get("/regex").cloned().unwrap_or_else(|| json!("([a-zA-Z]+)"));
    settings.ignore("/useRegexInput");
    let flags = if settings.flag("/multilineMode") { "gm" } else { "g" };
    let fails = settings.flag("/errorOnFailed");
    format!(
        "const found = [...text(input.input).matchAll(new RegExp({}, \"{flags}\"))];\n\
         if (!found.length && {fails}) throw new Error(\"Nothing matches the pattern.\");\n\
         if (!found.length) return {{ succeeded: false, failed: true }};\n\
         const groups = found[0].slice(1).map((group, index) => [`output${{index + 1}}`, group]);\n\
         return {{ ...Object.fromEntries(groups), matches: found.map((match) => match[1]).filter(Boolean), succeeded: true, failed: false }};",
        or_input("regex", &regex)
    )
}

fn evaluate(settings: &Settings<'_>) -> Result<String, &'static str> {
    settings.ignore("/useOperationInput");
    let result = match settings.text("/operation").unwrap_or("+") {
        "^" => "a ** b".to_owned(),
        "abs" => "Math.abs(a)".to_owned(),
        "negative" => "-a".to_owned(),
        operation if ["+", "-", "*", "/", "%"].contains(&operation) => format!("a {operation} b"),
        _ => return Err("A program (`code`) can do the same."),
    };
    Ok(format!("const [a, b] = [Number(input.a), Number(input.b)];\nreturn {{ output: {result} }};"))
}

/// A comparison. The second value becomes what the first one is.
fn compare(settings: &Settings<'_>) -> Result<String, &'static str> {
    settings.ignore("/useComparisonFunctionInput");
    let result = match settings.text("/comparisonFunction").unwrap_or("==") {
        "==" => "isEqual(a, b)".to_owned(),
        "!=" => "!isEqual(a, b)".to_owned(),
        "and" => "Boolean(a && b)".to_owned(),
        "or" => "Boolean(a || b)".to_owned(),
        "xor" => "Boolean(a) !== Boolean(b)".to_owned(),
        "nand" => "!(a && b)".to_owned(),
        "nor" => "!(a || b)".to_owned(),
        "xnor" => "Boolean(a) === Boolean(b)".to_owned(),
        order if ["<", ">", "<=", ">="].contains(&order) => format!("a {order} b"),
        _ => return Err("A program (`code`) can do the same."),
    };
    Ok(format!("const a = input.a;\nconst b = as(input.b, a);\nreturn {{ output: {result} }};"))
}

/// A simple path, such as `$.a[0].b`. Its value is the only match.
fn object_path(settings: &Settings<'_>) -> Result<String, &'static str> {
    const COMPLEX: &str = "Its path is more than names and numbers. A query (`json`) can do the same.";
    if settings.flag("/usePathInput") {
        return Err("Its path is a value of the flow. A program (`code`) can do the same.");
    }
    let path = settings.text("/path").unwrap_or("$").trim().strip_prefix('$').ok_or(COMPLEX)?;
    let is_simple = path
        .chars()
        .all(|one| one.is_alphanumeric() || matches!(one, '.' | '[' | ']' | '_' | '\'' | '"' | '-'));
    if !is_simple || path.contains("..") {
        return Err(COMPLEX);
    }
    let steps = path.split(['.', '[', ']']).map(|step| step.trim_matches(['\'', '"']));
    let steps: Vec<&str> = steps.filter(|step| !step.is_empty()).collect();
    Ok(format!(
        "const found = {}.reduce((value, step) => value?.[step], input.object);\n\
         return found === undefined ? {{ all_matches: [] }} : {{ match: found, all_matches: [found] }};",
        json!(steps)
    ))
}
