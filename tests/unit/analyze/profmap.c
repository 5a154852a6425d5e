/* SPDX-License-Identifier: MIT
 *
 * profmap.c - maps of time: whatever a thread does is in few bins, as a whole
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/scan/tally.h"
#include "analyze/scan/timemap.h"
#include "analyze/trace/profread.h"
#include "tests/unit/rec.h"
#include "tests/unit/rng.h"

enum { CALLS = 1200, GROWTH = 60, BINS = 6 };

/* Of calls that are recorded, and how they were counted, ns. */
static struct made {
    uint64_t start, end, bytes;
    int is_write;
} made[CALLS], counted[CALLS];

/* Ever longer, ever farther apart: from microseconds to minutes. */
static void make_calls (uint64_t seed)
{
    uint64_t at = 0, unit = 100000;

    for (int i = 0; i < CALLS; i++) {
        unit += i % GROWTH ? 0 : unit / 2;
        at += rng_below (&seed, unit);
        made[i].start = at;
        at += rng_below (&seed, rng_below (&seed, 50) ? unit / 4 : unit * 40);
        made[i].end = at;
        made[i].bytes = rng_wide (&seed) % 1000000;
        made[i].is_write = rng_below (&seed, 3) == 0;
    }
}

/* Each call with a file of its own, of which the profile has the times. */
static void record_calls (void *cookie)
{
    uint64_t first = clock_tick ();

    for (int i = 0; i < CALLS; i++) {
        char text[32];
        int n = snprintf (text, sizeof (text), "/data/%d", i);
        struct record r = {.call = made[i].is_write ? CALL_pwrite : CALL_pread,
                           .file = names_intern (SHARD_NAME_FILE,
                                                 FILE_CLASS_STORAGE, text,
                                                 (size_t)n),
                           .size = made[i].bytes,
                           .ret = (int64_t)made[i].bytes,
                           .start = first + made[i].start,
                           .end = first + made[i].end};

        if (!recorder_enter ())
            _exit (2);
        recorder_record (&r);
        recorder_leave ();
    }
}

static struct strmap *map_of (const struct profrows *rows)
{
    struct tally t = {.ops = NULL};

    for (size_t i = 0; i < rows->bins; i++) {
        const struct timemap_bin bin = {rows->bin[i].start, rows->bin[i].width};

        tally_add (&t, TALLY_TIME, (const char *)&bin, sizeof (bin),
                   rows->bin[i].n);
    }
    return t.time;
}

/* What the only process left. */
static struct strmap *read_map (size_t *bins)
{
    struct strmap *map;
    char path[REC_PATH];
    struct tracefile *f = tracefile_open (rec_shard (path), NULL);
    struct profrows rows = {.name = NULL};
    uint64_t bad = 1;

    assert_non_null (f);
    profread (f, &rows, &bad);
    assert_int_equal (bad, 0);
    assert_int_equal (rows.rows, CALLS);
    for (size_t i = 0; i < rows.rows; i++) {
        const struct profrow *r = &rows.row[i];

        assert_int_equal (r->n[PROFILE_calls], 1);
        counted[i] = (struct made){r->n[PROFILE_first] - 1, r->n[PROFILE_last],
                                   r->n[PROFILE_bytes], r->call == CALL_pwrite};
        assert_int_equal (counted[i].end - counted[i].start,
                          r->n[PROFILE_time]);
    }
    *bins = rows.bins;
    map = map_of (&rows);
    profrows_clear (&rows);
    tracefile_close (f);
    return map;
}

static void free_map (struct strmap *map)
{
    for (size_t i = 0; i < strmap_count (map); i++)
        free (strmap_value (map, i));
    strmap_destroy (map);
}

/* What a row must have: all of these calls, to the nanosecond. */
static void
count_row (uint64_t n[PROFILE_BIN_COUNTERS], uint64_t start, uint64_t end)
{
    memset (n, 0, PROFILE_BIN_COUNTERS * sizeof (*n));
    for (int i = 0; i < CALLS; i++) {
        const struct made *m = &counted[i];
        uint64_t *to =
            n + (m->is_write ? PROFILE_BIN_writes : PROFILE_BIN_reads);
        uint64_t from = m->start > start ? m->start : start;
        uint64_t until = m->end < end ? m->end : end;

        to[0] += m->start >= start && m->start < end;
        to[1] += m->start >= start && m->start < end ? m->bytes : 0;
        to[2] += until > from ? until - from : 0;
    }
}

static void test_recorded (void **state)
{
    static struct timemap t;
    uint64_t want[PROFILE_BIN_COUNTERS];
    struct strmap *map;
    size_t bins;

    assert_int_equal (
        settings_set (&rec_settings, "layers", "posix,profile", NULL), 0);
    make_calls (7);
    assert_int_equal (rec_run (record_calls, NULL, 1), 0);
    map = read_map (&bins);
    assert_in_range (bins, 64, PROFILE_BINS_MAX);
    timemap_rows (&t, map);
    assert_in_range (t.rows, 16, PROFILE_BINS_MAX);
    for (size_t i = 0; i < t.rows; i++) {
        uint64_t start = t.start + i * t.width;

        count_row (want, start, start + t.width);
        assert_memory_equal (t.n[i], want, sizeof (want));
    }
    free_map (map);
}

/* Events in any order, of two pieces of a process: the same rows. */
static void test_events (void **state)
{
    static struct timemap t;
    const struct trace_process who = {
        .p = {.start_real = 5000000000, .start_ns = 3000000123}};
    uint64_t seed = 11, want[PROFILE_BIN_COUNTERS];
    struct timemap_process *p = NULL;
    struct tally to = {.ops = NULL};

    make_calls (9);
    for (int i = 0; i < CALLS; i++) {
        counted[i] = made[i];
        counted[i].start = trace_real_ns (&who, 3000000123 + made[i].start);
        counted[i].end = trace_real_ns (&who, 3000000123 + made[i].end);
    }
    for (int i = CALLS - 1; i > 0; i--) {
        int other = (int)rng_below (&seed, (uint64_t)i + 1);
        struct made m = counted[i];

        counted[i] = counted[other];
        counted[other] = m;
    }
    timemap_begin (&p, &who, 1u << 20);
    for (int i = 0; i < CALLS; i++) {
        const struct timemap_call c = {
            .class = counted[i].is_write ? CALL_CLASS_WRITE : CALL_CLASS_READ,
            .storage = 1,
            .start = counted[i].start,
            .end = counted[i].end,
            .bytes = counted[i].bytes};

        timemap_count (p, &c);
        if (i == CALLS / 2) {
            timemap_end (p, &to);
            timemap_begin (&p, &who, 1u << 20);
        }
    }
    timemap_end (p, &to);
    timemap_rows (&t, to.time);
    assert_in_range (t.rows, 16, PROFILE_BINS_MAX);
    for (size_t i = 0; i < t.rows; i++) {
        uint64_t start = t.start + i * t.width;

        count_row (want, start, start + t.width);
        assert_memory_equal (t.n[i], want, sizeof (want));
    }
    free_map (to.time);
    free (p);
}

/* Of files that are not on storage nothing counts; copies count for both. */
static void test_kinds (void **state)
{
    const struct trace_process who = {.p = {.start_real = 0}};
    struct timemap_process *p = NULL;
    struct timemap_call c = {.class = CALL_CLASS_COPY, .end = 5, .bytes = 7};

    timemap_begin (&p, &who, 1);
    timemap_count (p, &c);
    assert_int_equal (p->bins, 0);
    c.storage2 = 1;
    timemap_count (p, &c);
    assert_int_equal (p->n[0][PROFILE_BIN_writes], 1);
    assert_int_equal (p->n[0][PROFILE_BIN_write_bytes], 7);
    assert_int_equal (p->n[0][PROFILE_BIN_reads], 0);
    c.storage = 1;
    timemap_count (p, &c);
    assert_int_equal (p->n[0][PROFILE_BIN_reads], 1);
    assert_int_equal (p->n[0][PROFILE_BIN_read_bytes], 7);
    assert_int_equal (p->n[0][PROFILE_BIN_writes], 1);
    assert_int_equal (p->n[0][PROFILE_BIN_write_bytes], 14);
    c.class = CALL_CLASS_META;
    timemap_count (p, &c);
    assert_int_equal (p->n[0][PROFILE_BIN_others], 1);
    for (int i = 0; i < 5; i++) {
        assert_int_equal (p->n[i][PROFILE_BIN_other_time], 1);
        assert_int_equal (p->n[i][PROFILE_BIN_read_time], 1);
        assert_int_equal (p->n[i][PROFILE_BIN_write_time], 1);
    }
    free (p);
}

/* --- a death while bins are joined -----------------------------------------
 */

static union {
    struct profile_map head; /* with all its bins */
    unsigned char bytes[sizeof (struct profile_map) +
                        (BINS + 1) * sizeof (struct profile_bin)];
} image;

/* Bin i of the old ones has 1 << i calls, those that count no more have noise.
 */
static void make_image (uint64_t base, unsigned shift, unsigned done, int spare)
{
    unsigned odd = (unsigned)(base >> shift) & 1;

    memset (&image, 0, sizeof (image));
    image.head.head.type = PROFILE_MAP;
    image.head.head.number = BINS;
    image.head.base = base;
    image.head.state = (uint64_t)done << PROFILE_DONE_SHIFT |
                       (spare ? PROFILE_SPARE : 0u) | shift;
    for (unsigned i = 0; i <= BINS; i++)
        image.head.bin[i].n[PROFILE_BIN_reads] = 1000000;
    for (unsigned i = 0; i < BINS; i++)
        if (!done || i + odd >= 2 * done)
            image.head.bin[i + 1].n[PROFILE_BIN_reads] = 1u << i;
    for (unsigned i = 0; i < done; i++) {
        uint64_t sum = 0;

        for (unsigned k = 2 * i; k < 2 * i + 2; k++)
            sum += k >= odd && k - odd < BINS ? 1u << (k - odd) : 0;
        image.head.bin[i == odd && spare ? 0 : i + 1].n[PROFILE_BIN_reads] =
            sum;
    }
}

static uint64_t image_sum (size_t bytes, struct profrows *rows)
{
    const struct profread_thread thread = {.proc = 3, .tid = 4};
    uint64_t sum = 0;

    assert_int_equal (profread_map (rows, &thread, image.bytes, bytes), 1);
    for (size_t i = 0; i < rows->bins; i++)
        sum += rows->bin[i].n[PROFILE_BIN_reads];
    return sum;
}

static void test_joined (void **state)
{
    for (uint64_t number = 100; number < 102; number++)
        for (unsigned done = 0; done <= (BINS + number % 2 + 1) / 2; done++) {
            struct profrows rows = {.name = NULL};

            make_image (number << 20, 20, done, done > number % 2);
            assert_int_equal (image_sum (sizeof (image), &rows),
                              (1u << BINS) - 1);
            for (size_t i = 0; i < rows.bins; i++) {
                uint64_t width = rows.bin[i].width;

                assert_int_equal (width, 1u << (i < done ? 21 : 20));
                assert_int_equal (rows.bin[i].start % width, 0);
                assert_true (!i ||
                             rows.bin[i].start ==
                                 rows.bin[i - 1].start + rows.bin[i - 1].width);
            }
            profrows_clear (&rows);
        }
}

static void test_hostile (void **state)
{
    const struct profread_thread thread = {.proc = 0};
    const unsigned char *bytes = image.bytes;
    struct profrows rows = {.name = NULL};

    make_image (0, 20, 0, 0);
    for (size_t n = 0; n < sizeof (image); n += PROFILE_ALIGN)
        assert_int_equal (profread_map (&rows, &thread, bytes, n), 0);
    image.head.state = (uint64_t)(BINS + 1) << PROFILE_DONE_SHIFT | 20;
    assert_int_equal (profread_map (&rows, &thread, bytes, sizeof (image)), 0);
    image.head.state = 63;
    assert_int_equal (profread_map (&rows, &thread, bytes, sizeof (image)), 0);
    image.head.state = 20;
    image.head.head.number = UINT32_MAX;
    assert_int_equal (profread_map (&rows, &thread, bytes, sizeof (image)), 0);
    image.head.head.number = 0;
    assert_int_equal (profread_map (&rows, &thread, bytes, sizeof (image)), 0);
    assert_int_equal (rows.bins, 0);
    profrows_clear (&rows);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_recorded, rec_setup,
                                         rec_teardown),
        cmocka_unit_test (test_events),
        cmocka_unit_test (test_kinds),
        cmocka_unit_test (test_joined),
        cmocka_unit_test (test_hostile),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
