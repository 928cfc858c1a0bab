use super::*;

#[test]
fn origin_parses_every_form() {
    for (value, expected) in [
        ("0.0.0.0", Some("http://127.0.0.1:11434/")),
        ("  box ", Some("http://box:11434/")),
        (":1234", Some("http://127.0.0.1:1234/")),
        ("box:80", Some("http://box/")),
        ("\"box:1234\"", Some("http://box:1234/")),
        ("http://box", Some("http://box/")),
        ("https://box:1/some/path", Some("https://box:1/")),
        ("[::1]:1234", Some("http://[::1]:1234/")),
        ("", None),
        ("''", None),
        ("ftp://box", None),
        ("box:none", None),
    ] {
        assert_eq!(origin(value).as_ref().map(Url::as_str), expected, "{value}");
    }
}
