//! A server of the Chat Completions protocol that records when it has received a request, and answers each one alike.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::talk::SAID;
use super::workload::BenchError;

/// A received request.
pub struct Received {
    /// When it was complete.
    pub at: Instant,
    pub body: Vec<u8>,
}

/// Its threads end with the process.
pub struct Server {
    address: SocketAddr,
    requests: mpsc::Receiver<Received>,
}

impl Server {
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let (sender, requests) = mpsc::channel();
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let sender = sender.clone();
                // The client reports an error of the connection.
                std::thread::spawn(move || drop(serve(connection, &sender)));
            }
        });
        Ok(Self { address, requests })
    }

    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn chat_url(&self) -> String {
        format!("{}/v1/chat/completions", self.address())
    }

    /// Returns the next request, which has been answered.
    pub fn next_request(&self) -> Result<Received, BenchError> {
        Ok(self.requests.recv_timeout(Duration::from_secs(10))?)
    }
}

fn serve(mut connection: TcpStream, sender: &mpsc::Sender<Received>) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection.try_clone()?);
    while let Some(length) = read_head(&mut reader)? {
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        // The receiver may be gone.
        let _ = sender.send(Received { at: Instant::now(), body });
        let answer = answer();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        connection.write_all(&[head.as_bytes(), answer.as_bytes()].concat())?;
    }
    Ok(())
}

/// Reads the head of a request and returns the length of the body, or nothing after the last request.
fn read_head(reader: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Some(length));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
}

fn answer() -> String {
    let choice = |delta: serde_json::Value, reason: Option<&str>| {
        let chunk =
            serde_json::json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
        format!("data: {chunk}\n\n")
    };
    let text = choice(serde_json::json!({ "role": "assistant", "content": SAID }), None);
    text + &choice(serde_json::json!({}), Some("stop")) + "data: [DONE]\n\n"
}
