//! A model server that streams one token at a time. A token is the time at which it was sent, in microseconds modulo half an
//! hour, as six base 36 digits.

use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::{BenchError, TOKEN_INTERVAL, TOKENS};

/// Prints the URL and serves until the process is killed.
pub fn serve() -> Result<(), BenchError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("http://{}", listener.local_addr()?);
        std::io::stdout().flush()?;
        Ok(accept_all(listener).await?)
    })
}

/// Replies to every request.
pub async fn accept_all(listener: TcpListener) -> std::io::Result<()> {
    loop {
        let (connection, _) = listener.accept().await?;
        // A client may disconnect early.
        tokio::spawn(async move { drop(reply(connection).await) });
    }
}

/// Microseconds since 1970.
pub fn now() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_micros()).unwrap_or(u64::MAX)
}

/// The number of distinct tokens.
const TIME_RANGE: u64 = 36_u64.pow(6);

/// The token for a time in microseconds.
fn token(time: u64) -> String {
    let digit = |at: u32| {
        let digit = time % TIME_RANGE / 36_u64.pow(at) % 36;
        u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 36)).unwrap_or('0')
    };
    (0..6).rev().map(digit).collect()
}

/// How long ago a token was sent, in microseconds. `None` for other text.
pub fn age(token: &str) -> Option<u64> {
    let sent = u64::from_str_radix(token, 36).ok().filter(|_| token.len() == 6)?;
    Some((now() % TIME_RANGE + TIME_RANGE - sent) % TIME_RANGE)
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
    let mut interval = tokio::time::interval(TOKEN_INTERVAL);
    for _ in 0..TOKENS {
        interval.tick().await;
        let token = format!("{} ", token(now()));
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
