//! What a program finds around it: environment variables, and the files that it may use.

use itertools::Itertools as _;
use std::path::{Path, PathBuf};

use crate::contain::message::{Access, Spec};
use crate::contain::{Bound, Containment, DEVICES, root};
use crate::environment::Prepared;
use crate::executable::{self, SYSTEM_PATH};
use crate::program::PROTOCOL;

/// What programs of any language read: libraries of the system and of package managers, and a few files of its
/// configuration. None of it is a user's own.
const SYSTEM: [&str; 32] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/R",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/fonts",
    "/etc/ssl/openssl.cnf",
    "/proc",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/possible",
    "/sys/devices/system/cpu/present",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
];

/// Where each processor has a folder. What lies beside these of its files counts for all to see what anybody does.
const PROCESSORS: &str = "/sys/devices/system/cpu";
const OF_A_PROCESSOR: [&str; 2] = ["topology", "cache"];

/// One kind of core for the libraries that have code of their own for each.
const CORE_TYPE: [(&str, &str); 2] = [("OPENBLAS_CORETYPE", "Haswell"), ("MKL_CBWR", "AVX2")];

/// The folders of a worker.
#[derive(Debug)]
pub(crate) struct Folders<'a> {
    /// The examples.
    pub(crate) data: &'a Path,
    /// Home and temporary folder.
    pub(crate) scratch: &'a Path,
    /// Where the folders of answers are made.
    pub(crate) out: &'a Path,
}

/// What to start, and within which bounds; it may write so many bytes.
pub(crate) fn spec(
    contain: Vec<String>,
    prepared: &Prepared,
    folders: &Folders<'_>,
    containment: Containment,
    output: u64,
) -> Spec {
    let executable = prepared.executable.to_string_lossy().into_owned();
    Spec {
        contain,
        command: std::iter::once(executable).chain(prepared.arguments()).collect(),
        folder: prepared.program.folder.clone(),
        variables: variables(prepared, folders.scratch),
        access: access(prepared, folders, containment),
        // On a disk a file without a name is not seen, and does not grow for ever.
        longest_file: output.saturating_mul(2),
        scratch: output,
        containment,
    }
}

/// All environment variables of a program: none of the user's own. Numbers of threads and the kind of core are fixed,
/// since libraries sum in an order that follows them.
fn variables(prepared: &Prepared, scratch: &Path) -> Vec<(String, String)> {
    let threads = prepared.program.threads.to_string();
    let scratch = scratch.to_string_lossy();
    let environment = prepared.environment.as_ref().map(|folder| folder.join("bin"));
    let beside = prepared.executable.parent().map(Path::to_owned);
    let path = environment.into_iter().chain(beside).chain(SYSTEM_PATH.map(PathBuf::from));
    let path = path.map(|folder| folder.to_string_lossy().into_owned()).unique().join(":");
    let protocol = PROTOCOL.to_string();
    let mut variables = vec![
        ("PATH", &*path),
        ("HOME", &scratch),
        ("TMPDIR", &scratch),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
        ("TZ", "UTC"),
        ("PYTHONHASHSEED", "0"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("OMP_NUM_THREADS", &threads),
        ("OPENBLAS_NUM_THREADS", &threads),
        ("MKL_NUM_THREADS", &threads),
        ("BLIS_NUM_THREADS", &threads),
        ("NUMEXPR_NUM_THREADS", &threads),
        ("VECLIB_MAXIMUM_THREADS", &threads),
        ("RAYON_NUM_THREADS", &threads),
        ("JULIA_NUM_THREADS", &threads),
        ("REPRISE_PROTOCOL", &protocol),
    ];
    if has_core_type() {
        variables.extend(CORE_TYPE);
    }
    variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Whether this machine's cores can do what those of [`CORE_TYPE`] do.
fn has_core_type() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// What tells how the processors of this machine belong together.
fn processors() -> Vec<PathBuf> {
    let number = |name: &str| name.strip_prefix("cpu")?.parse::<u32>().ok();
    let folders = std::fs::read_dir(PROCESSORS).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.file_name().to_str().and_then(number).is_some());
    folders.flat_map(|entry| OF_A_PROCESSOR.map(|name| entry.path().join(name))).collect()
}

/// The files that a program may use.
fn access(prepared: &Prepared, folders: &Folders<'_>, containment: Containment) -> Access {
    let program = &prepared.program;
    let home = std::env::home_dir().unwrap_or_default();
    let closed = [&*program.folder, folders.data, folders.scratch, &home];
    let mut access = Access::default();
    let readable = &mut access.readable;
    readable.extend(SYSTEM.map(PathBuf::from));
    readable.extend(processors());
    readable.push(folders.data.to_owned());
    readable.extend(prepared.environment.clone());
    readable.extend(executable::foundations(
        &prepared.executable,
        prepared.environment.as_deref(),
        &closed,
    ));
    readable.extend(program.readable.iter().map(|path| program.folder.join(path)));
    access.listed.push(program.folder.clone());
    for file in &program.code {
        let path = program.folder.join(&file.path);
        access.listed.extend(path.parent().map(Path::to_owned));
        access.readable.push(path);
    }
    access.listed.sort();
    access.listed.dedup();
    access.devices = DEVICES.map(PathBuf::from).to_vec();
    access.devices.extend(program.devices.iter().cloned());
    access.writable = match containment.has(Bound::Root) {
        true => vec![PathBuf::from(root::SCRATCH)],
        false => [folders.scratch, folders.out].map(Path::to_owned).into(),
    };
    access
}
