use super::*;
use crate::codes;
use crate::redaction::{KnownSecrets, Preceding, Redaction};

fn settings(patterns: &[(&str, &str)]) -> RedactionSettings {
    let pattern = |(name, regex): &(&str, &str)| RedactionPattern {
        name: (*name).to_owned(),
        regex: (*regex).to_owned(),
    };
    RedactionSettings { patterns: patterns.iter().map(pattern).collect() }
}

fn redaction(patterns: &[(&str, &str)]) -> Redaction {
    let redaction = Redaction::default();
    assert!(redaction.set_patterns(&settings(patterns)).is_empty());
    redaction
}

#[test]
fn match_is_replaced_by_the_name() {
    let redaction = redaction(&[("customer", r"C-\d{6}"), ("", "host-[a-z]+")]);
    assert_eq!(redaction.text("C-123456 on host-blue, C-12"), "[customer] on [redacted], C-12");
}

#[test]
fn unusable_patterns_are_reported_and_skipped() {
    let long = "x".repeat(MAX_PATTERN_BYTES + 1);
    let huge = r"\w{1000}{1000}";
    let patterns =
        [("open", "("), ("empty", ""), ("any", ".*"), ("long", &long), ("huge", huge), ("good", r"C-\d{6}")];
    let redaction = Redaction::default();
    let faults = redaction.set_patterns(&settings(&patterns));
    assert_eq!(faults.len(), 5, "{faults:#?}");
    assert!(faults.iter().all(|fault| fault.code == codes::SETTINGS_REDACTION));
    assert!(faults[0].message.contains("pattern 1 (`open`)"), "{}", faults[0].message);
    assert_eq!(redaction.text("C-123456"), "[good]");
}

#[test]
fn number_of_patterns_is_bounded() {
    let many = vec![("one", "abc"); MAX_PATTERNS + 2];
    assert_eq!(settings(&many).problems().len(), 2);
}

#[test]
fn patterns_are_replaced_and_keys_stay() {
    let redaction = redaction(&[("customer", r"C-\d{6}")]);
    redaction.add_key("openai", &"a-key-of-somebody".to_owned().into());
    assert!(redaction.set_patterns(&settings(&[("order", r"O-\d{6}")])).is_empty());
    assert_eq!(redaction.text("C-123456 O-123456 a-key-of-somebody"), "C-123456 [order] [key of openai]");
    redaction.add_key("other", &"another-key-of-somebody".to_owned().into());
    assert_eq!(redaction.text("O-123456"), "[order]", "a new key changes no pattern");
}

#[test]
fn stream_shows_no_part_of_a_match() {
    let redaction = redaction(&[("customer", r"C-\d{6}")]);
    let text = format!("{} C-123456 {}", "a".repeat(400), "b".repeat(400));
    let (mut held, mut shown) = (String::new(), String::new());
    for char in text.chars() {
        held.push(char);
        let decided = redaction.decided_len(&held, Preceding::default());
        let rest = held.split_off(decided);
        shown.push_str(&redaction.text(&held));
        held = rest;
        assert!(!shown.contains("C-1"), "{shown}");
    }
    shown.push_str(&redaction.text(&held));
    assert_eq!(shown, text.replace("C-123456", "[customer]"));
}

#[test]
fn failing_search_gives_nothing_away() {
    let redaction = Redaction::default();
    let known = KnownSecrets { patterns: PatternSet::panicking().into(), ..KnownSecrets::default() };
    *redaction.0.write() = known.into();
    let replaced = "[text that could not be searched for secrets]";
    assert_eq!(redaction.text("C-123456"), replaced);
    assert_eq!(redaction.decided_len("C-123456", Preceding::default()), 0, "a stream shows nothing of it");
    assert_eq!(redaction.first_secret("C-123456").as_deref(), Some(replaced.trim_matches(['[', ']'])));
    let mut value = serde_json::json!({ "text": ["C-123456"] });
    redaction.value(&mut value);
    assert!(!value.to_string().contains("C-123456"), "{value}");
    // Temporary: texts that can be searched again are shown again.
    redaction.set_patterns(&RedactionSettings::default());
    assert_eq!(redaction.text("C-123456"), "C-123456");
}
