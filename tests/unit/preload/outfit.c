/* SPDX-License-Identifier: MIT
 *
 * outfit.c - the environment of a program that is about to be started, and what
 *            that program finds of it
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/format/calls.h"
#include "preload/record/recorder.h"
#include "lib/settings/settings.h"
#include "preload/follow/arrival.h"
#include "preload/follow/outfit.h"
#include "preload/follow/told.h"

#define GONE  "/no/such/libdftrace_preload.so"
#define OTHER "/no/such/libother.so"

static char here[100]; /* a file of our library's name */

static int outfit_needed (struct outfit *h, char *const envp[])
{
    return outfit_is_active () && outfit_look (h, envp) &&
           outfit_plan (h, PROGRAM_UNKNOWN);
}

static size_t texts (const struct outfit *h)
{
    return h->room - h->pointers * sizeof (char *);
}

/* The LD_PRELOAD that is handed over in place of text; NULL: the same. */
static const char *handed (const char *text)
{
    static char *room[512];
    char *const *to;
    char variable[2048];
    char *envp[] = {(char *)(uintptr_t) "A=1", variable,
                    (char *)(uintptr_t) "B=2", NULL};
    struct outfit h;

    (void)snprintf (variable, sizeof (variable), "LD_PRELOAD=%s", text);
    errno = 77;
    if (!outfit_needed (&h, envp)) {
        assert_int_equal (errno, 77);
        return NULL;
    }
    assert_int_equal (h.pointers, 4);
    to = outfit_make (&h, room);
    assert_int_equal (errno, 77);
    assert_true (strlen (to[1]) < texts (&h));
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
    struct outfit h;

    assert_false (outfit_needed (&h, NULL));
    assert_false (outfit_needed (&h, none));
    assert_false (outfit_needed (&h, others));
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
    char *room[512], variable[200];
    char *const *to;
    char *envp[] = {variable, (char *)(uintptr_t) "PYTHONPATH=/a:/b", NULL};
    struct outfit h;

    (void)snprintf (variable, sizeof (variable), "LD_PRELOAD=%s", here);
    assert_false (outfit_needed (&h, envp));
    outfit_python ("/our");
    assert_true (outfit_needed (&h, envp));
    assert_int_equal (h.pointers, 3);
    to = outfit_make (&h, room);
    assert_string_equal (to[0], variable);
    assert_string_equal (to[1], "PYTHONPATH=/our:/a:/b");
    assert_null (to[2]);
    assert_true (strlen (to[1]) < texts (&h));
    assert_false (outfit_needed (&h, to));
    envp[1] = NULL;
    assert_true (outfit_needed (&h, envp));
    assert_int_equal (h.pointers, 3);
    to = outfit_make (&h, room);
    assert_string_equal (to[1], "PYTHONPATH=/our");
    assert_null (to[2]);
    (void)snprintf (variable, sizeof (variable), "LD_PRELOAD=/lib/other.so");
    assert_false (outfit_needed (&h, envp)); /* not traced */
    (void)snprintf (variable, sizeof (variable), "LD_PRELOAD=%s", GONE);
    assert_true (outfit_needed (&h, envp));
    assert_int_equal (h.pointers, 2);
    to = outfit_make (&h, room);
    assert_string_equal (to[0], "LD_PRELOAD=");
    assert_null (to[1]);
    outfit_python (NULL);
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
    struct outfit h;

    assert_true (p != MAP_FAILED);
    assert_int_equal (munmap (p + PAGE, PAGE), 0);
    assert_true (outfit_needed (&h, fine));
    errno = 77;
    assert_false (outfit_needed (&h, (char *const *)nowhere));
    assert_false (outfit_needed (&h, wild));
    assert_false (outfit_needed (&h, (char *const *)(p + PAGE)));
    for (size_t i = 0; i < PAGE / sizeof (*endless); i++)
        endless[i] = gone;
    assert_false (outfit_needed (&h, endless));
    assert_false (outfit_needed (&h, (char *const *)(p + PAGE - 4)));
    endless[1] = NULL;
    assert_true (outfit_needed (&h, endless));
    memset (p, 'x', PAGE);
    memcpy (p + PAGE - 100, gone, strlen (gone)); /* no end */
    wild[0] = p + PAGE - 100;
    wild[1] = NULL;
    memset (p + PAGE - 100 + strlen (gone), 'x', 100 - strlen (gone));
    assert_false (outfit_needed (&h, wild));
    wild[0] = p + PAGE - 5;
    memcpy (wild[0], "LD_PR", 5);
    assert_false (outfit_needed (&h, wild));
    assert_int_equal (errno, 77);
    (void)munmap (p, PAGE);
}

/* --- handed on -------------------------------------------------------------
 */

enum { AUX = 6, ROOM = 600 };

static char *room[ROOM];

static size_t entries (char *const *envp)
{
    size_t n = 0;

    while (envp && envp[n])
        n++;
    return n;
}

/* The new program's stack: the environment, and behind it a vector. */
static char **stack_of (char *const *envp)
{
    static char *stack[ROOM], strings[ROOM * 256];
    size_t n = entries (envp), used = 0;

    memset (stack, 0, sizeof (stack));
    for (size_t i = 0; i < n; i++) {
        size_t bytes = strlen (envp[i]) + 1;

        assert_true (used + bytes <= sizeof (strings));
        stack[i] = memcpy (strings + used, envp[i], bytes);
        used += bytes;
    }
    stack[n + 1] = (char *)AUX;
    stack[n + 2] = (char *)4096;
    return stack;
}

/* envp as it was given, and the vector behind it can be walked to. */
static void assert_as_given (char **stack, char *const *given)
{
    size_t n = entries (given);
    char **aux = stack + n + 1;

    assert_int_equal (entries (stack), n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal (stack[i], given[i]);
    while (aux[0] == (char *)1) /* AT_IGNORE */
        aux += 2;
    assert_ptr_equal (aux[0], (char *)AUX);
    assert_ptr_equal (aux[1], (char *)4096);
}

static void assert_told (const char *name, const char *value)
{
    const char *told = settings_environ (NULL, name);

    if (value)
        assert_string_equal (told, value);
    else
        assert_null (told);
}

static void test_round (void **state)
{
    static char with_ours[200];
    char *none[] = {NULL};
    char *plain[] = {(char *)(uintptr_t) "A=1", NULL};
    char *other[] = {(char *)(uintptr_t) "LD_PRELOAD=" OTHER,
                     (char *)(uintptr_t) "B=", NULL};
    char *ours[] = {(char *)(uintptr_t) "C", with_ours, NULL};
    char *const *given[] = {none, plain, other, ours, NULL};
    static struct settings s;
    struct outfit h;

    settings_init (&s);
    assert_int_equal (settings_set (&s, "job_dir", "/x/\036\037y", NULL), 0);
    assert_int_equal (settings_set (&s, "chunk", "64K", NULL), 0);
    assert_int_equal (settings_set (&s, "layers", "posix", NULL), 0);
    (void)snprintf (with_ours, sizeof (with_ours), "LD_PRELOAD=%s", here);
    told_start (&s);
    outfit_start (here, &s);
    for (int i = 0; i <= 4; i++) {
        char **stack;

        assert_true (outfit_needed (&h, given[i]));
        assert_true (h.adds);
        assert_true (h.room <= sizeof (room));
        stack = stack_of (outfit_make (&h, room));
        assert_int_equal (entries (stack), entries (given[i]) + 2);
        arrival_take (stack);
        assert_as_given (stack, given[i] ? given[i] : none);
        assert_told ("DFTRACE_JOB_DIR", "/x/\036\037y");
        assert_told ("DFTRACE_CHUNK", "65536");
        assert_told ("DFTRACE_LAYERS", "posix");
        assert_told ("DFTRACE_NODE", NULL);
        assert_int_equal (strncmp (arrival_libraries (), here, strlen (here)),
                          0);
    }
}

/* A static program in between has made one LD_PRELOAD of two, or changed it. */
static void test_between (void **state)
{
    char *other[] = {(char *)(uintptr_t) "LD_PRELOAD=" OTHER, NULL};
    char *none[] = {NULL};
    char *merged[4] = {NULL},
         *put[] = {NULL, (char *)(uintptr_t) "Z=", NULL, NULL};
    char text[300], **stack;
    struct outfit h;

    assert_true (outfit_needed (&h, other));
    merged[0] = ((char **)(uintptr_t)outfit_make (&h, room))[1];
    merged[1] = ((char **)(uintptr_t)outfit_make (&h, room))[2];
    stack = stack_of (merged);
    arrival_take (stack);
    assert_string_equal (stack[0], "LD_PRELOAD=" OTHER);

    assert_true (outfit_needed (&h, none));
    (void)snprintf (text, sizeof (text), "LD_PRELOAD=/v/vgpreload.so:%s", here);
    put[2] = ((char **)(uintptr_t)outfit_make (&h, room))[1];
    put[0] = text;
    stack = stack_of (put);
    arrival_take (stack);
    assert_string_equal (stack[0], "LD_PRELOAD=/v/vgpreload.so");
    assert_string_equal (stack[1], "Z=");
}

static void test_wishes (void **state)
{
    char *off[] = {(char *)(uintptr_t) "DFTRACE_ENABLE=0", here, NULL};
    char *plain[] = {(char *)(uintptr_t) "A=1", NULL};
    char ours[200];
    struct outfit h;

    (void)snprintf (ours, sizeof (ours), "LD_PRELOAD=%s:%s", here, OTHER);
    off[1] = ours;
    assert_true (outfit_needed (&h, off));
    assert_int_equal (h.kind, PROGRAM_OWN_REQUEST);
    assert_string_equal (outfit_make (&h, room)[1], "LD_PRELOAD=" OTHER);
    assert_true (outfit_look (&h, plain));
    assert_false (outfit_plan (&h, PROGRAM_SECURE));
    assert_true (outfit_look (&h, plain));
    assert_false (outfit_plan (&h, PROGRAM_MACHINE));
    off[0] = plain[0];
    assert_true (outfit_look (&h, off));
    assert_true (outfit_plan (&h, PROGRAM_MACHINE));
    assert_string_equal (outfit_make (&h, room)[1], "LD_PRELOAD=" OTHER);
}

/* A thread of the program changes what was measured, before it is copied. */
static void made_of_changed (char *const envp[], const char *from, char *to)
{
    static char *memory[ROOM];
    static char fresh[sizeof (memory)];
    struct outfit h;

    memset (fresh, 0x5a, sizeof (fresh));
    memcpy (memory, fresh, sizeof (memory));
    assert_true (outfit_needed (&h, envp));
    assert_true (h.room + 500 < sizeof (memory));
    memcpy (to, from, strlen (from) + 1);
    (void)outfit_make (&h, memory);
    assert_memory_equal ((char *)memory + h.room, fresh + h.room,
                         sizeof (memory) - h.room);
    assert_int_equal (entries (memory), h.pointers - 1);
    assert_true (h.adds);
    assert_non_null (strstr (memory[h.pointers - 3], here));
    assert_non_null (strstr (memory[h.pointers - 2], "DFTRACE_LAYERS=posix"));
}

static void test_changed (void **state)
{
    static char list[500], python[500], time[500], grown[400];
    char *envp[] = {list, python, (char *)(uintptr_t) "Z=", NULL};
    char *const off = (char *)(uintptr_t) "DFTRACE_JOB_DIR=/x";

    memset (grown, 'x', sizeof (grown) - 1);
#define GIVEN(LIST, PYTHON)                                                \
    do {                                                                   \
        (void)snprintf (list, sizeof (list), "LD_PRELOAD=%s", LIST);       \
        (void)snprintf (python, sizeof (python), "PYTHONPATH=%s", PYTHON); \
    } while (0)
    GIVEN (OTHER, "/a");
    made_of_changed (envp, grown, list + strlen (list)); /* longer */
    GIVEN (OTHER, "/a");
    made_of_changed (envp, "", list + strlen ("LD_PRELOAD="));
    outfit_python ("/our");
    envp[2] = off;
    GIVEN (OTHER, "/a");
    made_of_changed (envp, grown, python + strlen (python));
    GIVEN (OTHER, "/a");
    made_of_changed (envp, "", python + strlen ("PYTHONPATH="));
    outfit_python (NULL);
    (void)snprintf (time, sizeof (time), "SLURM_JOB_START_TIME=1");
    assert_int_equal (putenv (time), 0);
    GIVEN (OTHER, "/a");
    made_of_changed (envp, grown, time + strlen (time));
    assert_int_equal (unsetenv ("SLURM_JOB_START_TIME"), 0);
}

/* Entries that go meanwhile do not hide what is added behind them. */
static void test_removed (void **state)
{
    char *envp[] = {(char *)(uintptr_t) "A=1", (char *)(uintptr_t) "B=2",
                    (char *)(uintptr_t) "C=3", NULL};
    char *const *to;
    struct outfit h;

    assert_true (outfit_needed (&h, envp));
    envp[0] = envp[1];
    envp[1] = envp[2];
    envp[2] = NULL;
    to = outfit_make (&h, room);
    assert_int_equal (entries (to), 5);
    assert_string_equal (to[0], "B=2");
    assert_string_equal (to[2], "C=3");
    assert_non_null (strstr (to[3], here));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing), cmocka_unit_test (test_stays),
        cmocka_unit_test (test_goes),    cmocka_unit_test (test_python),
        cmocka_unit_test (test_wild),    cmocka_unit_test (test_round),
        cmocka_unit_test (test_between), cmocka_unit_test (test_wishes),
        cmocka_unit_test (test_changed), cmocka_unit_test (test_removed),
    };
    char dir[] = "/tmp/outfit.XXXXXX";
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
