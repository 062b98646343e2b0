//! One declaration for a table of a file: the struct that holds what it says, the keys that it may have, and how
//! each is read. [`section!`](crate::section) makes all three, so that nothing can be read that no key declares.

use super::key::{Form, ID, Key, TEXT};
use super::tree::{Entry, Node, Span, Table};
use base::words::Worded;
use contract::parameter::Domain;
use derive_more::{Debug, Deref, Display};

/// What a key holds: how it looks in the file, and the value that it stands for.
pub trait Holds {
    /// The value.
    type Value;

    /// How it looks.
    fn form() -> Form;
}

/// How what a key holds is read, once its form has been checked. `C` knows what values may refer to, and takes what
/// is wrong with them.
pub trait Read<C: ?Sized>: Holds {
    /// The value; none if an error has been reported.
    fn read(node: &Node, context: &mut C) -> Option<Self::Value>;

    /// The value of a key, for what wants to know where the key stands.
    fn read_entry(entry: &Entry, context: &mut C) -> Option<Self::Value> {
        Self::read(&entry.node, context)
    }

    /// What holds where `table` has not the key; none if that is an error.
    fn absent(_table: &Table, _context: &mut C) -> Option<Self::Value> {
        None
    }
}

/// A table, or a group of keys that several tables share.
pub trait Section {
    /// Its keys.
    fn keys() -> Vec<Key>;
}

/// A [`Section`] that is one of several kinds: what files call it, and what it is.
pub trait Named {
    /// The word.
    const WORD: &'static str;
    /// What it is.
    const MEANING: &'static str;
}

/// How a [`Section`] is read.
pub trait ReadTable<C: ?Sized>: Section + Holds {
    /// What the table says; none if an error has been reported.
    fn read_table(table: &Table, context: &mut C) -> Option<Self::Value>;
}

/// The value of a key of `table`, for [`section!`](crate::section) alone: it knows which keys there are.
#[doc(hidden)]
pub fn read<H: Read<C>, C: ?Sized>(table: &Table, key: &str, context: &mut C) -> Option<H::Value> {
    match table.entry(key) {
        Some(entry) => H::read_entry(entry, context),
        None => H::absent(table, context),
    }
}

/// Declares a table: its struct, its keys and how they are read.
///
/// ```text
/// section! {
///     in Scope;          // what knows what values may refer to, and whatever knows that too (`AsMut`)
///     /// A value and how far from it one may be. Of one of several kinds the word and the meaning stand in its place:
///     /// `pub struct Near: "near" => "a value and how far from it one may be" {`
///     pub struct Near {
///         method: OneMethod => "the method";      // required
///         digits: Count = 2 => "its digits";      // its value where the file is silent
///         label: Option<Text>, else "the id" => "what people read";
///         range: Range;                           // the keys of another section
///     }
///     check(scope, table) { … }                   // sees each field as an `Option`, so that all errors are found
/// }
/// ```
#[macro_export]
macro_rules! section {
    (
        in $context:ident;
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident $(: $word:literal => $about:literal)? {
            $(
                $(#[$note:meta])*
                $field:ident: $holds:ty
                $(= $default:literal)? $(, else $silent:literal)? $(=> $meaning:literal)?;
            )*
        }
        $(check($scope:ident, $table:ident) $check:block)?
    ) => {
        $(#[$attribute])*
        $(#[doc = $about])?
        #[derive(Debug, Clone)]
        $visibility struct $name {
            $(
                $(#[$note])*
                $(#[doc = $meaning])?
                pub $field: <$holds as $crate::Holds>::Value,
            )*
        }

        $(impl $crate::Named for $name {
            const WORD: &'static str = $word;
            const MEANING: &'static str = $about;
        })?

        impl $crate::Section for $name {
            fn keys() -> Vec<$crate::Key> {
                #[allow(unused_mut)]
                let mut keys = Vec::new();
                $($crate::section!(@key keys $field [$holds] [$($default)?] [$($silent)?] [$($meaning)?]);)*
                keys
            }
        }

        impl $crate::Holds for $name {
            type Value = Self;

            fn form() -> $crate::Form {
                $crate::Form::Table(<Self as $crate::Section>::keys())
            }
        }

        impl<'s, C: AsMut<$context<'s>> + ?Sized> $crate::Read<C> for $name {
            fn read(node: &$crate::Node, context: &mut C) -> Option<Self> {
                <Self as $crate::ReadTable<C>>::read_table(node.table()?, context)
            }
        }

        impl<'s, C: AsMut<$context<'s>> + ?Sized> $crate::ReadTable<C> for $name {
            #[allow(unused_variables)]
            fn read_table(table: &$crate::Table, context: &mut C) -> Option<Self> {
                let context: &mut $context<'s> = context.as_mut();
                $(#[allow(unused_mut)] let mut $field = $crate::section!(@read table context $field [$holds] [$($meaning)?]);)*
                $(
                    let ($scope, $table) = (&mut *context, table);
                    $check
                )?
                Some(Self { $($field: $field?),* })
            }
        }
    };
    (@key $keys:ident $field:ident [$group:ty] [] [] []) => {
        $keys.extend(<$group as $crate::Section>::keys());
    };
    (@key $keys:ident $field:ident [$holds:ty] [$($default:literal)?] [$($silent:literal)?] [$meaning:literal]) => {
        $keys.push($crate::Key {
            name: stringify!($field),
            form: <$holds as $crate::Holds>::form(),
            absent: $crate::section!(@absent [$($default)?] [$($silent)?]),
            meaning: $meaning,
        });
    };
    (@absent [] []) => { $crate::Absent::Required };
    (@absent [$default:literal] []) => { $crate::Absent::Value(stringify!($default)) };
    (@absent [] [$silent:literal]) => { $crate::Absent::Means($silent) };
    (@read $table:ident $context:ident $field:ident [$group:ty] []) => {
        <$group as $crate::ReadTable<_>>::read_table($table, $context)
    };
    (@read $table:ident $context:ident $field:ident [$holds:ty] [$meaning:literal]) => {
        $crate::read::<$holds, _>($table, stringify!($field), $context)
    };
}

/// Declares something that a key holds and that refers to nothing: its value, its form, and how a node is read.
#[macro_export]
macro_rules! holds {
    ($($(#[$attribute:meta])* $visibility:vis $name:ident: $value:ty = $form:expr, $read:expr;)*) => {
        $(
            $(#[$attribute])*
            #[derive(Debug)]
            $visibility enum $name {}

            impl $crate::Holds for $name {
                type Value = $value;

                fn form() -> $crate::Form {
                    $form
                }
            }

            impl<C: ?Sized> $crate::Read<C> for $name {
                fn read(node: &$crate::Node, _: &mut C) -> Option<$value> {
                    $read(node)
                }
            }
        )*
    };
}

/// Declares something that a key holds and whose reading needs a context: its value, its form, how a node is read,
/// and what holds where the key is absent, if that is no error.
#[macro_export]
macro_rules! reads {
    (
        in $context:ident;
        $(
            $(#[$note:meta])*
            $visibility:vis $name:ident: $value:ty = $form:expr,
            |$node:ident, $scope:ident| $read:expr $(, absent $absent:expr)?;
        )*
    ) => {
        $(
            $(#[$note])*
            #[derive(Debug)]
            $visibility enum $name {}

            impl $crate::Holds for $name {
                type Value = $value;

                fn form() -> $crate::Form {
                    $form
                }
            }

            impl<'s, C: AsMut<$context<'s>> + ?Sized> $crate::Read<C> for $name {
                fn read($node: &$crate::Node, context: &mut C) -> Option<$value> {
                    let $scope: &mut $context<'s> = context.as_mut();
                    $read
                }

                $(fn absent(_: &$crate::Table, context: &mut C) -> Option<$value> {
                    let absent: fn(&mut $context<'s>) -> $value = $absent;
                    Some(absent(context.as_mut()))
                })?
            }
        )*
    };
}

holds! {
    /// `true` or `false`.
    pub Flag: bool = Form::One(Domain::Bool), Node::flag;
    /// Any text but a blank one.
    pub Text: String = Form::Text(&TEXT), Node::string;
    /// An id.
    pub Id: String = Form::Text(&ID), Node::string;
    /// Any single value, with its place.
    pub Single: Node = Form::Any, |node: &Node| Some(node.clone());
    /// Any number.
    pub Real: f64 = Form::One(Domain::Real { least: f64::NEG_INFINITY, most: f64::INFINITY, open: false }), Node::real;
    /// A number from zero.
    pub NotNegative: f64 = Form::One(Domain::Real { least: 0.0, most: f64::INFINITY, open: false }), Node::real;
    /// A number above zero.
    pub Positive: f64 = Form::One(Domain::Real { least: 0.0, most: f64::INFINITY, open: true }), Node::real;
    /// A number between zero and one, the ends excluded.
    pub Level: f64 = Form::One(Domain::Real { least: 0.0, most: 1.0, open: true }), Node::real;
    /// A number from zero to one.
    pub Share: f64 = Form::One(Domain::Real { least: 0.0, most: 1.0, open: false }), Node::real;
}

/// Enough for anything that is counted out, and far from overflow.
pub const MANY: i64 = 1_000_000_000;

/// A whole number, not negative, from `LEAST` to `MOST`.
#[derive(Debug)]
pub enum Whole<const LEAST: i64, const MOST: i64> {}

/// A number of things, at least one.
pub type Count = Whole<1, MANY>;

impl<const LEAST: i64, const MOST: i64> Holds for Whole<LEAST, MOST> {
    type Value = usize;

    fn form() -> Form {
        Form::One(Domain::Integer { least: LEAST, most: MOST })
    }
}

impl<const LEAST: i64, const MOST: i64, C: ?Sized> Read<C> for Whole<LEAST, MOST> {
    fn read(node: &Node, _: &mut C) -> Option<usize> {
        node.count()
    }
}

/// One of the words of an enumeration.
#[derive(Debug)]
pub struct Word<T>(T);

impl<T: Worded> Holds for Word<T> {
    type Value = T;

    fn form() -> Form {
        Form::One(Domain::Word(T::LISTED))
    }
}

impl<T: Worded, C: ?Sized> Read<C> for Word<T> {
    fn read(node: &Node, _: &mut C) -> Option<T> {
        T::WORDS.value(node.text()?)
    }
}

macro_rules! around {
    ($($name:ident: $value:ty = $form:expr;)*) => {$(
        impl<H: Holds> Holds for $name<H> {
            type Value = $value;

            fn form() -> Form {
                $form
            }
        }
    )*};
}

// An `Option` may be left out; a `Vec` is a list that is not empty, of different values.
around! {
    Option: Option<H::Value> = H::form();
    Attempt: Option<H::Value> = H::form();
    Spanned: Spanned<H::Value> = H::form();
    Vec: Vec<H::Value> = Form::List(Box::new(H::form()));
    OneOrMany: Vec<H::Value> = Form::OneOrMany(Box::new(H::form()));
}

impl<C: ?Sized, H: Read<C>> Read<C> for Option<H> {
    fn read(node: &Node, context: &mut C) -> Option<Self::Value> {
        H::read(node, context).map(Some)
    }

    fn read_entry(entry: &Entry, context: &mut C) -> Option<Self::Value> {
        H::read_entry(entry, context).map(Some)
    }

    fn absent(_: &Table, _: &mut C) -> Option<Self::Value> {
        Some(None)
    }
}

/// What has a value as far as it has no error: for a table of which the rest is read all the same.
#[derive(Debug)]
pub struct Attempt<H>(H);

impl<C: ?Sized, H: Read<C>> Read<C> for Attempt<H> {
    fn read(node: &Node, context: &mut C) -> Option<Self::Value> {
        Some(H::read(node, context))
    }

    fn absent(table: &Table, context: &mut C) -> Option<Self::Value> {
        Some(H::absent(table, context))
    }
}

impl<C: ?Sized, H: Read<C>> Read<C> for Vec<H> {
    fn read(node: &Node, context: &mut C) -> Option<Self::Value> {
        // All are read before any is missed, so that the errors of all are found.
        let read: Vec<_> = node.items().iter().map(|item| H::read(item, context)).collect();
        read.into_iter().collect()
    }
}

/// A value, or a list of them that is not empty.
#[derive(Debug)]
pub struct OneOrMany<H>(H);

impl<C: ?Sized, H: Read<C>> Read<C> for OneOrMany<H> {
    fn read(node: &Node, context: &mut C) -> Option<Self::Value> {
        Vec::<H>::read(node, context)
    }
}

/// A value with the place where the file says it.
#[derive(Clone, Default, Debug, Deref, Display)]
#[debug("{value:?}")]
#[display("{value}")]
pub struct Spanned<T> {
    /// The value.
    #[deref]
    pub value: T,
    /// Its place; that of the table where the file is silent.
    pub span: Span,
    /// The place of its key, for errors about its being there.
    pub key: Span,
}

/// A value from nowhere.
impl<T> From<T> for Spanned<T> {
    fn from(value: T) -> Self {
        Self { value, span: 0..0, key: 0..0 }
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<C: ?Sized, H: Read<C>> Read<C> for Spanned<H> {
    fn read(node: &Node, context: &mut C) -> Option<Self::Value> {
        let span = node.span.clone();
        Some(Spanned { value: H::read(node, context)?, key: span.clone(), span })
    }

    fn read_entry(entry: &Entry, context: &mut C) -> Option<Self::Value> {
        let read = Self::read(&entry.node, context)?;
        Some(Spanned { key: entry.key_span.clone(), ..read })
    }

    fn absent(table: &Table, context: &mut C) -> Option<Self::Value> {
        let span = table.span.clone();
        Some(Spanned { value: H::absent(table, context)?, key: span.clone(), span })
    }
}
