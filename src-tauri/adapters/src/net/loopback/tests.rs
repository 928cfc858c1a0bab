use super::*;

#[test]
fn only_names_and_addresses_of_this_machine_are_loopback() {
    for (url, expected) in [
        ("http://localhost:1/v1", true),
        ("http://app.localhost/", true),
        ("http://127.0.0.1:8000", true),
        ("http://127.9.9.9", true),
        ("http://[::1]:1234/", true),
        ("http://localhost.example.com/", false),
        ("http://192.168.0.1/", false),
        ("https://api.openai.com/v1", false),
    ] {
        assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
    }
}
