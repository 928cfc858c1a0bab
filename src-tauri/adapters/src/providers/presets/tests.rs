use super::*;
use crate::ProviderRegistry;

#[test]
fn every_preset_is_valid_and_has_its_sources() {
    assert!(presets().len() >= 9);
    for preset in presets() {
        let ProviderPreset { name, settings, source, sources, .. } = preset;
        ProviderRegistry::check(name, settings).unwrap();
        assert!(settings.key_env.is_some(), "{name} needs a key");
        assert!(source.starts_with("https://"), "{name}");
        // Each quirk says where it comes from.
        let quirks = serde_json::to_value(settings.quirks).unwrap();
        for quirk in quirks.as_object().unwrap().keys() {
            assert!(sources.get(quirk).is_some_and(|page| page.starts_with("https://")), "{name}: {quirk}");
        }
        assert_eq!(settings.key_header.is_some(), sources.contains_key("keyHeader"), "{name}");
        assert_eq!(ProviderPreset::find(name), Some(preset), "names are unique");
        assert!(!ProviderRegistry::built_in().contains_key(name), "{name} is built in");
    }
}

#[test]
fn placeholders_are_the_capital_words_of_the_url() {
    let of = |name: &str| ProviderPreset::find(name).unwrap().placeholders().collect::<Vec<_>>();
    assert_eq!(of("azure"), ["RESOURCE"]);
    assert_eq!(of("bedrock"), ["REGION"]);
    assert_eq!(of("groq"), [""; 0]);
}
