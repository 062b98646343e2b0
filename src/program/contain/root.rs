//! A root of its own: a tree of files in which only those stand that are for a program.
//!
//! Folders are overlays of their own, and no bind mounts: through a bind mount that can't be written to, a program still
//! connects to sockets, takes locks and leases, watches files and asks which pages are in memory. Single files are
//! copies. What a program writes lies on one file system in memory, whose size is bounded, and which goes with it.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, statvfs};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_move, mount_remount, unmount,
};
use rustix::process::{chroot, pivot_root, umask};
use rustix::thread::UnshareFlags;

use super::Bound;
use super::message::{Access, Report, Spec};

/// Below it lies all that a program writes.
pub(crate) const SCRATCH: &str = "/tmp";
/// The home of a program, and its folder for temporary files.
pub(crate) const HOME: &str = "/tmp/home";
/// Where it makes the folders of its answers.
pub(crate) const OUT: &str = "/tmp/out";
/// Where its shared memory lies.
const SHARED_MEMORY: &str = "/tmp/shm";

/// The most files and folders that a program may make.
pub(crate) const MOST_FILES: u64 = 100_000;

/// A file of more bytes is shown through an overlay of its folder, and not copied.
const COPIED: u64 = 64 << 20;

/// Where the tree is built: any folder that is there.
const BASE: &str = "/tmp";
/// Where the old root hangs meanwhile.
const OLD: &str = "/.old";
/// Where an overlay hangs of which one file is shown.
const STAGE: &str = "/.stage";
/// The empty layer of all overlays.
const EMPTY: &str = "/.empty";
/// Where a text lies that stands for a file of the kernel.
const TOLD: &str = "/.told";

/// What the supervisor takes out of the tree that it leaves, and out of the new one.
pub(super) struct Entered {
    /// Where answers are written.
    pub(super) out: OwnedFd,
    /// The old `/proc`.
    pub(super) proc: OwnedFd,
}

/// A file or folder of the old root.
struct Source {
    /// Itself, as a place.
    at: OwnedFd,
    device: u64,
    kind: Kind,
}

enum Kind {
    Folder,
    File {
        bytes: u64,
        mode: u32,
    },
    Device {
        number: u64,
        mode: u32,
    },
    Link(PathBuf),
    /// A folder of which only what stands in the tree is to be listed.
    Listed,
}

/// Builds the tree and enters it.
///
/// # Errors
/// Which bound lacks, and for which file.
pub(super) fn enter(spec: &Spec) -> Result<Entered, Report> {
    let root = |error: Errno| lacks(Bound::Root, Path::new("/"), error.into());
    // Folders on the way to those that are mounted are open to a program of another number.
    umask(Mode::WGRP | Mode::WOTH);
    super::rights::unshare(UnshareFlags::NEWNS).map_err(root)?;
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).map_err(root)?;
    let proc = proc().map_err(root)?;
    let sources = sources(&spec.access);
    mount("tmpfs", BASE, "tmpfs", MountFlags::NOSUID, c"mode=755").map_err(root)?;
    let failed = |error: io::Error| lacks(Bound::Root, Path::new("/"), error);
    std::fs::create_dir(format!("{BASE}{OLD}")).map_err(failed)?;
    swap(&format!("{BASE}{OLD}")).map_err(root)?;
    std::env::set_current_dir("/").map_err(failed)?;
    [STAGE, EMPTY].iter().try_for_each(std::fs::create_dir).map_err(failed)?;
    scratch(spec.scratch).map_err(failed)?;
    let bind = !spec.containment.has(Bound::Overlay);
    let mut shown: Vec<(&Path, u64)> = Vec::new();
    for (path, source) in &sources {
        let is_folder = matches!(source.kind, Kind::Folder);
        // What is mounted below a folder does not show in its overlay.
        let other = |device| is_folder && device != source.device;
        if shown.iter().any(|&(above, device)| path.starts_with(above) && !other(device)) {
            continue;
        }
        if is_folder {
            shown.push((path, source.device));
        }
        place(path, source, bind)?;
    }
    devices().map_err(failed)?;
    if spec.containment.has(Bound::Proc) {
        own_proc().map_err(|error| lacks(Bound::Proc, Path::new("/proc"), error))?;
    }
    let out = open(OUT, OFlags::DIRECTORY).map_err(root)?;
    unmount(OLD, UnmountFlags::DETACH).map_err(root)?;
    [OLD, STAGE].iter().try_for_each(std::fs::remove_dir).map_err(failed)?;
    mount_remount("/", MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID, c"")
        .map_err(root)?;
    Ok(Entered { out, proc })
}

/// Makes the tree the root, with the old one at a place in it. A kernel does not pivot the root that it began with, as on
/// machines that boot from the network: the tree is moved over that one.
fn swap(old: &str) -> Result<(), Errno> {
    pivot_root(BASE, old).or_else(|_| {
        mount_bind_recursive("/", old)?;
        rustix::process::chdir(BASE)?;
        mount_move(".", "/")?;
        chroot(".")
    })
}

/// A `/proc` of its own processes. What the kernel tells there beside these is what never changes: else what it counts
/// would pass from one program to the next.
fn own_proc() -> io::Result<()> {
    std::fs::create_dir("/proc")?;
    mount("proc", "/proc", "proc", plain() | MountFlags::NOEXEC, None)?;
    super::rights::own_numbers();
    for entry in std::fs::read_dir("/proc")? {
        let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        let name = name.to_string_lossy();
        let kind = entry.symlink_metadata()?.file_type();
        if kind.is_dir() && !name.bytes().all(|byte| byte.is_ascii_digit()) {
            show_itself(EMPTY, &entry, plain())?;
        } else if kind.is_file() {
            std::fs::write(TOLD, told(&name))?;
            show_itself(TOLD, &entry, plain())?;
            std::fs::remove_file(TOLD)?;
        }
    }
    Ok(())
}

/// What a file of the kernel tells every program: processors and memory, which libraries ask for.
fn told(name: &str) -> String {
    let now = || std::fs::read_to_string(Path::new("/proc").join(name)).unwrap_or_default();
    match name {
        "cpuinfo" => now().split_inclusive('\n').filter(|line| !line.contains("MHz")).collect(),
        "meminfo" => {
            let total = now().lines().next().unwrap_or_default().replace("MemTotal", "");
            ["MemTotal", "MemFree", "MemAvailable"].map(|of| format!("{of}{total}\n")).concat()
        }
        "stat" => "cpu 0 0 0 0 0 0 0 0 0 0\nbtime 0\n".to_owned(),
        _ => String::new(),
    }
}

fn lacks(bound: Bound, path: &Path, error: io::Error) -> Report {
    Report::Lacks { bound, error: format!("{}: {error}", path.display()) }
}

fn plain() -> MountFlags {
    MountFlags::NOSUID | MountFlags::NODEV
}

/// `/proc` as it is now, also where another root is entered.
pub(super) fn proc() -> Result<OwnedFd, Errno> {
    open("/proc", OFlags::DIRECTORY)
}

fn open(path: impl rustix::path::Arg, flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())
}

/// A path to what an open place stands for, in the old root.
fn reached(place: &OwnedFd) -> String {
    format!("{OLD}/proc/self/fd/{}", place.as_raw_fd())
}

/// What is to stand in the tree, each with its place: folders before what lies below them. Of a link, what it leads to
/// stands there too.
fn sources(access: &Access) -> BTreeMap<PathBuf, Source> {
    let mut found = BTreeMap::new();
    let mut open: Vec<PathBuf> = access.devices.iter().chain(&access.readable).cloned().collect();
    while let Some(path) = open.pop() {
        let Some(path) = direct(&path) else { continue };
        if path.starts_with("/proc") || found.contains_key(&path) {
            continue;
        }
        let Some(source) = source(&path) else { continue };
        if let (Kind::Link(target), Some(parent)) = (&source.kind, path.parent()) {
            open.push(parent.join(target));
        }
        found.insert(path, source);
    }
    for path in access.listed.iter().filter_map(|path| direct(path)) {
        if let Some(source) = source(&path) {
            found.entry(path).or_insert(Source { kind: Kind::Listed, ..source });
        }
    }
    found
}

/// Without `.` and `..`, as the system and all checks resolve them: from where links lead; none from where nothing is.
fn direct(path: &Path) -> Option<PathBuf> {
    path.components().try_fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                path = path.canonicalize().ok()?;
                path.pop();
            }
            part => path.push(part),
        }
        Some(path)
    })
}

/// What lies there; none if nothing does, or what no program reads.
fn source(path: &Path) -> Option<Source> {
    let at = open(path, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
    let kind = path.symlink_metadata().ok()?;
    let device = kind.dev();
    let kind = match kind.file_type() {
        of if of.is_dir() => Kind::Folder,
        of if of.is_file() => Kind::File { bytes: kind.len(), mode: kind.mode() },
        of if of.is_char_device() => Kind::Device { number: kind.rdev(), mode: kind.mode() },
        of if of.is_symlink() => Kind::Link(path.read_link().ok()?),
        _ => return None,
    };
    Some(Source { at, device, kind })
}

/// Makes the file system that a program writes to.
fn scratch(bytes: u64) -> io::Result<()> {
    let options = format!("mode=1777,size={bytes},nr_inodes={MOST_FILES}");
    std::fs::create_dir(SCRATCH)?;
    mount("tmpfs", SCRATCH, "tmpfs", plain(), Some(&*CString::new(options)?))?;
    for folder in [HOME, OUT, SHARED_MEMORY] {
        std::fs::create_dir(folder)?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o777))?;
    }
    std::fs::create_dir("/var")?;
    symlink(SCRATCH, "/var/tmp")
}

/// Puts a file or folder into the tree.
fn place(path: &Path, source: &Source, bind: bool) -> Result<(), Report> {
    let bound = match source.kind {
        Kind::Folder | Kind::File { .. } if !bind => Bound::Overlay,
        _ => Bound::Root,
    };
    let failed = |error: io::Error| lacks(bound, path, error);
    let above = path.parent().unwrap_or(path);
    match &source.kind {
        Kind::Folder | Kind::Listed => std::fs::create_dir_all(path),
        _ => std::fs::create_dir_all(above),
    }
    .map_err(failed)?;
    let from = reached(&source.at);
    match &source.kind {
        Kind::Listed => Ok(()),
        Kind::Folder => match show(&from, path, bind) {
            // Nothing that a method needs.
            Err(_) if path.starts_with("/sys") => Ok(()),
            shown => shown.map_err(Into::into),
        },
        Kind::Link(target) => match symlink(target, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        },
        Kind::Device { number, mode } => device(&from, path, *number, *mode),
        Kind::File { bytes, .. } if *bytes > COPIED => large(path, bind),
        Kind::File { mode, .. } => copy(&from, path, *mode),
    }
    .map_err(failed)
}

/// Shows a folder at a path: nothing in it can be changed.
fn show(folder: &str, path: &Path, bind: bool) -> Result<(), Errno> {
    if bind {
        return show_itself(folder, path, plain());
    }
    let read = plain() | MountFlags::RDONLY;
    let layers = CString::new(format!("lowerdir={folder}:{EMPTY}")).map_err(|_| Errno::INVAL)?;
    mount("overlay", path, "overlay", read, Some(&*layers))
}

/// Shows a file or folder by a bind mount, which can't be written to. In a user namespace it stays as closed as it is
/// outside.
fn show_itself(from: &str, path: &Path, flags: MountFlags) -> Result<(), Errno> {
    mount_bind(from, path)?;
    let outside = MountFlags::from_bits_retain(statvfs(path)?.f_flag.bits() as u32);
    let kept = outside & (plain() | MountFlags::NOEXEC);
    mount_remount(path, MountFlags::BIND | MountFlags::RDONLY | flags | kept, c"")
}

/// Shows a file through its folder.
fn large(path: &Path, bind: bool) -> io::Result<()> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Errno::INVAL.into());
    };
    let above = Path::new(OLD).join(above.strip_prefix("/").unwrap_or(above)).canonicalize()?;
    let above = open(above, OFlags::PATH)?;
    show(&reached(&above), Path::new(STAGE), bind)?;
    File::create(path)?;
    mount_bind(Path::new(STAGE).join(name), path)?;
    Ok(unmount(STAGE, UnmountFlags::DETACH)?)
}

/// A copy that those may read who may read the file.
fn copy(from: &str, path: &Path, mode: u32) -> io::Result<()> {
    let mut made = File::create_new(path)?;
    io::copy(&mut File::open(from)?, &mut made)?;
    made.set_permissions(Permissions::from_mode(mode & 0o555))
}

/// Makes a device anew, so that nothing passes by its attributes and locks, with what everybody may do with it: a program
/// of root has a number that owns nothing. Where the kernel refuses, shows that of the old root.
fn device(from: &str, path: &Path, number: u64, mode: u32) -> io::Result<()> {
    if mknodat(CWD, path, FileType::CharacterDevice, Mode::empty(), number).is_err() {
        File::create(path)?;
        return Ok(show_itself(from, path, MountFlags::empty())?);
    }
    std::fs::set_permissions(path, Permissions::from_mode((mode & 0o6) * 0o111))
}

/// The links that programs expect beside devices.
fn devices() -> io::Result<()> {
    std::fs::create_dir_all("/dev")?;
    symlink(SHARED_MEMORY, "/dev/shm")?;
    symlink("/proc/self/fd", "/dev/fd")?;
    for (number, name) in ["stdin", "stdout", "stderr"].iter().enumerate() {
        symlink(format!("/proc/self/fd/{number}"), format!("/dev/{name}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_direct() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(folder.join("a/b")).unwrap();
        symlink("a/b", folder.join("link")).unwrap();
        let of = |path: &str| direct(&folder.join(path));
        assert_eq!(of("a/../weights/./c"), Some(folder.join("weights/c")));
        assert_eq!(of("link/../weights"), Some(folder.join("a/weights")));
        assert_eq!(of("absent/../a"), None);
        assert_eq!(of("/../a"), Some("/a".into()));
    }

    #[test]
    fn a_link_is_put_where_nothing_is_yet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link");
        let placed = |target: &str| {
            let at = open(folder.path(), OFlags::PATH).unwrap();
            place(&path, &Source { at, device: 0, kind: Kind::Link(target.into()) }, false)
        };
        let error = placed("").unwrap_err().to_string();
        assert!(error.starts_with("the own root can't be set up: /") && error.contains("link: "));
        placed("first").unwrap();
        placed("second").unwrap();
        assert_eq!(path.read_link().unwrap(), Path::new("first"));
    }
}
