use super::*;

#[test]
fn a_file_is_read_up_to_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    std::fs::write(&file, "12345").unwrap();
    assert_eq!(read(&file, 5).unwrap(), b"12345");
    assert_eq!(read(&file, 4).unwrap_err(), "it has more than 4 bytes");
    assert_eq!(read(folder.path(), 4).unwrap_err(), "it is a folder");
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for path in [std::path::Path::new("/dev/zero"), &socket] {
        assert_eq!(read(path, 4).unwrap_err(), "it is no regular file");
    }
}
