use super::*;

fn segments(texts: &[&str]) -> Vec<(sled::IVec, sled::IVec)> {
    (0_u8..)
        .zip(texts)
        .map(|(at, text)| (sled::IVec::from(&[at]), sled::IVec::from(text.as_bytes())))
        .collect()
}

/// What a database holds that had these segments and was sealed.
fn kept(segments: &[(sled::IVec, sled::IVec)]) -> Vec<(u8, Vec<u8>)> {
    let db = sled::Config::new().temporary(true).open().expect("opened");
    for (key, stored) in segments {
        db.insert(key, stored).expect("inserted");
    }
    db.apply_batch(compress(segments)).expect("sealed");
    db.iter().map(|pair| pair.map(|(key, stored)| (key[0], stored.to_vec())).expect("read")).collect()
}

#[test]
fn pieces_that_follow_one_another_become_one_block() {
    let long = "{\"type\":\"node.started\"}\n".repeat(9);
    let kept = kept(&segments(&[&long, "{\"a\":1}\n{\"a\":2}\n", &long]));
    let [(0, block)] = kept.as_slice() else { panic!("{kept:?}") };
    assert_eq!(count(block), Some(20));
    assert_eq!(text(block).expect("whole"), format!("{long}{{\"a\":1}}\n{{\"a\":2}}\n{long}").into_bytes());
    assert!(block.len() < long.len());
}

#[test]
fn large_values_stay_where_they_are_and_part_blocks() {
    let (long, reference) = ("{\"type\":\"node.started\"}\n".repeat(9), format!("@{}", "0".repeat(64)));
    let kept = kept(&segments(&[&long, &long, &reference, &long]));
    assert_eq!(kept.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [0, 2, 3]);
    assert_eq!(kept[1].1, reference.into_bytes());
    assert_eq!(kept.iter().map(|(_, stored)| count(stored)).collect::<Vec<_>>(), [Some(18), None, Some(9)]);
}

#[test]
fn what_does_not_get_smaller_stays_as_it_is() {
    let tiny = segments(&["{}\n"]);
    assert_eq!(kept(&tiny), [(0, b"{}\n".to_vec())]);
    let long = "{\"type\":\"node.started\"}\n".repeat(9);
    let sealed = kept(&segments(&[&long]));
    let again: Vec<_> =
        sealed.iter().map(|(key, stored)| (sled::IVec::from(&[*key]), stored.as_slice().into())).collect();
    assert_eq!(kept(&again), sealed, "a block is not put into another");
}

#[test]
fn a_damaged_block_is_reported() {
    let block = compressed("{\"type\":\"node.started\"}\n".repeat(9).as_bytes()).expect("packed");
    assert!(text(&block[..HEAD - 2]).is_err());
    assert!(text(&block[..block.len() - 3]).is_err());
    let mut other = block.clone();
    let middle = other.len() - 12;
    other[middle] ^= 1;
    assert!(text(&other).is_err() || text(&other) == text(&block));
    assert_eq!(count(b"{}"), None);
}
