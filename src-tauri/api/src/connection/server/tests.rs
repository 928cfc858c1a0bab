use serde_json::json;

use super::caught;

#[tokio::test]
async fn command_that_panics_answers_with_an_error() {
    let broken = caught(async { panic!("a mistake in Plait") }).await;
    assert_eq!(broken.unwrap_err().code.as_str(), "owner.panicked");
    assert_eq!(caught(async { Ok(json!(1)) }).await.unwrap(), json!(1));
}
