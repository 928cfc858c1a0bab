use serde_json::Value;

use super::parse;

#[test]
fn integers_of_64_bits_are_exact() {
    for text in
        ["0", "-0", "9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551615"]
    {
        let value = parse(text).unwrap();
        assert_eq!(value.to_string(), text.replace("-0", "-0.0"));
    }
}

#[test]
fn larger_integers_are_refused_by_name() {
    for text in ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"] {
        for json in [text.to_owned(), format!("[{text}]"), format!(r#"{{"a\"1": "x", "b": {text}}}"#)] {
            let error = parse(&json).unwrap_err().to_string();
            assert!(error.contains(text), "{json}: {error}");
        }
    }
    let long = "7".repeat(5_000);
    assert!(parse(&long).unwrap_err().to_string().len() < 200);
}

#[test]
fn floats_and_digits_in_strings_are_no_integers() {
    let text = r#"{"18446744073709551616": "99999999999999999999", "a\\": "\"18446744073709551616", "b": 1.8446744073709551616e19}"#;
    let value: Value = parse(text).unwrap();
    assert_eq!(value["b"], 1.844_674_407_370_955_2e19);
}
