use super::*;

async fn read_all(mut bytes: &[u8]) -> Result<Vec<Result<String, String>>, String> {
    let mut read = Vec::new();
    loop {
        match read_message(&mut bytes).await {
            Ok(None) => return Ok(read),
            Ok(Some(Ok(message))) => read.push(Ok(message.command)),
            Ok(Some(Err(error))) => read.push(Err(error.code.to_string())),
            Err(error) => return Err(error.message),
        }
    }
}

fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn messages_are_read_one_after_the_other() {
    let threads = framed(r#"{"seq":1,"type":"request","command":"threads","more":[]}"#);
    let garbage = framed("{ no message");
    let text = format!("{threads}{garbage}content-length: 2\nContent-Type: x\n\n{{}}{threads}");
    let expected = vec![
        Ok("threads".to_owned()),
        Err("dap.protocol".to_owned()),
        Err("dap.protocol".to_owned()),
        Ok("threads".to_owned()),
    ];
    assert_eq!(read_all(text.as_bytes()).await.unwrap(), expected);
    // The editor went away in the middle of a message.
    assert_eq!(read_all(&threads.as_bytes()[..40]).await.unwrap(), vec![]);
}

#[tokio::test]
async fn what_is_no_frame_ends_the_session() {
    for text in [
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
        "Host: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 99999999999\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "\r\n\r\n",
        "Content-Length",
    ] {
        assert!(read_all(text.as_bytes()).await.is_err(), "{text}");
    }
    assert!(read_all(&[b'x'; 5_000]).await.is_err());
    assert!(read_all("Content-Type: x\r\n".repeat(40).as_bytes()).await.is_err());
}
