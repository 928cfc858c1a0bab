use super::*;

fn parse(text: &str) -> IpAddr {
    text.parse().expect("address")
}

#[test]
fn addresses_that_are_not_public_are_refused() {
    for text in [
        "127.0.0.1",
        "127.255.255.255",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "192.0.0.192",
        "198.18.0.1",
        "203.0.113.5",
        "224.0.0.1",
        "255.255.255.255",
        "240.0.0.1",
        "168.63.129.16",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "fe80::1",
        "fec0::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2001:0:1::1",
        "2001:db8::1",
        "3fff::1",
        "100::1",
        "4000::1",
    ] {
        assert!(is_refused(parse(text)), "{text}");
    }
    for text in [
        "1.1.1.1",
        "8.8.8.8",
        "172.32.0.1",
        "100.128.0.1",
        "192.0.1.1",
        "198.20.0.1",
        "168.63.129.17",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::",
    ] {
        assert!(!is_refused(parse(text)), "{text}");
    }
}

#[test]
fn allowed_hosts_are_read_and_matched() {
    let allows = |allowed: &str, url: &str| {
        let policy = AddressPolicy::allowing(vec![allowed.parse().expect("host")]);
        policy.allows(&Url::parse(url).expect("url"))
    };
    assert!(allows("localhost", "http://LOCALHOST:8080/x"));
    assert!(allows("localhost:8080", "http://localhost:8080/x"));
    assert!(!allows("localhost:8080", "http://localhost:8081/x"));
    assert!(!allows("localhost", "http://localhost.evil.test/"));
    assert!(!allows("localhost", "http://evil.test/localhost"));
    assert!(allows("localhost:80", "http://localhost/"));
    assert!(allows("localhost:443", "https://localhost/"));
    assert!(!allows("localhost:80", "https://localhost/"));
    assert!(allows("127.0.0.1", "http://2130706433/"));
    assert!(!allows("127.0.0.1", "http://127.0.0.2/"));
    assert!(allows("[::1]:80", "http://[0:0:0:0:0:0:0:1]/"));
    assert!(allows("[::1]", "http://[::1]:99/"));
    for text in ["", "*", "http://a", "a/b", "user@a", "a:99999", "a:", "a b"] {
        assert!(text.parse::<AllowedHost>().is_err(), "{text}");
    }
    assert_eq!("localhost:80".parse::<AllowedHost>().expect("host").to_string(), "localhost:80");
}
