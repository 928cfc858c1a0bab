//! What fails on purpose, in each way that the search must notice.

use super::Handler;

pub(super) const SEEDS: &[&str] = &["panic", "hang", "memory", "sound"];

/// More than a worker may use.
const TOO_MANY_BYTES: usize = 600 << 20;

pub(super) struct BrokenHandler;

impl Handler for BrokenHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        Ok(match input {
            b"panic" => panic!("on purpose"),
            b"hang" => loop {
                std::hint::spin_loop();
            },
            b"memory" => vec![1_u8; TOO_MANY_BYTES].len().to_string(),
            _ => String::new(),
        })
    }
}
