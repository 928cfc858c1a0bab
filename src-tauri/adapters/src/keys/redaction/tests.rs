use super::*;
use plait_engine::error::ErrorCode;
use proptest::prelude::*;
use serde_json::json;

const KEY: &str = "sk-proj-0123456789abcdefghij";

fn knowing(keys: &[(&str, &str)]) -> Redaction {
    let redaction = Redaction::default();
    for (name, key) in keys {
        redaction.learn(name, &SecretString::from(*key));
    }
    redaction
}

#[test]
fn a_key_is_taken_out_whole_or_cut_short_wherever_it_stands() {
    let known = knowing(&[("openai", KEY), ("other", "sk-proj-0123456789ABCD"), ("short", "abc")]);
    assert_eq!(known.text(&format!("Bearer {KEY}, {KEY}.")), "Bearer [key of openai], [key of openai].");
    assert_eq!(known.text(&format!("it is {}…", &KEY[..20])), "it is [key of openai]…");
    assert_eq!(known.text("sk-proj-0123456789ABCD"), "[key of other]");
    assert_eq!(known.text("Keys begin with sk-proj-01, abc."), "Keys begin with sk-proj-01, abc.");
    let fault = Fault::new(ErrorCode::ProviderUnauthorized, format!("not {KEY}"))
        .hint(format!("mend {KEY}"))
        .details(json!({ "a": [KEY, 1], KEY: null }));
    let told = serde_json::to_string(&known.fault(fault)).expect("text");
    assert!(!told.contains(KEY) && told.matches("[key of openai]").count() == 4, "{told}");
}

#[test]
fn nothing_known_changes_nothing() {
    let none = Redaction::default();
    assert!(none.is_idle());
    assert_eq!((none.text(KEY).as_str(), none.unfinished(KEY)), (KEY, 0));
}

proptest! {
    /// Whatever stands around it and however often, no key stays and nothing else goes.
    #[test]
    fn no_key_stays(parts in proptest::collection::vec("[a-z ö-]{0,9}", 1..5)) {
        let known = knowing(&[("openai", KEY)]);
        prop_assert_eq!(known.text(&parts.join(KEY)), parts.join("[key of openai]"));
    }
}
