/* What a failing world does to a process, by LD_PRELOAD. CHAOS names one trouble:
 *
 *   full=BYTES   so many bytes can be written to files, then the disk is full
 *   write=N      the Nth write to a file fails
 *   short=N      every Nth write to a file writes half of it, which is no error
 *   sync=N       the Nth fsync or fdatasync fails
 *   rename=      no file can be renamed
 *   open=N       the Nth file that is opened for writing can't be
 *   clock=SEED   the wall clock jumps by years with every look at it
 *
 * Only regular files are troubled: what goes to a terminal or a pipe arrives. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Some renames ask the kernel without the C library: the kernel refuses them. */
static void refuse_renames(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rename, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(99);
}

static long most = -1, count;
static char trouble[16];

__attribute__((constructor)) static void begin(void) {
    const char *chaos = getenv("CHAOS");
    const char *equals = chaos ? strchr(chaos, '=') : NULL;
    if (!equals || equals - chaos >= (long)sizeof trouble) return;
    memcpy(trouble, chaos, equals - chaos);
    most = atol(equals + 1);
    if (strcmp(trouble, "rename") == 0) refuse_renames();
}

static int is(const char *name) { return strcmp(trouble, name) == 0; }
/* Whether it is the turn of the Nth. */
static int turn(void) { return __sync_add_and_fetch(&count, 1) == most; }
static int fails(int error) { errno = error; return -1; }

static int is_file(int fd) {
    struct stat found;
    return fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

/* How many of these bytes are written; -1 and errno if none. */
static ssize_t room(int fd, size_t bytes) {
    if (!trouble[0] || !is_file(fd)) return bytes;
    if (is("write") && turn()) return fails(EIO);
    if (is("short") && bytes > 1 && __sync_add_and_fetch(&count, 1) % most == 0) return bytes / 2;
    if (is("full")) {
        long before = __sync_fetch_and_add(&count, (long)bytes);
        if (before >= most) return fails(ENOSPC);
        if (before + (long)bytes > most) return most - before;
    }
    return bytes;
}

#define NEXT(name) static typeof(&name) next; if (!next) next = (typeof(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *buffer, size_t bytes) {
    NEXT(write);
    ssize_t some = room(fd, bytes);
    return some < 0 ? some : next(fd, buffer, some);
}

ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t at) {
    NEXT(pwrite64);
    ssize_t some = room(fd, bytes);
    return some < 0 ? some : next(fd, buffer, some, at);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
    NEXT(writev);
    size_t bytes = 0;
    for (int i = 0; i < n; i++) bytes += parts[i].iov_len;
    ssize_t some = room(fd, bytes);
    if (some < 0) return some;
    return some == (ssize_t)bytes ? next(fd, parts, n) : write(fd, parts[0].iov_base, parts[0].iov_len);
}

int fsync(int fd) {
    NEXT(fsync);
    return is("sync") && turn() ? fails(EIO) : next(fd);
}

int fdatasync(int fd) {
    NEXT(fdatasync);
    return is("sync") && turn() ? fails(EIO) : next(fd);
}

int open64(const char *path, int flags, ...) {
    NEXT(open64);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if (is("open") && (flags & (O_WRONLY | O_RDWR)) && strncmp(path, "/dev/", 5) && turn()) return fails(EIO);
    return next(path, flags, mode);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    NEXT(clock_gettime);
    int ended = next(clock, now);
    if (ended == 0 && clock == CLOCK_REALTIME && is("clock")) {
        unsigned long turned = (unsigned long)(__sync_add_and_fetch(&count, 1) + most) * 6364136223846793005UL;
        now->tv_sec += (long)(turned >> 33) - (1L << 30);
    }
    return ended;
}
