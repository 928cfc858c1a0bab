//! Folders and files that only their owner may read. On other systems than Unix they inherit from the folder.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder and those above it for the owner alone; folders that are there stay what they are.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Lets a file that these options create be readable by its owner alone.
#[cfg_attr(not(unix), allow(unused_variables))]
pub fn set_mode(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

/// Takes a file or a folder from everybody but its owner.
#[cfg(unix)]
pub fn restrict(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::metadata(path)?;
    // Nobody else may do anything.
    if metadata.permissions().mode().trailing_zeros() >= 6 {
        return Ok(());
    }
    let mode = if metadata.is_dir() { 0o700 } else { 0o600 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub fn restrict(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// The same for a folder, if it is there, and everything in it. Links are not followed.
#[cfg(unix)]
pub fn restrict_tree(folder: &Path) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        // A file that is gone meanwhile needs nothing.
        let gone =
            |error: io::Error| (error.kind() != io::ErrorKind::NotFound).then_some(error).map_or(Ok(()), Err);
        let items = match fs::read_dir(&next) {
            Ok(items) => items,
            Err(error) => {
                gone(error)?;
                continue;
            }
        };
        restrict(&next).or_else(gone)?;
        for item in items.flatten() {
            match item.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(item.path()),
                Ok(kind) if kind.is_file() => restrict(&item.path()).or_else(gone)?,
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub fn restrict_tree(_folder: &Path) -> io::Result<()> {
    Ok(())
}
