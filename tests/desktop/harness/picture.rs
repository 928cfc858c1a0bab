//! Pictures of the guide: small enough for a repository and for the bundle of the window.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Cursor};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter};

/// The largest picture that the guide may have.
const MAX_BYTES: u64 = 150 * 1024;

/// The colors of a picture. A window has few, and many shades between text and background; the most frequent suffice.
const MAX_COLORS: usize = 256;

type Color = [u8; 3];

/// Writes a screenshot again, with a palette and as small as PNG can be.
pub(crate) fn write_small(path: &Path, screenshot: &[u8]) -> Result<()> {
    let mut reader = Decoder::new(Cursor::new(screenshot)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().context("the screenshot is too large")?];
    let info = reader.next_frame(&mut bytes)?;
    ensure!(info.bit_depth == BitDepth::Eight, "the screenshot has {:?} bits", info.bit_depth);
    let samples = info.color_type.samples();
    ensure!(samples >= 3, "the screenshot has colors as {:?}", info.color_type);
    let pixels: Vec<Color> =
        bytes.chunks_exact(samples).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let (palette, indices) = with_palette(&pixels);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut encoder = Encoder::new(BufWriter::new(File::create(path)?), info.width, info.height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(Compression::High);
    encoder.set_filter(Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&indices)?;
    writer.finish()?;
    let size = std::fs::metadata(path)?.len();
    ensure!(size <= MAX_BYTES, "{} has {size} bytes; the limit is {MAX_BYTES}", path.display());
    Ok(())
}

/// The most frequent colors, and for each pixel the one that is nearest to its own.
fn with_palette(pixels: &[Color]) -> (Vec<Color>, Vec<u8>) {
    let mut counts: HashMap<Color, usize> = HashMap::new();
    for pixel in pixels {
        *counts.entry(*pixel).or_default() += 1;
    }
    let mut palette: Vec<Color> = counts.keys().copied().collect();
    // Equally frequent ones by their value, so that the same picture is the same file.
    palette.sort_by_key(|color| (usize::MAX - counts[color], *color));
    palette.truncate(MAX_COLORS);
    let nearest: HashMap<Color, u8> =
        counts.into_keys().map(|color| (color, nearest_in(&palette, color))).collect();
    let indices = pixels.iter().map(|pixel| nearest[pixel]).collect();
    (palette, indices)
}

fn nearest_in(palette: &[Color], color: Color) -> u8 {
    let distance = |other: &Color| -> u32 {
        other.iter().zip(color).map(|(one, two)| u32::from(one.abs_diff(two)).pow(2)).sum()
    };
    let nearest = (0_u8..=u8::MAX).zip(palette).min_by_key(|(_, other)| distance(other));
    nearest.map_or(0, |(index, _)| index)
}
