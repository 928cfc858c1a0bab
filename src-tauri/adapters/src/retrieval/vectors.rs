//! The embeddings of a base, in a file of their own: appended as they are bought, and found by the hash of their text, so that
//! neither a moved passage nor a new index buys one again.
//!
//! ```text
//! header  "PLAITVEC" · dimensions u32 · 0 u32
//! record  hash u64 · CRC-32C of the numbers u32 · numbers f32 × dimensions
//! ```
//!
//! Numbers are little-endian. A record that fails its check is left out, and its text embedded again.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use plait_core::hash::content_hash;

use super::definition::EmbeddingModel;
use plait_store::private_files;

const MAGIC: &[u8; 8] = b"PLAITVEC";
const HEADER_BYTES: usize = 16;
const RECORD_HEADER_BYTES: usize = 12;
/// Larger files do not fit into memory beside everything else.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// The embeddings of one base by one model.
#[derive(Debug, Default)]
pub(super) struct Vectors {
    path: PathBuf,
    dimensions: usize,
    positions: HashMap<u64, usize>,
    /// All vectors, one after the other.
    numbers: Vec<f32>,
}

impl Vectors {
    /// The file of a model's embeddings in the folder of a base.
    pub(super) fn path(folder: &Path, model: &EmbeddingModel) -> PathBuf {
        let hash = content_hash(format!("{}\n{}", model.provider, model.model).as_bytes());
        let name = &hash[..16];
        folder.join(format!("vectors-{name}.bin"))
    }

    /// Reads the whole vectors of a file. A missing file is empty.
    pub(super) fn read(path: PathBuf) -> io::Result<Self> {
        let bytes = match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_FILE_BYTES => {
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the embeddings are too large"));
            }
            Ok(_) => fs::read(&path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut vectors = Self { path, ..Self::default() };
        let Some(header) = bytes.get(..HEADER_BYTES).filter(|header| header.starts_with(MAGIC)) else {
            return Ok(vectors);
        };
        vectors.dimensions = read_u32(&header[8..12]) as usize;
        if vectors.dimensions == 0 {
            return Ok(vectors);
        }
        let record_bytes = RECORD_HEADER_BYTES + vectors.dimensions * 4;
        for record in bytes[HEADER_BYTES..].chunks_exact(record_bytes) {
            let numbers = &record[RECORD_HEADER_BYTES..];
            if crc32c::crc32c(numbers) == read_u32(&record[8..12]) {
                let numbers = numbers
                    .chunks_exact(4)
                    .map(|bytes| f32::from_le_bytes(std::array::from_fn(|at| bytes[at])));
                vectors.put(u64::from_le_bytes(std::array::from_fn(|at| record[at])), numbers);
            }
        }
        Ok(vectors)
    }

    fn put(&mut self, hash: u64, numbers: impl Iterator<Item = f32>) {
        if !self.positions.contains_key(&hash) {
            self.positions.insert(hash, self.numbers.len());
            self.numbers.extend(numbers);
        }
    }

    pub(super) fn contains(&self, hash: u64) -> bool {
        self.positions.contains_key(&hash)
    }

    /// Adds embeddings, to the file first. Another number of dimensions replaces all: the model is another one.
    pub(super) fn append(&mut self, new: &[(u64, Vec<f32>)]) -> io::Result<()> {
        let Some(dimensions) = new.first().map(|(_, vector)| vector.len()) else { return Ok(()) };
        let mut bytes = Vec::new();
        let is_new_file = self.dimensions != dimensions || self.positions.is_empty();
        if is_new_file {
            let path = std::mem::take(&mut self.path);
            *self = Self { path, dimensions, ..Self::default() };
            bytes.extend_from_slice(MAGIC);
            bytes.extend_from_slice(&u32::try_from(dimensions).unwrap_or(u32::MAX).to_le_bytes());
            bytes.extend_from_slice(&[0; 4]);
        }
        for (hash, vector) in new {
            let numbers: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            bytes.extend_from_slice(&hash.to_le_bytes());
            bytes.extend_from_slice(&crc32c::crc32c(&numbers).to_le_bytes());
            bytes.extend_from_slice(&numbers);
        }
        let mut file = self.open_for_append(is_new_file)?;
        file.write_all(&bytes)?;
        file.sync_data()?;
        for (hash, vector) in new {
            self.put(*hash, vector.iter().copied());
        }
        Ok(())
    }

    fn open_for_append(&self, is_new_file: bool) -> io::Result<File> {
        if is_new_file {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            private_files::set_mode(&mut options);
            return options.open(&self.path);
        }
        let file = OpenOptions::new().append(true).open(&self.path)?;
        // A crash may have left a part of a record.
        let record_bytes = (RECORD_HEADER_BYTES + self.dimensions * 4) as u64;
        let length = file.metadata()?.len().saturating_sub(HEADER_BYTES as u64);
        file.set_len(HEADER_BYTES as u64 + length - length % record_bytes)?;
        Ok(file)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.positions.len()
    }

    /// How similar a passage is to `query`, from -1 to 1. `None` if it has no embedding.
    pub(super) fn similarity(&self, hash: u64, query: &[f32]) -> Option<f32> {
        let start = *self.positions.get(&hash)?;
        let vector = self.numbers.get(start..start + self.dimensions)?;
        (query.len() == vector.len()).then(|| vector.iter().zip(query).map(|(a, b)| a * b).sum())
    }
}

fn read_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|at| bytes[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let model = EmbeddingModel { provider: "local".to_owned(), model: "small".to_owned() };
        let path = Vectors::path(folder.path(), &model);
        (folder, path)
    }

    #[test]
    fn vectors_survive_reopening() {
        let (_folder, path) = file();
        let mut vectors = Vectors::read(path.clone()).unwrap();
        vectors.append(&[(1, vec![1.0, 0.0]), (2, vec![0.6, 0.8])]).unwrap();
        vectors.append(&[(3, vec![0.0, 1.0])]).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let vectors = Vectors::read(path).unwrap();
        assert_eq!(vectors.similarity(2, &[0.0, 1.0]), Some(0.8));
        assert_eq!(vectors.similarity(3, &[0.0, 1.0]), Some(1.0));
        assert_eq!(vectors.similarity(4, &[0.0, 1.0]), None);
    }

    #[test]
    fn damaged_records_are_left_out_and_torn_ones_cut() {
        let (_folder, path) = file();
        let mut vectors = Vectors::read(path.clone()).unwrap();
        vectors.append(&[(1, vec![1.0, 0.0]), (2, vec![0.6, 0.8])]).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        bytes[HEADER_BYTES + RECORD_HEADER_BYTES] ^= 1;
        bytes.extend_from_slice(b"torn");
        fs::write(&path, bytes).unwrap();
        let mut vectors = Vectors::read(path.clone()).unwrap();
        assert!(!vectors.contains(1) && vectors.contains(2));
        vectors.append(&[(1, vec![1.0, 0.0])]).unwrap();
        let vectors = Vectors::read(path).unwrap();
        assert!(vectors.contains(1) && vectors.contains(2));
    }

    #[test]
    fn other_dimensions_replace_the_file() {
        let (_folder, path) = file();
        Vectors::read(path.clone()).unwrap().append(&[(1, vec![1.0, 0.0])]).unwrap();
        let mut vectors = Vectors::read(path.clone()).unwrap();
        vectors.append(&[(2, vec![1.0, 0.0, 0.0])]).unwrap();
        let vectors = Vectors::read(path).unwrap();
        assert!(!vectors.contains(1) && vectors.contains(2));
    }
}
