use super::*;
use crate::codes;

#[tokio::test]
async fn damaged_bytes_count_as_missing_until_they_are_stored_again() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).unwrap();
    let bytes: Arc<[u8]> = Arc::from(b"photo".as_slice());
    let hash = AttachmentHash::from(content_hash(&bytes));
    store.put(&hash, Arc::clone(&bytes)).await.unwrap();
    assert_eq!(store.get(&hash).await, Ok(Arc::clone(&bytes)));
    std::fs::write(path_of(home.path(), &hash).unwrap(), b"phot0").unwrap();
    assert_eq!(store.get(&hash).await.unwrap_err().code, codes::ATTACHMENT_MISSING);
    store.put(&hash, Arc::clone(&bytes)).await.unwrap();
    assert_eq!(store.get(&hash).await, Ok(bytes));
    assert_eq!(store.get(&"../settings".into()).await.unwrap_err().code, codes::ATTACHMENT_MISSING);
}
