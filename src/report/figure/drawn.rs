//! SVG to PNG and PDF, with the embedded font alone.

use std::sync::Arc;

use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt as _, SvgSettings};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// The Latin, Greek and mathematical characters of DejaVu Sans 2.37; licence beside it.
const FONT: &[u8] = include_bytes!("../../../assets/DejaVuSans-subset.ttf");

/// The figure that an SVG is.
pub(super) fn tree(svg: &str) -> Result<Tree, String> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    let options = Options {
        font_family: "DejaVu Sans".to_owned(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|error| error.to_string())
}

/// It in two pixels for each of its own.
pub(super) fn png(tree: &Tree) -> Result<Vec<u8>, String> {
    const SCALE: f32 = 2.0;
    let size = tree.size();
    let (width, height) = ((SCALE * size.width()).ceil(), (SCALE * size.height()).ceil());
    let mut image = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| format!("{width} × {height} pixels are too many"))?;
    resvg::render(tree, Transform::from_scale(SCALE, SCALE), &mut image.as_mut());
    image.encode_png().map_err(|error| error.to_string())
}

/// It on one page.
pub(super) fn pdf(tree: &Tree) -> Result<Vec<u8>, String> {
    const POINTS: f32 = 72.0 / 96.0;
    let (width, height) = (POINTS * tree.size().width(), POINTS * tree.size().height());
    let size = krilla::geom::Size::from_wh(width, height).ok_or("it has no size")?;
    let mut document = krilla::Document::new();
    let mut page = document.start_page_with(PageSettings::new(size));
    let mut surface = page.surface();
    surface.draw_svg(tree, size, SvgSettings::default()).ok_or("it can't be drawn")?;
    surface.finish();
    page.finish();
    document.finish().map_err(|error| format!("{error:?}"))
}
