#[test]
fn content_hash_matches_sha256sum() {
    assert_eq!(
        super::content_hash(b"plait\n"),
        "4a52d1ad9ca9a5d69390c0fa7257a9ea7b1d499a3e29969e20e4f399254ae752"
    );
}
