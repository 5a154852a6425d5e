/* SPDX-License-Identifier: MIT
 *
 * filemove.c - test of spank/epilog/filemove.c: whole in one place, or where it
 * was
 */
#include "tests/unit/scratch.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "spank/epilog/pack.h"

enum { BIG = 300 * 1024, SMALL = 100 * 1024 };

static char other[64]; /* a directory on another file system, or "" */

static int make (void **state)
{
    struct stat here, there;

    if (scratch_make (state) < 0 || mkdir ("from", 0700) < 0 ||
        mkdir ("to", 0700) < 0)
        return -1;
    *other = '\0';
    if (stat ("/dev/shm", &there) == 0 && stat (".", &here) == 0 &&
        here.st_dev != there.st_dev) {
        (void)snprintf (other, sizeof (other), "/dev/shm/dftrace-unit.XXXXXX");
        if (!mkdtemp (other))
            *other = '\0';
    }
    return 0;
}

static int drop (void **state)
{
    if (*other)
        (void)nftw (other, scratch_remove, 16, FTW_DEPTH | FTW_PHYS);
    return scratch_drop (state);
}

/* Is there another file system? If not, say so. */
static int has_other (void)
{
    if (!*other)
        print_message ("# not run: /dev/shm is no other file system\n");
    return *other != '\0';
}

static const char *there (const char *name)
{
    static char path[512];

    (void)snprintf (path, sizeof (path), "%s/%s", other, name);
    return path;
}

static void
refused (const char *from, const char *to, const char *name, int err)
{
    errno = 0;
    assert_int_equal (filemove (from, to, name), -1);
    assert_int_equal (errno, err);
}

static void renames (void **state)
{
    scratch_file ("from/a", "text");
    scratch_file ("to/a", "older");
    assert_int_equal (filemove ("from", "to", "a"), 0);
    assert_string_equal (scratch_text ("to/a"), "text");
    assert_false (scratch_has ("from/a"));
}

static void bad_arguments (void **state)
{
    scratch_file ("from/a", "text");
    assert_int_equal (symlink ("to", "link"), 0);
    refused ("none", "to", "a", ENOENT);
    refused ("from", "none", "a", ENOENT);
    refused ("from", "to", "none", ENOENT);
    refused ("from", "link", "a", ENOTDIR);
    refused ("link", "to", "a", ENOTDIR);
    refused ("from/a", "to", "a", ENOTDIR);
    assert_string_equal (scratch_text ("from/a"), "text");
}

static void copies (void **state)
{
    static char text[BIG + 1], back[BIG + 1];
    struct stat st;
    int fd;

    if (!has_other ())
        return;
    memset (text, 'x', BIG);
    text[BIG / 2] = 'y';
    scratch_file ("from/a", text);
    assert_int_equal (filemove ("from", other, "a"), 0);
    assert_false (scratch_has ("from/a"));
    assert_false (scratch_has (there (".a.part")));
    fd = open (there ("a"), O_RDONLY);
    assert_int_equal (fstat (fd, &st), 0);
    assert_int_equal (st.st_size, BIG);
    assert_int_equal (st.st_mode & 0777, 0600);
    assert_int_equal (read (fd, back, BIG), BIG);
    (void)close (fd);
    assert_memory_equal (text, back, BIG);
}

static void what_is_no_file_stays (void **state)
{
    if (!has_other ())
        return;
    scratch_file ("secret", "secret");
    assert_int_equal (symlink ("../secret", "from/link"), 0);
    refused ("from", other, "link", ELOOP);
    assert_true (scratch_has ("from/link"));
    if (mkfifo ("from/fifo", 0600) == 0) {
        assert_int_equal (filemove ("from", other, "fifo"), -1);
        assert_true (scratch_has ("from/fifo"));
    }
    assert_int_equal (rmdir (other), 0); /* nothing has come there */
    *other = '\0';
}

static void what_lies_in_the_way (void **state)
{
    if (!has_other ())
        return;
    scratch_file ("from/a", "text");
    scratch_file ("victim", "kept");
    {
        char victim[512];

        (void)snprintf (victim, sizeof (victim), "%s/victim", scratch);
        assert_int_equal (symlink (victim, there (".a.part")), 0);
    }
    refused ("from", other, "a", ELOOP);
    assert_string_equal (scratch_text ("victim"), "kept");
    assert_string_equal (scratch_text ("from/a"), "text");
    assert_int_equal (unlink (there (".a.part")), 0);
    scratch_file (there (".a.part"), "what a copy that was cut has left");
    assert_int_equal (filemove ("from", other, "a"), 0);
    assert_string_equal (scratch_text (there ("a")), "text");
}

static void file_of (const char *path, char byte, off_t size)
{
    static char block[1 << 20];
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    memset (block, byte, sizeof (block));
    for (off_t at = 0; at < size; at += (off_t)sizeof (block))
        assert_int_equal (pwrite (fd, block, sizeof (block), at),
                          sizeof (block));
    (void)close (fd);
}

static char byte_at (const char *path, off_t at)
{
    int fd = open (path, O_RDONLY);
    char byte = '\0';

    assert_int_equal (pread (fd, &byte, 1, at), 1);
    (void)close (fd);
    return byte;
}

/* A copy that was killed: what was on disk is not copied again, what may not
 * have been is. */
static void a_copy_goes_on (void **state)
{
    enum { MORE = 1 << 20 };
    unsigned synced = 0;
    struct stat st;

    if (!has_other ())
        return;
    file_of ("from/a", 'a', 2 * (off_t)FILEMOVE_SYNC_BYTES + MORE);
    file_of (there (".a.part"), 'p', FILEMOVE_SYNC_BYTES + MORE);
    filemove_count (&synced);
    assert_int_equal (filemove ("from", other, "a"), 0);
    filemove_count (NULL);
    assert_int_equal (synced, 2);
    assert_int_equal (stat (there ("a"), &st), 0);
    assert_int_equal (st.st_size, 2 * (off_t)FILEMOVE_SYNC_BYTES + MORE);
    assert_int_equal (byte_at (there ("a"), MORE - 1), 'p');
    assert_int_equal (byte_at (there ("a"), MORE), 'a');
    assert_int_equal (byte_at (there ("a"), st.st_size - 1), 'a');
    assert_false (scratch_has (there (".a.part")));
    /* of another file */
    file_of ("from/b", 'b', MORE);
    file_of (there (".b.part"), 'p', MORE);
    assert_int_equal (filemove ("from", other, "b"), 0);
    assert_int_equal (byte_at (there ("b"), 0), 'b');
}

static void a_name_too_long_to_copy (void **state)
{
    char name[NAME_MAX + 1];

    if (!has_other ())
        return;
    memset (name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    chdir ("from");
    scratch_file (name, "text");
    chdir ("..");
    refused ("from", other, name, ENAMETOOLONG);
}

/* A file may be no longer than SMALL: as when the disk is full. */
static void no_room (void **state)
{
    static char text[BIG + 1];
    const struct rlimit limit = {SMALL, SMALL};
    int status;
    pid_t pid;

    if (!has_other ())
        return;
    memset (text, 'x', BIG);
    scratch_file ("from/a", text);
    pid = fork ();
    if (pid == 0) {
        (void)signal (SIGXFSZ, SIG_IGN);
        (void)setrlimit (RLIMIT_FSIZE, &limit);
        _exit (filemove ("from", other, "a") == -1 && errno == EFBIG ? 0 : 1);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_int_equal (status, 0);
    assert_false (scratch_has (there ("a")));
    assert_false (scratch_has (there (".a.part")));
    assert_int_equal (filemove ("from", other, "a"), 0); /* there is room now */
}

#define move_test(TEST) cmocka_unit_test_setup_teardown (TEST, make, drop)

int main (void)
{
    const struct CMUnitTest tests[] = {
        move_test (renames),
        move_test (bad_arguments),
        move_test (copies),
        move_test (what_is_no_file_stays),
        move_test (what_lies_in_the_way),
        move_test (a_copy_goes_on),
        move_test (a_name_too_long_to_copy),
        move_test (no_room),
    };

    return tap_run (tests);
}
