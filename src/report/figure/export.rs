//! SVG to what papers include, with the embedded font alone.

#[cfg(feature = "pictures")]
use krilla_svg::SurfaceExt as _;
#[cfg(feature = "pictures")]
use resvg::usvg::{Options, Tree, fontdb};

use super::FigureError;

/// The Latin, Greek and mathematical characters of DejaVu Sans 2.37; licence beside it.
#[cfg(feature = "pictures")]
const FONT: &[u8] = include_bytes!("../../../assets/DejaVuSans-subset.ttf");

/// What a figure is written as beside SVG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Export {
    /// Two pixels for each of the SVG.
    Png,
    /// One page of the figure's size, 96 pixels an inch, whose text is text.
    Pdf,
}

impl Export {
    /// Each of them.
    pub const ALL: [Self; 2] = [Self::Png, Self::Pdf];

    /// What its files end with.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => ".png",
            Self::Pdf => ".pdf",
        }
    }

    /// Refuses a wish that this build can't fulfil.
    ///
    /// # Errors
    /// If it was built without the feature `pictures`.
    pub fn can_be_drawn(self) -> Result<(), FigureError> {
        match cfg!(feature = "pictures") {
            true => Ok(()),
            false => Err(FigureError::WithoutPictures),
        }
    }

    /// Draws an SVG figure as that: the same input gives the same bytes.
    ///
    /// # Errors
    /// The text is no SVG, or its size is too large; or this was built without the feature `pictures`.
    pub fn of(self, svg: &str) -> Result<Vec<u8>, FigureError> {
        self.can_be_drawn()?;
        #[cfg(not(feature = "pictures"))]
        let drawn = Err(svg.to_owned());
        #[cfg(feature = "pictures")]
        let drawn = tree(svg).and_then(|tree| match self {
            Self::Png => png(&tree),
            Self::Pdf => pdf(&tree),
        });
        drawn.map_err(FigureError::Render)
    }
}

#[cfg(feature = "pictures")]
fn tree(svg: &str) -> Result<Tree, String> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    let options = Options {
        font_family: "DejaVu Sans".to_owned(),
        fontdb: std::sync::Arc::new(fonts),
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|error| error.to_string())
}

#[cfg(feature = "pictures")]
fn png(tree: &Tree) -> Result<Vec<u8>, String> {
    const SCALE: f32 = 2.0;
    let size = tree.size();
    let (width, height) = ((SCALE * size.width()).ceil(), (SCALE * size.height()).ceil());
    let mut image = resvg::tiny_skia::Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| format!("{width} × {height} pixels are too many"))?;
    let scale = resvg::tiny_skia::Transform::from_scale(SCALE, SCALE);
    resvg::render(tree, scale, &mut image.as_mut());
    image.encode_png().map_err(|error| error.to_string())
}

#[cfg(feature = "pictures")]
fn pdf(tree: &Tree) -> Result<Vec<u8>, String> {
    const POINTS: f32 = 72.0 / 96.0;
    let (width, height) = (POINTS * tree.size().width(), POINTS * tree.size().height());
    let size = krilla::geom::Size::from_wh(width, height).ok_or("it has no size")?;
    let mut document = krilla::Document::new();
    let mut page = document.start_page_with(krilla::page::PageSettings::new(size));
    let mut surface = page.surface();
    surface.draw_svg(tree, size, krilla_svg::SvgSettings::default()).ok_or("it can't be drawn")?;
    surface.finish();
    page.finish();
    document.finish().map_err(|error| format!("{error:?}"))
}
