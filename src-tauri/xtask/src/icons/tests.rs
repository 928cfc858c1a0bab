use super::*;

#[test]
fn ico_has_the_offset_of_each_image() {
    let ico = pack_ico(&[(16, vec![1, 2, 3]), (256, vec![4, 5])]).unwrap();
    assert_eq!(ico[..6], [0, 0, 1, 0, 2, 0]);
    assert_eq!((ico[6], ico[22]), (16, 0));
    let at = |entry: usize| u32::from_le_bytes(ico[entry + 12..entry + 16].try_into().unwrap()) as usize;
    assert_eq!(ico[at(6)..], [1, 2, 3, 4, 5]);
    assert_eq!(ico[at(22)..], [4, 5]);
}

#[test]
fn icns_lengths_include_headers() {
    let icns = pack_icns(&[(b"ic07", vec![9, 9, 9])]).unwrap();
    assert_eq!(icns[4..8], 19_u32.to_be_bytes());
    assert_eq!(icns[12..16], 11_u32.to_be_bytes());
    assert_eq!(icns.len(), 19);
}
