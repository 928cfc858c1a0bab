//! The variables of a template in order of first use, and checks that need its tree: unknown helpers, and constructs that
//! the guard must have refused.
//!
//! Also rewrites the tree: a plain `{{name}}` writes objects and lists as JSON, the value of an `{{#each}}` is tested before it,
//! each iteration is counted, and some calls get marks for the recorder of pieces.

use crate::codes;
use crate::error::ErrorCode;
use std::sync::LazyLock;

use handlebars::template::{HelperTemplate, Parameter, TemplateElement};
use handlebars::{Path, PathSeg, Template};

use super::Problem;
use super::helpers::{BLOCK_HELPERS, LIST, STEP, TEXT, VALUE_HELPERS};
use super::pieces::MARK;

/// A variable of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name; for `{{user.name}}` it is `user`.
    pub name: String,
    /// Whether the template handles its absence: it is the subject of an `{{#if}}`, `{{#unless}}` or
    /// `{{default …}}`, or of an `{{#each}}` or `{{#with}}` that has an `{{else}}`.
    pub optional: bool,
}

/// Finds the variables of `template` and rewrites its tree.
pub(super) fn discover(template: &mut Template) -> Result<Vec<Variable>, Problem> {
    let mut finder =
        VariableFinder { levels: vec![Level::Root], names: Vec::new(), found: Vec::new(), at: (1, 1) };
    finder.template(template)?;
    Ok(finder.found)
}

/// What plain names refer to at a place in the template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Variables.
    Root,
    /// Fields of an item or object.
    Inner,
}

struct VariableFinder {
    /// The enclosing blocks, innermost last.
    levels: Vec<Level>,
    /// Names bound by `as |name|`, innermost last.
    names: Vec<String>,
    found: Vec<Variable>,
    at: (usize, usize),
}

/// Whether a value may be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

impl VariableFinder {
    fn template(&mut self, template: &mut Template) -> Result<(), Problem> {
        for (index, element) in template.elements.iter_mut().enumerate() {
            if let Some(place) = template.mapping.get(index) {
                self.at = (place.0, place.1);
            }
            match element {
                TemplateElement::RawString(_) | TemplateElement::Comment(_) => {}
                TemplateElement::Expression(expression) | TemplateElement::HtmlExpression(expression) => {
                    self.expression(expression)?;
                }
                TemplateElement::HelperBlock(block) => self.block(block)?,
                _ => {
                    return Err(
                        self.problem(codes::TEMPLATE_FORBIDDEN, "partials and decorators are not allowed.")
                    );
                }
            }
        }
        test_lists(template);
        mark_calls(template);
        Ok(())
    }

    fn expression(&mut self, expression: &mut HelperTemplate) -> Result<(), Problem> {
        let plain = expression.params.is_empty() && expression.hash.is_empty();
        let Parameter::Path(path) = &expression.name else {
            return self.call(expression, Presence::Required);
        };
        if !plain {
            return self.call(expression, Presence::Required);
        }
        self.path(path, Presence::Required)?;
        let value = std::mem::replace(&mut expression.name, Parameter::Name(TEXT.to_owned()));
        expression.params.push(value);
        Ok(())
    }

    fn call(&mut self, call: &HelperTemplate, presence: Presence) -> Result<(), Problem> {
        let presence = match self.helper(&call.name, &VALUE_HELPERS, "helper")? {
            Some("default") => Presence::Optional,
            _ => presence,
        };
        self.values(call, presence)
    }

    fn block(&mut self, block: &mut HelperTemplate) -> Result<(), Problem> {
        let name = self.helper(&block.name, &BLOCK_HELPERS, "block")?.unwrap_or_default().to_owned();
        let opens = matches!(name.as_str(), "each" | "with");
        let lenient = !opens || block.inverse.is_some();
        self.values(block, if lenient { Presence::Optional } else { Presence::Required })?;
        let inner = match block.params.first() {
            Some(Parameter::Path(path)) if name == "with" && self.is_root_itself(path) => Level::Root,
            _ => Level::Inner,
        };
        let bound = block_names(block);
        if let Some(template) = &mut block.template {
            let names = self.names.len();
            if opens {
                self.levels.push(inner);
                self.names.extend(bound);
            }
            self.template(template)?;
            if opens {
                self.levels.pop();
                self.names.truncate(names);
            }
            if name == "each" {
                template.elements.push(step());
            }
        }
        if let Some(template) = &mut block.inverse {
            self.template(template)?;
        }
        Ok(())
    }

    fn values(&mut self, call: &HelperTemplate, presence: Presence) -> Result<(), Problem> {
        for value in &call.params {
            self.value(value, presence)?;
        }
        // A hash has no order; sorting by name keeps the result stable.
        let mut named: Vec<_> = call.hash.iter().collect();
        named.sort_by_key(|(name, _)| name.as_str());
        for (_, value) in named {
            self.value(value, presence)?;
        }
        Ok(())
    }

    fn value(&mut self, value: &Parameter, presence: Presence) -> Result<(), Problem> {
        match value {
            Parameter::Path(path) => self.path(path, presence),
            Parameter::Subexpression(inner) => match inner.as_element() {
                TemplateElement::Expression(call) => self.call(call, presence),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn path(&mut self, path: &Path, presence: Presence) -> Result<(), Problem> {
        let Path::Relative((segments, raw)) = path else { return Ok(()) };
        let ups = segments.iter().take_while(|segment| matches!(segment, PathSeg::Ruled(_))).count();
        let first = segments.iter().find_map(|segment| match segment {
            PathSeg::Named(name) => Some(name),
            _ => None,
        });
        let Some(name) = first else { return Ok(()) };
        if self.names.iter().any(|bound| bound == name) {
            return Ok(());
        }
        let level = if raw.starts_with("@root") { Some(Level::Root) } else { self.level(ups) };
        match level {
            Some(Level::Root) => self.add(name, presence),
            Some(Level::Inner) => {}
            None => {
                let message = format!("`{raw}` refers to a scope outside of the template.");
                return Err(self.problem(codes::TEMPLATE_SYNTAX, message));
            }
        }
        Ok(())
    }

    /// The level `ups` above the innermost one.
    fn level(&self, ups: usize) -> Option<Level> {
        self.levels.len().checked_sub(ups + 1).map(|index| self.levels[index])
    }

    /// Whether a path refers to the root level itself.
    fn is_root_itself(&self, path: &Path) -> bool {
        let Path::Relative((segments, raw)) = path else { return false };
        let named = segments.iter().any(|segment| matches!(segment, PathSeg::Named(_)));
        !named && (raw.starts_with("@root") || self.level(segments.len()) == Some(Level::Root))
    }

    fn add(&mut self, name: &str, presence: Presence) {
        match self.found.iter_mut().find(|variable| variable.name == name) {
            Some(variable) => variable.optional |= presence == Presence::Optional,
            None => {
                self.found.push(Variable { name: name.to_owned(), optional: presence == Presence::Optional });
            }
        }
    }

    /// The name of a helper, which must be one of `known`.
    fn helper<'a>(
        &self,
        name: &'a Parameter,
        known: &[&str],
        what: &str,
    ) -> Result<Option<&'a str>, Problem> {
        let name = match name {
            Parameter::Name(name) => name.as_str(),
            Parameter::Path(Path::Relative((_, raw)) | Path::Local((_, _, raw))) => raw.as_str(),
            _ => return Ok(None),
        };
        if known.contains(&name) {
            return Ok(Some(name));
        }
        let message = format!("unknown {what} `{name}`; available: {}.", known.join(", "));
        Err(self.problem(codes::TEMPLATE_UNKNOWN_HELPER, message))
    }

    fn problem(&self, code: ErrorCode, message: impl Into<String>) -> Problem {
        Problem { code, message: message.into(), line: self.at.0, column: self.at.1 }
    }
}

/// Puts a test before each `{{#each}}` without an `{{else}}`: the error then says what its value is.
fn test_lists(template: &mut Template) {
    for index in (0..template.elements.len()).rev() {
        let TemplateElement::HelperBlock(block) = &template.elements[index] else { continue };
        let (Some("each"), None, Some(value)) = (block.name.as_name(), &block.inverse, block.params.first())
        else {
            continue;
        };
        let mut test = call_of(LIST);
        if let TemplateElement::Expression(call) = &mut test {
            call.params = vec![value.clone()];
        }
        insert(template, index, test, index);
    }
}

/// The helpers of Handlebars itself that write a value. The others record what they write.
const UNRECORDED: [&str; 10] = ["and", "eq", "gt", "gte", "lookup", "lt", "lte", "ne", "not", "or"];

/// Puts marks around calls of which the recorder of pieces would not know what they read.
fn mark_calls(template: &mut Template) {
    for index in (0..template.elements.len()).rev() {
        let (TemplateElement::Expression(call) | TemplateElement::HtmlExpression(call)) =
            &template.elements[index]
        else {
            continue;
        };
        let is_unrecorded = call.name.as_name().is_some_and(|name| UNRECORDED.contains(&name));
        let has_calls = call.params.iter().any(|value| matches!(value, Parameter::Subexpression(_)));
        if !is_unrecorded && !has_calls {
            continue;
        }
        let params = is_unrecorded.then(|| call.params.clone()).filter(|params| !params.is_empty());
        if params.is_some() {
            insert(template, index + 1, mark(Vec::new()), index);
        }
        if let Some(params) = params {
            insert(template, index, mark(params), index);
        }
        insert(template, index, mark(Vec::new()), index);
    }
}

fn mark(params: Vec<Parameter>) -> TemplateElement {
    static MARK_ELEMENT: LazyLock<TemplateElement> = LazyLock::new(|| call_of(MARK));
    let mut element = MARK_ELEMENT.clone();
    if let TemplateElement::Expression(call) = &mut element {
        call.params = params;
    }
    element
}

/// Inserts an element. Errors in it have the position of the element `like`.
fn insert(template: &mut Template, index: usize, element: TemplateElement, like: usize) {
    let place = template.mapping.get(like).cloned();
    template.elements.insert(index, element);
    if let Some(place) = place {
        template.mapping.insert(index, place);
    }
}

fn block_names(block: &HelperTemplate) -> Vec<String> {
    use handlebars::template::BlockParam;
    let names = match &block.block_param {
        Some(BlockParam::Single(name)) => vec![name],
        Some(BlockParam::Pair((first, second))) => vec![first, second],
        _ => Vec::new(),
    };
    names
        .into_iter()
        .filter_map(|name| match name {
            Parameter::Name(name) => Some(name.clone()),
            _ => None,
        })
        .collect()
}

/// The element that counts one iteration.
fn step() -> TemplateElement {
    static STEP_ELEMENT: LazyLock<TemplateElement> = LazyLock::new(|| call_of(STEP));
    STEP_ELEMENT.clone()
}

/// A call of a helper with a number. Created by the parser, since its parts have no public constructor.
fn call_of(helper: &str) -> TemplateElement {
    let parsed = Template::compile(&format!("{{{{{helper} 0}}}}"));
    parsed
        .ok()
        .and_then(|mut template| template.elements.pop())
        .unwrap_or(TemplateElement::Comment(String::new()))
}
