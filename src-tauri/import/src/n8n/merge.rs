//! n8n's `merge`, of all versions. What queries items with SQL is a placeholder.

use serde_json::{Value, json};

use super::super::settings::Settings;
use super::programs::{FIELDS, Items, MATCH, MERGE, Program};
use super::{Reader, Shape, Shapes};

const COMPUTED: &str = "It matches items by fields whose names an expression computes.";

impl Reader<'_> {
    pub(super) fn merge(&mut self, at: usize, settings: &Settings<'_>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let mut edges: Vec<_> =
            self.workflow.incoming(at).map(|(_, edge)| edge).filter(|edge| edge.is_main()).collect();
        edges.sort_by_key(|edge| edge.input);
        let mut inputs: Vec<(String, Shape)> = Vec::new();
        // What is known of each input of the node: the values that lead to it.
        let mut lists: Vec<Vec<String>> = Vec::new();
        for edge in edges {
            let Some(shape) = self.shapes[edge.source].get(edge.output).cloned().flatten() else { continue };
            let name = format!("input{}", inputs.len());
            lists.resize(lists.len().max(edge.input + 1), Vec::new());
            lists[edge.input].push(format!("...{name}"));
            inputs.push((name, shape));
        }
        if inputs.is_empty() {
            return self.placeholder(at, "It has no input.");
        }
        let result = match result(settings, node.version) {
            Ok(result) => result,
            Err(reason) => return self.placeholder(at, reason),
        };
        let lists: Vec<String> = lists.iter().map(|list| format!("[{}]", list.join(", "))).collect();
        let body = format!("  const inputs = [{}];\n  return {result};", lists.join(", "));
        let matches = ["byFields(", "byKey("].iter().any(|call| result.contains(call));
        let parts: &[&str] = if matches { &[FIELDS, MERGE, MATCH] } else { &[MERGE] };
        let program =
            Program { about: &result, body: &body, tail: "", items: Items::All, parts, inputs: &inputs };
        match self.program(at, node.name, &program, None, node.at) {
            Ok(id) => vec![Some(self.items_of(at, &id))],
            Err(reason) => self.placeholder(at, &reason),
        }
    }
}

/// What a mode makes of `inputs`, in JavaScript.
fn result(settings: &Settings<'_>, version: f64) -> Result<String, &'static str> {
    settings.ignore_all(&["/options", "/numberInputs", "/chooseBranchMode"]);
    let merged = |items: &str| format!("valueOf({items}.map((json) => ({{ json }})))");
    let counted = |function: &str| format!("Math.{function}(...inputs.map((items) => items.length))");
    let nth = |number: f64| format!("valueOf(inputs[{}] ?? [])", (number - 1.0).max(0.0));
    // A branch is chosen when all have arrived.
    let chosen = |result: &str| format!("inputs.every((items) => items.length) ? {result} : []");
    match settings.text("/mode").unwrap_or("append") {
        "append" => Ok("valueOf(inputs.flat())".to_owned()),
        "wait" if version < 2.0 => Ok(chosen("{}")),
        "passThrough" if version < 2.0 => Ok(nth(input_number(settings.text("/output")))),
        "multiplex" if version < 2.0 => Ok(merged("combinations(inputs, {})")),
        "mergeByIndex" if version < 2.0 => {
            let count = match settings.text("/join").unwrap_or("left") {
                "inner" => counted("min"),
                "outer" => counted("max"),
                _ => "inputs[0].length".to_owned(),
            };
            Ok(merged(&format!("byPosition(inputs, {count}, {{}})")))
        }
        mode @ ("keepKeyMatches" | "mergeByKey" | "removeKeyMatches") if version < 2.0 => {
            let names = ["/propertyName1", "/propertyName2"].map(|name| field_name(settings.text(name)));
            let [Some(one), Some(other)] = names else { return Err(COMPUTED) };
            let overwrite = settings.text("/overwrite").unwrap_or("always");
            Ok(merged(&format!(
                "byKey(inputs, {}, {}, {})",
                json!(mode),
                json!([one, other]),
                json!(overwrite)
            )))
        }
        "chooseBranch" if version < 3.0 => match settings.text("/output") {
            Some("empty") => Ok(chosen("{}")),
            output => Ok(chosen(&nth(input_number(output)))),
        },
        "chooseBranch" => match settings.text("/output") {
            Some("empty") => Ok(chosen("{}")),
            _ => Ok(chosen(&nth(settings.number("/useDataOfInput").unwrap_or(1.0)))),
        },
        "combine" if version >= 2.0 => {
            let how = clashes(settings);
            let mode =
                if version < 3.0 { settings.text("/combinationMode") } else { settings.text("/combineBy") };
            match mode {
                Some("mergeByPosition" | "combineByPosition") => {
                    let is_outer = settings.flag("/options/includeUnpaired");
                    let count = counted(if is_outer { "max" } else { "min" });
                    let combined = merged(&format!("byPosition(inputs, {count}, {how})"));
                    // Version 2 passes on the only input that has items.
                    let alone = "inputs.some((items) => !items.length) ? valueOf(inputs.flat())";
                    Ok(if version < 3.0 { format!("{alone} : {combined}") } else { combined })
                }
                Some("multiplex" | "combineAll") => Ok(merged(&format!("combinations(inputs, {how})"))),
                _ => Ok(merged(&format!("byFields(inputs, {})", matching(settings, version, how)?))),
            }
        }
        "combineBySql" => Err("Plait has no node that queries items with SQL."),
        _ => Err("Plait does not know its mode."),
    }
}

/// The name of a field, unless an expression computes it.
fn field_name(name: Option<&str>) -> Option<&str> {
    let name = name.unwrap_or_default().trim();
    (!name.starts_with('=')).then_some(name)
}

/// What `byFields` is called with.
fn matching(settings: &Settings<'_>, version: f64, mut how: Value) -> Result<Value, &'static str> {
    let mut pairs = Vec::new();
    if version >= 3.0 && !settings.flag("/advanced") {
        let names = field_name(settings.text("/fieldsToMatchString")).ok_or(COMPUTED)?;
        pairs.extend(names.split(',').map(|name| [name.trim(), name.trim()]));
    }
    for entry in settings.items("/mergeByFields/values") {
        let [one, other] =
            ["field1", "field2"].map(|name| field_name(entry.get(name).and_then(Value::as_str)));
        let (Some(one), Some(other)) = (one, other) else { return Err(COMPUTED) };
        if version < 3.0 || settings.flag("/advanced") {
            pairs.push([one, other]);
        }
    }
    if pairs.is_empty() || pairs.iter().flatten().any(|name| name.is_empty()) {
        return Err("It matches items by fields and names none.");
    }
    how["pairs"] = json!(pairs);
    how["join"] = json!(settings.text("/joinMode").unwrap_or("keepMatches"));
    how["from"] = json!(settings.text("/outputDataFrom").unwrap_or("both"));
    how["isFuzzy"] = json!(settings.flag("/options/fuzzyCompare"));
    how["isFirst"] = json!(settings.text("/options/multipleMatches") == Some("first"));
    how["hasDots"] = json!(!settings.flag("/options/disableDotNotation"));
    // Later versions take inputs that lack the fields.
    how["needsFields"] = json!(version < 2.1);
    Ok(how)
}

/// How fields of the same name are merged, as an object in JavaScript.
fn clashes(settings: &Settings<'_>) -> Value {
    let values = settings.get("/options/clashHandling/values").unwrap_or(&Value::Null);
    let text = |name: &str| values.get(name).and_then(Value::as_str);
    let mut how = json!({
        "isDeep": text("mergeMode") != Some("shallowMerge"),
        "keepsFilled": values.get("overrideEmpty") == Some(&json!(true)),
    });
    if let Some(clash) = text("resolveClash") {
        how["clash"] = json!(clash);
    }
    how
}

/// The number of an input in a name such as `input2`.
fn input_number(name: Option<&str>) -> f64 {
    name.and_then(|name| name.trim_start_matches("input").parse().ok()).unwrap_or(1.0)
}
