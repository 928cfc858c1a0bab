use super::*;

#[test]
fn page_url_names_the_flow_to_open() {
    let path = "/a b/ü&c#.flow.json";
    let url =
        Url::parse(&format!("tauri://localhost/{}", page_url(&InitialFlow::File(path.into())))).unwrap();
    assert_eq!(url.query_pairs().collect::<Vec<_>>(), [("open".into(), path.into())]);
    assert_eq!(page_url(&InitialFlow::None), "index.html");
}

#[test]
fn navigation_is_limited_to_the_own_page() {
    let is_own = |url: &str| is_own_page(&Url::parse(url).unwrap());
    assert!(is_own("tauri://localhost/index.html?open=%2Fa"));
    assert!(is_own("http://tauri.localhost/"));
    assert!(!is_own("https://example.org/"));
    assert!(!is_own("http://tauri.localhost.example.org/"));
    assert!(!is_own("file:///etc/passwd"));
    assert!(!is_own("about:srcdoc"));
}
