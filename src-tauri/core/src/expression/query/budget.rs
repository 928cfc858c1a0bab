//! The budget of a running query, and the filters that charge it.
//!
//! [`instrument`](super::instrument) inserts these filters wherever a query can repeat, grow or nest deeper.

use std::cell::Cell;

use jaq_core::box_iter::box_once;
use jaq_core::data::HasLut;
use jaq_core::native::{Fun, bome, v};
use jaq_core::{Cv, DataT, Exn, Lut, Native};
use jaq_json::{Num, Val};
use tokio_util::sync::CancellationToken;

/// How many steps a query may take. Handling a large value counts as several.
const MAX_STEPS: u64 = 500_000;
/// How many lists and objects it may create. Also bounds how deep a value can nest.
const MAX_CONTAINERS: u64 = 250_000;
/// The longest text it may create, in bytes.
const MAX_TEXT_BYTES: usize = 16 << 20;
/// The largest integer it may create, in bits.
const MAX_INTEGER_BITS: u64 = 1 << 20;
/// How much stack it may use, in bytes. Less than the stack it runs on.
const MAX_STACK_BYTES: usize = 128 << 20;

/// The remaining budget of a running query.
pub(super) struct Budget {
    steps: Cell<u64>,
    containers: Cell<u64>,
    /// Address of the stack where the query began.
    stack_start: usize,
    exceeded: Cell<Option<&'static str>>,
    cancel: CancellationToken,
}

impl Budget {
    /// A full budget for a query that starts at the current stack depth.
    pub(super) fn new(cancel: CancellationToken) -> Self {
        Self {
            steps: Cell::new(MAX_STEPS),
            containers: Cell::new(MAX_CONTAINERS),
            stack_start: stack_address(),
            exceeded: Cell::new(None),
            cancel,
        }
    }

    /// Which limit the query exceeded, if any.
    pub(super) fn exceeded(&self) -> Option<&'static str> {
        self.exceeded.get()
    }

    fn charge_step<'a>(&self, value: &Val) -> Result<(), Exn<'a, Val>> {
        let size = match value {
            Val::TStr(text) | Val::BStr(text) => text.len(),
            Val::Arr(items) => items.len(),
            Val::Obj(entries) => entries.len(),
            _ => 0,
        };
        if size > MAX_TEXT_BYTES {
            return Err(self.stop("it creates too long a text"));
        }
        if self.cancel.is_cancelled() {
            return Err(self.stop("the run was canceled"));
        }
        if stack_address().abs_diff(self.stack_start) > MAX_STACK_BYTES {
            return Err(self.stop("it recurses too deep"));
        }
        let cost = 1 + (size / 256) as u64;
        self.steps.set(self.steps.get().saturating_sub(cost));
        if self.steps.get() == 0 { Err(self.stop("it takes too many steps")) } else { Ok(()) }
    }

    fn charge_container<'a>(&self) -> Result<(), Exn<'a, Val>> {
        self.containers.set(self.containers.get().saturating_sub(1));
        if self.containers.get() == 0 {
            Err(self.stop("it creates too many lists and objects"))
        } else {
            Ok(())
        }
    }

    /// Ends the query. Unlike an error, the query cannot catch it.
    fn stop<'a>(&self, why: &'static str) -> Exn<'a, Val> {
        self.exceeded.set(Some(why));
        Exn::halt(0)
    }
}

/// The approximate address of the top of the stack.
fn stack_address() -> usize {
    let marker = 0_u8;
    std::ptr::from_ref(&marker).addr()
}

/// The types that jaq's filters work with here.
pub(super) struct QueryTypes;

/// The data that the filters of a running query can access.
#[derive(Clone)]
pub(super) struct QueryData<'a> {
    pub(super) lut: &'a Lut<QueryTypes>,
    pub(super) budget: &'a Budget,
}

impl DataT for QueryTypes {
    type V<'a> = Val;
    type Data<'a> = QueryData<'a>;
}

impl<'a> HasLut<'a, QueryTypes> for QueryData<'a> {
    fn lut(&self) -> &'a Lut<QueryTypes> {
        self.lut
    }
}

/// Charges one step; its output is its input.
pub(super) const STEP: &str = "__step";
/// Charges one list or object; its output is its input.
pub(super) const CONTAINER: &str = "__container";
/// Multiplies, if the product is within the limits.
pub(super) const MULTIPLY: &str = "__multiply";

/// The filters that charge the budget.
pub(super) fn budget_filters() -> [Fun<QueryTypes>; 3] {
    [
        (
            STEP,
            v(0),
            Native::new(|cv| box_once(charge_step(&cv).map(|()| cv.1)))
                .with_paths(|cv| box_once(cv.0.data().budget.charge_step(&cv.1.0).map(|()| cv.1)))
                .with_update(|cv, update| match charge_step(&cv) {
                    Ok(()) => update(cv.1),
                    Err(stop) => box_once(Err(stop)),
                }),
        ),
        (CONTAINER, v(0), Native::new(|cv| box_once(cv.0.data().budget.charge_container().map(|()| cv.1)))),
        (
            MULTIPLY,
            v(2),
            Native::new(|mut cv| {
                let (right, left) = (cv.0.pop_var(), cv.0.pop_var());
                if product_is_bounded(&left, &right) {
                    bome(left * right)
                } else {
                    box_once(Err(cv.0.data().budget.stop("a product is too large")))
                }
            }),
        ),
    ]
}

fn charge_step<'a>(cv: &Cv<'a, QueryTypes>) -> Result<(), Exn<'a, Val>> {
    cv.0.data().budget.charge_step(&cv.1)
}

/// Whether the product of two values is within the limits.
fn product_is_bounded(left: &Val, right: &Val) -> bool {
    match (left, right) {
        (Val::TStr(text) | Val::BStr(text), Val::Num(times))
        | (Val::Num(times), Val::TStr(text) | Val::BStr(text)) => {
            let times = match times {
                Num::Int(times) => usize::try_from(*times).unwrap_or(0),
                // Too large for an `isize`, or not an integer, which is an error of its own.
                _ => usize::MAX,
            };
            text.len().checked_mul(times).is_some_and(|length| length <= MAX_TEXT_BYTES)
        }
        (Val::Num(left), Val::Num(right)) => bits(left) + bits(right) <= MAX_INTEGER_BITS,
        _ => true,
    }
}

fn bits(number: &Num) -> u64 {
    match number {
        Num::BigInt(number) => number.bits(),
        Num::Int(_) | Num::Float(_) | Num::Dec(_) => 64,
    }
}
