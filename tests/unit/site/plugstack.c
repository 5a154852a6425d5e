/* SPDX-License-Identifier: MIT
 *
 * plugstack.c - test of cli/doctor/plugstack.c: reads the file as Slurm does
 */
#include "tests/unit/scratch.h"

#include "cli/doctor/doctor.h"

static struct plugstack p;

static void read_text (const char *text)
{
    scratch_file ("plugstack.conf", text);
    plugstack_read (&p, "plugstack.conf");
}

static void no_file (void **state)
{
    plugstack_read (&p, "none");
    assert_false (p.readable);
    assert_int_equal (p.lines, 0);
    assert_null (p.path);
}

static void our_line (void **state)
{
    read_text ("# optional /old/dftrace.so\n"
               "required auks.so default=enabled\n"
               "  optional\t/usr/lib/slurm/dftrace.so  log_root=/s/%u\tpack=3 "
               "# why\n");
    assert_true (p.readable);
    assert_int_equal (p.lines, 1);
    assert_false (p.required);
    assert_string_equal (p.path, "/usr/lib/slurm/dftrace.so");
    assert_string_equal (p.file, "plugstack.conf");
    assert_int_equal (p.words, 2);
    assert_string_equal (p.word[0], "log_root=/s/%u");
    assert_string_equal (p.word[1], "pack=3");
}

static void like_names_are_others (void **state)
{
    read_text ("optional mydftrace.so\noptional dftrace.so.old\n"
               "optional /dftrace.so/other.so\noptional\ndftrace.so\n");
    assert_int_equal (p.lines, 0);
    assert_null (p.path);
}

static void required_and_twice (void **state)
{
    read_text ("required dftrace.so a=1\r\noptional dftrace.so b=2");
    assert_int_equal (p.lines, 2);
    assert_true (p.required);
    assert_int_equal (p.words, 1);
    assert_string_equal (p.word[0], "a=1"); /* without the CR */
}

static void a_comment_begins_anywhere (void **state)
{
    read_text ("optional dftrace.so log_root=/x#y z=1\n");
    assert_int_equal (p.words, 1);
    assert_string_equal (p.word[0], "log_root=/x");
}

static void includes (void **state)
{
    assert_int_equal (mkdir ("d", 0700), 0);
    scratch_file ("d/10-a.conf", "optional a.so\n");
    scratch_file ("d/20-dftrace.conf", "optional dftrace.so in=include\n");
    read_text ("include d/*.conf\ninclude none/*\n");
    assert_int_equal (p.lines, 1);
    assert_string_equal (p.file, "d/20-dftrace.conf");
    assert_string_equal (p.word[0], "in=include");
}

static void a_file_that_includes_itself (void **state)
{
    read_text ("optional dftrace.so\ninclude plugstack.conf\n");
    assert_true (p.lines > 1); /* and it ends */
}

static void more_than_there_is_room_for (void **state)
{
    static char text[3 * PLUGSTACK_TEXT];
    size_t n = (size_t)snprintf (text, sizeof (text), "optional dftrace.so");

    while (n < 2 * PLUGSTACK_TEXT)
        n += (size_t)snprintf (text + n, sizeof (text) - n, " w=%zu", n);
    read_text (text);
    assert_int_equal (p.lines, 1);
    assert_int_equal (p.words, PLUGSTACK_WORDS);
    assert_string_equal (p.word[0], "w=19");

    n = (size_t)snprintf (text, sizeof (text), "optional ");
    memset (text + n, 'x', 2 * PLUGSTACK_TEXT);
    (void)snprintf (text + n + 2 * PLUGSTACK_TEXT, 32, "/dftrace.so a=1\n");
    read_text (text); /* a path that no system has */
    assert_true (p.lines <= 1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (no_file),
        scratch_test (our_line),
        scratch_test (like_names_are_others),
        scratch_test (required_and_twice),
        scratch_test (a_comment_begins_anywhere),
        scratch_test (includes),
        scratch_test (a_file_that_includes_itself),
        scratch_test (more_than_there_is_room_for),
    };

    return tap_run (tests);
}
