//! Which pieces of a rendered text come from which value.
//!
//! A rendering records itself: the helpers that write values tell the recorder of their thread what they write, and the
//! output tells it how far it has come. Texts are the same with and without a recorder, since nothing else differs.

use std::cell::RefCell;
use std::ops::Range;

use handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, Output, PathAndJson, RenderContext, RenderError,
    ScopedJson,
};
use serde_json::Value;

use crate::expression::as_text;

/// A rendered text and where its pieces come from. The pieces cover the text without gaps, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    pub pieces: Vec<Piece>,
}

/// A piece of a rendered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// In bytes of the rendered text.
    pub range: Range<usize>,
    pub source: PieceSource,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceSource {
    /// The template itself.
    Literal,
    /// The same bytes stand in the text of the value at this path, from this byte on. The path begins with the variable.
    Copy { path: Vec<String>, start: usize },
    /// A helper made it of the values at these paths. Without any, it may come from every variable.
    Computed { paths: Vec<Vec<String>> },
}

/// The helper that separates what an expression reads from what was read before it.
pub(super) const MARK: &str = "__mark";

#[derive(Default)]
struct Recorder {
    /// How many bytes are written.
    written: usize,
    pieces: Vec<Piece>,
    /// The paths that the expression under way has read.
    reads: Vec<Vec<String>>,
    /// Where the output of a helper of Handlebars begins.
    open: Option<usize>,
}

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

fn with_recorder<T>(apply: impl FnOnce(&mut Recorder) -> T) -> Option<T> {
    RECORDER.with_borrow_mut(|recorder| recorder.as_mut().map(apply))
}

/// Removes the recorder of the thread, also after a panic.
struct Recording;

impl Drop for Recording {
    fn drop(&mut self) {
        RECORDER.set(None);
    }
}

/// Renders with a recorder.
pub(super) fn record<E>(render: impl FnOnce() -> Result<String, E>) -> Result<Rendered, E> {
    RECORDER.set(Some(Recorder::default()));
    let recording = Recording;
    let text = render()?;
    let found = RECORDER.take().map(|recorder| recorder.pieces).unwrap_or_default();
    drop(recording);
    let pieces = with_literals(found, text.len());
    Ok(Rendered { text, pieces })
}

/// Adds the pieces between those that helpers wrote. They are the template's own.
fn with_literals(found: Vec<Piece>, length: usize) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(found.len() * 2 + 1);
    let mut at = 0;
    for piece in found {
        if at < piece.range.start {
            pieces.push(Piece { range: at..piece.range.start, source: PieceSource::Literal });
        }
        at = piece.range.end;
        pieces.push(piece);
    }
    if at < length {
        pieces.push(Piece { range: at..length, source: PieceSource::Literal });
    }
    pieces
}

/// The output has written so many bytes.
pub(super) fn note_written(bytes: usize) {
    with_recorder(|recorder| recorder.written += bytes);
}

/// The text of a variable was written, so many bytes.
pub(super) fn note_copy(variable: &str, bytes: usize) {
    with_recorder(|recorder| {
        let range = recorder.written..recorder.written + bytes;
        recorder.written = range.end;
        recorder.push(range, PieceSource::Copy { path: vec![variable.to_owned()], start: 0 });
    });
}

/// A function was called with these values.
pub(super) fn note_reads(params: &[PathAndJson<'_>]) {
    with_recorder(|recorder| recorder.reads.extend(params.iter().filter_map(path_of)));
}

fn path_of(param: &PathAndJson<'_>) -> Option<Vec<String>> {
    param.context_path().cloned()
}

/// What a function copies of its values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    Nothing,
    /// The text of its value.
    Text,
    /// The same, unless it is a text, which JSON quotes.
    Json,
    /// The text of the first value that has any, or of the last.
    FirstText,
    /// The text of its value without blanks around it.
    TrimmedText,
    /// The texts of the items of its value, with a separator between them.
    Items,
}

/// A helper that records what it writes.
pub(super) struct Recorded<H> {
    pub(super) helper: H,
    pub(super) copies: Copies,
}

impl<H: HelperDef> HelperDef for Recorded<H> {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        note_reads(helper.params());
        self.helper.call_inner(helper, registry, context, render_context)
    }

    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let start = with_recorder(|recorder| recorder.written);
        self.helper.call(helper, registry, context, render_context, out)?;
        if let Some(start) = start {
            note_reads(helper.params());
            with_recorder(|recorder| recorder.add(start, self.copies, helper.params()));
        }
        Ok(())
    }
}

/// Without values, it separates what was read and written before it from what follows. With values, what is written until the next
/// one comes from them. Writes nothing.
pub(super) struct Mark;

impl HelperDef for Mark {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
        _: &mut dyn Output,
    ) -> HelperResult {
        with_recorder(|recorder| {
            if helper.params().is_empty() {
                recorder.close();
            } else {
                recorder.open = Some(recorder.written);
                recorder.reads.extend(helper.params().iter().filter_map(path_of));
            }
        });
        Ok(())
    }
}

impl Recorder {
    fn close(&mut self) {
        let paths = std::mem::take(&mut self.reads);
        let Some(start) = self.open.take() else { return };
        self.push(start..self.written, PieceSource::Computed { paths });
    }

    /// What a function has written since `start`.
    fn add(&mut self, start: usize, copies: Copies, params: &[PathAndJson<'_>]) {
        let paths = std::mem::take(&mut self.reads);
        let end = self.written;
        let Some(known) = copied_pieces(copies, params) else {
            self.push(start..end, PieceSource::Computed { paths });
            return;
        };
        for Piece { range, source } in known {
            self.push(start + range.start..start + range.end, source);
        }
    }

    fn push(&mut self, range: Range<usize>, mut source: PieceSource) {
        if let PieceSource::Computed { paths } = &mut source {
            paths.sort();
            paths.dedup();
        }
        if !range.is_empty() && source != PieceSource::Literal {
            self.pieces.push(Piece { range, source });
        }
    }
}

/// The pieces of what a function writes, if they are known.
fn copied_pieces(copies: Copies, params: &[PathAndJson<'_>]) -> Option<Vec<Piece>> {
    let first = params.first()?;
    let whole = |param: &PathAndJson<'_>| {
        let source = match path_of(param) {
            Some(path) => PieceSource::Copy { path, start: 0 },
            None => PieceSource::Literal,
        };
        let is_known = source != PieceSource::Literal || param.try_get_constant_value().is_some();
        is_known.then(|| vec![Piece { range: 0..as_text(param.value()).len(), source }])
    };
    match copies {
        Copies::Nothing => None,
        Copies::Json if first.value().is_string() || first.value().is_null() || params.len() > 1 => None,
        Copies::Text | Copies::Json => whole(first),
        Copies::FirstText => {
            let filled = params.iter().find(|param| !as_text(param.value()).is_empty());
            whole(filled.or(params.last())?)
        }
        Copies::TrimmedText => {
            let path = path_of(first)?;
            let text = as_text(first.value());
            let start = text.len() - text.trim_start().len();
            Some(vec![Piece { range: 0..text.trim().len(), source: PieceSource::Copy { path, start } }])
        }
        Copies::Items => {
            let (path, Value::Array(items)) = (path_of(first)?, first.value()) else { return None };
            let separator = params.get(1).map_or(1, |separator| as_text(separator.value()).len());
            let constant = params.get(1).is_none_or(|param| param.try_get_constant_value().is_some());
            let mut at = 0;
            let mut pieces = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let length = as_text(item).len();
                let path = path.iter().cloned().chain([index.to_string()]).collect();
                pieces.push(Piece { range: at..at + length, source: PieceSource::Copy { path, start: 0 } });
                at += length + separator;
            }
            constant.then_some(pieces)
        }
    }
}

#[cfg(test)]
mod tests;
