use secrecy::ExposeSecret as _;

use super::*;

fn list(home: &Path) -> HostList {
    HostList { home: home.to_owned(), keys: KeyStore::in_file(home, None) }
}

#[tokio::test]
async fn host_is_kept_with_its_token_until_it_is_removed() {
    let home = tempfile::tempdir().unwrap();
    let token = SecretString::from("secret-of-the-host");
    list(home.path()).add("team", "https://plait.example.com/", &token).await.unwrap();
    let hosts = list(home.path());
    assert_eq!(hosts.list().unwrap()["team"].url, "https://plait.example.com");
    let file = std::fs::read_to_string(home.path().join(FILE_NAME)).unwrap();
    assert!(!file.contains("secret"), "{file}");
    let access = hosts.access("team").await.unwrap();
    assert_eq!(
        (access.url.as_str(), access.token.expose_secret()),
        ("https://plait.example.com", "secret-of-the-host")
    );
    // A token is for one address.
    std::fs::write(home.path().join(FILE_NAME), file.replace("plait.example", "other.example")).unwrap();
    assert_eq!(hosts.access("team").await.err().unwrap().code.as_str(), "hosts.no_token");
    std::fs::write(home.path().join(FILE_NAME), file).unwrap();
    hosts.remove("team").await.unwrap();
    assert_eq!(hosts.access("team").await.err().unwrap().code.as_str(), "hosts.unknown");
    hosts.add("team", "https://plait.example.com", &SecretString::from("another")).await.unwrap();
    assert_eq!(hosts.access("team").await.unwrap().token.expose_secret(), "another");
}

#[tokio::test]
async fn addresses_and_names_that_no_host_has_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let (hosts, token) = (list(home.path()), SecretString::from("token"));
    for (name, url, code) in [
        ("team", "http://plait.example.com", "hosts.bad_address"),
        ("team", "ftp://plait.example.com", "hosts.bad_address"),
        ("team", "plait.example.com", "hosts.bad_address"),
        ("team", "https://ann:secret@plait.example.com", "hosts.bad_address"),
        ("team", "https://plait.example.com?a=b", "hosts.bad_address"),
        ("a team", "https://plait.example.com", "hosts.bad_name"),
        ("", "https://plait.example.com", "hosts.bad_name"),
    ] {
        assert_eq!(hosts.add(name, url, &token).await.unwrap_err().code.as_str(), code, "{name} {url}");
    }
    assert!(hosts.list().unwrap().is_empty());
    hosts.add("here", "http://127.0.0.1:8080", &token).await.unwrap();
    std::fs::write(home.path().join(FILE_NAME), "[").unwrap();
    assert_eq!(hosts.list().unwrap_err().code.as_str(), "hosts.unreadable");
}
