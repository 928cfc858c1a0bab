use super::*;

fn settings(base_url: Option<&str>) -> BTreeMap<String, ProviderSettings> {
    let one = ProviderSettings {
        base_url: base_url.map(str::to_owned),
        ..ProviderSettings::of(ProviderKind::OpenAi)
    };
    BTreeMap::from([("mine".to_owned(), one)])
}

#[test]
fn settings_come_over_what_is_built_in() {
    let table = ProviderTable::new(&settings(Some("http://box:9000/v1"))).expect("made");
    assert_eq!(
        table.names(),
        [
            "anthropic",
            "gemini",
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
    assert!(table.get("mine").is_ok());
    let fault = table.get("nobody").err().expect("unknown");
    assert_eq!(fault.code, "provider.unknown");
    assert!(fault.hint.expect("names them").contains("`ollama`"));
    let mut changed = table.settings();
    changed.get_mut("ollama").expect("there").base_url = Some("http://other:1/v1".into());
    let again = ProviderTable::new(&changed).expect("made");
    assert_eq!(again.settings(), changed);
}

#[test]
fn wrong_settings_are_told() {
    for base_url in
        [None, Some(""), Some("box:9000"), Some("ftp://box/v1"), Some("http://"), Some("http://box/v1?key=1")]
    {
        let fault = ProviderTable::new(&settings(base_url)).err().expect("refused");
        assert_eq!(fault.code, "provider.bad_settings", "{base_url:?}");
        assert!(fault.message.contains("`mine`"), "{fault}");
    }
    let table = ProviderTable::new(&BTreeMap::new()).expect("made");
    assert_eq!(table.set_key("offline", "k").expect_err("none").code, "provider.no_key");
    assert_eq!(table.set_key("nobody", "k").expect_err("none").code, "provider.unknown");
    assert_eq!(table.set_key("openai", "two\nlines").expect_err("none").code, "keys.bad_key");
    assert!(table.set_key("openai", "k").is_ok());
}
