/* SPDX-License-Identifier: MIT
 *
 * profvalues.c - sizes and strides of a profile: the first ones, each as often
 *                as it was
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/trace/profread.h"
#include "preload/record/prof.h"
#include "tests/unit/rec.h"
#include "tests/unit/rng.h"

enum {
    CALLS = 6000,
    FILES = 7,
    SLOTS = PROFILE_VALUES_FIRST + PROFILE_VALUES_SECOND
};

static void test_codes (void **state)
{
    uint64_t seed = 3, far = 0;

    (void)state;
    assert_int_equal (profile_value_code (0), 0);
    assert_int_equal (profile_value_code (INT32_MAX), INT32_MAX);
    assert_int_equal (profile_value_of (profile_value_code (1ull << 31)),
                      1ull << 31);
    assert_int_equal (profile_value_of (profile_value_code (1ull << 56)),
                      1ull << 56);
    assert_int_equal (profile_value_code (1ull << 57), PROFILE_VALUES_NONE);
    assert_int_equal (profile_value_code (UINT64_MAX), PROFILE_VALUES_NONE);
    assert_int_equal (profile_value_code ((1ull << 32) + 1),
                      PROFILE_VALUES_NONE);
    for (int i = 0; i < 100000; i++) {
        uint64_t value = rng_wide (&seed) & ~rng_wide (&seed);
        uint32_t code = profile_value_code (value);

        if (code == PROFILE_VALUES_NONE)
            continue;
        far += value > UINT32_MAX;
        assert_int_equal (profile_value_of (code), value);
    }
    assert_true (far > 10);
}

/* How often there was which value, in the order in which they came. */
static struct counted {
    uint64_t value[CALLS], times[CALLS], all;
    int values;
} sizes[FILES][2], strides[FILES][2];

static struct made {
    int file, is_write, failed;
    uint64_t size, offset;
} made[CALLS];

static void count_value (struct counted *c, uint64_t value)
{
    int i = 0;

    c->all++;
    while (i < c->values && c->value[i] != value)
        i++;
    c->values += i == c->values;
    c->value[i] = value;
    c->times[i]++;
}

/* Few and many values, by the file. */
static void make_calls (uint64_t seed)
{
    uint64_t end[FILES][2], none = UINT64_MAX;

    memset (end, 0xff, sizeof (end));
    for (int i = 0; i < CALLS; i++) {
        struct made *m = &made[i];
        uint64_t *before;

        m->file = (int)rng_below (&seed, FILES);
        m->is_write = rng_below (&seed, 3) == 0;
        m->failed = rng_below (&seed, 50) == 0;
        m->size = 10 + rng_below (&seed, (uint64_t)(1 + m->file * 5));
        before = &end[m->file][m->is_write];
        m->offset = *before == none ? 500 : *before;
        if (rng_below (&seed, 4) == 0)
            m->offset += rng_below (&seed, (uint64_t)(1 + m->file * 6)) * 4096;
        else if (rng_below (&seed, 20) == 0)
            m->offset = rng_below (&seed, m->offset);
        if (m->failed)
            continue;
        count_value (&sizes[m->file][m->is_write], m->size);
        count_value (
            &strides[m->file][m->is_write],
            *before != none && m->offset > *before ? m->offset - *before : 0);
        *before = m->offset + m->size;
    }
}

static void record_calls (void *cookie)
{
    uint32_t file[FILES];
    int fast = 0;

    for (int i = 0; i < FILES; i++) {
        char text[32];
        int n = snprintf (text, sizeof (text), "/data/%d", i);

        file[i] =
            names_intern (SHARD_NAME_FILE, FILE_CLASS_OTHER, text, (size_t)n);
    }
    for (int i = 0; i < CALLS; i++) {
        const struct made *m = &made[i];
        enum call call = m->is_write ? CALL_pwrite : CALL_pread;
        uint64_t now = clock_tick ();
        struct record r = {.call = call,
                           .file = file[m->file],
                           .size = m->size,
                           .offset = (int64_t)m->offset,
                           .ret = m->failed ? -1 : (int64_t)m->size,
                           .err = m->failed ? 5 : 0,
                           .start = now,
                           .end = now};

        if (!m->failed && i % 7 && /* as a wrapper does */
            prof_transfer_here (call, now, now, r.file, r.size, r.offset)) {
            fast++;
            continue;
        }
        if (!recorder_enter ())
            _exit (2);
        recorder_record (&r);
        recorder_leave ();
    }
    if (fast < CALLS / 2)
        _exit (3);
    (void)cookie;
}

/* The first SLOTS of them that need one have one; strides of 0 need none. */
static void check_values (const struct profrows *rows,
                          const struct counted *c,
                          enum profvalue_kind kind,
                          int file,
                          int is_write)
{
    int needed = 0, found = 0;

    for (int i = 0; i < c->values; i++) {
        int zero = kind == PROFVALUE_STRIDE && !c->value[i];
        uint64_t times = 0;

        needed += !zero;
        for (size_t k = 0; k < rows->values; k++) {
            const struct profvalue *v = &rows->value[k];
            int write = call_table[v->call].class == CALL_CLASS_WRITE;

            if (v->kind == kind && v->bytes == c->value[i] &&
                write == is_write &&
                atoi (rows->name[v->name - 1].text + 6) == file)
                times += v->times;
        }
        found += times != 0;
        if (kind == PROFVALUE_SIZE && c->values == 1)
            assert_true (times == 0 || /* the row says it, until one fails */
                         times == c->times[i]);
        else
            assert_int_equal (times, zero || needed <= SLOTS ? c->times[i] : 0);
    }
    assert_true (found <= SLOTS + 1);
}

static void test_recorded (void **state)
{
    char path[REC_PATH];
    struct profrows rows = {.name = NULL};
    struct tracefile *f;
    uint64_t bad = 1;
    int many = 0;

    assert_int_equal (
        settings_set (&rec_settings, "layers", "posix,profile", NULL), 0);
    make_calls (5);
    assert_int_equal (rec_run (record_calls, NULL, 1), 0);
    f = tracefile_open (rec_shard (path), NULL);
    assert_non_null (f);
    profread (f, &rows, &bad);
    assert_int_equal (bad, 0);
    for (int file = 0; file < FILES; file++)
        for (int w = 0; w < 2; w++) {
            check_values (&rows, &sizes[file][w], PROFVALUE_SIZE, file, w);
            check_values (&rows, &strides[file][w], PROFVALUE_STRIDE, file, w);
            many += sizes[file][w].values > SLOTS &&
                    strides[file][w].values > SLOTS + 1;
        }
    assert_true (many > 2);
    profrows_clear (&rows);
    tracefile_close (f);
}

/* A call of MPI-IO says where it is, and so does the one of POSIX inside. */
static void record_above (void *cookie)
{
    struct record r = {.size = 10, .ret = 10, .offset = 500};

    (void)cookie;
    r.file = names_intern (SHARD_NAME_FILE, FILE_CLASS_OTHER, "/data/1", 7);
    for (int i = 0; i < 2; i++) {
        r.call = i ? CALL_MPI_File_read_at : CALL_pread;
        r.start = r.end = clock_tick ();
        if (!recorder_enter ())
            _exit (2);
        recorder_record (&r);
        recorder_leave ();
    }
}

static void test_above (void **state)
{
    char path[REC_PATH];
    struct profrows rows = {.name = NULL};
    struct tracefile *f;
    uint64_t bad = 1;

    assert_int_equal (
        settings_set (&rec_settings, "layers", "posix,mpiio,profile", NULL), 0);
    assert_int_equal (rec_run (record_above, NULL, 1), 0);
    f = tracefile_open (rec_shard (path), NULL);
    assert_non_null (f);
    profread (f, &rows, &bad);
    assert_int_equal (rows.rows, 2);
    assert_int_equal (rows.places, 1);
    assert_int_equal (rows.place[0].n[PROFILE_PLACE_consecutive] +
                          rows.place[0].n[PROFILE_PLACE_backward],
                      0); /* one access alone */
    assert_int_equal (rows.place[0].n[PROFILE_PLACE_unaligned], 1);
    assert_int_equal (rows.values, 1);
    assert_int_equal (rows.value[0].times, 1);
    profrows_clear (&rows);
    tracefile_close (f);
}

/* Records of any length, and numbers that are none. */
static void test_hostile (void **state)
{
    struct {
        struct profile_head head;
        uint64_t slot[5];
    } image = {.head = {.type = PROFILE_STRIDES, .bytes = 3, .number = 1}};
    struct profread_thread t = {.name = NULL};
    struct profrows rows = {.name = NULL};

    (void)state;
    memset (image.slot, 0xff, sizeof (image.slot));
    assert_int_equal (profread_block (&rows, &t, (void *)&image, 48), 0);
    assert_int_equal (rows.values, 0); /* no such name */
    image.head.number = 0;             /* none */
    assert_int_equal (profread_block (&rows, &t, (void *)&image, 48), 0);
    t.names = 2;
    t.name[1] = 1;
    image.head.number = 1;
    image.head.kind = 255;
    assert_int_equal (profread_block (&rows, &t, (void *)&image, 48), 1);
    assert_int_equal (rows.values, 4);
    assert_int_equal (rows.value[3].times, UINT32_MAX);
    image.head.bytes = 1;
    assert_int_equal (profread_block (&rows, &t, (void *)&image, 16), 1);
    assert_int_equal (rows.values, 4);
    free (t.name);
    profrows_clear (&rows);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_codes),
        cmocka_unit_test_setup_teardown (test_recorded, rec_setup,
                                         rec_teardown),
        cmocka_unit_test_setup_teardown (test_above, rec_setup, rec_teardown),
        cmocka_unit_test (test_hostile),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
