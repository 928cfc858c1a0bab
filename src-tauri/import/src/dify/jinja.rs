//! Dify's Jinja templates, as templates of Plait: values, conditions and loops over lists, with a few filters.

use super::super::builder::Output;
use super::super::template::{Block, Expression, TemplateText, identifier};

/// Translates a template with these values as variables.
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
    blocks: Vec<Block>,
}

impl Translator<'_> {
    fn value(&mut self, source: &str) -> Result<(), String> {
        let mut parts = source.split('|').map(str::trim);
        let mut value = self.path(parts.next().unwrap_or_default())?;
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
            value = value.call(helper, (!argument.is_empty()).then(|| quoted.to_owned()));
        }
        self.template.push_expression(value);
        Ok(())
    }

    fn statement(&mut self, source: &str) -> Result<(), String> {
        let words: Vec<&str> = source.split_whitespace().collect();
        let is_condition = |block: Option<&Block>| matches!(block, Some(Block::If | Block::Unless));
        match words.as_slice() {
            ["for", item, "in", list] => {
                let list = self.path(list)?;
                let item = identifier(item);
                self.open(Block::Each, list, &item);
                self.bound.push(item);
            }
            ["endfor"] if self.blocks.last() == Some(&Block::Each) => {
                self.bound.pop();
                self.close();
            }
            ["if", "not", value] => {
                let value = self.path(value)?;
                self.open(Block::Unless, value, "");
            }
            ["if", value] => {
                let value = self.path(value)?;
                self.open(Block::If, value, "");
            }
            ["else"] if is_condition(self.blocks.last()) => self.template.push_else(),
            ["endif"] if is_condition(self.blocks.last()) => self.close(),
            _ => return Err(format!("Its template has `{{% {source} %}}`, which Plait's can't have.")),
        }
        Ok(())
    }

    fn open(&mut self, block: Block, expression: Expression, item: &str) {
        self.template.open(block, expression, item);
        self.blocks.push(block);
    }

    fn close(&mut self) {
        if let Some(block) = self.blocks.pop() {
            self.template.close(block);
        }
    }

    /// A value, by what its path begins with.
    fn path(&mut self, source: &str) -> Result<Expression, String> {
        let unknown = || Err(format!("Its template has `{source}`, which is more than a value."));
        let mut steps = source.split('.').map(str::trim);
        let first = steps.next().unwrap_or_default();
        let is_name = |step: &str| {
            !step.is_empty() && step.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
        };
        let rest: Vec<&str> = steps.collect();
        if first == "loop" && self.blocks.contains(&Block::Each) {
            return match rest.as_slice() {
                ["index0"] => Ok(Expression::index()),
                _ => unknown(),
            };
        }
        if rest.iter().any(|step| !is_name(step)) || first.is_empty() {
            return unknown();
        }
        let rest: Vec<String> = rest.into_iter().map(str::to_owned).collect();
        let bound = identifier(first);
        if self.bound.contains(&bound) && is_name(first) {
            return Ok(Expression::item(&bound, &rest));
        }
        let Some((name, output, path)) = self.variables.iter().find(|(name, ..)| name == first) else {
            return unknown();
        };
        if path.iter().any(|step| !is_name(step)) {
            return unknown();
        }
        let path: Vec<String> = path.iter().chain(&rest).cloned().collect();
        Ok(Expression::of(name, output, &path))
    }
}
