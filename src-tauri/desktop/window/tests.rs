use super::*;

#[test]
fn the_page_is_told_what_to_open() {
    let path = "/a b/ü&c#.flow.json";
    let url = Url::parse(&format!("tauri://localhost/{}", page(&Start::Flow(path.into())))).unwrap();
    assert_eq!(url.query_pairs().collect::<Vec<_>>(), [("open".into(), path.into())]);
    assert_eq!(page(&Start::Empty), "index.html");
}

#[test]
fn only_our_own_page_is_loaded() {
    let ours = |url: &str| is_ours(&Url::parse(url).unwrap());
    assert!(ours("tauri://localhost/index.html?open=%2Fa"));
    assert!(ours("http://tauri.localhost/"));
    assert!(!ours("https://example.org/"));
    assert!(!ours("http://tauri.localhost.example.org/"));
    assert!(!ours("file:///etc/passwd"));
    assert!(!ours("about:srcdoc"));
}
