use super::*;

fn settings(base_url: Option<&str>) -> BTreeMap<String, ProviderSettings> {
    let one = ProviderSettings {
        base_url: base_url.map(str::to_owned),
        ..ProviderSettings::of(ProviderKind::OpenAi)
    };
    BTreeMap::from([("mine".to_owned(), one)])
}

#[test]
fn registry_merges_settings_with_built_in_providers() {
    let registry = ProviderRegistry::new(&settings(Some("http://box:9000/v1"))).expect("made");
    assert_eq!(
        registry.names(),
        [
            "anthropic",
            "gemini",
            "gemini-interactions",
            "llamacpp",
            "lmstudio",
            "mine",
            "offline",
            "ollama",
            "openai",
            "openai-chat",
            "vllm"
        ]
    );
    assert!(registry.get("mine").is_ok());
    let fault = registry.get("unknown").err().expect("unknown");
    assert_eq!(fault.code, "provider.unknown");
    assert!(fault.hint.expect("lists them").contains("`ollama`"));
    let mut changed = registry.settings();
    changed.get_mut("ollama").expect("there").base_url = Some("http://other:1/v1".into());
    let again = ProviderRegistry::new(&changed).expect("made");
    assert_eq!(again.settings(), changed);
}

#[test]
fn registry_rejects_invalid_settings() {
    for base_url in
        [None, Some(""), Some("box:9000"), Some("ftp://box/v1"), Some("http://"), Some("http://box/v1?key=1")]
    {
        let fault = ProviderRegistry::new(&settings(base_url)).err().expect("refused");
        assert_eq!(fault.code, "provider.bad_settings", "{base_url:?}");
        assert!(fault.message.contains("`mine`"), "{fault}");
    }
    let registry = ProviderRegistry::new(&BTreeMap::new()).expect("made");
    assert_eq!(registry.set_session_key("offline", "k").expect_err("none").code, "provider.no_key");
    assert_eq!(registry.set_session_key("unknown", "k").expect_err("none").code, "provider.unknown");
    assert_eq!(registry.set_session_key("openai", "two\nlines").expect_err("none").code, "keys.bad_key");
    assert!(registry.set_session_key("openai", "k").is_ok());
}
