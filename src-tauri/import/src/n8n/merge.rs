//! n8n's `merge`, of all versions. What matches items by their fields or by SQL is a placeholder.

use serde_json::{Value, json};

use super::super::settings::Settings;
use super::programs::{Items, MERGE, Program};
use super::{Reader, Shape};

impl Reader<'_> {
    pub(super) fn merge(&mut self, at: usize, settings: &Settings<'_>) -> Vec<Option<Shape>> {
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
        let program = Program { body: &body, tail: "", items: Items::All, parts: &[MERGE], inputs: &inputs };
        match self.program(at, node.name, &program, None, node.at) {
            Ok(id) => vec![Some(self.items_of(at, &id))],
            Err(reason) => self.placeholder(at, &reason),
        }
    }
}

/// What a mode makes of `inputs`, in JavaScript.
fn result(settings: &Settings<'_>, version: f64) -> Result<String, &'static str> {
    const BY_FIELDS: &str = "Plait has no node that matches items by their fields.";
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
        "multiplex" if version < 2.0 => Ok(merged("combinations(inputs, false)")),
        "mergeByIndex" if version < 2.0 => {
            let count = match settings.text("/join").unwrap_or("left") {
                "inner" => counted("min"),
                "outer" => counted("max"),
                _ => "inputs[0].length".to_owned(),
            };
            Ok(merged(&format!("byPosition(inputs, {count}, false)")))
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
            let (inputs, is_deep) = clashes(settings)?;
            let mode =
                if version < 3.0 { settings.text("/combinationMode") } else { settings.text("/combineBy") };
            match mode {
                Some("mergeByPosition" | "combineByPosition") => {
                    let is_outer = settings.flag("/options/includeUnpaired");
                    let count = counted(if is_outer { "max" } else { "min" });
                    let combined = merged(&format!("byPosition({inputs}, {count}, {is_deep})"));
                    // Version 2 passes on the only input that has items.
                    let alone = "inputs.some((items) => !items.length) ? valueOf(inputs.flat())";
                    Ok(if version < 3.0 { format!("{alone} : {combined}") } else { combined })
                }
                Some("multiplex" | "combineAll") => Ok(merged(&format!("combinations({inputs}, {is_deep})"))),
                _ => Err(BY_FIELDS),
            }
        }
        "combineBySql" => Err("Plait has no node that queries items with SQL."),
        _ => Err(BY_FIELDS),
    }
}

/// The inputs in the order in which later fields take the place of earlier ones, and whether objects in them are merged.
fn clashes(settings: &Settings<'_>) -> Result<(&'static str, bool), &'static str> {
    let values = settings.get("/options/clashHandling/values").unwrap_or(&Value::Null);
    if values.get("overrideEmpty") == Some(&json!(true)) {
        return Err("Plait has no node that merges fields only where they are empty.");
    }
    let inputs = match values.get("resolveClash").and_then(Value::as_str) {
        None | Some("preferInput2" | "preferLast") => "inputs",
        Some("preferInput1") => "[...inputs.slice(1), inputs[0]]",
        _ => return Err("Plait has no node that renames fields of the same name."),
    };
    Ok((inputs, values.get("mergeMode").and_then(Value::as_str) != Some("shallowMerge")))
}

/// The number of an input in a name such as `input2`.
fn input_number(name: Option<&str>) -> f64 {
    name.and_then(|name| name.trim_start_matches("input").parse().ok()).unwrap_or(1.0)
}
