//! Which queries take time and memory in proportion to their length and their input.
//!
//! A small query selects parts, builds lists and objects of them, and repeats only over its input. Every step of these
//! is charged to the budget and takes constant time. Comparing, adding, slicing and all named filters are left out: one
//! step of them can take as long as the value is large.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Part, Path};

/// Maximum nesting: a small query is evaluated on an ordinary stack.
const MAX_NESTING_DEPTH: usize = 32;

/// Whether a query is small.
pub(super) fn is_small(term: &Term<&str>) -> bool {
    is_small_at(term, 0)
}

fn is_small_at(term: &Term<&str>, depth: usize) -> bool {
    if depth > MAX_NESTING_DEPTH {
        return false;
    }
    let inner = |part: &Term<&str>| is_small_at(part, depth + 1);
    match term {
        Term::Id | Term::Num(_) | Term::Arr(None) => true,
        Term::Var(name) => *name == super::ANSWERS,
        Term::Str(None, parts) => parts.iter().all(|part| !matches!(part, StrPart::Term(_))),
        Term::Arr(Some(items)) => inner(items),
        Term::Obj(entries) => {
            entries.iter().all(|(key, value)| inner(key) && value.as_ref().is_none_or(inner))
        }
        Term::BinOp(left, BinaryOp::Pipe(None) | BinaryOp::Comma | BinaryOp::Alt, right) => {
            inner(left) && inner(right)
        }
        Term::Path(start, Path(parts)) => {
            inner(start)
                && parts.iter().all(|(part, _)| match part {
                    Part::Index(index) => inner(index),
                    Part::Range(None, None) => true,
                    Part::Range(..) => false,
                })
        }
        _ => false,
    }
}
