//! Nothing: a build script makes the build dependencies of the manifest count.

fn main() {}
