use std::path::Path;

use proptest::prelude::*;

use super::frame::FRAME_HEADER_BYTES;
use super::scanner::ScanEnd;
use super::*;
use crate::disk::{Disk as _, FileSystem};

const ID: Key = [7; 16];

fn header(sealed: bool) -> FileHeader {
    FileHeader { kind: FileKind::RunTree, sealed, id: ID }
}

/// A payload that begins and ends like the JSON lines that are stored.
fn payload(number: u64, length: usize) -> Vec<u8> {
    let mut payload = format!("{{\"seq\":{number},").into_bytes();
    payload.extend(std::iter::repeat_n(b'x', length));
    payload.extend(b"}\n");
    payload
}

/// The bytes of a file with records of these lengths, and where each record begins.
fn file(lengths: &[usize]) -> (Vec<u8>, Vec<u64>) {
    let mut bytes = header(false).bytes().to_vec();
    let mut offsets = Vec::new();
    for (number, length) in (0..).zip(lengths) {
        offsets.push(bytes.len() as u64);
        let start = begin_frame(&mut bytes);
        bytes.extend(payload(number, *length));
        assert!(end_frame(&mut bytes, start, FrameHeader::new(1, ID, number, 1)));
    }
    (bytes, offsets)
}

/// What is found in these bytes: the numbers of the records that are whole, the damage, the end.
fn scan(path: &Path, bytes: &[u8]) -> (Vec<u64>, Vec<Damage>, ScanEnd) {
    std::fs::write(path, bytes).unwrap();
    let mut scanner = Scanner::open(path).unwrap();
    let (mut found, mut damage) = (Vec::new(), Vec::new());
    while let Some(item) = scanner.next().unwrap() {
        match item {
            Item::Record { header, payload, offset } => {
                assert_eq!(read_frame(&bytes[usize::try_from(offset).unwrap()..]).unwrap().1, payload);
                found.push(header.seq);
            }
            Item::Damage(found) => damage.push(found),
        }
    }
    (found, damage, scanner.end())
}

fn temporary() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    (folder, path)
}

#[test]
fn a_whole_file_is_read_to_its_end() {
    let (_folder, path) = temporary();
    let lengths = [0, 1, 5_000, 300_000, 2, 700_000, 3];
    let (bytes, _) = file(&lengths);
    let (found, damage, end) = scan(&path, &bytes);
    assert_eq!(found, (0..7).collect::<Vec<_>>());
    assert_eq!((damage, end), (vec![], ScanEnd { end: bytes.len() as u64, torn: false }));
}

#[test]
fn a_newer_form_is_refused() {
    let (_folder, path) = temporary();
    let mut bytes = file(&[1]).0;
    bytes[8] = 9;
    let crc = crc32c::crc32c(&bytes[..28]);
    bytes[28..32].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(Scanner::open(&path), Err(OpenError::Newer(9))));
}

#[test]
fn a_file_cut_anywhere_has_a_torn_end_and_no_damage() {
    let (_folder, path) = temporary();
    let (bytes, offsets) = file(&[10, 100, 0, 50]);
    for length in 0..=bytes.len() {
        let (found, damage, end) = scan(&path, &bytes[..length]);
        let ends = offsets.iter().skip(1).copied().chain([bytes.len() as u64]);
        let whole = ends.filter(|end| *end <= length as u64).count();
        assert_eq!(found.len(), whole, "{length}");
        assert_eq!(damage, [], "{length}");
        assert_eq!(end.torn, end.end != length as u64, "{length}");
    }
}

#[test]
fn a_file_that_grew_before_its_content_was_written_has_a_torn_end() {
    let (_folder, path) = temporary();
    let (bytes, offsets) = file(&[10, 100, 0, 50]);
    let last = usize::try_from(offsets[3]).unwrap();
    for written in [0, 20, last, last + 1, last + 47, last + 48, last + 60, bytes.len() - 2] {
        let mut zeroed = bytes.clone();
        zeroed[written..].fill(0);
        for more in [0, 5_000] {
            zeroed.resize(bytes.len() + more, 0);
            let (found, damage, end) = scan(&path, &zeroed);
            assert_eq!(
                (found.len(), damage),
                (if written < 32 { 0 } else { 3.min(found.len()) }, vec![]),
                "{written}"
            );
            assert!(end.torn && end.end <= written as u64, "{written}");
        }
    }
}

#[test]
fn a_damaged_payload_is_known_by_its_header() {
    let (_folder, path) = temporary();
    let (mut bytes, offsets) = file(&[10, 400_000, 20]);
    bytes[usize::try_from(offsets[1]).unwrap() + FRAME_HEADER_BYTES + 200_000] ^= 4;
    let (found, damage, end) = scan(&path, &bytes);
    assert_eq!(found, [0, 2]);
    assert_eq!((damage.len(), damage[0].bytes.clone()), (1, offsets[1]..offsets[2]));
    assert_eq!(damage[0].header.unwrap().seq, 1);
    assert!(!end.torn);
}

proptest! {
    #[test]
    fn one_flipped_bit_costs_one_record(
        lengths in prop::collection::vec(prop_oneof![0usize..200, Just(260_000)], 1..7),
        place in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let (_folder, path) = temporary();
        let (mut bytes, offsets) = file(&lengths);
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        let hit = offsets.iter().rposition(|&offset| offset <= place as u64);
        let (found, damage, end) = scan(&path, &bytes);
        let expected: Vec<u64> = (0..lengths.len() as u64).filter(|number| hit != usize::try_from(*number).ok()).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(damage.len(), 1, "it is noticed");
        prop_assert!(damage[0].bytes.contains(&(place as u64)));
        prop_assert!(!end.torn, "a record that was whole once is no torn end");
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400), whole in any::<bool>()) {
        let (_folder, path) = temporary();
        let mut all = if whole { file(&[9]).0 } else { Vec::new() };
        all.extend(bytes);
        std::fs::write(&path, &all).unwrap();
        if let Ok(mut scanner) = Scanner::open(&path) {
            while scanner.next().unwrap().is_some() {}
        }
    }
}

#[test]
fn an_appender_continues_behind_the_last_whole_record() {
    let (_folder, path) = temporary();
    let append = |log: &mut LogAppender, number: u64| {
        let start = begin_frame(&mut log.buffer);
        log.buffer.extend(payload(number, 10));
        assert!(end_frame(&mut log.buffer, start, FrameHeader::new(1, ID, number, 1)));
    };
    let mut log = LogAppender::create(path.clone(), header(false));
    append(&mut log, 0);
    assert!(!path.exists(), "created with the first write");
    log.sync(&FileSystem).unwrap();
    append(&mut log, 1);
    log.write_out(&FileSystem).unwrap();
    assert!(!log.is_synced());
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, log.end());
    drop(log);
    bytes.extend(b"torn");
    let (_, _, end) = scan(&path, &bytes);
    assert!(end.torn);
    let mut log = LogAppender::open(path.clone(), end.end);
    append(&mut log, 2);
    log.sync(&FileSystem).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (found, damage, end) = scan(&path, &bytes);
    assert_eq!((found, damage, end.torn), (vec![0, 1, 2], vec![], false));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    FileSystem.remove(&path).unwrap();
    FileSystem.remove(&path).unwrap();
}
