//! The secret of a tenant, and what it signs: receivers know by it that a callback is the host's, and not an old one.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plait_api::ErrorReply;
use plait_store::{atomic_file, private_files};

use crate::codes;

const FILE: &str = "callback-secret";
const SECRET_BYTES: usize = 32;

pub(crate) struct Secret(String);

impl Secret {
    /// Reads the secret in a folder, or makes it. `host.callback_secret`.
    pub(super) fn of(folder: &Path) -> Result<Self, ErrorReply> {
        let path = folder.join(FILE);
        let failed = |error: &dyn std::fmt::Display| {
            let message =
                format!("The secret of the callbacks, `{}`, cannot be used: {error}.", path.display());
            ErrorReply::new(codes::HOST_CALLBACK_SECRET, message)
        };
        let read = || std::fs::read_to_string(&path).map(|text| Self(text.trim().to_owned()));
        match read() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            read => return read.map_err(|error| failed(&error)),
        }
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| failed(&error))?;
        private_files::create_folder(folder).map_err(|error| failed(&error))?;
        match atomic_file::create(&path, format!("{}\n", URL_SAFE_NO_PAD.encode(bytes)).as_bytes()) {
            Ok(()) => private_files::restrict(&path).map_err(|error| failed(&error))?,
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&error)),
        }
        read().map_err(|error| failed(&error))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// `t=SECONDS,v1=HEX`: the time since 1970, and HMAC-SHA256 of the time, a dot and the body, with the text of the secret as the key.
    pub(crate) fn signature(&self, at: i64, body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.as_bytes());
        let mut context = hmac::Context::with_key(&key);
        context.update(format!("{at}.").as_bytes());
        context.update(body);
        let mut signature = format!("t={at},v1=");
        for byte in context.sign().as_ref() {
            // Writing to a string does not fail.
            let _ = write!(signature, "{byte:02x}");
        }
        signature
    }
}

#[cfg(test)]
mod tests;
