/* SPDX-License-Identifier: MIT
 *
 * rec.c - processes that record, and an account of what they left
 */
#include "tests/unit/tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/sys.h"
#include "lib/format/profile.h"
#include "lib/format/event.h"
#include "lib/format/calls.h"
#include "tests/unit/rec.h"

enum {
    READ_BYTES = 4096,
    LOW_WORD = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0
};

char rec_dir[REC_PATH];
struct settings rec_settings;

/* --- directories ------------------------------------------------------- */

/* UNIT_PAGE: as if the kernel had pages of that size. Where it chooses the
 * address it would be no such page, so mremap is left out. */
static void rec_page (void)
{
    static int done;
    const char *page = getenv ("UNIT_PAGE");

    if (!page || done++)
        return;
    sys_page_bits = (uintptr_t)atoi (page) - SYS_PAGE_LEAST;
    sys_map_away ();
    rec_refuse (SYS_mremap, ENOSYS);
}

int rec_setup (void **state)
{
    char job[REC_PATH + 8];
    const char *tmp = getenv ("TMPDIR");

    (void)snprintf (rec_dir, sizeof (rec_dir), "%s/dft-unit-XXXXXX",
                    tmp && tmp[0] == '/' ? tmp : "/tmp");
    assert_non_null (mkdtemp (rec_dir));
    (void)snprintf (job, sizeof (job), "%s/job", rec_dir);
    rec_page ();
    settings_init (&rec_settings);
    rec_settings.share = REC_SHARED ? 1 << 30 : 0;
    assert_int_equal (settings_set (&rec_settings, "layers", "posix,app", NULL),
                      0);
    assert_int_equal (settings_set (&rec_settings, "job_dir", job, NULL), 0);
    return 0;
}

static int
remove_one (const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    return remove (path);
}

int rec_teardown (void **state)
{
    return nftw (rec_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- children ---------------------------------------------------------- */

int rec_spawn (rec_body_f body, void *cookie, int finish)
{
    pid_t pid = fork ();

    if (pid != 0)
        return pid;
    if (recorder_start (&rec_settings, NULL) < 0)
        _exit (99);
    body (cookie);
    if (finish)
        recorder_finish ();
    _exit (0);
}

int rec_run (rec_body_f body, void *cookie, int finish)
{
    int status = -1, pid = rec_spawn (body, cookie, finish);

    assert_true (pid > 0);
    assert_int_equal (waitpid (pid, &status, 0), pid);
    return status;
}

void rec_read (int fd, uint64_t number)
{
    static const char path[] = "/data/tokens.bin";
    struct record r = {
        .call = CALL_read, .fd = fd, .size = READ_BYTES, .ret = READ_BYTES};

    if (!recorder_enter ())
        return;
    r.file = names_intern (SHARD_NAME_FILE, FILE_CLASS_STORAGE, path,
                           sizeof (path) - 1);
    r.offset = (int64_t)(number * READ_BYTES);
    r.start = clock_tick ();
    r.end = clock_tick ();
    recorder_record (&r);
    recorder_leave ();
}

void rec_reads (int fd, uint64_t number)
{
    for (uint64_t i = 0; i < number; i++)
        rec_read (fd, i);
}

void rec_refuse (long call, int error)
{
    struct sock_filter rules[] = {
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof (rules) / sizeof (rules[0]), rules};

    if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        _exit (1);
}

void rec_kill_unless_0 (long call, int argument)
{
    unsigned at = offsetof (struct seccomp_data, args[argument]);
    struct sock_filter rules[] = {
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 2),
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS, at + LOW_WORD),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof (rules) / sizeof (rules[0]), rules};
    struct rlimit none = {0, 0};

    if (setrlimit (RLIMIT_CORE, &none) < 0 ||
        prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        _exit (1);
}

/* --- the account -------------------------------------------------------- */

static void tally_event (const struct event *ev, struct rec_tally *t)
{
    uint64_t number = (uint64_t)ev->offset / READ_BYTES;

    t->events++;
    if (ev->call != CALL_read || ev->fd < 0 || ev->fd >= REC_FDS)
        return;
    assert_int_equal (ev->ret, READ_BYTES);
    t->gaps += number != t->next[ev->fd];
    t->next[ev->fd] = number + 1;
    t->per[ev->fd]++;
}

static void tally_chunk (const struct tracefile *f,
                         const struct trace_chunk *c,
                         struct rec_tally *t)
{
    unsigned char *buf = malloc (c->present ? c->present : 1);
    struct decoder d = {.p = NULL};
    struct event ev;
    ssize_t n = tracefile_read (f, c, buf);
    int rc;

    t->chunks++;
    if (n < 0) {
        assert_int_equal (errno, EBADMSG);
        t->bad_chunks++;
        free (buf);
        return;
    }
    assert_int_equal (decoder_begin (&d, &c->head, buf, (size_t)n), 0);
    while ((rc = decoder_next (&d, &ev)) > 0)
        tally_event (&ev, t);
    if (c->present == c->used) {
        assert_int_equal (rc, 0);
        assert_int_equal (d.events, c->events);
        t->promised += c->events;
    } else
        t->partly += d.events;
    decoder_end (&d);
    free (buf);
}

static void tally_profile (const struct tracefile *f,
                           const struct trace_chunk *c,
                           struct rec_tally *t)
{
    unsigned char *buf = malloc (c->present ? c->present : 1);
    ssize_t n = tracefile_read (f, c, buf);
    struct profile_row row;

    assert_true (n >= 0);
    for (ssize_t at = 0; at < n; at += row.head.bytes * PROFILE_ALIGN) {
        size_t left = (size_t)(n - at);

        memcpy (&row, buf + at, left < sizeof (row) ? left : sizeof (row));
        assert_true (row.head.bytes > 0);
        if (row.head.type == PROFILE_ROW)
            t->counted += row.n[PROFILE_calls];
    }
    free (buf);
}

void rec_tally_file (const char *path, struct rec_tally *t)
{
    struct tracefile *f = tracefile_open (path, NULL);
    const struct trace_health *h;
    uint64_t (*next)[REC_FDS];

    t->files++;
    if (!f) {
        t->refused++;
        return;
    }
    next = calloc (tracefile_processes (f), sizeof (*next));
    assert_non_null (next);
    for (size_t i = 0; i < tracefile_chunks (f); i++) {
        uint32_t proc = tracefile_chunk (f, i)->head.proc;

        memcpy (t->next, next[proc], sizeof (*next)); /* each from 0 */
        tally_chunk (f, tracefile_chunk (f, i), t);
        memcpy (next[proc], t->next, sizeof (*next));
    }
    free (next);
    for (size_t i = 0; i < tracefile_profiles (f); i++)
        tally_profile (f, tracefile_profile (f, i), t);
    for (size_t i = 0; i < tracefile_processes (f); i++) {
        t->damaged += tracefile_process (f, i)->damaged != 0;
        t->untraced += tracefile_process (f, i)->p.untraced;
    }
    h = tracefile_health (f);
    t->processes += h->processes;
    t->unfinished += h->unfinished;
    t->cut += h->cut != 0;
    t->missing += h->missing;
    t->lost += h->lost;
    t->lost_names += h->lost_names;
    t->bytes += h->bytes;
    tracefile_close (f);
}

static DIR *open_shards (char *dir)
{
    (void)snprintf (dir, REC_PATH, "%.4000s/job/shards", rec_dir);
    return opendir (dir);
}

void rec_tally (struct rec_tally *t)
{
    char dir[REC_PATH], path[2 * REC_PATH];
    DIR *d = open_shards (dir);
    struct dirent *e;

    memset (t, 0, sizeof (*t));
    while (d && (e = readdir (d))) {
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf (path, sizeof (path), "%s/%s", dir, e->d_name);
        rec_tally_file (path, t);
    }
    if (d)
        (void)closedir (d);
}

void rec_good (struct rec_tally *t, rec_body_f body, void *cookie, int finish)
{
    int status = rec_run (body, cookie, finish);

    if (status != 0)
        fail_msg ("child: status 0x%x", status);
    rec_tally (t);
}

const char *rec_shard (char *path)
{
    char dir[REC_PATH];
    DIR *d = open_shards (dir);
    struct dirent *e;
    int found = 0;

    assert_non_null (d);
    while ((e = readdir (d))) {
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf (path, REC_PATH, "%.3000s/%.1000s", dir, e->d_name);
        found++;
    }
    (void)closedir (d);
    assert_int_equal (found, 1);
    return path;
}

void rec_copy (const char *from, const char *to, uint64_t n)
{
    static char buf[1 << 16];
    int in = open (from, O_RDONLY);
    int out = open (to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true (in >= 0 && out >= 0);
    while (n > 0) {
        ssize_t got = read (in, buf, n < sizeof (buf) ? n : sizeof (buf));

        if (got <= 0)
            break;
        assert_int_equal (write (out, buf, (size_t)got), got);
        n -= (uint64_t)got;
    }
    (void)close (in);
    (void)close (out);
}

void rec_flip (const char *path, uint64_t offset, unsigned char mask)
{
    unsigned char byte = 0;
    int fd = open (path, O_RDWR);

    assert_true (fd >= 0);
    assert_int_equal (pread (fd, &byte, 1, (off_t)offset), 1);
    byte ^= mask;
    assert_int_equal (pwrite (fd, &byte, 1, (off_t)offset), 1);
    (void)close (fd);
}
