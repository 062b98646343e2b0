//! What broke out once, and what reached from one folder of examples to another.

use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reprise_program::{Bound, Containment, Ending, Mode};

use crate::containment::{has, kernel, tried};
use crate::support::{Options, containment, in_python, python};

/// What a program says that reads `folder` too.
fn tried_at(folder: &Path, lines: &str, containment: Containment) -> String {
    tried(lines, Options { containment, readable: vec![folder.to_owned()], ..Options::default() })
}

/// In every root of its own: of overlays, and of bind mounts where these lack.
fn roots() -> Vec<Containment> {
    let all = containment();
    if !has(Bound::Root) || !has(Bound::Filter) {
        return Vec::new();
    }
    vec![all, all.without(Bound::Landlock), all.without(Bound::Overlay).without(Bound::Landlock)]
}

/// A service listens at a path: once it was `tmux`, which runs what it is told.
pub fn a_socket_with_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let _service = UnixListener::bind(&path).unwrap();
    let lines =
        format!("attempt(lambda: socket.socket(socket.AF_UNIX).connect('{}'))", path.display());
    for containment in roots() {
        assert_eq!(tried_at(folder.path(), &lines, containment), "no", "{containment:?}");
    }
    // Landlock does not hold it.
    let landlock = Containment::of(&[Bound::Landlock]);
    assert_eq!(tried_at(folder.path(), &lines, landlock), "yes");
}

/// Files of the user, whose attributes Landlock does not guard.
pub fn attributes_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "secret").unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let before = key.metadata().unwrap();
    let lines = format!(
        "*[attempt(f) for f in (lambda p: [lambda: os.chmod(p, 0o666), lambda: os.chown(p, os.getuid(), os.getgid()), \
         lambda: os.utime(p, (1, 1)), lambda: os.setxattr(p, 'user.x', b'1'), lambda: os.chmod(p, 0o4755)])('{}')]",
        key.display()
    );
    let mut bounds = roots();
    bounds.push(Containment::of(&[Bound::Filter]));
    for containment in bounds {
        assert_eq!(
            tried_at(folder.path(), &lines, containment),
            "no no no no no",
            "{containment:?}"
        );
        let after = key.metadata().unwrap();
        let of = |kind: &std::fs::Metadata| (kind.mode(), kind.uid(), kind.mtime(), kind.ctime());
        assert_eq!(of(&after), of(&before));
    }
    assert!(tried_at(folder.path(), &lines, Containment::of(&[Bound::Landlock])).contains("yes"));
}

/// What it leaves in its folders is for nobody to run, and goes with it.
pub fn a_setuid_binary() {
    let lines = "attempt(lambda: __import__('shutil').copyfile('/usr/bin/env', os.environ['HOME'] + '/env')), \
                 attempt(lambda: os.chmod(os.environ['HOME'] + '/env', 0o4755)), \
                 str('nosuid' in [m for m in open('/proc/self/mountinfo') if ' /tmp ' in m][0])";
    if has(Bound::Proc) && has(Bound::Root) {
        assert_eq!(tried(lines, Options::default()), "yes yes True");
    }
    // On a disk the filter does not let it, and nobody else comes there.
    if has(Bound::Filter) {
        let options =
            Options { containment: Containment::of(&[Bound::Filter]), ..Options::default() };
        let lines = "attempt(lambda: os.chmod(os.environ['HOME'], 0o4755)), \
                     str(any(os.stat(os.environ['HOME'] + '/..' * n).st_mode & 0o77 == 0 for n in range(4)))";
        assert_eq!(tried(lines, options), "no True");
    }
}

/// What its starter has open, and lets what it starts inherit.
pub fn what_was_open_before() {
    let file = tempfile::tempfile().unwrap();
    let high = rustix::io::fcntl_dupfd_cloexec(&file, 200).unwrap();
    rustix::io::fcntl_setfd(&high, rustix::io::FdFlags::empty()).unwrap();
    let lines = format!("attempt(lambda: os.fstat({}))", high.as_raw_fd());
    for containment in [containment(), Containment::NONE] {
        for kernel in [None, Some("close_range")] {
            let options = Options { containment, kernel, ..Options::default() };
            assert_eq!(tried(&lines, options), "no", "{kernel:?}");
        }
    }
}

/// Paths that lead somewhere else in the tree than where they were looked at.
pub fn paths_that_turn_back() {
    if !has(Bound::Root) {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(home.path().join("key"), "secret").unwrap();
    let link = home.path().join("link");
    let lines = format!("attempt(lambda: open('{}/key'))", home.path().display());
    for before in ["/.empty/..", "/bin/..", "/.old/.."] {
        let path = format!("{before}{}", home.path().display());
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for path in [Path::new(&path), &link] {
            assert_eq!(tried_at(path, &lines, containment()), "no", "{}", path.display());
        }
        std::fs::remove_file(&link).unwrap();
    }
    assert_eq!(tried_at(home.path(), &lines, containment()), "yes");
}

/// A program that locks pages, or starts processes, moves numbers that the kernel shows everybody.
pub fn what_the_kernel_counts() {
    if !has(Bound::Proc) || !has(Bound::Root) {
        return;
    }
    let script = r#"
import ctypes, zlib
def told(path):
    try: return open(path, "rb").read() if os.path.isfile(path) else os.listdir(path)
    except OSError: return None
for request in requests():
    names = [n for n in sorted(os.listdir("/proc")) if not n.isdigit() and n not in ("self", "thread-self", "net", "mounts")]
    told = [(n, told("/proc/" + n)) for n in names]
    more = [n for n in ("/sys/fs/cgroup", "/sys/devices/system/node") if os.path.exists(n)]
    locked = ctypes.CDLL(None).mlock(ctypes.create_string_buffer(4096), 4096)
    cores = "processor" in open("/proc/cpuinfo").read()
    say({"trial": request["trial"], "error": f"{zlib.crc32(repr(told).encode())} {more} {locked} {cores} {os.getuid()}"})
"#;
    let told = || in_python(script, Options::default()).fails().1;
    let (first, second) = (told(), told());
    let [first, second] = [&first, &second].map(|told| told.rsplit_once(' ').unwrap());
    assert_eq!(first.0, second.0);
    assert!(first.0.ends_with(" [] -1 True"), "{}", first.0);
    let [first, second] = [first.1, second.1].map(|number| number.parse::<u32>().unwrap());
    assert!(first < 0x7000_0000 || first.abs_diff(second) > 1000, "{first} {second}");
}

/// Files that only root may read are closed to a program of root, whose number is none.
pub fn another_number() {
    if !has(Bound::Root) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "secret").unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let is_root = key.metadata().unwrap().uid() == 0;
    let lines =
        format!("attempt(lambda: open('{}')), str(os.getuid() >= 0x70000000)", key.display());
    let expected = if is_root { "no True" } else { "yes False" };
    assert_eq!(tried_at(folder.path(), &lines, containment()), expected);
}

/// A device has in the tree what everybody may do with it outside: once root's programs read each that was named.
pub fn closed_devices() {
    let Ok(folder) = tempfile::tempdir_in("/dev") else {
        return println!("skipped: only root makes devices");
    };
    let devices = ["600", "644", "666"].map(|mode| folder.path().join(mode));
    for device in &devices {
        let mut mknod = std::process::Command::new("mknod");
        mknod.arg("-m").arg(device.file_name().unwrap()).arg(device).args(["c", "1", "3"]);
        if !has(Bound::Root) || !mknod.status().is_ok_and(|status| status.success()) {
            return println!("skipped: devices can't be made here");
        }
    }
    let lines = format!(
        "*[attempt(lambda: open(f'{}/{{mode}}', how)) for mode in (600, 644, 666) for how in 'rw']",
        folder.path().display()
    );
    let found = tried(&lines, Options { devices: devices.to_vec(), ..Options::default() });
    assert_eq!(found, "no no yes no yes yes");
}

/// Each leaves something that a later process finds, or changes what it may do.
pub fn calls_that_are_refused() {
    if !has(Bound::Filter) {
        return;
    }
    // Their numbers on x86-64 and, from 424 on, everywhere: keyctl, add_key, request_key, memfd_create, memfd_secret,
    // io_uring_setup, userfaultfd, bpf, perf_event_open, mount, umount2, unshare, setns, fsopen, open_tree, move_mount; clone3,
    // openat2, mincore, cachestat.
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let lines = "*[str(ctypes.get_errno()) for number in (250, 248, 249, 319, 447, 425, 323, 321, 298, 165, 166, 272, 308, 430, 428, 429, 435, 437, 27, 451) \
                 if libc.syscall(number, 0, 0, 0, 0, 0) < 0], \
                 str(libc.syscall(0x40000000 | 250, 0, 0, 0, 0, 0)), \
                 attempt(lambda: socket.socket(40, socket.SOCK_STREAM)), \
                 attempt(lambda: os.mknod(os.environ['HOME'] + '/d', 0o20600, os.makedev(1, 3))), \
                 attempt(lambda: os.mkfifo(os.environ['HOME'] + '/f')), \
                 str(libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0) < 0)";
    let lines = format!(
        "*(lambda ctypes, libc: [{lines}])(__import__('ctypes'), __import__('ctypes').CDLL(None, use_errno=True))"
    );
    let expected = format!("{}{}-1 no no yes True", "1 ".repeat(16), "38 ".repeat(4));
    assert_eq!(tried(&lines, Options::default()), expected);
    let alone = Options { containment: Containment::of(&[Bound::Filter]), ..Options::default() };
    assert_eq!(tried(&lines, alone), expected);
}

/// The numbers of calls of 32 bits are others: by them everything above would be allowed.
pub fn another_architecture() {
    let script = r#"
import ctypes, mmap
for request in requests():
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
    number = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    say({"trial": request["trial"], "error": str(number == os.getpid())})
"#;
    let fails =
        |containment| in_python(script, Options { containment, ..Options::default() }).fails();
    if cfg!(not(target_arch = "x86_64")) || !has(Bound::Filter) {
        return;
    }
    let (_, message) = fails(Containment::NONE);
    if message != "`bad`: it says: True" {
        return println!("skipped: this kernel has no calls of 32 bits: {message}");
    }
    for containment in [containment(), Containment::of(&[Bound::Filter])] {
        assert_eq!(fails(containment).0, "signal 31", "{containment:?}");
    }
}

/// What is held is seen by nobody who has another overlay of the same folder.
pub fn locks_and_watches() {
    if !has(Bound::Overlay) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let held = std::fs::File::open(folder.path().join("file")).unwrap();
    held.lock().unwrap();
    let lines = format!(
        "attempt(lambda: __import__('fcntl').flock(open('{0}/file'), 6)), attempt(lambda: __import__('fcntl').flock(open('/dev/null'), 6))",
        folder.path().display()
    );
    assert_eq!(tried_at(folder.path(), &lines, containment()), "yes yes");
    // A bind mount would show the lock, so nobody may ask.
    let bind = containment().without(Bound::Overlay);
    assert_eq!(tried_at(folder.path(), &lines, bind), "no no");
}

/// What files tell of others who have them: locks, leases, watches, a number, pages in memory, and services. Each is tried
/// on a file that this process holds and on one that it does not.
pub fn shared_files() {
    if !has(Bound::Overlay) || !has(Bound::Filter) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let held = ["held", "free"].map(|name| {
        std::fs::write(at(name), vec![b'x'; 1 << 16]).unwrap();
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o644)).unwrap();
        std::fs::File::options().read(true).write(true).open(at(name)).unwrap()
    });
    let [held, free] = held;
    drop(free);
    held.lock().unwrap();
    rustix::fs::fcntl_lock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let _stream = UnixListener::bind(at("stream")).unwrap();
    let datagrams = UnixDatagram::bind(at("datagrams")).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    let script = SHARED.replace("FOLDER", folder.path().to_str().unwrap());
    let ended = AtomicBool::new(false);
    let told = |containment, readable: bool| {
        let readable = if readable { vec![folder.path().to_owned()] } else { Vec::new() };
        let bench = in_python(&script, Options { containment, readable, ..Options::default() });
        let message = bench.ask(1).unwrap_err().message;
        bench.gone();
        message.trim_start_matches("`bad`: it says: ").to_owned()
    };
    std::thread::scope(|scope| {
        // What a watch would tell. A file that is closed would take the lock with it.
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                held.read_at(&mut [0], 0).unwrap();
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let _end = Ended(&ended);
        let open = told(Containment::NONE, false);
        let seen =
            "lock: 11 0, record: 11 0, own: 11 0, lease: 11 0, watch: seen 0, number: 0 0, pages";
        assert!(open.starts_with(seen), "{open}");
        assert!(open.ends_with("stream: 0, datagram: 0, raw: 0, pair: 0"), "{open}");
        let sent = |count| {
            let found = (0..9).take_while(|_| datagrams.recv(&mut [0]).is_ok()).count();
            assert_eq!(found, count);
        };
        sent(3);
        let all = containment();
        for containment in [all, all.without(Bound::Landlock)] {
            let overlaid = told(containment, true);
            for line in overlaid.split(", ") {
                let (what, found) = line.split_once(": ").unwrap();
                match what {
                    "stream" | "datagram" | "raw" | "pair" => assert_ne!(found, "0", "{overlaid}"),
                    // Neither page is told of, and files that are held are as those that are not.
                    "pages" => assert_eq!(found, "95 95", "{overlaid}"),
                    _ => {
                        let (held, free) = found.split_once(' ').unwrap();
                        assert_eq!(held, free, "{overlaid}");
                    }
                }
            }
        }
        let bind = all.without(Bound::Overlay);
        for containment in [bind, bind.without(Bound::Landlock), bind.without(Bound::Root)] {
            let refused = told(containment, true);
            for line in refused.split(", ") {
                let found = line.split_once(": ").unwrap().1;
                assert!(found.split(' ').all(|error| error == "1"), "{containment:?}: {refused}");
            }
        }
        sent(0);
    });
}

/// Tells the others when a test ends, however it does.
struct Ended<'a>(&'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What a program finds out about files: of each the number of an error, or what it is told.
const SHARED: &str = r#"
import ctypes, fcntl, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
def number(ask, *of):
    try:
        found = ask(*of)
        return found if isinstance(found, (int, str)) and not isinstance(found, bool) else 0
    except OSError as error:
        return error.errno
def each(ask):
    return f"{number(ask, 'FOLDER/held')} {number(ask, 'FOLDER/free')}"
def call(found):
    if found < 0: raise OSError(ctypes.get_errno(), "")
    return found
# For reading, since only who may write locks for writing.
def record(command):
    ask = struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0)
    def asked(path):
        with open(path) as file: fcntl.fcntl(file, command, ask)
    return asked
def lock(path):
    with open(path) as file: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
def lease(path):
    with open(path) as file: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
def watch(path):
    fd = call(libc.inotify_init1(os.O_NONBLOCK))
    call(libc.inotify_add_watch(fd, path.encode(), 0xfff))
    time.sleep(.3)
    try: return "seen" if os.read(fd, 4096) else 0
    except BlockingIOError: return 0
    finally: os.close(fd)
def hint(path):
    with open(path) as file: fcntl.fcntl(file, 1036, struct.pack("Q", 2))
def pages(path):
    buffer = bytearray(16)
    with open(path, "rb") as file: return os.preadv(file.fileno(), [buffer], 0, os.RWF_NOWAIT)
def connect(path):
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(path)
def send(kind):
    def sent(path): socket.socket(socket.AF_UNIX, kind).sendto(b"x", path)
    return sent
def pair(path):
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", path)
for request in requests():
    asked = dict(lock=lock, record=record(fcntl.F_SETLK), own=record(37), lease=lease, watch=watch, number=hint, pages=pages)
    found = [f"{name}: {each(ask)}" for name, ask in asked.items()]
    places = dict(stream=(connect, "stream"), datagram=(send(socket.SOCK_DGRAM), "datagrams"), raw=(send(socket.SOCK_RAW), "datagrams"), pair=(pair, "datagrams"))
    found += [f"{name}: {number(ask, 'FOLDER/' + at)}" for name, (ask, at) in places.items()]
    say({"trial": request["trial"], "error": ", ".join(found)})
"#;

/// Labels of a fold in the attributes of its own code file, for the next fold to read: the copy goes with the process.
pub fn memory_in_its_code() {
    if !has(Bound::Root) {
        return;
    }
    let script = r#"
for request in requests():
    found = os.stat("method.py")
    for change in [lambda: os.utime("method.py", (1, 1)), lambda: os.chmod("method.py", 0o711)]:
        try: change()
        except OSError: pass
    say({"trial": request["trial"], "error": f"{found.st_mtime > 1} {found.st_mode & 0o777 != 0o711}"})
"#;
    let bench = in_python(script, Options { mode: Mode::Once, ..Options::default() });
    let code = bench.folder.path().join("experiment/method.py");
    let of = |kind: std::fs::Metadata| (kind.mode(), kind.mtime(), kind.ctime());
    let before = of(code.metadata().unwrap());
    for number in [1, 2] {
        assert_eq!(bench.ask(number).unwrap_err().message, "`bad`: it says: True True");
    }
    assert_eq!(of(code.metadata().unwrap()), before);
    bench.gone();
}

/// A kernel gives each program its own session keyring.
pub fn a_key_in_the_session() {
    if !has(Bound::Keyring) || cfg!(not(target_arch = "x86_64")) {
        return;
    }
    // Without the filter, which refuses it before.
    let lines = "str(__import__('ctypes').CDLL(None).syscall(250, 0, -3, 0))";
    let session = || {
        let containment = containment().without(Bound::Filter);
        tried(lines, Options { containment, ..Options::default() })
    };
    let (first, second) = (session(), session());
    assert!(first != second && first != "-1", "{first} {second}");
}

/// More files in memory than memory: once these were seen by nobody.
pub fn memory_in_files() {
    if !has(Bound::Root) {
        return;
    }
    let write =
        "    file = open(f\"{folder}/huge\", 'wb', buffering=0)\n    os.remove(f'{folder}/huge')\n";
    for folder in ["/dev/shm", "/var/tmp", "/tmp"] {
        let script = format!(
            "for request in requests():\n    folder = '{folder}'\n{write}    for block in range(160):\n        file.write(b'x' * (1 << 20))\n    time.sleep(10)"
        );
        let options = Options { memory: Some(128 << 20), ..Options::default() };
        let bench = in_python(&script, options);
        let failure = bench.ask(1).unwrap_err();
        assert_eq!(failure.ending, Ending::Memory, "{folder}: {failure}");
        bench.gone();
    }
}

pub fn very_many_processes() {
    let script = r#"
import threading
for request in requests():
    made = 0
    try:
        while made < 1500:
            if os.fork() == 0: time.sleep(60)
            made += 1
    except OSError as error:
        say({"trial": request["trial"], "error": f"{made > 400} {made < 512} {error.errno}"})
"#;
    if has(Bound::User) {
        let bench = in_python(script, Options::default());
        assert_eq!(bench.ask(1).unwrap_err().message, "`bad`: it says: True True 11");
        bench.gone();
    }
    let files = "str(len([f for f in map(lambda n: attempt(lambda: held.append(open('/dev/null'))), range(1100)) if f == 'yes']) < 1024)";
    let files = format!("(lambda held: {files})([])");
    assert_eq!(tried(&files, Options::default()), "True");
}

/// By a bound of its own namespace, and not of the machine.
pub fn numbers_of_processes_come_again() {
    // A kernel takes no bound below eight for each processor that there may be.
    let processors = std::fs::read_to_string("/sys/devices/system/cpu/possible").unwrap();
    let last = processors.trim().rsplit(['-', ',']).next().unwrap();
    if has(Bound::Proc) && kernel() >= (6, 14) && last.parse::<u32>().unwrap() <= 100 {
        let bound = || std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap();
        let before = bound();
        let lines = "str(max(os.waitpid(os.fork() or os._exit(0), 0)[0] for _ in range(900)))";
        assert_eq!(tried(lines, Options::default()), "811");
        assert_eq!(bound(), before);
    }
}

/// Where an interpreter lies, and how it is called, is no obstacle.
pub fn places_with_special_names() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a:b,c d\\e");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("weights"), "w").unwrap();
    std::fs::File::create(folder.join("large")).unwrap().set_len(100 << 20).unwrap();
    let lines = format!(
        "open(r'{0}/weights').read(), str(os.path.getsize(r'{0}/large')), attempt(lambda: open(r'{0}/weights', 'a'))",
        folder.display()
    );
    assert_eq!(tried_at(&folder, &lines, containment()), format!("w {} no", 100 << 20));
    // A single file that is too large to copy.
    let large = format!(
        "str(os.path.getsize(r'{0}/large')), attempt(lambda: open(r'{0}/weights'))",
        folder.display()
    );
    assert_eq!(tried_at(&folder.join("large"), &large, containment()), format!("{} no", 100 << 20));
}

/// An interpreter below a home that is closed to everybody else, reached through a link.
pub fn an_interpreter_at_home() {
    let home = tempfile::tempdir().unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let bin = home.path().join("conda/bin");
    std::fs::create_dir_all(&bin).unwrap();
    let real = std::fs::canonicalize(python().unwrap()).unwrap();
    std::os::unix::fs::symlink(real, bin.join("python3.x")).unwrap();
    std::os::unix::fs::symlink("python3.x", bin.join("python")).unwrap();
    let command = bin.join("python");
    let script = "for request in requests():\n    answer(request)\n    done(request)";
    let bench = crate::support::with_command(&[command.to_str().unwrap(), "method.py"], script);
    assert!(bench.ask(1).is_ok());
    bench.gone();
}
