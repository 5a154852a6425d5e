/* SPDX-License-Identifier: MIT
 *
 * kind.c - what files and regions are for, by their names
 */
#include "tests/unit/tap.h"

#include "lib/model/kind.h"
#include "lib/model/pattern.h"
#include "lib/model/role.h"

static void patterns (void **state)
{
    char longer[400];

    (void)state;
    for (size_t i = 0; i < sizeof (longer) - 1; i++)
        longer[i] = '*';
    longer[sizeof (longer) - 1] = '\0';
    assert_false (pattern_match ("", "x"));
    assert_false (pattern_match (",,", ""));
    assert_false (pattern_match (longer, "x"));
    assert_true (pattern_match ("a,b*", "BC"));
    assert_false (pattern_match ("a,b*", "cb"));
    assert_true (pattern_match_path ("ckpt", "/a/ckpt/b"));
    assert_false (pattern_match_path ("ckpt", "/a/ckpts/b"));
    assert_true (pattern_match_path ("/a/*.bin", "/a/b/c.bin"));
    assert_false (pattern_match_path ("/a/*.bin", "/b/c.bin"));
}

static void default_kinds (void **state)
{
    static const struct kind_rules rules;

    (void)state;
    assert_int_equal (kind_of (&rules, "/d/corpus.bin"), KIND_DATA);
    assert_int_equal (kind_of (&rules, "/d/corpus.idx"), KIND_INDEX);
    assert_int_equal (kind_of (&rules, "/d/shuffle.npy"), KIND_INDEX);
    assert_int_equal (kind_of (&rules, "/o/checkpoints/a.bin"),
                      KIND_CHECKPOINT);
    assert_int_equal (kind_of (&rules, "/o/model.ckpt"), KIND_CHECKPOINT);
    assert_int_equal (kind_of (&rules, "/x/train.py"), KIND_PROGRAM);
    assert_int_equal (kind_of (&rules, ""), KIND_DATA);
    assert_string_equal (kind_name (KIND_NONE), "-");
}

/* --data-pattern decides alone what is data. */
static void chosen_data (void **state)
{
    const struct kind_rules rules = {{[KIND_DATA] = "*.npy"}};

    (void)state;
    assert_int_equal (kind_of (&rules, "/d/a.npy"), KIND_DATA);
    assert_int_equal (kind_of (&rules, "/d/ckpt/a.npy"), KIND_DATA);
    assert_int_equal (kind_of (&rules, "/d/a.idx"), KIND_INDEX);
    assert_int_equal (kind_of (&rules, "/d/a.bin"), KIND_PROGRAM);
}

static void roles (void **state)
{
    (void)state;
    assert_int_equal (role_of ("data", "item"), ROLE_LOADER);
    assert_int_equal (role_of ("data", "preprocess.mmap_read"), ROLE_LOADER);
    assert_int_equal (role_of ("data", "item.init"), ROLE_NONE);
    assert_int_equal (role_of ("dataloader", "fetch"), ROLE_STALL);
    assert_int_equal (role_of ("dataloader", "fetch.iter"), ROLE_STALL);
    assert_int_equal (role_of ("dataloader", "collate"), ROLE_LOADER);
    assert_int_equal (role_of ("checkpoint", "capture"), ROLE_CHECKPOINT);
    assert_int_equal (role_of ("checkpoint", "restart"), ROLE_NONE);
    /* DLIO's */
    assert_int_equal (role_of ("data_loader", "loop.iter"), ROLE_STALL);
    assert_int_equal (role_of ("data_loader", "loop.yield"), ROLE_NONE);
    assert_int_equal (role_of ("ai_framework", "compute"), ROLE_COMPUTE);
    assert_int_equal (role_of ("comm", "barrier"), ROLE_BARRIER);
    assert_int_equal (role_of ("pipeline", "epoch"), ROLE_EPOCH);
    assert_int_equal (role_of ("compute", "step"), ROLE_COMPUTE);
    assert_int_equal (role_of ("pipeline", "train"), ROLE_NONE);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (patterns),
        cmocka_unit_test (default_kinds),
        cmocka_unit_test (chosen_data),
        cmocka_unit_test (roles),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
