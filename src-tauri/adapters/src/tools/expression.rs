//! Arithmetic expressions: text to a number, by precedence climbing.
//!
//! Its own, because the evaluators there are get powers wrong (`-2^2` as 4, or `2^3^2` as 64), are under the AGPL, or
//! stand on code that coming compilers refuse. Never panics; length and nesting are bounded, so that no text overflows
//! the stack. Refuses to know variables, assignments or anything else of a language.

use std::iter::Peekable;
use std::str::CharIndices;

use plait_engine::error::{ErrorCode, Fault};

const MAX_BYTES: usize = 4_096;
const MAX_NESTING: usize = 64;

/// How tightly operators bind; unary minus stands between product and power, so that `-2^2` is -4 and `2^-1` is 0.5.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const UNARY: u8 = 3;
const POWER: u8 = 4;

/// The value of an expression; infinite or not a number where IEEE 754 has it so. Fault `tool.bad_expression`.
pub(super) fn evaluate(text: &str) -> Result<f64, Fault> {
    if text.len() > MAX_BYTES {
        return Err(Fault::new(
            ErrorCode::ToolBadExpression,
            format!("The expression has {} bytes; it may have {MAX_BYTES}.", text.len()),
        ));
    }
    let mut reader = Reader { text, chars: text.char_indices().peekable(), depth: 0 };
    let value = reader.expression(SUM)?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.wrong("an operator or the end is expected")),
    }
}

struct Reader<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    depth: usize,
}

impl Reader<'_> {
    /// An operand and all operators after it that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<f64, Fault> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.wrong(&format!("it is nested more than {MAX_NESTING} deep")));
        }
        let mut value = self.operand()?;
        while let Some((symbol, tightness, length)) = self.operator().filter(|found| found.1 >= least) {
            self.chars.nth(length - 1);
            // Powers group from the right, everything else from the left.
            let right = self.expression(if symbol == '^' { UNARY } else { tightness + 1 })?;
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
                self.pass(')')?;
                Ok(value)
            }
            Some('0'..='9' | '.') => self.number(),
            Some(letter) if letter.is_alphabetic() => self.name(),
            Some(_) => Err(self.wrong("a number, a function or `(` is expected")),
            None => Err(self.wrong("it ends where a number is expected")),
        }
    }

    fn number(&mut self) -> Result<f64, Fault> {
        let start = self.at();
        self.skip(|letter| letter.is_ascii_digit() || letter == '.');
        // An exponent only if digits follow; `2e` alone is an error of its own.
        if self.chars.next_if(|next| matches!(next.1, 'e' | 'E')).is_some() {
            self.chars.next_if(|next| matches!(next.1, '+' | '-'));
            self.skip(|letter| letter.is_ascii_digit());
        }
        let digits = &self.text[start..self.at()];
        digits.parse().map_err(|_| self.wrong(&format!("`{digits}` is not a number")))
    }

    fn name(&mut self) -> Result<f64, Fault> {
        let start = self.at();
        self.skip(char::is_alphanumeric);
        let name = self.text[start..self.at()].to_lowercase();
        if self.peek() != Some('(') {
            return constant(&name).ok_or_else(|| self.wrong(&format!("`{name}` is not known here")));
        }
        self.chars.next();
        let mut arguments = vec![self.expression(SUM)?];
        while self.peek() == Some(',') {
            self.chars.next();
            arguments.push(self.expression(SUM)?);
        }
        self.pass(')')?;
        function(&name, &arguments).ok_or_else(|| {
            let count = arguments.len();
            self.wrong(&format!(
                "there is no function `{name}` of {count} argument{}",
                if count == 1 { "" } else { "s" }
            ))
        })
    }

    /// The operator that comes next: its plain form, how tightly it binds, and its length in characters.
    fn operator(&mut self) -> Option<(char, u8, usize)> {
        let symbol = self.peek()?;
        let at = self.at();
        if self.text[at..].starts_with("**") {
            return Some(('^', POWER, 2));
        }
        operator(symbol).map(|(plain, tightness)| (plain, tightness, 1))
    }

    /// Goes past this character; anything else there is an error.
    fn pass(&mut self, wanted: char) -> Result<(), Fault> {
        if self.peek() == Some(wanted) {
            self.chars.next();
            return Ok(());
        }
        Err(self.wrong(&format!("`{wanted}` is expected")))
    }

    /// The next character that is not space.
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

    fn wrong(&mut self, why: &str) -> Fault {
        let at = self.at();
        let place = match self.text[at..].chars().next() {
            Some(found) => format!("at `{found}` (character {})", self.text[..at].chars().count() + 1),
            None => "at its end".to_owned(),
        };
        Fault::new(ErrorCode::ToolBadExpression, format!("The expression can't be read {place}: {why}."))
            .hint("Write it like `2 * (3 + 4)^2`, without separators for thousands.")
    }
}

/// An operator's plain form and how tightly it binds.
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

/// `log` takes its base: alone it means ln to some and log10 to others.
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
