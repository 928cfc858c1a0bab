use super::ProxySetting;

fn read(base_url: &str, environment: &[(&str, &str)]) -> ProxySetting {
    ProxySetting::read(base_url, |name| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

fn proxy(variable: &str, url: &str) -> ProxySetting {
    ProxySetting::Proxy { variable: variable.into(), url: url.into() }
}

#[test]
fn proxy_is_that_of_the_scheme() {
    let both = [("HTTP_PROXY", "http://a:1"), ("HTTPS_PROXY", "user:secret@b:2")];
    assert_eq!(read("http://models.example/v1", &both), proxy("HTTP_PROXY", "http://a:1"));
    assert_eq!(read("https://models.example/v1", &both), proxy("HTTPS_PROXY", "http://b:2"));
    assert_eq!(
        read("https://models.example", &[("all_proxy", "https://c:3")]),
        proxy("all_proxy", "https://c:3")
    );
    assert_eq!(read("https://models.example", &[("HTTP_PROXY", "http://a:1")]), ProxySetting::Direct);
    assert_eq!(read("https://models.example", &[("HTTPS_PROXY", "  ")]), ProxySetting::Direct);
}

#[test]
fn excluded_host_goes_without_a_proxy() {
    let environment = [("ALL_PROXY", "http://a:1"), ("NO_PROXY", "localhost, .example")];
    assert_eq!(read("https://models.example/v1", &environment), ProxySetting::Direct);
    assert_eq!(read("https://models.test/v1", &environment), proxy("ALL_PROXY", "http://a:1"));
}

#[test]
fn unusable_proxy_is_named() {
    for (value, what) in
        [("http://:80:90", "is no URL"), ("http://", "is no URL"), ("socks5://a:1", "`socks5`")]
    {
        let ProxySetting::Unusable { variable, why } =
            read("https://models.example", &[("HTTPS_PROXY", value)])
        else {
            panic!("{value}")
        };
        assert_eq!(variable, "HTTPS_PROXY");
        assert!(why.contains(what), "{value}: {why}");
    }
}
