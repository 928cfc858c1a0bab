//! Draws the icons of every size from the one drawing, `icons/plait.svg`.
//!
//! `.ico` and `.icns` have carried PNG pictures since Vista and 10.7, so each is a short table of contents
//! followed by the PNGs; that is written here, and only the drawing is left to `rsvg-convert`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::platform::which;
use crate::repo;
use crate::steps::{Step, note};

/// Pictures kept as files of their own, for the Linux desktop and the bundler.
const FILES: &[u32] = &[32, 128, 256, 512];
const ICO: &[u32] = &[16, 24, 32, 48, 64, 256];
/// The type codes are Apple's for PNG pictures of these sizes.
const ICNS: &[(&[u8; 4], u32)] =
    &[(b"icp4", 16), (b"icp5", 32), (b"ic07", 128), (b"ic08", 256), (b"ic09", 512), (b"ic10", 1024)];

/// Draws all of them.
pub(crate) fn draw() -> Result<()> {
    if which("rsvg-convert").is_none() {
        bail!(
            "rsvg-convert is missing; it draws the icons (packages: librsvg2-bin, librsvg2-tools, librsvg)"
        );
    }
    let home = repo::root().join("icons");
    let pictures = repo::target().join("icons");
    fs::create_dir_all(&pictures)?;
    for &size in FILES {
        fs::copy(picture(&home, &pictures, size)?, home.join(format!("{size}x{size}.png")))?;
    }
    let read = |size| fs::read(picture(&home, &pictures, size)?).context("a picture just drawn");
    let ico: Vec<_> = ICO.iter().map(|&size| Ok((size, read(size)?))).collect::<Result<_>>()?;
    fs::write(home.join("icon.ico"), pack_ico(&ico)?)?;
    let icns: Vec<_> = ICNS.iter().map(|&(code, size)| Ok((code, read(size)?))).collect::<Result<_>>()?;
    fs::write(home.join("icon.icns"), pack_icns(&icns)?)?;
    fs::copy(home.join("plait.svg"), repo::ui().join("public/icon.svg"))?;
    note("Drew icons/ from icons/plait.svg");
    Ok(())
}

fn picture(home: &Path, into: &Path, size: u32) -> Result<PathBuf> {
    let path = into.join(format!("{size}.png"));
    let pixels = size.to_string();
    let mut command = Command::new("rsvg-convert");
    command
        .args(["--width", &pixels, "--height", &pixels, "--output"])
        .arg(&path)
        .arg(home.join("plait.svg"));
    Step::new(format!("Draw {size} × {size}"), command).quietly()?;
    Ok(path)
}

fn pack_ico(pictures: &[(u32, Vec<u8>)]) -> Result<Vec<u8>> {
    let count = u16::try_from(pictures.len())?;
    let mut head = [0_u16, 1, count].map(u16::to_le_bytes).concat();
    let mut offset = u32::from(6 + 16 * count);
    let mut body = Vec::new();
    for (size, png) in pictures {
        // A side of 256 is written as 0.
        let side = u8::try_from(size % 256)?;
        let length = u32::try_from(png.len())?;
        head.extend([side, side, 0, 0]);
        head.extend([1_u16, 32].map(u16::to_le_bytes).concat());
        head.extend([length, offset].map(u32::to_le_bytes).concat());
        offset += length;
        body.extend(png);
    }
    Ok([head, body].concat())
}

fn pack_icns(pictures: &[(&[u8; 4], Vec<u8>)]) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    for (code, png) in pictures {
        body.extend(*code);
        body.extend(u32::try_from(png.len() + 8)?.to_be_bytes());
        body.extend(png);
    }
    let length = u32::try_from(body.len() + 8)?;
    Ok([b"icns".as_slice(), &length.to_be_bytes(), &body].concat())
}

#[cfg(test)]
mod tests;
