//! SVG to what papers include.

#[cfg(feature = "pictures")]
use super::drawn;
use super::error::FigureError;

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
        if cfg!(feature = "pictures") { Ok(()) } else { Err(FigureError::WithoutPictures) }
    }

    /// Draws an SVG figure as that: the same input gives the same bytes.
    ///
    /// # Errors
    /// The text is no SVG, or its size is too large.
    #[cfg(feature = "pictures")]
    pub fn of(self, svg: &str) -> Result<Vec<u8>, FigureError> {
        let drawn = drawn::tree(svg).and_then(|tree| match self {
            Self::Png => drawn::png(&tree),
            Self::Pdf => drawn::pdf(&tree),
        });
        drawn.map_err(FigureError::Render)
    }

    /// Draws an SVG figure, which takes the feature `pictures`.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "pictures"))]
    pub fn of(self, _: &str) -> Result<Vec<u8>, FigureError> {
        Err(FigureError::WithoutPictures)
    }
}
