//! Parsing and rendering within limits: the Handlebars engine, a bounded output, and translation of Handlebars' errors.
use std::io;
use std::panic::catch_unwind;
use std::sync::LazyLock;

use handlebars::{
    Context, Handlebars, Output, RenderContext, RenderError, RenderErrorReason, Renderable, Template,
    TemplateErrorReason,
};
use serde_json::Value;

use super::helpers::NotAList;
use super::limits::{MAX_ITERATIONS, MAX_OUTPUT_BYTES};
use super::{Problem, helpers, pieces};
use crate::codes;

static ENGINE: LazyLock<Handlebars<'static>> = LazyLock::new(|| {
    let mut engine = Handlebars::new();
    engine.set_strict_mode(true);
    engine.register_escape_fn(handlebars::no_escape);
    helpers::register(&mut engine);
    engine
});

/// Parses a template that [`guard`](super::guard) accepted.
pub(super) fn parse(source: &str) -> Result<Template, Problem> {
    // The parser can panic on unexpected input. A template must never end the process.
    let parsed = catch_unwind(|| Template::compile(source));
    let error = match parsed {
        Ok(Ok(template)) => return Ok(template),
        Ok(Err(error)) => Some(error),
        Err(_) => None,
    };
    let (line, column) = error.as_ref().and_then(handlebars::TemplateError::pos).unwrap_or((1, 1));
    let message = match error.as_ref().map(handlebars::TemplateError::reason) {
        Some(TemplateErrorReason::MismatchingClosedHelper(open, close)) => {
            format!("`{{{{/{close}}}}}` closes a block that was opened with `{{{{#{open}}}}}`.")
        }
        // The parser's message lists grammar rules, which do not help. The position does.
        _ => "this tag is invalid.".to_owned(),
    };
    Err(Problem { code: codes::TEMPLATE_SYNTAX, message, line, column })
}

/// Renders a template with `values`, an object.
pub(super) fn render(template: &Template, values: Value) -> Result<String, Problem> {
    let context = Context::from(values);
    let mut out = BoundedOutput::default();
    let result = template.render(&ENGINE, &context, &mut RenderContext::new(None), &mut out);
    match result {
        Ok(()) => Ok(out.text),
        Err(error) => Err(explain(&error, out.stopped)),
    }
}

#[derive(Clone, Copy)]
enum Stopped {
    Output,
    Steps,
}

#[derive(Default)]
struct BoundedOutput {
    text: String,
    steps: usize,
    stopped: Option<Stopped>,
}

impl Output for BoundedOutput {
    fn write(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            self.steps += 1;
            if self.steps > MAX_ITERATIONS {
                return self.stop(Stopped::Steps);
            }
        }
        if self.text.len() + text.len() > MAX_OUTPUT_BYTES {
            return self.stop(Stopped::Output);
        }
        self.text.push_str(text);
        pieces::note_written(text.len());
        Ok(())
    }
}

impl BoundedOutput {
    fn stop(&mut self, why: Stopped) -> io::Result<()> {
        self.stopped = Some(why);
        Err(io::Error::other("stopped"))
    }
}

fn explain(error: &RenderError, stopped: Option<Stopped>) -> Problem {
    let (code, message) = match (stopped, error.reason()) {
        (Some(Stopped::Output), _) => {
            (codes::TEMPLATE_TOO_LARGE, format!("it writes more than {} MB of text.", MAX_OUTPUT_BYTES >> 20))
        }
        (Some(Stopped::Steps), _) => (
            codes::TEMPLATE_TOO_MANY_STEPS,
            format!("its `{{{{#each}}}}` blocks take more than {MAX_ITERATIONS} iterations."),
        ),
        (None, RenderErrorReason::MissingVariable(Some(path))) if !path.is_empty() => {
            (codes::TEMPLATE_MISSING_VALUE, format!("there is no value for `{path}`."))
        }
        (None, RenderErrorReason::MissingVariable(_)) => {
            (codes::TEMPLATE_MISSING_VALUE, "a value that it uses is missing.".to_owned())
        }
        (None, RenderErrorReason::InvalidJsonIndex(name)) => {
            (codes::TEMPLATE_RENDER, format!("`{name}` is not an index of a list."))
        }
        (None, RenderErrorReason::NestedError(inner)) if inner.is::<NotAList>() => {
            (codes::TEMPLATE_NOT_A_LIST, inner.to_string())
        }
        (None, reason) => (codes::TEMPLATE_RENDER, format!("{reason}.")),
    };
    Problem { code, message, line: error.line_no.unwrap_or(1), column: error.column_no.unwrap_or(1) }
}
