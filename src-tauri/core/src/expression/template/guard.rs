//! Checks a template before it is parsed: the parser and the renderer recurse, and deep enough nesting would end the whole
//! process.
//!
//! A small lexer, stricter than Handlebars: where the two could disagree about a text (braces inside a tag, quotes inside
//! `[…]`, raw blocks) it refuses the text, so that no block can escape the depth count.

use super::Problem;
use crate::codes;
use crate::error::ErrorCode;

/// The longest template, in bytes.
pub const MAX_SOURCE_BYTES: usize = 64 * 1024;
/// The maximum nesting of blocks (an `else if` counts as one more) and, separately, of parentheses.
pub const MAX_NESTING_DEPTH: usize = 64;

/// Refuses partials, decorators, inline templates, raw blocks, and templates that are too long or too deep.
pub(super) fn guard(source: &str) -> Result<(), Problem> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(Problem {
            code: codes::TEMPLATE_SOURCE_TOO_LARGE,
            message: format!("it is {} bytes long; the maximum is {MAX_SOURCE_BYTES}.", source.len()),
            line: 1,
            column: 1,
        });
    }
    let mut lexer = Lexer { source, at: 0, blocks: Vec::new() };
    while let Some(start) = lexer.next_tag() {
        lexer.tag(start)?;
    }
    match lexer.blocks.last() {
        Some(block) => Err(lexer.problem(codes::TEMPLATE_SYNTAX, block.start, "this block is not closed.")),
        None => Ok(()),
    }
}

struct Block {
    /// Where it opens.
    start: usize,
    /// How many levels it counts as.
    depth: usize,
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    /// The open blocks, innermost last.
    blocks: Vec<Block>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    /// Moves past the next `{{` that is not escaped and returns its position.
    fn next_tag(&mut self) -> Option<usize> {
        loop {
            let start = self.at + self.rest().find("{{")?;
            let backslashes =
                self.source.as_bytes()[self.at..start].iter().rev().take_while(|&&b| b == b'\\').count();
            self.at = start + 2;
            // One backslash escapes the braces (and two more right after them); more than one are text.
            if backslashes != 1 {
                return Some(start);
            }
            if self.rest().starts_with("{{") {
                self.at += 2;
            }
        }
    }

    fn tag(&mut self, start: usize) -> Result<(), Problem> {
        if self.rest().starts_with("{{") {
            return Err(self.forbidden(
                start,
                "raw blocks `{{{{…}}}}` are not allowed; write `\\{{` for literal braces.",
            ));
        }
        if self.rest().starts_with('!') {
            return self.comment(start);
        }
        self.skip_blanks();
        let triple = self.peek() == Some(b'{');
        match self.peek() {
            Some(b'{') => self.at += 1,
            Some(b'#') => {
                self.at += 1;
                self.skip_blanks();
                self.open(start)?;
            }
            Some(b'/') if self.blocks.pop().is_none() => {
                return Err(self.problem(
                    codes::TEMPLATE_SYNTAX,
                    start,
                    "this closes a block that is not open.",
                ));
            }
            Some(b'^') => self.otherwise(start, 1)?,
            _ if self.rest().starts_with("else") => self.otherwise(start, 4)?,
            _ => {}
        }
        self.refuse_partials(start)?;
        self.body(start, triple)
    }

    fn comment(&mut self, start: usize) -> Result<(), Problem> {
        let rest = self.rest();
        let long = rest.strip_prefix("!--").and_then(|text| text.find("--}}")).map(|length| 3 + length + 4);
        let length = long.or_else(|| rest.find("}}").map(|length| length + 2));
        self.at += length
            .ok_or_else(|| self.problem(codes::TEMPLATE_SYNTAX, start, "this comment is not closed."))?;
        Ok(())
    }

    fn open(&mut self, start: usize) -> Result<(), Problem> {
        self.refuse_partials(start)?;
        self.blocks.push(Block { start, depth: 1 });
        self.check_depth(start)
    }

    /// `{{else}}` adds no depth. The parser nests `{{else if …}}` one level deeper.
    fn otherwise(&mut self, start: usize, keyword: usize) -> Result<(), Problem> {
        self.at += keyword;
        let chained = matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) && {
            self.skip_blanks();
            self.peek() != Some(b'}')
        };
        if let Some(block) = self.blocks.last_mut().filter(|_| chained) {
            block.depth += 1;
        }
        self.check_depth(start)
    }

    fn check_depth(&self, start: usize) -> Result<(), Problem> {
        if self.blocks.iter().map(|block| block.depth).sum::<usize>() > MAX_NESTING_DEPTH {
            let message = format!("blocks are nested more than {MAX_NESTING_DEPTH} deep here.");
            return Err(self.problem(codes::TEMPLATE_TOO_DEEP, start, message));
        }
        Ok(())
    }

    fn refuse_partials(&self, start: usize) -> Result<(), Problem> {
        match self.peek() {
            Some(b'>') => Err(self.forbidden(start, "partials `{{> …}}` are not allowed.")),
            Some(b'*') => {
                Err(self.forbidden(start, "decorators and inline templates `{{* …}}` are not allowed."))
            }
            _ => Ok(()),
        }
    }

    /// From inside a tag to after its end.
    fn body(&mut self, start: usize, triple: bool) -> Result<(), Problem> {
        let mut parentheses = 0_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'"' | b'\'' => self.string(start, byte)?,
                b'[' => self.bracket(start)?,
                b'(' => {
                    parentheses += 1;
                    if parentheses > MAX_NESTING_DEPTH {
                        let message =
                            format!("parentheses are nested more than {MAX_NESTING_DEPTH} deep here.");
                        return Err(self.problem(codes::TEMPLATE_TOO_DEEP, start, message));
                    }
                }
                b')' => parentheses = parentheses.saturating_sub(1),
                b'{' => {
                    return Err(self.problem(
                        codes::TEMPLATE_SYNTAX,
                        start,
                        "there is a `{` inside this tag.",
                    ));
                }
                b'}' => return self.close(start, triple),
                _ => {}
            }
        }
        Err(self.problem(codes::TEMPLATE_SYNTAX, start, "this tag is not closed; `}}` is missing."))
    }

    fn close(&mut self, start: usize, triple: bool) -> Result<(), Problem> {
        if triple {
            self.skip_blanks();
            if !self.rest().starts_with("}}") {
                return Err(self.problem(
                    codes::TEMPLATE_SYNTAX,
                    start,
                    "this tag is not closed; `}}}` is missing.",
                ));
            }
            self.at += 2;
        } else if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            return Err(self.problem(
                codes::TEMPLATE_SYNTAX,
                start,
                "there is a single `}` inside this tag.",
            ));
        }
        Ok(())
    }

    fn string(&mut self, start: usize, quote: u8) -> Result<(), Problem> {
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == quote {
                return Ok(());
            }
            if byte == b'\\' {
                self.at += 1;
            }
        }
        Err(self.problem(
            codes::TEMPLATE_SYNTAX,
            start,
            "a text in this tag is not closed; its quote is missing.",
        ))
    }

    fn bracket(&mut self, start: usize) -> Result<(), Problem> {
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b']' => return Ok(()),
                b'"' | b'\'' | b'[' | b'{' | b'}' => {
                    return Err(
                        self.forbidden(start, "quotes, braces and brackets are not allowed inside `[…]`.")
                    );
                }
                _ => {}
            }
        }
        Err(self.problem(codes::TEMPLATE_SYNTAX, start, "a `[` in this tag is not closed."))
    }

    /// Skips blanks and `~`, which the parser accepts anywhere at the edges of a tag.
    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n' | b'~')) {
            self.at += 1;
        }
    }

    fn forbidden(&self, start: usize, message: &str) -> Problem {
        self.problem(codes::TEMPLATE_FORBIDDEN, start, message)
    }

    fn problem(&self, code: ErrorCode, start: usize, message: impl Into<String>) -> Problem {
        let before = self.source.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Problem {
            code,
            message: message.into(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}
