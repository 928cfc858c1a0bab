//! Proxies that the environment names and that let nothing through: `plait providers test` names the problem, and no
//! request goes around them. Without a proxy it reports an unknown host.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use crate::support::binary::{CliOutput, Home};

/// A host that resolves to nothing: only a proxy could reach it.
const URL: &str = "http://models.invalid/v1";

/// Tests a provider there, with these variables.
fn test_with(variables: &[(&str, &str)]) -> CliOutput {
    let home = Home::default();
    let added = home.plait(&["providers", "add", "mine", "--kind", "openai-chat", "--url", URL]);
    assert_eq!(added.code, 0, "{added:#?}");
    home.command(&["providers", "test", "mine"]).envs(variables.iter().copied()).output().unwrap().into()
}

/// Answers every request with 407.
fn locked_proxy() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(|socket| refuse(&socket)));
    format!("http://{address}")
}

fn refuse(mut socket: &TcpStream) {
    let head = BufReader::new(socket).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    head.for_each(drop);
    let answer =
        b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    socket.write_all(answer).unwrap();
}

#[test]
fn proxy_that_wants_a_password_is_named() {
    let proxy = locked_proxy();
    let tested = test_with(&[("HTTP_PROXY", &proxy)]);
    assert_eq!(tested.code, 1, "{tested:#?}");
    assert!(tested.err.contains("error[provider.proxy]"), "{tested:#?}");
    assert!(tested.err.contains(&proxy) && tested.err.contains("407"), "{tested:#?}");
    assert!(tested.err.contains("USER:PASSWORD") && tested.err.contains("HTTP_PROXY"), "{tested:#?}");
}

#[test]
fn proxy_that_cannot_be_used_is_refused_before_the_call() {
    for (variable, proxy, why) in [
        ("HTTP_PROXY", "http://:80:90", "is no URL of a proxy"),
        ("ALL_PROXY", "socks5://127.0.0.1:9", "`socks5`"),
    ] {
        let tested = test_with(&[(variable, proxy)]);
        assert_eq!(tested.code, 1, "{tested:#?}");
        assert!(tested.err.contains("error[provider.proxy]"), "{tested:#?}");
        assert!(tested.err.contains(variable) && tested.err.contains(why), "{tested:#?}");
    }
}

#[test]
fn unknown_host_is_named() {
    let tested = test_with(&[]);
    assert_eq!(tested.code, 1, "{tested:#?}");
    assert!(tested.err.contains("error[provider.unreachable]"), "{tested:#?}");
    assert!(tested.err.contains("models.invalid"), "{tested:#?}");
}
