//! What a query may use up, and the filters that count it: [`watch`](super::watch) puts them wherever a query can go round,
//! grow or go deeper.

use std::cell::Cell;

use jaq_core::box_iter::box_once;
use jaq_core::data::HasLut;
use jaq_core::native::{Fun, bome, v};
use jaq_core::{Cv, DataT, Exn, Lut, Native};
use jaq_json::{Num, Val};
use tokio_util::sync::CancellationToken;

/// How many steps a query may take. Handling a large value is several.
const STEPS: u64 = 500_000;
/// How many lists and objects it may make; a value can be nested no deeper.
const MADE: u64 = 250_000;
/// The longest text it may make, in bytes.
const TEXT: usize = 16 << 20;
/// The most bits of a whole number.
const BITS: u64 = 1 << 20;
/// How much of the stack it may use, in bytes; less than the stack it runs on has.
const STACK: usize = 128 << 20;

/// What is left to a running query.
pub(super) struct Budget {
    steps: Cell<u64>,
    made: Cell<u64>,
    stack: usize,
    spent: Cell<Option<&'static str>>,
    cancel: CancellationToken,
}

impl Budget {
    /// A whole budget for a query that begins here on the stack.
    pub(super) fn new(cancel: CancellationToken) -> Self {
        let (steps, made) = (Cell::new(STEPS), Cell::new(MADE));
        Self { steps, made, stack: here(), spent: Cell::new(None), cancel }
    }

    /// What ran out, if anything has.
    pub(super) fn spent(&self) -> Option<&'static str> {
        self.spent.get()
    }

    fn step<'a>(&self, value: &Val) -> Result<(), Exn<'a, Val>> {
        let size = match value {
            Val::TStr(text) | Val::BStr(text) => text.len(),
            Val::Arr(items) => items.len(),
            Val::Obj(entries) => entries.len(),
            _ => 0,
        };
        if size > TEXT {
            return Err(self.stop("it makes too long a text"));
        }
        if self.cancel.is_cancelled() {
            return Err(self.stop("the run was stopped"));
        }
        if here().abs_diff(self.stack) > STACK {
            return Err(self.stop("it calls itself too deep"));
        }
        let cost = 1 + (size / 256) as u64;
        self.steps.set(self.steps.get().saturating_sub(cost));
        if self.steps.get() == 0 { Err(self.stop("it takes too many steps")) } else { Ok(()) }
    }

    fn make<'a>(&self) -> Result<(), Exn<'a, Val>> {
        self.made.set(self.made.get().saturating_sub(1));
        if self.made.get() == 0 { Err(self.stop("it makes too many lists and objects")) } else { Ok(()) }
    }

    /// Ends the query. Unlike an error it can't be caught by the query itself.
    fn stop<'a>(&self, why: &'static str) -> Exn<'a, Val> {
        self.spent.set(Some(why));
        Exn::halt(0)
    }
}

/// About where the stack is.
fn here() -> usize {
    let marker = 0_u8;
    std::ptr::from_ref(&marker).addr()
}

/// Values and what their filters are given.
pub(super) struct Kind;

/// What the filters of a running query are given.
#[derive(Clone)]
pub(super) struct QueryData<'a> {
    pub(super) lut: &'a Lut<Kind>,
    pub(super) budget: &'a Budget,
}

impl DataT for Kind {
    type V<'a> = Val;
    type Data<'a> = QueryData<'a>;
}

impl<'a> HasLut<'a, Kind> for QueryData<'a> {
    fn lut(&self) -> &'a Lut<Kind> {
        self.lut
    }
}

/// Takes a step, and gives its input as it is.
pub(super) const STEP: &str = "__step";
/// Counts a list or an object that was made, and gives it as it is.
pub(super) const MAKE: &str = "__make";
/// Multiplies, within bounds.
pub(super) const MULTIPLY: &str = "__multiply";

/// The filters that count.
pub(super) fn counting() -> [Fun<Kind>; 3] {
    [
        (
            STEP,
            v(0),
            Native::new(|cv| box_once(step(&cv).map(|()| cv.1)))
                .with_paths(|cv| box_once(cv.0.data().budget.step(&cv.1.0).map(|()| cv.1)))
                .with_update(|cv, update| match step(&cv) {
                    Ok(()) => update(cv.1),
                    Err(stop) => box_once(Err(stop)),
                }),
        ),
        (MAKE, v(0), Native::new(|cv| box_once(cv.0.data().budget.make().map(|()| cv.1)))),
        (
            MULTIPLY,
            v(2),
            Native::new(|mut cv| {
                let (right, left) = (cv.0.pop_var(), cv.0.pop_var());
                if multiplies(&left, &right) {
                    bome(left * right)
                } else {
                    box_once(Err(cv.0.data().budget.stop("it multiplies into too large a value")))
                }
            }),
        ),
    ]
}

fn step<'a>(cv: &Cv<'a, Kind>) -> Result<(), Exn<'a, Val>> {
    cv.0.data().budget.step(&cv.1)
}

/// Whether the product of two values is of a bearable size.
fn multiplies(left: &Val, right: &Val) -> bool {
    match (left, right) {
        (Val::TStr(text) | Val::BStr(text), Val::Num(times))
        | (Val::Num(times), Val::TStr(text) | Val::BStr(text)) => {
            let times = match times {
                Num::Int(times) => usize::try_from(*times).unwrap_or(0),
                // Too large for a machine, or not whole, which is an error of its own.
                _ => usize::MAX,
            };
            text.len().checked_mul(times).is_some_and(|length| length <= TEXT)
        }
        (Val::Num(left), Val::Num(right)) => bits(left) + bits(right) <= BITS,
        _ => true,
    }
}

fn bits(number: &Num) -> u64 {
    match number {
        Num::BigInt(number) => number.bits(),
        Num::Int(_) | Num::Float(_) | Num::Dec(_) => 64,
    }
}
