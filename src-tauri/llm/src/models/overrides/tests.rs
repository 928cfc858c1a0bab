use super::*;

#[test]
fn settings_override_the_tables() {
    let note = |window| ModelOverride { context_window: NonZeroU32::new(window), ..Default::default() };
    let free = ModelOverride { price: Some(Price::default()), ..ModelOverride::default() };
    let notes = [("gpt-4", note(5_000)), ("azure/gpt-4", note(6_000)), ("house", free)];
    let overrides = ModelOverrides {
        notes: notes.map(|(name, note)| (name.to_owned(), note)).into(),
        ..ModelOverrides::default()
    };
    assert_eq!((overrides.window("openai", "gpt-4"), overrides.window("azure", "gpt-4")), (5_000, 6_000));
    assert_eq!(overrides.window("openai", "gpt-4o"), 128_000);
    assert_eq!(overrides.price("openai", "gpt-4").map(|price| price.input), Some(30.0));
    assert_eq!(overrides.price("anyone", "house"), Some(&Price::default()));
    assert_eq!(overrides.price("anyone", "unknown"), None);
}

#[test]
fn invalid_windows_are_refused() {
    for wrong in ["0", "-1", "\"many\"", "1.5", "99999999999"] {
        let read = serde_json::from_str::<ModelOverride>(&format!("{{\"contextWindow\": {wrong}}}"));
        assert!(read.is_err(), "{wrong}");
    }
}
