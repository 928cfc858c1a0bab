//! Adds a case to the text of a suite. All else stays as it is written, comments included.

use plait_formats::pipeline::{YamlDocument, yaml_lines};
use serde_json::{Value, json};

use crate::{TestCase, read};

/// The keys of a case, in the order in which they are written.
const KEYS: [&str; 10] =
    ["name", "dataset", "input", "set", "answers", "recording", "live", "repeats", "passRate", "checks"];

/// A suite's text with one more case; a new suite if there is no text. The error says why the text can't be added to.
pub fn add_case(text: Option<&str>, is_json: bool, case: &TestCase) -> Result<String, String> {
    let case = serde_json::to_value(case).map_err(|error| error.to_string())?;
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return Ok(if is_json {
            pretty(&json!({ "cases": [case] }))?
        } else {
            format!("cases:\n{}\n", item(&case, 2))
        });
    };
    let added = if is_json { add_json(text, case)? } else { add_yaml(text, &case)? };
    // What is written must be what is meant.
    match read(&added, is_json) {
        Ok(_) => Ok(added),
        Err(errors) => Err(errors.first().map(|error| error.diagnostic.message.clone()).unwrap_or_default()),
    }
}

fn pretty(value: &Value) -> Result<String, String> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn add_json(text: &str, case: Value) -> Result<String, String> {
    let mut suite: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match suite.get_mut("cases") {
        Some(Value::Array(cases)) => cases.push(case),
        _ => return Err("The suite has no list `cases`.".to_owned()),
    }
    pretty(&suite)
}

fn add_yaml(text: &str, case: &Value) -> Result<String, String> {
    let document = YamlDocument::read(text).map_err(|error| error.diagnostic.message.clone())?;
    let Some((starts, end, is_inline)) = document.list("cases") else {
        return Err("The suite has no list `cases`.".to_owned());
    };
    if is_inline {
        // Between brackets, JSON is YAML.
        let (at, separator) = if starts.is_empty() {
            (text[..end].rfind(']').ok_or("The list `cases` has no end.")?, "")
        } else {
            (end, ", ")
        };
        return Ok(format!("{}{separator}{case}{}", &text[..at], &text[at..]));
    }
    let first = starts.first().ok_or("The list `cases` is not written with a `-` before each case.")?;
    let line_start = text[..*first].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line_start..*first];
    let indent = line.find('-').ok_or("The list `cases` is not written with a `-` before each case.")?;
    // Comments behind the last case, on its line, stay there.
    let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
    let (before, after) = text.split_at(end);
    let after = if after.is_empty() { "\n" } else { after };
    Ok(format!("{}\n{}{after}", before.trim_end_matches('\n'), item(case, indent)))
}

/// A case as an item of a list whose dashes are indented this far: its keys in the order in which people write them.
fn item(case: &Value, indent: usize) -> String {
    let parts = KEYS.iter().filter_map(|key| Some(yaml_lines(&json!({ *key: case.get(key)? }), indent + 2)));
    let lines = parts.collect::<Vec<_>>().join("\n");
    format!("{}- {}", " ".repeat(indent), lines.trim_start_matches(' '))
}
