//! SVG to PNG with the embedded font.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::FigureError;

/// The Latin, Greek and mathematical characters of DejaVu Sans 2.37; licence beside it.
const FONT: &[u8] = include_bytes!("../../../assets/DejaVuSans-subset.ttf");

/// Renders an SVG figure as PNG, two pixels for each of its own, with the embedded font alone.
///
/// # Errors
/// The text is no SVG, or its size is no image's.
pub fn png(svg: &str) -> Result<Vec<u8>, FigureError> {
    const SCALE: f32 = 2.0;
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    let options = Options {
        font_family: "DejaVu Sans".to_owned(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree =
        Tree::from_str(svg, &options).map_err(|error| FigureError::Render(error.to_string()))?;
    let size = tree.size();
    let (width, height) = ((SCALE * size.width()).ceil(), (SCALE * size.height()).ceil());
    let mut image = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| FigureError::Render(format!("{width} × {height} pixels are too many")))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut image.as_mut());
    image.encode_png().map_err(|error| FigureError::Render(error.to_string()))
}
