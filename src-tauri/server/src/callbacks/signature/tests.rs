use super::Secret;

#[test]
fn signature_is_that_of_openssl() {
    let signed = Secret("Jefe".to_owned()).signature(1_700_000_000, b"{\"status\":\"finished\"}");
    // printf '1700000000.{"status":"finished"}' | openssl dgst -sha256 -hmac Jefe
    assert_eq!(signed, "t=1700000000,v1=3f7eb813b46a3c375d13d6148cc3173629c8c41ca22bcf14c169576fe356f918");
}

#[test]
fn secret_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let first = Secret::of(folder.path()).unwrap();
    let second = Secret::of(folder.path()).unwrap();
    assert_eq!((first.text().len(), first.text()), (43, second.text()));
}
