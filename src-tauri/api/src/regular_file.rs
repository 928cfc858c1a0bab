//! Files that others may have written: read whole, if they are files and not too large. A pipe or a device would never end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The bytes of a file. The error says why not, without the name of the file.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let text = |error: io::Error| error.to_string();
    // Before it is opened: opening a pipe waits for its other end.
    let metadata = std::fs::metadata(path).map_err(text)?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a folder" } else { "no regular file" };
        return Err(format!("it is {what}"));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(text)?;
    // It may have grown since.
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {most} bytes"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
