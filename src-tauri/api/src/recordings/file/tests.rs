use plait_core::hash::content_hash;

use super::{Part, check, write};
use crate::ErrorReply;
use crate::codes;

fn parts() -> Vec<Part> {
    let part = |name: &str, bytes: &[u8]| Part { name: name.to_owned(), bytes: bytes.to_vec() };
    vec![part("runs/a.jsonl", b"{\"seq\":0}\n"), part("attachments/b", &[7; 300]), part("empty", b"")]
}

/// The parts of a file, and its hash.
fn read(file: &[u8]) -> Result<(Vec<Part>, String), ErrorReply> {
    let checked = check(file)?;
    let hash = checked.hash.clone();
    Ok((checked.unpack()?, hash))
}

/// A file with this list of parts and these bytes behind it.
fn file(list: &str, body: &[u8]) -> Vec<u8> {
    let hash = content_hash(list.as_bytes());
    [format!("plait-recording 1 {hash}\n{list}\n").as_bytes(), body].concat()
}

#[test]
fn file_reads_back_as_it_was_written() {
    let (file, hash) = write(&parts()).unwrap();
    assert_eq!(read(&file).unwrap(), (parts(), hash));
}

#[test]
fn each_flipped_byte_is_refused_with_its_part() {
    let (file, _) = write(&parts()).unwrap();
    for at in 0..file.len() {
        let mut flipped = file.clone();
        flipped[at] ^= 1;
        let error = read(&flipped).unwrap_err();
        let named =
            ["`runs/a.jsonl`", "`attachments/b`", "`empty`", "the list of parts", "no recording", "the form"];
        assert!(named.iter().any(|name| error.message.contains(name)), "byte {at}: {error:?}");
    }
    let mut last = file;
    *last.last_mut().unwrap() ^= 1;
    assert!(read(&last).unwrap_err().message.contains("`empty`"));
}

#[test]
fn truncated_and_continued_files_are_refused() {
    let (file, _) = write(&parts()).unwrap();
    for end in 0..file.len() {
        read(&file[..end]).unwrap_err();
    }
    let longer = [&file[..], b"x"].concat();
    assert_eq!(read(&longer).unwrap_err().code, codes::RECORDING_DAMAGED);
}

#[test]
fn part_that_is_there_twice_is_refused() {
    let [first, other, _] = &parts()[..] else { panic!("three parts") };
    let part = |bytes: &[u8]| Part { name: first.name.clone(), bytes: bytes.to_vec() };
    let (file, _) = write(&[part(&first.bytes), part(&other.bytes)]).unwrap();
    let error = read(&file).unwrap_err();
    assert_eq!(error.code, codes::RECORDING_DAMAGED);
    assert!(error.message.contains("`runs/a.jsonl`: it is there twice"), "{error:?}");
}

#[test]
fn newer_form_is_refused_as_such() {
    let (file, _) = write(&parts()).unwrap();
    let newer = String::from_utf8_lossy(&file[..20]).replacen(" 1 ", " 2 ", 1);
    let error = read(&[newer.as_bytes(), &file[20..]].concat()).unwrap_err();
    assert_eq!(error.code, codes::RECORDING_NEWER);
}

#[test]
fn bomb_is_refused_before_it_is_unpacked() {
    let part = write(&[Part { name: "runs/a.jsonl".to_owned(), bytes: vec![0; 1 << 20] }]).unwrap().0;
    let text = String::from_utf8_lossy(&part);
    let list = text.lines().nth(1).unwrap().to_owned();
    let start = text.find(&list).unwrap() + list.len() + 1;
    let body = &part[start..];
    let small = file(&list.replace("1048576", "10"), body);
    assert!(read(&small).unwrap_err().message.contains("`runs/a.jsonl`"));
    let huge = file(&list.replace("1048576", "99999999999999"), body);
    assert_eq!(read(&huge).unwrap_err().code, codes::RECORDING_TOO_LARGE);
    assert!(read(&file(&list, body)).is_ok());
}
