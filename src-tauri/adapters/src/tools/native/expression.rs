//! Arithmetic expressions: text to a number, by precedence climbing.
//!
//! Our own, because existing evaluators compute powers wrongly (`-2^2` as 4, or `2^3^2` as 64), are under the AGPL, or
//! depend on code that future compilers reject. Never panics; length and nesting are bounded, so no text overflows the
//! stack. There are no variables or assignments.

use std::iter::Peekable;
use std::str::CharIndices;

use plait_core::error::Fault;

use crate::codes;

const MAX_BYTES: usize = 4_096;
const MAX_NESTING_DEPTH: usize = 64;

/// Precedence levels. Unary minus is between product and power, so `-2^2` is -4 and `2^-1` is 0.5.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const UNARY: u8 = 3;
const POWER: u8 = 4;

/// The value of an expression; infinite or NaN as IEEE 754 defines. Fault `tool.bad_expression`.
pub(super) fn evaluate(text: &str) -> Result<f64, Fault> {
    if text.len() > MAX_BYTES {
        return Err(Fault::new(
            codes::TOOL_BAD_EXPRESSION,
            format!("The expression has {} bytes; the limit is {MAX_BYTES}.", text.len()),
        ));
    }
    let mut parser = Parser { text, chars: text.char_indices().peekable(), depth: 0 };
    let value = parser.expression(SUM)?;
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.error("an operator or the end is expected")),
    }
}

struct Parser<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    depth: usize,
}

impl Parser<'_> {
    /// An operand and all operators after it with a precedence of at least `min_precedence`.
    fn expression(&mut self, min_precedence: u8) -> Result<f64, Fault> {
        self.depth += 1;
        if self.depth > MAX_NESTING_DEPTH {
            return Err(self.error(&format!("it is nested more than {MAX_NESTING_DEPTH} levels deep")));
        }
        let mut value = self.operand()?;
        while let Some((symbol, precedence, length)) =
            self.operator().filter(|found| found.1 >= min_precedence)
        {
            self.chars.nth(length - 1);
            // Powers group from the right, everything else from the left.
            let right = self.expression(if symbol == '^' { UNARY } else { precedence + 1 })?;
            value = match symbol {
                '+' => value + right,
                '-' => value - right,
                '*' => value * right,
                '/' => value / right,
                '%' => value % right,
                _ => value.powf(right),
            };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn operand(&mut self) -> Result<f64, Fault> {
        match self.peek() {
            Some('-' | '−') => {
                self.chars.next();
                Ok(-self.expression(UNARY)?)
            }
            Some('+') => {
                self.chars.next();
                self.expression(UNARY)
            }
            Some('(') => {
                self.chars.next();
                let value = self.expression(SUM)?;
                self.consume(')')?;
                Ok(value)
            }
            Some('0'..='9' | '.') => self.number(),
            Some(letter) if letter.is_alphabetic() => self.name(),
            Some(_) => Err(self.error("a number, a function or `(` is expected")),
            None => Err(self.error("it ends where a number is expected")),
        }
    }

    fn number(&mut self) -> Result<f64, Fault> {
        let start = self.at();
        self.skip(|letter| letter.is_ascii_digit() || letter == '.');
        // The exponent's digits are required: `2e` alone fails to parse.
        if self.chars.next_if(|next| matches!(next.1, 'e' | 'E')).is_some() {
            self.chars.next_if(|next| matches!(next.1, '+' | '-'));
            self.skip(|letter| letter.is_ascii_digit());
        }
        let digits = &self.text[start..self.at()];
        digits.parse().map_err(|_| self.error(&format!("`{digits}` is not a number")))
    }

    fn name(&mut self) -> Result<f64, Fault> {
        let start = self.at();
        self.skip(char::is_alphanumeric);
        let name = self.text[start..self.at()].to_lowercase();
        if self.peek() != Some('(') {
            return constant(&name).ok_or_else(|| self.error(&format!("`{name}` is unknown")));
        }
        self.chars.next();
        let mut arguments = vec![self.expression(SUM)?];
        while self.peek() == Some(',') {
            self.chars.next();
            arguments.push(self.expression(SUM)?);
        }
        self.consume(')')?;
        function(&name, &arguments).ok_or_else(|| {
            let count = arguments.len();
            self.error(&format!(
                "there is no function `{name}` of {count} argument{}",
                if count == 1 { "" } else { "s" }
            ))
        })
    }

    /// The next operator: its plain form, precedence, and length in characters.
    fn operator(&mut self) -> Option<(char, u8, usize)> {
        let symbol = self.peek()?;
        let at = self.at();
        if self.text[at..].starts_with("**") {
            return Some(('^', POWER, 2));
        }
        operator(symbol).map(|(plain, precedence)| (plain, precedence, 1))
    }

    /// Consumes this character; any other is an error.
    fn consume(&mut self, wanted: char) -> Result<(), Fault> {
        if self.peek() == Some(wanted) {
            self.chars.next();
            return Ok(());
        }
        Err(self.error(&format!("`{wanted}` is expected")))
    }

    /// The next character that is not whitespace.
    fn peek(&mut self) -> Option<char> {
        self.skip(char::is_whitespace);
        self.chars.peek().map(|next| next.1)
    }

    fn skip(&mut self, which: impl Fn(char) -> bool) {
        while self.chars.next_if(|next| which(next.1)).is_some() {}
    }

    fn at(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |next| next.0)
    }

    fn error(&mut self, why: &str) -> Fault {
        let at = self.at();
        let position = match self.text[at..].chars().next() {
            Some(found) => format!("at `{found}` (character {})", self.text[..at].chars().count() + 1),
            None => "at its end".to_owned(),
        };
        Fault::new(codes::TOOL_BAD_EXPRESSION, format!("The expression is invalid {position}: {why}."))
            .hint("Write an expression like `2 * (3 + 4)^2`, without thousands separators.")
    }
}

/// An operator's plain form and precedence.
fn operator(symbol: char) -> Option<(char, u8)> {
    Some(match symbol {
        '+' => ('+', SUM),
        '-' | '−' => ('-', SUM),
        '*' | '×' | '·' => ('*', PRODUCT),
        '/' | '÷' => ('/', PRODUCT),
        '%' => ('%', PRODUCT),
        '^' => ('^', POWER),
        _ => return None,
    })
}

fn constant(name: &str) -> Option<f64> {
    Some(match name {
        "pi" | "π" => std::f64::consts::PI,
        "tau" | "τ" => std::f64::consts::TAU,
        "e" => std::f64::consts::E,
        _ => return None,
    })
}

/// `log` requires a base, because without one it can mean ln or log10.
fn function(name: &str, arguments: &[f64]) -> Option<f64> {
    Some(match (name, arguments) {
        ("min", all) => all.iter().copied().fold(f64::INFINITY, f64::min),
        ("max", all) => all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ("atan2", &[y, x]) => y.atan2(x),
        ("log", &[x, base]) => x.log(base),
        ("pow", &[x, y]) => x.powf(y),
        ("mod", &[x, y]) => x % y,
        ("sqrt", &[x]) => x.sqrt(),
        ("cbrt", &[x]) => x.cbrt(),
        ("abs", &[x]) => x.abs(),
        ("exp", &[x]) => x.exp(),
        ("ln", &[x]) => x.ln(),
        ("log2", &[x]) => x.log2(),
        ("log10", &[x]) => x.log10(),
        ("sin", &[x]) => x.sin(),
        ("cos", &[x]) => x.cos(),
        ("tan", &[x]) => x.tan(),
        ("asin", &[x]) => x.asin(),
        ("acos", &[x]) => x.acos(),
        ("atan", &[x]) => x.atan(),
        ("floor", &[x]) => x.floor(),
        ("ceil", &[x]) => x.ceil(),
        ("round", &[x]) => x.round(),
        ("trunc", &[x]) => x.trunc(),
        ("sign", &[x]) => {
            if x == 0.0 {
                0.0
            } else {
                x.signum()
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
