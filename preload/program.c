/* SPDX-License-Identifier: MIT
 *
 * program.c - a program that is about to be started -> kind
 *
 * In:  its path; whether somebody listens to files that are opened
 * Out: enum program_kind; of a Go program, a note in its own trace
 * Caveat: to know a program it must be opened and read, which listeners of
 *         inotify and fanotify see: so once for each file, and not at all in
 *         a program that listens itself and may wait for its child.
 */
#include "config.h"

#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "lib/base/array.h"
#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "lib/settings/paths.h"
#include "preload/files.h"
#include "preload/follow/locks.h"
#include "preload/kernelsay.h"
#include "preload/probe.h"
#include "preload/program.h"
#include "preload/record/recorder.h"
#include "preload/record/shardpath.h"
#include "preload/span.h"
#include "preload/untraced.h"

enum { SLOTS = 64, KIND_BITS = 5 };
_Static_assert(PROGRAM_KINDS <= 1 << KIND_BITS, "a kind fits its bits");

/* Bits that tell of somebody who only reads. */
static const uint64_t reading = IN_ACCESS | IN_OPEN | IN_CLOSE_NOWRITE |
                                FAN_ACCESS | FAN_OPEN | FAN_CLOSE_NOWRITE |
                                FAN_OPEN_PERM | FAN_ACCESS_PERM;

static SYS_START const char *own = ""; /* path of the library; "": not known */
static SYS_START const char *place = ""; /* of the traces */
static SYS_START uid_t user;             /* who could read own */
static int listens;

/* Hash of a file's identity and times << KIND_BITS | kind; 0: none. */
static SYS_LAST _Atomic uint64_t known[SLOTS];

void program_start (const char *ours, const struct settings *s)
{
    const char *stage = SETTING_TEXT (s, stage);
    static char first[PATH_MAX];
    size_t n = 0;

    user = (uid_t)sys_call (SYS_geteuid);
    place = shardpath_place (stage[0] ? stage : s->job_dir);
    while (ours[n] && ours[n] != ':')
        n++;
    if (n == 0 || n >= sizeof (first) || ours[0] != '/')
        return;
    own = ours;
    if (ours[n]) { /* several */
        memcpy (first, ours, n);
        first[n] = '\0';
        own = first;
    }
}

int program_watches (uint64_t mask)
{
    if (mask & reading)
        listens = 1;
    return 0;
}

/* --- what is known -------------------------------------------------------- */

static uint64_t program_mix (uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t identity (const struct stat *st)
{
    uint64_t h = program_mix (st->st_dev, st->st_ino);

    h = program_mix (h, (uint64_t)st->st_size);
    h = program_mix (h, (uint64_t)st->st_ctim.tv_sec);
    h = program_mix (h, (uint64_t)st->st_ctim.tv_nsec);
    h = program_mix (h, (uint64_t)st->st_mtim.tv_sec);
    return program_mix (h, (uint64_t)st->st_mtim.tv_nsec) << KIND_BITS;
}

struct program_look {
    int dirfd;
    const char *path;
    enum program_kind kind;
};

static void look_step (void *cookie)
{
    struct program_look *l = cookie;

    l->kind = programkind_look (l->dirfd, l->path);
}

/* The file is opened and closed, by which no lock of the program may go. */
static enum program_kind look (int dirfd, const char *path)
{
    struct program_look l = {dirfd, path, PROGRAM_UNKNOWN};

    if (locks_held ())
        (void)locks_apart (look_step, &l);
    else
        look_step (&l);
    return l.kind;
}

/* Read the kind of a program from its file; remember it. */
static enum program_kind
file_kind (int dirfd, const char *path, const struct stat *st)
{
    uint64_t id, slot, found;
    enum program_kind kind;

    id = identity (st);
    slot = id / (1 << KIND_BITS) % SLOTS;
    found = atomic_load_explicit (&known[slot], memory_order_relaxed);
    if (found >> KIND_BITS == id >> KIND_BITS && id)
        return (enum program_kind) (found & ((1 << KIND_BITS) - 1));
    if (listens)
        return programkind_is_secure (st) ? PROGRAM_SECURE : PROGRAM_UNKNOWN;
    kind = look (dirfd, path);
    atomic_store_explicit (&known[slot], id | kind, memory_order_relaxed);
    return kind;
}

/* The library could be read when this program was started: by another user, or
 * in another tree of files, it must be asked for again. */
static int has_moved (void)
{
    return recorder_left || (uid_t)sys_call (SYS_geteuid) != user;
}

/* By its number another one, and not because it has gone into a namespace, in
 * which the owner of the directory has another number, too. */
static int is_other_user (void)
{
    uid_t now = (uid_t)sys_call (SYS_geteuid);
    struct stat st;

    if (now == user || !*place)
        return 0;
    if (sys_call (SYS_newfstatat, AT_FDCWD, place, &st, 0) == 0)
        return st.st_uid != now;
    return errno == EACCES || errno == EPERM;
}

static int library_is_noexec (void)
{
    int fd = sys_open (own, O_PATH | O_CLOEXEC, 0), is;
    struct statfs fs;

    if (fd < 0)
        return 0;
    is = sys_call (SYS_fstatfs, fd, &fs) == 0 &&
         ((unsigned long)fs.f_flags & ST_NOEXEC);
    (void)sys_close (fd);
    return is;
}

/* A program that the loader would start with us may be where we are not, or
 * where it cannot make its trace. */
static enum program_kind moved_kind (void)
{
    if (is_other_user ())
        return PROGRAM_OTHER_USER;
    if (own[0] && sys_call (SYS_faccessat, AT_FDCWD, own, R_OK) < 0)
        return PROGRAM_NO_LIBRARY;
    if (own[0] && library_is_noexec ())
        return PROGRAM_NOEXEC;
    if (recorder_left && *place &&
        sys_call (SYS_faccessat, AT_FDCWD, place, W_OK) < 0)
        return PROGRAM_NO_DIRECTORY;
    return PROGRAM_UNKNOWN;
}

/* Return the kind of a program; *starts is 0 for a file that the kernel will
 * not start. */
static enum program_kind kind (int dirfd, const char *path, int *starts)
{
    enum program_kind k;
    struct stat st;

    if (sys_call (SYS_newfstatat, dirfd, path, &st, 0) < 0) {
        if (errno == ENOENT && *path) /* "": of dirfd itself */
            *starts = -1;
        return PROGRAM_UNKNOWN;
    }
    if (!S_ISREG (st.st_mode) ||
        sys_call (SYS_faccessat, dirfd, path, X_OK) < 0)
        return PROGRAM_UNKNOWN;
    *starts = 1;
    k = file_kind (dirfd, path, &st);
    return k == PROGRAM_UNKNOWN && has_moved () ? moved_kind () : k;
}

void program_search (const char *file, char *path, size_t size)
{
    programkind_search (settings_environ (NULL, "PATH"), file, path, size);
}

static __attribute__ ((noinline)) enum program_kind search (const char *file,
                                                            int *starts)
{
    char path[PATH_MAX];

    program_search (file, path, sizeof (path));
    return path[0] ? kind (AT_FDCWD, path, starts) : PROGRAM_UNKNOWN;
}

enum program_kind program_kind (const struct program_name *n, int *starts)
{
    int saved_errno = errno;
    enum program_kind k = PROGRAM_UNKNOWN;
    struct probe p = {0};

    *starts = 0;
    if (probe_text (&p, n->name, PATH_MAX) > 0)
        k = n->search && !strchr (n->name, '/')
                ? search (n->name, starts)
                : kind (n->dirfd, n->name, starts);
    errno = saved_errno;
    return k;
}

/* --- this program --------------------------------------------------------- */

static __attribute__ ((noinline)) void note_go (void)
{
    struct span sp = {.call = CALL_exec_untraced};
    char exe[PATH_MAX];
    ssize_t n = sys_readlink ("/proc/self/exe", exe, sizeof (exe));
    struct record r;

    untraced_self ("", programkind_reason (PROGRAM_GO));
    recorder_count_untraced ();
    if (n <= 0 || !span_open (&sp))
        return;
    span_result (&sp, &r, 0, 0);
    r.file =
        names_intern (SHARD_NAME_FILE, FILE_CLASS_OTHER, exe,
                      (size_t)n < EVENT_NAME_MAX ? (size_t)n : EVENT_NAME_MAX);
    r.flags = PROGRAM_GO;
    span_write (&r);
}

void program_note_self (void)
{
    const void *headers = (const void *)getauxval (AT_PHDR);

    if (headers && !kernelsay_sees () &&
        programkind_is_go (headers, getauxval (AT_PHNUM)))
        note_go ();
}

/* ---- what a shell does for itself, and not for the job ---- */

static char script[PATHS_BIG];
static SYS_START size_t script_length; /* 0: none */

/* Options of shells that have a value of their own. */
static int takes_value (const char *word)
{
    static const char *const words[] = {"-o", "+o",       "-O",
                                        "+O", "--rcfile", "--init-file"};

    for (size_t i = 0; i < ITEMS (words); i++)
        if (strcmp (word, words[i]) == 0)
            return 1;
    return 0;
}

/* NULL: commands from -c or standard input. */
static const char *script_word (const char *const *argv)
{
    if (!argv || !argv[0])
        return NULL;
    while (*++argv) {
        const char *word = *argv;

        if (strcmp (word, "--") == 0 || strcmp (word, "-") == 0)
            return argv[1];
        if (word[0] != '-' && word[0] != '+')
            return word;
        if (word[1] != '-' && strchr (word, 'c'))
            return NULL;
        if (takes_value (word) && !*++argv)
            return NULL;
    }
    return NULL;
}

int shells_start (const char *list,
                  const char *exe,
                  size_t length,
                  const char *const *argv)
{
    const char *word;
    ssize_t n = 0;

    script_length = 0;
    if (!list_has_prefix (list, exe, length) &&
        !pathfilter_has_pattern (list, exe, length))
        return 0;
    word = script_word (argv);
    if (word && word[0] != '/')
        n = paths_cwd (script, sizeof (script));
    if (word && n >= 0)
        n = paths_append (script, (size_t)n, sizeof (script), word);
    script_length = word && n > 0 ? (size_t)n : 0;
    return 1;
}

int shells_is_script (const char *path, size_t length)
{
    return script_length > 0 && length == script_length &&
           memcmp (path, script, length) == 0;
}

void shells_drop_calls (unsigned char *dropped, unsigned char value)
{
    static const enum call calls[] = {
        CALL_lseek, CALL_fstat,  CALL_stat,      CALL_lstat,    CALL_fstatat,
        CALL_statx, CALL_access, CALL_faccessat, CALL_readlink, CALL_readlinkat,
        CALL_dup,   CALL_fcntl,  CALL_fflush,
    };

    for (size_t i = 0; i < ITEMS (calls); i++)
        dropped[calls[i]] = value;
}
