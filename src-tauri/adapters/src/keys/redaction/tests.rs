use super::*;
use plait_engine::error::ErrorCode;
use proptest::prelude::*;
use serde_json::json;

const KEY: &str = "sk-proj-0123456789abcdefghij";

fn redaction_of(keys: &[(&str, &str)]) -> Redaction {
    let redaction = Redaction::default();
    for (name, key) in keys {
        redaction.add_key(name, &SecretString::from(*key));
    }
    redaction
}

#[test]
fn redaction_replaces_whole_and_shortened_keys() {
    let redaction = redaction_of(&[("openai", KEY), ("other", "sk-proj-0123456789ABCD"), ("short", "abc")]);
    assert_eq!(redaction.text(&format!("Bearer {KEY}, {KEY}.")), "Bearer [key of openai], [key of openai].");
    assert_eq!(redaction.text(&format!("it is {}…", &KEY[..20])), "it is [key of openai]…");
    assert_eq!(redaction.text("sk-proj-0123456789ABCD"), "[key of other]");
    assert_eq!(redaction.text("Keys begin with sk-proj-01, abc."), "Keys begin with sk-proj-01, abc.");
    let fault = Fault::new(ErrorCode::ProviderUnauthorized, format!("not {KEY}"))
        .hint(format!("check {KEY}"))
        .details(json!({ "a": [KEY, 1], KEY: null }));
    let text = serde_json::to_string(&redaction.fault(fault)).expect("text");
    assert!(!text.contains(KEY) && text.matches("[key of openai]").count() == 4, "{text}");
}

#[test]
fn redaction_without_keys_changes_nothing() {
    let none = Redaction::default();
    assert!(none.is_idle());
    assert_eq!((none.text(KEY).as_str(), none.partial_key_len(KEY)), (KEY, 0));
}

proptest! {
    /// Every key is replaced, and nothing else changes.
    #[test]
    fn redaction_replaces_every_occurrence(parts in proptest::collection::vec("[a-z ö-]{0,9}", 1..5)) {
        let redaction = redaction_of(&[("openai", KEY)]);
        prop_assert_eq!(redaction.text(&parts.join(KEY)), parts.join("[key of openai]"));
    }
}
