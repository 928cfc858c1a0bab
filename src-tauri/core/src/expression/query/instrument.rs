//! Rewrites a query's tree so that every part that can repeat or grow charges the [budget](super::budget).
//!
//! jq has no loops but recursion and streams. So the places are: the start of each definition's body (which keeps tail
//! calls), the outputs of streams (`.[]`, `..`, a comma, a native filter), and operations that make values larger.

use std::collections::HashSet;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::ops::Math;
use jaq_core::path::{Part, Path};

use super::budget::{CONTAINER, MULTIPLY, STEP};

/// The names and arities of the filters that are not defined in jq itself.
pub(super) type Natives = HashSet<(&'static str, usize)>;

pub(super) fn instrument_definition<'s>(definition: Def<&'s str>, natives: &Natives) -> Def<&'s str> {
    let body = then(call(STEP), instrument_term(definition.body, natives));
    Def { body, ..definition }
}

pub(super) fn instrument_term<'s>(of: Term<&'s str>, natives: &Natives) -> Term<&'s str> {
    let instrumented = |part: Term<&'s str>| instrument_term(part, natives);
    let boxed = |part: Box<Term<&'s str>>| Box::new(instrument_term(*part, natives));
    match of {
        Term::Id | Term::Num(_) | Term::Var(_) | Term::Break(_) | Term::Arr(None) => of,
        Term::Recurse => charge_steps(Term::Recurse),
        Term::Str(format, parts) => {
            let grows = format.is_some() || parts.iter().any(|part| matches!(part, StrPart::Term(_)));
            let text = Term::Str(format, instrument_text_parts(parts, natives));
            if grows { charge_steps(text) } else { text }
        }
        Term::Arr(Some(items)) => charge_container(Term::Arr(Some(boxed(items)))),
        Term::Obj(entries) => charge_container(Term::Obj(
            entries.into_iter().map(|entry| instrument_entry(entry, natives)).collect(),
        )),
        Term::Neg(inner) => Term::Neg(boxed(inner)),
        Term::BinOp(left, op, right) => instrument_binary(*left, op, *right, natives),
        Term::Label(name, inner) => Term::Label(name, boxed(inner)),
        Term::Fold(name, stream, bound, parts) => Term::Fold(
            name,
            boxed(stream),
            instrument_pattern(bound, natives),
            parts.into_iter().map(instrumented).collect(),
        ),
        Term::TryCatch(inner, caught) => Term::TryCatch(boxed(inner), caught.map(boxed)),
        Term::IfThenElse(branches, otherwise) => {
            let branches =
                branches.into_iter().map(|(test, then)| (instrumented(test), instrumented(then))).collect();
            Term::IfThenElse(branches, otherwise.map(boxed))
        }
        Term::Def(definitions, inner) => {
            let definitions =
                definitions.into_iter().map(|one| instrument_definition(one, natives)).collect();
            Term::Def(definitions, boxed(inner))
        }
        Term::Call(name, arguments) => {
            let native = natives.contains(&(name, arguments.len()));
            let called = Term::Call(name, arguments.into_iter().map(instrumented).collect());
            if native { charge_steps(called) } else { called }
        }
        Term::Path(inner, Path(parts)) => {
            let streams = parts.iter().any(|(part, _)| matches!(part, Part::Range(None, None)));
            let parts =
                parts.into_iter().map(|(part, optional)| (instrument_path_part(part, natives), optional));
            let path = Term::Path(boxed(inner), Path(parts.collect()));
            if streams { charge_steps(path) } else { path }
        }
    }
}

fn instrument_binary<'s>(
    left: Term<&'s str>,
    op: BinaryOp<&'s str>,
    right: Term<&'s str>,
    natives: &Natives,
) -> Term<&'s str> {
    let (left, right) = (instrument_term(left, natives), instrument_term(right, natives));
    let joined = |left, op, right| Term::BinOp(Box::new(left), op, Box::new(right));
    match op {
        // Only its left side, as the right one may be a tail call.
        BinaryOp::Comma => joined(charge_steps(left), BinaryOp::Comma, right),
        BinaryOp::Pipe(bound) => {
            joined(left, BinaryOp::Pipe(bound.map(|bound| instrument_pattern(bound, natives))), right)
        }
        BinaryOp::Math(Math::Mul) => charge_steps(Term::Call(MULTIPLY, vec![left, right])),
        BinaryOp::Math(Math::Add) => charge_steps(joined(left, op, right)),
        // `l *= r` is `r as $r | l |= . * $r`.
        BinaryOp::UpdateMath(Math::Mul) => {
            let product = Term::Call(MULTIPLY, vec![Term::Id, Term::Var(FACTOR)]);
            let update = joined(left, BinaryOp::Update, product);
            joined(right, BinaryOp::Pipe(Some(Pattern::Var(FACTOR))), update)
        }
        _ => joined(left, op, right),
    }
}

/// A variable that no query can name: names in queries have only letters, digits and `_`.
const FACTOR: &str = "$factor of a product";

fn instrument_text_parts<'s>(
    parts: Vec<StrPart<&'s str, Term<&'s str>>>,
    natives: &Natives,
) -> Vec<StrPart<&'s str, Term<&'s str>>> {
    let instrumented = |part| match part {
        StrPart::Term(inner) => StrPart::Term(instrument_term(inner, natives)),
        other => other,
    };
    parts.into_iter().map(instrumented).collect()
}

/// Without a value, the form of the key determines it: `{name}`, `{$name}`.
fn instrument_entry<'s>(
    (key, value): (Term<&'s str>, Option<Term<&'s str>>),
    natives: &Natives,
) -> (Term<&'s str>, Option<Term<&'s str>>) {
    match (key, value) {
        (key, Some(value)) => (instrument_term(key, natives), Some(instrument_term(value, natives))),
        (Term::Str(format, parts), None) => (Term::Str(format, instrument_text_parts(parts, natives)), None),
        (key, None) => (key, None),
    }
}

fn instrument_pattern<'s>(of: Pattern<&'s str>, natives: &Natives) -> Pattern<&'s str> {
    match of {
        Pattern::Var(name) => Pattern::Var(name),
        Pattern::Arr(items) => {
            Pattern::Arr(items.into_iter().map(|item| instrument_pattern(item, natives)).collect())
        }
        Pattern::Obj(entries) => {
            let entries = entries
                .into_iter()
                .map(|(key, value)| (instrument_term(key, natives), instrument_pattern(value, natives)));
            Pattern::Obj(entries.collect())
        }
    }
}

fn instrument_path_part<'s>(part: Part<Term<&'s str>>, natives: &Natives) -> Part<Term<&'s str>> {
    match part {
        Part::Index(index) => Part::Index(instrument_term(index, natives)),
        Part::Range(from, to) => Part::Range(
            from.map(|from| instrument_term(from, natives)),
            to.map(|to| instrument_term(to, natives)),
        ),
    }
}

fn charge_steps(of: Term<&str>) -> Term<&str> {
    then(of, call(STEP))
}

fn charge_container(of: Term<&str>) -> Term<&str> {
    then(of, call(CONTAINER))
}

fn then<'s>(left: Term<&'s str>, right: Term<&'s str>) -> Term<&'s str> {
    Term::BinOp(Box::new(left), BinaryOp::Pipe(None), Box::new(right))
}

fn call(name: &'static str) -> Term<&'static str> {
    Term::Call(name, Vec::new())
}
