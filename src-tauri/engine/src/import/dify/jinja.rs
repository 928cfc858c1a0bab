//! Dify's Jinja templates, as templates of Plait: values, conditions and loops over lists, with a few filters.

use super::super::draft::Output;
use super::super::template::{TemplateText, identifier};

/// Translates a template whose variables are these values.
pub(super) fn translate(
    text: &str,
    variables: &[(String, Output, Vec<String>)],
) -> Result<TemplateText, String> {
    let mut translator =
        Translator { template: TemplateText::default(), variables, bound: Vec::new(), blocks: Vec::new() };
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        translator.template.push_text(&rest[..start]);
        let tag = &rest[start..];
        let (close, length) = match tag.as_bytes().get(1) {
            Some(b'{') => ("}}", tag.find("}}")),
            Some(b'%') => ("%}", tag.find("%}")),
            Some(b'#') => ("#}", tag.find("#}")),
            _ => {
                translator.template.push_text("{");
                rest = &tag[1..];
                continue;
            }
        };
        let Some(length) = length else { return Err("A tag of its template is not closed.".to_owned()) };
        let inner = tag[2..length].trim_matches('-').trim();
        match close {
            "}}" => translator.value(inner)?,
            "%}" => translator.statement(inner)?,
            _ => {}
        }
        rest = &tag[length + 2..];
    }
    translator.template.push_text(rest);
    if translator.blocks.is_empty() {
        Ok(translator.template)
    } else {
        Err("A block of its template is not closed.".to_owned())
    }
}

struct Translator<'v> {
    template: TemplateText,
    variables: &'v [(String, Output, Vec<String>)],
    /// The names that loops bind.
    bound: Vec<String>,
    blocks: Vec<&'static str>,
}

impl Translator<'_> {
    fn value(&mut self, source: &str) -> Result<(), String> {
        let mut parts = source.split('|').map(str::trim);
        let path = self.path(parts.next().unwrap_or_default())?;
        let mut written = path;
        for filter in parts {
            let (name, arguments) = filter.split_once('(').unwrap_or((filter, ""));
            let argument = arguments.trim_end_matches(')').trim();
            let helper = match name.trim() {
                "upper" => "upper",
                "lower" => "lower",
                "trim" => "trim",
                "tojson" => "json",
                "length" | "count" => "len",
                "join" => "join",
                "default" => "default",
                _ => return Err(format!("Its template has the filter `{name}`, which Plait's have not.")),
            };
            let quoted = argument.trim_matches(['\'', '"']);
            if quoted.contains(['"', '\\', '{', '}', '(']) {
                return Err(format!("Its template has `{filter}`, which Plait's can't have."));
            }
            let argument = if argument.is_empty() { String::new() } else { format!(" \"{quoted}\"") };
            let inner = if written.contains(' ') { format!("({written})") } else { written };
            written = format!("{helper} {inner}{argument}");
        }
        self.template.push_source(&format!("{{{{{written}}}}}"));
        Ok(())
    }

    fn statement(&mut self, source: &str) -> Result<(), String> {
        let words: Vec<&str> = source.split_whitespace().collect();
        match words.as_slice() {
            ["for", item, "in", list] => {
                let list = self.path(list)?;
                let item = identifier(item);
                self.template.push_source(&format!("{{{{#each {list} as |{item}|}}}}"));
                self.bound.push(item);
                self.blocks.push("each");
            }
            ["endfor"] if self.blocks.last() == Some(&"each") => {
                self.blocks.pop();
                self.bound.pop();
                self.template.push_source("{{/each}}");
            }
            ["if", "not", value] => {
                let value = self.path(value)?;
                self.template.push_source(&format!("{{{{#unless {value}}}}}"));
                self.blocks.push("unless");
            }
            ["if", value] => {
                let value = self.path(value)?;
                self.template.push_source(&format!("{{{{#if {value}}}}}"));
                self.blocks.push("if");
            }
            ["else"] if matches!(self.blocks.last(), Some(&("if" | "unless"))) => {
                self.template.push_source("{{else}}");
            }
            ["endif"] if matches!(self.blocks.last(), Some(&("if" | "unless"))) => {
                let block = self.blocks.pop().unwrap_or("if");
                self.template.push_source(&format!("{{{{/{block}}}}}"));
            }
            _ => return Err(format!("Its template has `{{% {source} %}}`, which Plait's can't have.")),
        }
        Ok(())
    }

    /// A path, by the names that the template has in Plait.
    fn path(&mut self, source: &str) -> Result<String, String> {
        let unknown = || Err(format!("Its template has `{source}`, which is more than a value."));
        let mut steps = source.split('.').map(str::trim);
        let first = steps.next().unwrap_or_default();
        let is_name = |step: &str| {
            !step.is_empty() && step.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
        };
        let rest: Vec<&str> = steps.collect();
        if first == "loop" && self.blocks.contains(&"each") {
            return match rest.as_slice() {
                ["index0"] => Ok("@index".to_owned()),
                _ => unknown(),
            };
        }
        if rest.iter().any(|step| !is_name(step)) || first.is_empty() {
            return unknown();
        }
        let bound = identifier(first);
        if self.bound.contains(&bound) && is_name(first) {
            return Ok(std::iter::once(bound.as_str()).chain(rest).collect::<Vec<_>>().join("."));
        }
        let Some((name, output, path)) = self.variables.iter().find(|(name, ..)| name == first) else {
            return unknown();
        };
        if path.iter().any(|step| !is_name(step)) {
            return unknown();
        }
        let name = self.template.variable(name, output);
        let root = if self.bound.is_empty() { "" } else { "@root." };
        let steps = std::iter::once(name.as_str()).chain(path.iter().map(String::as_str)).chain(rest);
        Ok(format!("{root}{}", steps.collect::<Vec<_>>().join(".")))
    }
}
