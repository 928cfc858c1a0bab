//! A server whose every reply comes a token at a time. A token is the moment at which it was sent, as six letters and digits:
//! microseconds in base 36, of which half an hour is kept.

use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::{PACE, TOKENS, Wrong};

/// Serves until the process is ended. Prints where.
pub fn serve() -> Result<(), Wrong> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("http://{}", listener.local_addr()?);
        std::io::stdout().flush()?;
        Ok(answer(listener).await?)
    })
}

/// Answers whoever asks.
pub async fn answer(listener: TcpListener) -> std::io::Result<()> {
    loop {
        let (connection, _) = listener.accept().await?;
        // A client that goes away is met by itself.
        tokio::spawn(async move { drop(reply(connection).await) });
    }
}

/// Microseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// How many moments are told apart.
const MOMENTS: u64 = 36_u64.pow(6);

/// A moment as a token.
fn written(moment: u64) -> String {
    let digit = |at: u32| {
        let digit = moment % MOMENTS / 36_u64.pow(at) % 36;
        u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 36)).unwrap_or('0')
    };
    (0..6).rev().map(digit).collect()
}

/// How long ago a token was sent, in microseconds; nothing of what is none.
pub fn age(token: &str) -> Option<u64> {
    let sent = u64::from_str_radix(token, 36).ok().filter(|_| token.len() == 6)?;
    Some((now() % MOMENTS + MOMENTS - sent) % MOMENTS)
}

async fn reply(connection: TcpStream) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut connection = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        connection.read_line(&mut line).await?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    connection.read_exact(&mut vec![0; length]).await?;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".as_bytes();
    connection.write_all(head).await?;
    let mut pace = tokio::time::interval(PACE);
    for _ in 0..TOKENS {
        pace.tick().await;
        let token = format!("{} ", written(now()));
        connection.write_all(event(&json!({ "content": token }), None).as_bytes()).await?;
    }
    connection.write_all((event(&json!({}), Some("stop")) + "data: [DONE]\n\n").as_bytes()).await?;
    connection.shutdown().await
}

fn event(delta: &Value, reason: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
    let chunk = json!({ "id": "1", "object": "chat.completion.chunk", "model": "m", "choices": [choice] });
    format!("data: {chunk}\n\n")
}
