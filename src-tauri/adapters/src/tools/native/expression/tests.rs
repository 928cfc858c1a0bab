use super::evaluate;
use proptest::prelude::*;

#[track_caller]
fn check(text: &str, expected: f64) {
    let value = evaluate(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
    assert!((value - expected).abs() <= 1e-12 * expected.abs(), "{text} gave {value}");
}

#[test]
fn evaluate_follows_mathematical_precedence() {
    for (text, expected) in [
        ("1+2*3", 7.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2^-2^2", 0.0625),
        ("2^3^2", 512.0),
        ("2**3**2", 512.0),
        ("2*3**2*2", 36.0),
        ("-2**2", -4.0),
        ("10-4-3", 3.0),
        ("8/4/2", 1.0),
        ("5 % 3 * 2", 4.0),
        ("8/-2", -4.0),
        ("--2", 2.0),
        ("2--2", 4.0),
        ("1.5e-3*1e3", 1.5),
        (".5+5.", 5.5),
        ("2 × 3 ÷ 4 − 1", 0.5),
        ("max(1, 2+3, min(9, 4))", 5.0),
        ("sqrt(2)^2", 2.0),
        ("log(8, 2) + ln(e) + log10(1000)", 7.0),
        ("2*pi/τ", 1.0),
        (" ( ( 1 ) ) ", 1.0),
    ] {
        check(text, expected);
    }
    assert!(evaluate("1/0").expect("infinite").is_infinite());
    assert!(evaluate("sqrt(-1)").expect("not a number").is_nan());
}

#[test]
fn evaluate_reports_the_position_of_errors() {
    for text in [
        "", "()", "1+", "1 2", "2(3)", "(1", "1)", "1,000", "x+1", "½", "1..2", "2e", "log(2)", "sqrt()",
        "a(1)", "1***2", "3!", "\0",
    ] {
        assert_eq!(evaluate(text).expect_err(text).code, "tool.bad_expression", "{text}");
    }
    let fault = evaluate("größe + 1").expect_err("no variables");
    assert!(fault.message.contains("`größe` is unknown"), "{fault}");
    let fault = evaluate("1 + 2 $").expect_err("no currency");
    assert!(fault.message.contains("at `$` (character 7)"), "{fault}");
}

#[test]
fn evaluate_bounds_length_and_nesting() {
    for deep in ["(".repeat(4_000), "-".repeat(4_000) + "1", "2^".repeat(2_000) + "1", "sqrt(".repeat(800)] {
        assert!(evaluate(&deep).expect_err("nested").message.contains("nested"), "{deep}");
    }
    assert!(evaluate(&"1+".repeat(4_000)).expect_err("long").message.contains("8000 bytes"));
    check(&("1+".repeat(2_000) + "1"), 2_001.0);
}

/// An expression and its value, with parentheses everywhere.
fn tree() -> impl Strategy<Value = (String, f64)> {
    let leaf = (0u32..1_000).prop_map(|number| (number.to_string(), f64::from(number)));
    leaf.prop_recursive(5, 40, 2, |inner| {
        (inner.clone(), inner, prop::sample::select(vec!['+', '-', '*', '/'])).prop_map(|(a, b, operator)| {
            let value = match operator {
                '+' => a.1 + b.1,
                '-' => a.1 - b.1,
                '*' => a.1 * b.1,
                _ => a.1 / b.1,
            };
            (format!("({} {operator} {})", a.0, b.0), value)
        })
    })
}

proptest! {
    #[test]
    fn evaluate_never_panics(text in "[-+*/%^()., 0-9eE.a-zπ−½\\PC]{0,60}") {
        let _ = evaluate(&text);
    }

    #[test]
    fn evaluate_honors_parentheses((text, expected) in tree()) {
        let value = evaluate(&text).expect("well formed");
        // The same operations in the same order: every bit must match.
        prop_assert!(value.to_bits() == expected.to_bits() || (value.is_nan() && expected.is_nan()), "{} gave {}", text, value);
    }
}
