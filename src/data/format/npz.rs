//! Archives of NumPy arrays, as `numpy.savez` and `numpy.savez_compressed` write them: a zip file that has the array
//! `NAME` as the file `NAME.npy`. What an archive unpacks to is bounded.

use std::io::{Cursor, Read as _};

use base::bounded;
use base::npy::{Claimed, LONGEST_HEADER};
use document::nearest;
use zip::ZipArchive;

use super::fault::Fault;
use crate::limits;

/// What to do about what is no such archive.
const WRITTEN: &str = "write it with numpy.savez or numpy.savez_compressed";

/// An archive whose names are known.
#[derive(Debug)]
pub struct Npz<'a> {
    files: ZipArchive<Cursor<&'a [u8]>>,
    /// Bytes of the archive.
    packed: u64,
}

impl<'a> Npz<'a> {
    /// Reads what is in an archive, but no array.
    ///
    /// # Errors
    /// If it is none, or has more files than are read.
    pub fn of(bytes: &'a [u8]) -> Result<Self, Fault> {
        let files = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
            Fault::in_array(format!("it is in no sound NPZ archive: {error}"), WRITTEN)
        })?;
        if files.len() as u64 > limits::ARCHIVE_ENTRIES {
            let what = format!("its archive has more than {} files", limits::ARCHIVE_ENTRIES);
            return Err(Fault::in_array(what, WRITTEN));
        }
        Ok(Self { files, packed: bytes.len() as u64 })
    }

    /// The names of its arrays, sorted.
    pub fn names(&self) -> Vec<String> {
        let names = self.files.file_names().filter_map(Result::ok);
        let names = names.filter_map(|name| name.strip_suffix(".npy").map(str::to_owned));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// How long the array of this name is in each direction, by its header alone.
    ///
    /// # Errors
    /// If there is none, or it has no header.
    pub fn shape(&mut self, name: &str) -> Result<Vec<usize>, Fault> {
        let head = self.unpacked(name, (LONGEST_HEADER + 12) as u64, true)?;
        let claimed = Claimed::of(&head);
        let claimed = claimed.map_err(|what| Fault::in_array(format!("it {what}"), WRITTEN));
        claimed.map(|claimed| claimed.shape).map_err(|fault| fault.of_array(name))
    }

    /// The bytes of the array of this name.
    ///
    /// # Errors
    /// If there is none, or it can't be unpacked.
    pub fn array(&mut self, name: &str) -> Result<Vec<u8>, Fault> {
        self.unpacked(name, limits::UNPACKED, false)
    }

    /// The bytes of an array, at most so many: the first, or it is an error that there are more.
    fn unpacked(&mut self, name: &str, most: u64, first: bool) -> Result<Vec<u8>, Fault> {
        let names = self.names();
        if !names.iter().any(|known| known == name) {
            let cure = match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the arrays are {}", names.join(", ")),
            };
            return Err(Fault::in_array("there is no such array", cure).of_array(name));
        }
        let broken = |why: String| {
            let what = format!("it can't be unpacked: {why}");
            Fault::in_array(what, WRITTEN).of_array(name)
        };
        let file = self.files.by_name(&format!("{name}.npy"));
        let file = file.map_err(|error| broken(error.to_string()))?;
        // What the archive claims is not believed.
        let guess = file.size().min(self.packed);
        let read = match first {
            true => bounded::read(file.take(most), most, 0),
            false => bounded::read(file, most, guess),
        };
        read.map_err(|error| match bounded::is_too_long(&error) {
            true => broken(format!("it has more than {most} bytes")),
            false => broken(error.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;

    fn npz(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            let options = SimpleFileOptions::default().compression_method(method);
            writer.start_file(*name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn arrays_are_found_by_their_names() {
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let bytes =
                npz(&[("X.npy", b"features"), ("y.npy", b"target"), ("note.txt", b"")], method);
            let mut archive = Npz::of(&bytes).unwrap();
            assert_eq!(archive.names(), ["X", "y"]);
            assert_eq!(archive.array("y").unwrap(), b"target");
            let error = archive.array("x").unwrap_err();
            assert_eq!(error.to_string(), "array `x`: there is no such array");
            assert_eq!(error.cure, "did you mean `X`?");
        }
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        assert!(Npz::of(b"PK\x03\x04 and no more").unwrap_err().what.contains("no sound NPZ"));
        let mut bytes = npz(&[("X.npy", &[7; 1000])], CompressionMethod::Deflated);
        // Damage in the packed bytes.
        (36..44).for_each(|at| bytes[at] ^= 0x55);
        let error = Npz::of(&bytes).and_then(|mut archive| archive.array("X")).unwrap_err();
        assert!(error.what.contains("can't be unpacked"), "{error}");
    }
}
