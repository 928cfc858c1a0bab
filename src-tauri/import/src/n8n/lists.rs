//! n8n's operations on lists of items: programs that make other items of them.

use serde_json::{Value, json};

use super::super::settings::Settings;
use super::programs::{FIELDS, Items, Program, javascript};
use super::{Reader, Shape, Shapes};

impl Reader<'_> {
    pub(super) fn list_operation(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
    ) -> Shapes {
        let node = &self.workflow.nodes[at];
        let Some(input) = input else { return self.placeholder(at, "It has no input.") };
        let has_dots = !settings.flag("/options/disableDotNotation");
        settings.ignore_all(&["/options", "/operation", "/resource"]);
        let operation = match (node.kind, settings.text("/operation").unwrap_or("splitOutItems")) {
            ("splitOut", _) | ("itemLists", "splitOutItems") => split_out(settings, has_dots),
            ("limit", _) | ("itemLists", "limit") => limit(settings),
            ("aggregate", _) | ("itemLists", "aggregateItems" | "concatenateItems") => {
                aggregate(settings, has_dots)
            }
            _ => None,
        };
        let Some(body) = operation else {
            return self.placeholder(at, "Plait has no node for this operation on lists.");
        };
        let program = Program {
            about: settings.text("/fieldToSplitOut").unwrap_or(&body),
            body: &body,
            tail: "",
            items: Items::All,
            parts: &[FIELDS],
            inputs: &[],
        };
        match self.program(at, node.name, &program, Some(input), node.at) {
            Ok(id) => vec![Some(self.items_of(at, &id))],
            Err(reason) => self.placeholder(at, &reason),
        }
    }
}

/// One item for each value of a list.
fn split_out(settings: &Settings<'_>, has_dots: bool) -> Option<String> {
    let names = settings.text("/fieldToSplitOut").filter(|names| !names.starts_with('='))?;
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    let others = match settings.text("/include").unwrap_or("noOtherFields") {
        "noOtherFields" => "{}".to_owned(),
        "allOtherFields" => format!("included(json, \"except\", {}, {has_dots})", json!(names)),
        "selectedOtherFields" => {
            let others = settings.text("/fieldsToInclude")?;
            let others: Vec<&str> = others.split(',').map(str::trim).collect();
            format!("included(json, \"selected\", {}, {has_dots})", json!(others))
        }
        _ => return None,
    };
    let targets: Vec<&str> =
        settings.text("/options/destinationFieldName").unwrap_or_default().split(',').collect();
    let targets: Vec<&str> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            targets.get(at).map(|target| target.trim()).filter(|target| !target.is_empty()).unwrap_or(name)
        })
        .collect();
    // Objects are items themselves, unless something stands beside them.
    let spreads = names.len() == 1 && targets == names && others == "{}";
    Some(format!(
        "  const listOf = (value) => (value === undefined ? [] : Array.isArray(value) ? value : value !== null && typeof value === \"object\" ? Object.values(value) : [value]);\n\
         \x20 const split = items.flatMap(({{ json }}) => {{\n\
         \x20   const lists = {names}.map((name) => listOf(readField(json, name, {has_dots})));\n\
         \x20   return Array.from({{ length: Math.max(...lists.map((list) => list.length)) }}, (_, at) => {{\n\
         \x20     if ({spreads} && lists[0][at] !== null && typeof lists[0][at] === \"object\") return lists[0][at];\n\
         \x20     const made = {others};\n\
         \x20     {targets}.forEach((name, index) => {{ if (at < lists[index].length) made[name] = lists[index][at]; }});\n\
         \x20     return made;\n\
         \x20   }});\n\
         \x20 }});\n\
         \x20 return valueOf(split.map((json) => ({{ json }})));",
        names = json!(names),
        targets = json!(targets),
    ))
}

fn limit(settings: &Settings<'_>) -> Option<String> {
    let count = javascript(settings.get("/maxItems").unwrap_or(&json!(1))).ok()?;
    let is_last = settings.text("/keep") == Some("lastItems");
    let kept =
        if is_last { "items.slice(Math.max(0, items.length - count))" } else { "items.slice(0, count)" };
    Some(format!("  const count = Math.max(0, Number({count}));\n  return valueOf({kept});"))
}

/// One item with lists of the values of all.
fn aggregate(settings: &Settings<'_>, has_dots: bool) -> Option<String> {
    if settings.text("/aggregate") == Some("aggregateAllItemData") {
        let name = settings.text("/destinationFieldName").unwrap_or("data");
        let names = |pointer: &str| {
            let names = settings.text(pointer).unwrap_or_default();
            names.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
        };
        let (mode, names) = match settings.text("/include").unwrap_or("allFields") {
            "specifiedFields" => ("selected", names("/fieldsToInclude")),
            "allFieldsExcept" => ("except", names("/fieldsToExclude")),
            _ => ("all", Vec::new()),
        };
        return Some(format!(
            "  return {{ {}: items.map(({{ json }}) => included(json, {}, {}, {has_dots})) }};",
            json!(name),
            json!(mode),
            json!(names)
        ));
    }
    settings.ignore("/aggregate");
    let (merges, keeps) = (settings.flag("/options/mergeLists"), settings.flag("/options/keepMissing"));
    let mut fields = Vec::new();
    for entry in settings.items("/fieldsToAggregate/fieldToAggregate") {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let name = text("fieldToAggregate").filter(|name| !name.starts_with('='))?;
        let last = if has_dots { name.rsplit('.').next().unwrap_or(name) } else { name };
        let target = text("outputFieldName")
            .filter(|_| entry.get("renameField").and_then(Value::as_bool) == Some(true));
        fields.push(format!("{}: lists({})", json!(target.unwrap_or(last)), json!(name)));
    }
    (!fields.is_empty()).then(|| {
        format!(
            "  const lists = (name) => {{\n\
             \x20   const values = items.map(({{ json }}) => readField(json, name, {has_dots}) ?? null).filter((value) => {keeps} || value !== null);\n\
             \x20   return {merges} ? values.flat() : values;\n\
             \x20 }};\n\
             \x20 return {{ {} }};",
            fields.join(", ")
        )
    })
}
