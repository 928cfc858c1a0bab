//! Nodes that compute values of others: programs by Rivet's rules. An output that Rivet excludes gives nothing, so what depends on it
//! is skipped.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::program::with_headline;
use super::super::settings::Settings;
use super::Reader;

pub(super) const RUNTIME: &str = include_str!("runtime/values.js");
/// The functions that change values in texts.
pub(super) const INTERPOLATION: &str = include_str!("runtime/interpolation.js");

impl Reader<'_> {
    /// Adds a node that computes a value.
    pub(super) fn compute(&mut self, at: usize, settings: &Settings<'_>) {
        let written = match self.graph.nodes[at].kind {
            "ifElse" => {
                let [yes, no] = ["true", "false"].map(|name| self.passed(at, name, settings));
                Ok(format!("return {{ output: isTrue(input.if) ? {yes} : {no} }};"))
            }
            "if" => {
                let value = self.passed(at, "value", settings);
                Ok(format!("return isTrue(input.if) ? {{ output: {value} }} : {{ falseOutput: {value} }};"))
            }
            "coalesce" => {
                let is_tested = self.graph.edges_into(at, "conditional").next().is_some();
                let test = if is_tested { "!(\"conditional\" in input)" } else { "false" };
                Ok(format!(
                    "const found = {test} ? [] : numbered().filter((value) => value !== undefined && value !== null);\n\
                     return found.length ? {{ output: found[0] }} : {{}};"
                ))
            }
            "filter" => Ok(FILTER.to_owned()),
            "number" => {
                let value = settings.number("/value").unwrap_or(0.0);
                let places =
                    if settings.flag("/round") { settings.number("/roundTo").or(Some(0.0)) } else { None };
                settings.ignore("/roundTo");
                let places = places.map_or_else(|| "undefined".to_owned(), |places| places.to_string());
                Ok(format!(
                    "const value = toNumber(input?.input) ?? {value};\nconst scale = 10 ** {places};\n\
                     return {{ value: Number.isNaN(scale) ? value : Math.round(value * scale) / scale }};"
                ))
            }
            "boolean" => Ok("return { value: toBoolean(input.input) };".to_owned()),
            "match" => match_cases(settings),
            "array" => {
                let depth = match (settings.flag("/flatten"), settings.flag("/flattenDeep")) {
                    (false, _) => "0",
                    (true, false) => "1",
                    (true, true) => "Infinity",
                };
                Ok(format!(
                    "const list = numbered().flat({depth});\n\
                     return {{ output: list, indices: list.map((_, index) => index), length: list.length }};"
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
                    "const list = [input.input ?? []].flat();\nconst start = input.start ?? {start} ?? 0;\n\
                     return {{ output: list.slice(start, start + (input.count ?? {count} ?? list.length)) }};"
                ))
            }
            "pop" => {
                let is_first = settings.flag("/fromFront");
                Ok(format!(
                    "const list = input.array;\nif (!Array.isArray(list) || !list.length) throw new Error(\"It has no list with items.\");\n\
                     return {is_first} ? {{ lastItem: list[0], restOfArray: list.slice(1) }} : {{ lastItem: list[list.length - 1], restOfArray: list.slice(0, -1) }};"
                ))
            }
            "toJson" => {
                let space = if settings.flag("/indented") { "2" } else { "undefined" };
                Ok(format!("return {{ json: JSON.stringify(input.data ?? null, undefined, {space}) }};"))
            }
            "evaluate" => Ok(evaluate(settings)),
            _ => Ok(self.compare(at, settings)),
        };
        match written {
            Ok(body) => self.program(at, &body),
            Err(reason) => drop(self.placeholder(at, reason)),
        }
    }

    /// What a branch passes on of an input. One that nothing feeds has no value, or is not passed on.
    fn passed(&self, at: usize, name: &str, settings: &Settings<'_>) -> String {
        let is_excluded = settings.flag("/unconnectedControlFlowExcluded");
        match (self.graph.edges_into(at, name).next(), is_excluded) {
            (Some(_), _) => format!("input.{name}"),
            (None, true) => "undefined".to_owned(),
            (None, false) => "null".to_owned(),
        }
    }

    /// A comparison. The second value becomes what the first one is, unless that may be anything.
    fn compare(&self, at: usize, settings: &Settings<'_>) -> String {
        let function = json!(settings.text("/comparisonFunction").unwrap_or("=="));
        let is_input = settings.flag("/useComparisonFunctionInput");
        let function =
            if is_input { or_input("comparisonFunction", &function) } else { function.to_string() };
        let first = self.graph.edges_into(at, "a").next().map(|edge| self.graph.nodes[edge.source].kind);
        let other = match first {
            None => {
                return format!(
                    "const isNothing = input.b === undefined;\nreturn {{ output: {{ \"==\": isNothing, \"!=\": !isNothing }}[{function}] ?? false }};"
                );
            }
            Some("extractObjectPath" | "extractJson" | "object" | "pop") => "input.b",
            Some(_) => "as(input.b, a)",
        };
        format!(
            "const comparisons = {{\n  \
             \"==\": isEqual, \"!=\": (a, b) => !isEqual(a, b),\n  \
             \"<\": (a, b) => a < b, \">\": (a, b) => a > b, \"<=\": (a, b) => a <= b, \">=\": (a, b) => a >= b,\n  \
             and: (a, b) => Boolean(a && b), or: (a, b) => Boolean(a || b), xor: (a, b) => Boolean(a) !== Boolean(b),\n  \
             nand: (a, b) => !(a && b), nor: (a, b) => !(a || b), xnor: (a, b) => Boolean(a) === Boolean(b),\n}};\n\
             const a = input.a;\nreturn {{ output: comparisons[{function}](a, {other}) }};"
        )
    }

    /// Adds a program that returns an object of outputs, with the fed inputs as `input`, and a query for each output that is used.
    fn program(&mut self, at: usize, body: &str) {
        let object = self.object(at);
        let node = &self.graph.nodes[at];
        // These can make a value of their settings alone.
        if object.is_none() && !matches!(node.kind, "object" | "number") {
            self.placeholder(at, "Nothing feeds it.");
            return;
        }
        let id = self.add(
            at,
            "code",
            json!({ "code": with_headline(body, &format!("{RUNTIME}{body}")) }),
            "result",
        );
        if let Some(object) = object {
            self.builder.connect(&object, &id, "input");
        }
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

const FILTER: &str = "return { filtered: [input.array].flat().filter((_, index) => toBoolean([input.include].flat()[index])) };";
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
         const value = input?.[name] ?? input?.[name.trim()];\n  if (value === undefined || value === null) return \"null\";\n  \
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
         if ({fails} && !found.some((match) => match[1])) throw new Error(\"Nothing matches the pattern.\");\n\
         if (!found.length) return {{ succeeded: false, failed: true }};\n\
         const groups = found[0].slice(1).map((group, index) => [`output${{index + 1}}`, group]);\n\
         return {{ ...Object.fromEntries(groups), matches: found.map((match) => match[1]).filter(Boolean), succeeded: true, failed: false }};",
        or_input("regex", &regex)
    )
}

/// Arithmetic with one or two numbers.
fn evaluate(settings: &Settings<'_>) -> String {
    let operation = json!(settings.text("/operation").unwrap_or("+"));
    let is_input = settings.flag("/useOperationInput");
    let operation = if is_input { or_input("operation", &operation) } else { operation.to_string() };
    format!(
        "const operations = {{\n  \
         \"+\": (a, b) => a + b, \"-\": (a, b) => a - b, \"*\": (a, b) => a * b, \"/\": (a, b) => a / b, \"^\": (a, b) => a ** b, \"%\": (a, b) => a % b,\n  \
         abs: (a) => Math.abs(a), negate: (a) => -a,\n}};\n\
         const operation = {operation};\nconst [a, b] = [toNumber(input.a), toNumber(input.b)];\n\
         if (a === undefined || (b === undefined && operations[operation].length > 1)) throw new Error(\"A number is missing.\");\n\
         return {{ output: operations[operation](a, b) }};"
    )
}

/// The values that a path leads to; the first is the match.
fn object_path(settings: &Settings<'_>) -> Result<String, &'static str> {
    let path = settings.text("/path").unwrap_or("$");
    let path = if settings.flag("/usePathInput") {
        or_input("path", &json!(path))
    } else if path.contains(['?', '@', '^', '~', '(', ',', '`']) {
        return Err("Its path is more than names and numbers. A query (`json`) can do the same.");
    } else {
        json!(path).to_string()
    };
    Ok(format!(
        "const found = valuesAt(input.object, {path});\n\
         return found.length ? {{ match: found[0], all_matches: found }} : {{ all_matches: [] }};"
    ))
}
