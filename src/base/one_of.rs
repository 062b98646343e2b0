//! Errors that are one of several, as a function has them that calls several rooms.

/// Declares an error whose first variants are errors of others as they are, each with its `From`, and whose further ones
/// are written as `thiserror` and `miette` read them.
///
/// ```text
/// one_of! {
///     /// Why results can't be had.
///     pub enum Error {
///         /// The file is wrong.
///         Spec(DocumentErrors),
///     } or {
///         /// There are none.
///         #[error("no results")]
///         Nothing,
///     }
/// }
/// ```
#[macro_export]
macro_rules! one_of {
    (
        $(#[$note:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$doc:meta])* $variant:ident($of:ty),)*
        } or {
            $($own:tt)*
        }
    ) => {
        $(#[$note])*
        #[derive(Debug, thiserror::Error, miette::Diagnostic)]
        $visibility enum $name {
            $(
                $(#[$doc])*
                #[error(transparent)]
                #[diagnostic(transparent)]
                $variant(#[from] $of),
            )*
            $($own)*
        }
    };
}
