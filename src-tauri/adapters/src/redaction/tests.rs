use super::*;
use crate::codes;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;

const KEY: &str = "sk-proj-0123456789abcDEFghij?>~x_y-Z";

fn redaction_of(keys: &[(&str, &str)]) -> Redaction {
    let redaction = Redaction::default();
    for (name, key) in keys {
        redaction.add_key(name, &SecretString::from(*key));
    }
    redaction
}

fn redaction_of_variable(name: &str, value: &str) -> Redaction {
    let redaction = Redaction::default();
    redaction.add(environment_secret((name.to_owned(), value.to_owned())));
    redaction
}

/// A secret in every disguise, each with its name.
#[expect(clippy::format_collect, reason = "short texts")]
fn disguised(secret: &str) -> Vec<(String, String)> {
    let hidden: String = secret.chars().flat_map(|char| [char, '\u{200b}']).collect();
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let unicode: String = secret.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let spaced: String = secret.bytes().map(|byte| format!("{byte:02X} ")).collect();
    let mut all = vec![
        ("plain", secret.to_owned()),
        ("upper-cased", secret.to_uppercase()),
        ("lower-cased", secret.to_lowercase()),
        ("zero-width characters", hidden),
        ("percent-encoded", percent.clone()),
        ("percent-encoded twice", percent.replace('%', "%25")),
        ("JSON-escaped", unicode.clone()),
        ("JSON-escaped twice", unicode.replace('\\', "\\\\")),
        ("hexadecimal", hex.clone()),
        ("hexadecimal capitals", hex.to_uppercase()),
        ("spaced hexadecimal", spaced.trim().to_owned()),
        ("without its beginning", secret[secret.len() - 16..].to_owned()),
        ("without its end", secret[..16].to_owned()),
        ("without both", secret[3..21].to_owned()),
        ("on two lines", format!("{}\r\n  {}", &secret[..9], &secret[9..])),
    ];
    for spelling in [secret.to_owned(), secret.to_uppercase(), secret.to_lowercase()] {
        for offset in 0..3 {
            let text = format!("{}{spelling}", &"key"[..offset]);
            all.push(("base64", STANDARD.encode(&text)));
            all.push(("base64 without padding", STANDARD_NO_PAD.encode(&text)));
            all.push(("base64 for URLs", URL_SAFE.encode(&text)));
            all.push(("base64 for URLs without padding", URL_SAFE_NO_PAD.encode(&text)));
            all.push(("base64 without its beginning", STANDARD.encode(&text)[13..].to_owned()));
            all.push((
                "base64 percent-encoded",
                STANDARD.encode(&text).replace('=', "%3D").replace('+', "%2B"),
            ));
        }
    }
    all.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

#[test]
fn redaction_replaces_every_disguise() {
    let redaction = redaction_of(&[("openai", KEY)]);
    for (name, text) in disguised(KEY) {
        let whole = format!("before {text} after");
        let redacted = redaction.text(&whole);
        assert!(redacted.starts_with("before ") && redacted.ends_with(" after"), "{name}: {redacted}");
        let rest = redacted.replace("[key of openai]", "");
        // The characters of base64 beside the key hold a part of its neighbors, too.
        assert!(
            redacted != rest && rest.len() <= "before  after".len() + 12,
            "{name}: {whole} became {redacted}"
        );
    }
}

#[test]
fn redaction_names_what_it_replaces() {
    let redaction =
        redaction_of(&[("openai", KEY), ("other", "sk-proj-0123456789ABCDxyz"), ("short", "abc")]);
    assert_eq!(redaction.text(&format!("Bearer {KEY}, {KEY}.")), "Bearer [key of openai], [key of openai].");
    assert_eq!(redaction.text("Keys begin with sk-proj-01, abc."), "Keys begin with sk-proj-01, abc.");
    let fault = Fault::new(codes::PROVIDER_UNAUTHORIZED, format!("not {KEY}"))
        .hint(format!("check {KEY}"))
        .details(json!({ "a": [KEY, 1], KEY: null }));
    let text = serde_json::to_string(&redaction.fault(fault)).expect("text");
    assert!(!text.contains(KEY) && text.matches("[key of openai]").count() == 4, "{text}");
    let variable = redaction_of_variable("CI_TOKEN", KEY);
    assert_eq!(variable.text(KEY), "[value of CI_TOKEN]");
    variable.add_key("openai", &SecretString::from(KEY));
    assert_eq!(variable.text(KEY), "[key of openai]", "the provider says more than the variable");
    let unknown = Redaction::default();
    assert_eq!(unknown.text("ghp_a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8!"), "[GitHub token]!");
    assert_eq!(unknown.first_secret("AKIAIOSFODNN7EXAMPLE").as_deref(), Some("AWS key"));
}

#[test]
fn masked_text_keeps_its_positions() {
    let redaction = redaction_of(&[("acme", "Kq3vZ8wM1xT5bN7d")]);
    let text = "{\"é\": \"Kq3vZ8wM1xT5bN7d\",\n \"b\": 1}";
    let masked = redaction.masked(text);
    assert_eq!(masked, format!("{{\"é\": \"{}\",\n \"b\": 1}}", "*".repeat(16)));
    assert_eq!(masked.len(), text.len());
    assert!(matches!(redaction.masked("nothing"), Cow::Borrowed(_)));
}

#[test]
fn value_redacts_numbers_names_and_nested_texts() {
    let redaction = redaction_of_variable("PIN_TOKEN", "123456789012");
    let mut value =
        json!({ "a": [123_456_789_012_u64, 12], "123456789012": "x", "b": { "c": "123456789012" } });
    assert!(redaction.value(&mut value));
    let label = "[value of PIN_TOKEN]";
    assert_eq!(value, json!({ "a": [label, 12], label: "x", "b": { "c": label } }));
    assert!(!redaction.value(&mut json!({ "a": [1, "x", null, true, 0.5] })));
}

#[test]
fn structured_values_are_secret_as_a_whole_and_in_their_random_parts() {
    let url =
        redaction_of_variable("DB_PASSWORD_URL", "postgres://app:hunter2hunter@db.example.com:5432/app");
    assert_eq!(
        url.text("psql postgres://app:hunter2hunter@db.example.com:5432/app"),
        "psql [value of DB_PASSWORD_URL]"
    );
    assert_eq!(url.text("the password hunter2hunter"), "the password [value of DB_PASSWORD_URL]");
    assert_eq!(
        url.text("postgres://app@db.example.com:5432/other"),
        "postgres://app@db.example.com:5432/other"
    );
    let document = r#"{"type": "service_account", "private_key_id": "a1B2c3D4e5F6g7H8j9K0a1B2"}"#;
    let document = redaction_of_variable("GCP_KEY", document);
    assert_eq!(document.text("id: a1B2c3D4e5F6g7H8j9K0a1B2"), "id: [value of GCP_KEY]");
    assert_eq!(
        document.text("a \"service_account\" has a private_key_id"),
        "a \"service_account\" has a private_key_id"
    );
}

/// Passes a text on as a stream does, cut at these places.
fn stream(redaction: &Redaction, whole: &str, cuts: &[usize]) -> (String, usize) {
    let (mut held, mut preceding, mut out, mut most_held) =
        (String::new(), Preceding::default(), String::new(), 0);
    for pair in cuts.windows(2) {
        held.push_str(&whole[pair[0]..pair[1]]);
        let rest = held.split_off(redaction.decided_len(&held, preceding));
        out.push_str(&redaction.text_after(&held, preceding));
        preceding = preceding.then(&held);
        held = rest;
        most_held = most_held.max(held.len());
    }
    out.push_str(&redaction.text_after(&held, preceding));
    (out, most_held)
}

#[test]
fn stream_of_ordinary_text_is_passed_on_at_once() {
    let redaction = redaction_of(&[("openai", KEY)]);
    let text =
        "Ordinary prose is not held back for longer than a few characters, nor is größe or 100%. ".repeat(3);
    let cuts: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
    let (out, most_held) = stream(&redaction, &text, &cuts);
    assert_eq!(out, text);
    assert!(most_held <= 8, "{most_held}");
}

proptest! {
    /// However a stream is split, its redacted parts add up to the redacted whole.
    #[test]
    fn stream_is_redacted_like_the_whole_at_any_split(
        words in proptest::collection::vec(prop_oneof![
            "[a-z ]{0,6}",
            (0_usize..80).prop_map(|index| { let all = disguised(KEY); all[index % all.len()].1.clone() }),
            Just("sk-proj-0123".to_owned()),
            Just("task-sk-pro ".to_owned()),
            Just(" ghp_a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8 ".to_owned()),
            Just("%".to_owned()),
            Just("\\".to_owned()),
            Just("\\n".to_owned()),
            Just("\u{200b}".to_owned()),
        ], 0..8),
        mut cuts in proptest::collection::vec(0_usize..400, 0..30),
    ) {
        let redaction = redaction_of(&[("openai", KEY)]);
        let whole = words.concat();
        cuts.retain(|cut| *cut < whole.len() && whole.is_char_boundary(*cut));
        cuts.extend([0, whole.len()]);
        cuts.sort_unstable();
        let (streamed, _) = stream(&redaction, &whole, &cuts);
        prop_assert_eq!(streamed, redaction.text(&whole).into_owned());
    }

    /// Every key is replaced, and nothing else changes.
    #[test]
    fn redaction_changes_nothing_but_keys(parts in proptest::collection::vec("[a-z ö,.-]{0,9}", 1..5)) {
        let redaction = redaction_of(&[("openai", KEY)]);
        let separated: Vec<String> = parts.iter().map(|part| format!("!{part}!")).collect();
        let redacted = redaction.text(&separated.join(KEY)).into_owned();
        prop_assert_eq!(redacted, separated.join("[key of openai]"));
    }
}
