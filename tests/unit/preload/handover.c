/* SPDX-License-Identifier: MIT
 *
 * handover.c - LD_PRELOAD of a program that will not find our library
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/core/settings/layers.h"
#include "lib/core/record/recorder.h"
#include "preload/handover.h"

#define GONE  "/no/such/libdftrace_preload.so"
#define OTHER "/no/such/libother.so"

static char here[100]; /* a file of our library's name */

/* The LD_PRELOAD that is handed over in place of text; NULL: the same. */
static const char *handed (const char *text)
{
    static char room[4096];
    static char *to[8];
    char variable[2048];
    char *envp[] = {(char *)(uintptr_t) "A=1", variable,
                    (char *)(uintptr_t) "B=2", NULL};
    struct handover h;

    (void)snprintf (variable, sizeof (variable), "LD_PRELOAD=%s", text);
    errno = 77;
    if (!handover_needed (&h, envp)) {
        assert_int_equal (errno, 77);
        return NULL;
    }
    assert_int_equal (h.count, 4);
    assert_ptr_equal (handover_make (&h, to, room), to);
    assert_int_equal (errno, 77);
    assert_int_equal (strlen (room) + 1, h.length);
    assert_ptr_equal (to[0], envp[0]);
    assert_ptr_equal (to[2], envp[2]);
    assert_null (to[3]);
    return to[1] + strlen ("LD_PRELOAD=");
}

static void test_nothing (void **state)
{
    char *none[] = {NULL};
    char *others[] = {(char *)(uintptr_t) "LD_PRELOADED=" GONE,
                      (char *)(uintptr_t) "A=" GONE, NULL};
    struct handover h;

    assert_false (handover_needed (&h, NULL));
    assert_false (handover_needed (&h, none));
    assert_false (handover_needed (&h, others));
    recorder_layers = 0; /* not traced: not our business */
    assert_null (handed (GONE));
    recorder_layers = LAYER_POSIX;
}

static void test_stays (void **state)
{
    char text[2048];

    assert_null (handed (""));
    assert_null (handed (OTHER));
    assert_null (handed (here));
    assert_null (handed ("libdftrace_preload.so")); /* the loader searches */
    assert_null (handed ("/no/$LIB/libdftrace_preload.so"));
    assert_null (handed (GONE ".1"));
    memset (text, 'x', sizeof (text) - 1);
    text[sizeof (text) - 1] = '\0';
    assert_null (handed (text));
}

static void test_goes (void **state)
{
    char both[200];

    assert_string_equal (handed (GONE), "");
    assert_string_equal (handed (GONE ":" OTHER), OTHER);
    assert_string_equal (handed (OTHER ":" GONE), OTHER);
    assert_string_equal (handed (OTHER " " GONE ":b.so"), OTHER ":b.so");
    assert_string_equal (handed (GONE ":" GONE ":"), "");
    (void)snprintf (both, sizeof (both), "%s:%s", GONE, here);
    assert_string_equal (handed (both), here);
}

/* A script has set PYTHONPATH, or removed it. */
static void test_python (void **state)
{
    char room[4096], variable[200];
    char *to[8];
    char *envp[] = {variable, (char *)(uintptr_t) "PYTHONPATH=/a:/b", NULL};
    struct handover h;

    (void)snprintf (variable, sizeof (variable), "LD_PRELOAD=%s", here);
    assert_false (handover_needed (&h, envp));
    handover_start ("/our");
    assert_true (handover_needed (&h, envp));
    assert_int_equal (h.count, 3);
    assert_ptr_equal (handover_make (&h, to, room), to);
    assert_string_equal (to[0], variable);
    assert_string_equal (to[1], "PYTHONPATH=/our:/a:/b");
    assert_null (to[2]);
    assert_true (strlen (to[1]) < h.length);
    assert_false (handover_needed (&h, to));
    envp[1] = NULL;
    assert_true (handover_needed (&h, envp));
    assert_int_equal (h.count, 3);
    (void)handover_make (&h, to, room);
    assert_string_equal (to[1], "PYTHONPATH=/our");
    assert_null (to[2]);
    (void)snprintf (variable, sizeof (variable), "LD_PRELOAD=/lib/other.so");
    assert_false (handover_needed (&h, envp)); /* not traced */
    (void)snprintf (variable, sizeof (variable), "LD_PRELOAD=%s", GONE);
    assert_true (handover_needed (&h, envp));
    assert_int_equal (h.count, 2);
    (void)handover_make (&h, to, room);
    assert_string_equal (to[0], "LD_PRELOAD=");
    assert_null (to[1]);
    handover_start (NULL);
}

/* What leads nowhere is left to the kernel. */
static void test_wild (void **state)
{
    enum { PAGE = 4096 };
    char *p = mmap (NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *gone = (char *)(uintptr_t) "LD_PRELOAD=" GONE;
    const volatile uintptr_t nowhere = 8; /* compilers know what 8 is */
    char **endless = (char **)(void *)p;
    char *wild[] = {gone, (char *)8, NULL};
    char *fine[] = {gone, NULL};
    struct handover h;

    assert_true (p != MAP_FAILED);
    assert_int_equal (munmap (p + PAGE, PAGE), 0);
    assert_true (handover_needed (&h, fine));
    errno = 77;
    assert_false (handover_needed (&h, (char *const *)nowhere));
    assert_false (handover_needed (&h, wild));
    assert_false (handover_needed (&h, (char *const *)(p + PAGE)));
    for (size_t i = 0; i < PAGE / sizeof (*endless); i++)
        endless[i] = gone;
    assert_false (handover_needed (&h, endless));
    assert_false (handover_needed (&h, (char *const *)(p + PAGE - 4)));
    endless[1] = NULL;
    assert_true (handover_needed (&h, endless));
    memset (p, 'x', PAGE);
    memcpy (p + PAGE - 100, gone, strlen (gone)); /* no end */
    wild[0] = p + PAGE - 100;
    wild[1] = NULL;
    memset (p + PAGE - 100 + strlen (gone), 'x', 100 - strlen (gone));
    assert_false (handover_needed (&h, wild));
    wild[0] = p + PAGE - 5;
    memcpy (wild[0], "LD_PR", 5);
    assert_false (handover_needed (&h, wild));
    assert_int_equal (errno, 77);
    (void)munmap (p, PAGE);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing), cmocka_unit_test (test_stays),
        cmocka_unit_test (test_goes),    cmocka_unit_test (test_python),
        cmocka_unit_test (test_wild),
    };
    char dir[] = "/tmp/handover.XXXXXX";
    int rc;

    if (!mkdtemp (dir))
        return 99;
    (void)snprintf (here, sizeof (here), "%s/libdftrace_preload.so", dir);
    (void)close (open (here, O_WRONLY | O_CREAT, 0600));
    recorder_layers = LAYER_POSIX;
    rc = tap_run (tests);
    (void)unlink (here);
    (void)rmdir (dir);
    return rc;
}
