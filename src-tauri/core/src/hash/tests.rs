#[test]
fn content_hash_matches_sha256sum() {
    assert_eq!(
        super::content_hash(b"plait\n"),
        "4a52d1ad9ca9a5d69390c0fa7257a9ea7b1d499a3e29969e20e4f399254ae752"
    );
}

#[test]
fn hash_of_parts_is_that_of_the_whole() {
    let mut hasher = super::ContentHasher::default();
    assert_eq!(hasher.hash(), super::content_hash(b""));
    hasher.append(b"pla");
    assert_eq!(hasher.hash(), super::content_hash(b"pla"), "it goes on afterwards");
    hasher.append(b"it\n");
    assert_eq!(hasher.hash(), super::content_hash(b"plait\n"));
}

#[test]
fn json_hash_is_that_of_the_text() {
    // Longer than the buffer before the hash.
    let value = serde_json::json!({ "text": "braid ".repeat(5_000), "list": [1, null, "é"] });
    assert_eq!(super::json_hash(&value).unwrap(), super::content_hash(value.to_string().as_bytes()));
}

#[test]
fn json_hash_refuses_what_is_no_json() {
    let keys_that_are_lists = std::collections::BTreeMap::from([(vec![1], 1)]);
    assert!(super::json_hash(&keys_that_are_lists).is_err());
}
