//! The guard against servers on loopback addresses: 127.0.0.1 plays the public internet, the others are refused.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

const PUBLIC: Ipv4Addr = Ipv4Addr::LOCALHOST;
const PRIVATE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A server that records requests and answers each with the next response.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(address: Ipv4Addr, port: u16, responses: Vec<String>) -> Self {
        let listener = TcpListener::bind((address, port)).await.expect("bound");
        let port = listener.local_addr().expect("address").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            for response in responses {
                let (mut socket, _) = listener.accept().await.expect("accepted");
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n") && socket.read_exact(&mut byte).await.is_ok() {
                    head.push(byte[0]);
                }
                seen.lock().push(String::from_utf8_lossy(&head).into_owned());
                // The client may have gone.
                let _ = socket.write_all(response.as_bytes()).await;
            }
        });
        Self { port, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }
}

fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn redirect(status: u16, location: &str) -> String {
    format!(
        "HTTP/1.1 {status} Moved\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
}

fn is_not_127_0_0_1(address: IpAddr) -> bool {
    address != IpAddr::V4(PUBLIC)
}

/// A client whose resolver answers with these addresses, one list after the other. Also counts the lookups.
fn client(policy: &[&str], answers: &[&[Ipv4Addr]]) -> (GuardedClient, Arc<AtomicUsize>) {
    let answers: Vec<Vec<IpAddr>> =
        answers.iter().map(|list| list.iter().copied().map(IpAddr::V4).collect()).collect();
    let count = Arc::new(AtomicUsize::new(0));
    let lookups = Arc::clone(&count);
    let lookup: Lookup = Arc::new(move |_| {
        let at = lookups.fetch_add(1, Ordering::SeqCst);
        let answer = answers[at.min(answers.len() - 1)].clone();
        Box::pin(std::future::ready(Ok(answer)))
    });
    let allowed = policy.iter().map(|host| host.parse().expect("host")).collect();
    (GuardedClient::with_lookup(AddressPolicy::allowing(allowed), lookup, is_not_127_0_0_1), count)
}

fn get(url: &str) -> GuardedRequest {
    GuardedRequest {
        method: Method::GET,
        url: Url::parse(url).expect("url"),
        headers: HeaderMap::new(),
        body: None,
        max_bytes: 1_000,
        truncate: false,
    }
}

async fn code(client: &GuardedClient, request: GuardedRequest) -> String {
    client
        .send(request, &CallGrants::default())
        .await
        .map_or_else(|fault| fault.code.to_string(), |response| format!("{}", response.status))
}

#[tokio::test]
async fn request_has_exactly_these_bytes() {
    let server = Server::start(PUBLIC, 0, vec![ok("hello")]).await;
    let (client, lookups) = client(&[], &[&[PUBLIC]]);
    let url = format!("http://name.test:{}/a?b=c", server.port);
    let response = client.send(get(&url), &CallGrants::default()).await.expect("answered");
    assert_eq!(
        (response.body.as_slice(), response.media_type().as_str()),
        (b"hello".as_slice(), "text/plain")
    );
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "GET /a?b=c HTTP/1.1\r\naccept: */*\r\nuser-agent: plait/{version}\r\nhost: name.test:{}\r\n\r\n",
        server.port
    );
    assert_eq!(server.requests(), [expected]);
    assert_eq!(lookups.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn private_addresses_are_refused_in_every_spelling() {
    let client = GuardedClient::new(AddressPolicy::default());
    let server = Server::start(PUBLIC, 0, vec![ok("secret")]).await;
    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "0x7f.1",
        "127.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::]",
        "169.254.169.254",
        "１２７.０.０.１",
        "127。0。0。1",
    ] {
        let url = format!("http://{host}:{}/", server.port);
        assert_eq!(code(&client, get(&url)).await, "tool.address_refused", "{host}");
    }
    assert_eq!(server.requests(), [""; 0]);
    assert_eq!(code(&client, get("file:///etc/passwd")).await, "tool.bad_url");
}

#[tokio::test]
async fn allowed_hosts_are_requested() {
    let server = Server::start(PUBLIC, 0, vec![ok("a"), ok("b")]).await;
    let client = GuardedClient::new(AddressPolicy::allowing(vec!["127.0.0.1".parse().expect("host")]));
    let url = format!("http://127.0.0.1:{}/", server.port);
    assert_eq!(code(&client, get(&url)).await, "200 OK");
    client.set_policy(AddressPolicy::allowing(vec!["127.0.0.1:1".parse().expect("host")]));
    assert_eq!(code(&client, get(&url)).await, "tool.address_refused");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn one_private_address_among_others_refuses_a_name() {
    let server = Server::start(PUBLIC, 0, vec![ok("a")]).await;
    let (client, _) = client(&[], &[&[PUBLIC, PRIVATE]]);
    let fault = client
        .send(get(&format!("http://mixed.test:{}/", server.port)), &CallGrants::default())
        .await
        .expect_err("refused");
    assert_eq!(fault.code.as_str(), "tool.address_refused");
    assert!(fault.message.contains("`mixed.test` has the address 127.0.0.2"), "{fault}");
    assert_eq!(server.requests(), [""; 0]);
}

#[tokio::test]
async fn rebinding_name_connects_to_the_address_that_was_checked() {
    let public = Server::start(PUBLIC, 0, vec![redirect(302, "/again"), ok("never")]).await;
    let private = Server::start(PRIVATE, public.port, vec![ok("secret")]).await;
    // The first answer is public, every later one private.
    let (client, lookups) = client(&[], &[&[PUBLIC], &[PRIVATE]]);
    let url = format!("http://rebind.test:{}/", public.port);
    assert_eq!(code(&client, get(&url)).await, "tool.address_refused");
    assert_eq!(public.requests().len(), 1);
    assert_eq!(private.requests(), [""; 0]);
    assert_eq!(lookups.load(Ordering::SeqCst), 2, "one lookup for the request, one for the redirect");
}

#[tokio::test]
async fn redirects_to_private_addresses_are_refused() {
    for target in
        ["http://127.0.0.2:9/", "http://[::1]/", "//169.254.169.254/latest/meta-data", "http://2130706434/"]
    {
        let server = Server::start(PUBLIC, 0, vec![redirect(302, target)]).await;
        let (client, _) = client(&[], &[&[PUBLIC]]);
        let url = format!("http://name.test:{}/", server.port);
        assert_eq!(code(&client, get(&url)).await, "tool.address_refused", "{target}");
        assert_eq!(server.requests().len(), 1);
    }
    let server = Server::start(PUBLIC, 0, vec![redirect(302, "file:///etc/passwd")]).await;
    let (client, _) = client(&[], &[&[PUBLIC]]);
    assert_eq!(code(&client, get(&format!("http://name.test:{}/", server.port))).await, "tool.bad_url");
}

#[tokio::test]
async fn redirects_to_another_host_lose_the_headers() {
    let other = Server::start(PUBLIC, 0, vec![ok("done")]).await;
    let first = Server::start(
        PUBLIC,
        0,
        vec![redirect(301, "/same"), redirect(308, &format!("http://other.test:{}/x", other.port))],
    )
    .await;
    let (client, _) = client(&[], &[&[PUBLIC]]);
    let mut request = get(&format!("http://name.test:{}/", first.port));
    request.headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer secret"));
    assert_eq!(code(&client, request).await, "200 OK");
    assert!(first.requests().iter().all(|head| head.contains("authorization: Bearer secret")));
    assert_eq!((first.requests().len(), other.requests().len()), (2, 1));
    assert!(!other.requests()[0].contains("secret"), "{:?}", other.requests());
}

#[tokio::test]
async fn redirects_end() {
    let server = Server::start(PUBLIC, 0, vec![redirect(302, "/"); 10]).await;
    let (client, _) = client(&[], &[&[PUBLIC]]);
    let url = format!("http://name.test:{}/", server.port);
    assert_eq!(code(&client, get(&url)).await, "tool.redirected");
    assert_eq!(server.requests().len(), 6);
    let server = Server::start(PUBLIC, 0, vec![redirect(307, "/again"), ok("never")]).await;
    let post = GuardedRequest {
        method: Method::POST,
        body: Some(b"{}".to_vec()),
        ..get(&format!("http://name.test:{}/", server.port))
    };
    assert_eq!(code(&client, post).await, "tool.redirected");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn large_answers_are_refused_or_cut() {
    let body = "x".repeat(1_001);
    let server = Server::start(PUBLIC, 0, vec![ok(&body), ok(&body), ok(&body[1..])]).await;
    let (client, _) = client(&[], &[&[PUBLIC]]);
    let url = format!("http://name.test:{}/", server.port);
    assert_eq!(code(&client, get(&url)).await, "tool.too_large");
    let cut = client
        .send(GuardedRequest { truncate: true, ..get(&url) }, &CallGrants::default())
        .await
        .expect("cut");
    assert_eq!((cut.body.len(), cut.truncated), (1_000, true));
    let whole = client.send(get(&url), &CallGrants::default()).await.expect("whole");
    assert_eq!((whole.body.len(), whole.truncated), (1_000, false));
}

#[tokio::test]
async fn unreachable_servers_are_a_fault_that_may_pass() {
    let (client, _) = client(&[], &[&[PUBLIC]]);
    // Nothing listens on a port that was just free.
    let port = TcpListener::bind((PUBLIC, 0)).await.expect("bound").local_addr().expect("address").port();
    let fault = client
        .send(get(&format!("http://name.test:{port}/?key=v")), &CallGrants::default())
        .await
        .expect_err("failed");
    assert_eq!((fault.code.as_str(), fault.retryable), ("tool.request_failed", true));
    assert!(!fault.message.contains("key"), "{fault}");
}
