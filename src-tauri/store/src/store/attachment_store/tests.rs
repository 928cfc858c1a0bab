use plait_core::hash::content_hash;

use super::*;

#[tokio::test]
async fn damaged_bytes_count_as_missing_until_they_are_stored_again() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).unwrap();
    let bytes: Arc<[u8]> = Arc::from(b"photo".as_slice());
    let hash = AttachmentHash::from(content_hash(&bytes));
    store.put(&hash, Arc::clone(&bytes)).await.unwrap();
    assert_eq!(store.get(&hash).await, Ok(Arc::clone(&bytes)));
    let path = home.path().join("attachments").join(&hash.as_str()[..2]).join(hash.as_str());
    std::fs::write(path, b"phot0").unwrap();
    assert_eq!(store.get(&hash).await.unwrap_err().code, codes::ATTACHMENT_MISSING);
    store.put(&hash, Arc::clone(&bytes)).await.unwrap();
    assert_eq!(store.get(&hash).await, Ok(bytes));
    assert_eq!(store.get(&"../settings".into()).await.unwrap_err().code, codes::ATTACHMENT_MISSING);
}
