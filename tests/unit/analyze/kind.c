/* SPDX-License-Identifier: MIT
 *
 * kind.c - what files and regions are for, by their names
 */
#include "tests/unit/tap.h"

#include <fnmatch.h>

#include "lib/model/kind.h"
#include "tests/unit/rng.h"

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

/* fnmatch is the judge of what matches. */
static void as_fnmatch (void **state)
{
    static const char pattern_from[] = "aAbB.?**", word_from[] = "aAbB./-";
    char pattern[8], word[12];
    uint64_t seed = 1, matches = 0;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        size_t n = rng (&seed) % sizeof (pattern);
        size_t k = rng (&seed) % sizeof (word);
        int want;

        pattern[n] = word[k] = '\0';
        while (n > 0)
            pattern[--n] = pattern_from[rng (&seed) % 8];
        while (k > 0)
            word[--k] = word_from[rng (&seed) % 7];
        want = *pattern && fnmatch (pattern, word, FNM_CASEFOLD) == 0;
        assert_int_equal (pattern_match (pattern, word), want);
        matches += (uint64_t)want;
    }
    assert_true (matches > 10000);
    assert_true (pattern_match ("[ab]*", "BETA"));
    assert_false (pattern_match ("[ab]*", "gamma"));
    assert_true (pattern_match_path ("x[0-9]", "/a/X7/b"));
    assert_true (pattern_match ("*.npy", "\xc3\xa4.NPY"));
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

/* Files as the frameworks leave them, in a directory of any name. */
static void checkpoints (void **state)
{
    static const struct kind_rules rules;
    static const char *const files[] = {
        "/o/iter_0000005/mp_rank_00/model_optim_rng.pt",
        "/o/iter_0000005/common.pt", "/o/mp_rank_00_001/distrib_optim.pt",
        "/o/step0/__0_0.distcp", "/o/step0/.metadata", "/o/step0/.metadata.tmp",
        "/o/global_step4/zero_pp_rank_0_mp_rank_00_optim_states.pt",
        "/o/global_step4/mp_rank_00_model_states.pt",
        "/o/model-00001-of-00002.safetensors",
        "/o/checkpoint-500/trainer_state.json", "/o/rng_state_0.pth",
        "/o/epoch=3.ckpt", "/o/net.weights.h5", "/o/net.keras",
        "/o/7/manifest.ocdbt",
        /* GROMACS, LAMMPS, AMBER, WRF */
        "/o/state_step160.cpt", "/o/restart.200.0", "/o/melt.restart",
        "/o/md.rst7", "/o/wrfrst_d01_2000-01-24_12:00:00"};
    static const char *const others[] = {
        "/o/train.h5",  "/o/corpus.bin",  "/o/iter_data/a.bin",
        "/o/index.rst", "/o/restart.txt", "/o/shard-00.tar",
        "/o/metadata",  "/o/images.pt"};

    (void)state;
    for (size_t i = 0; i < sizeof (files) / sizeof (files[0]); i++)
        assert_int_equal (kind_of (&rules, files[i]), KIND_CHECKPOINT);
    for (size_t i = 0; i < sizeof (others) / sizeof (others[0]); i++)
        assert_int_equal (kind_of (&rules, others[i]), KIND_DATA);
    assert_int_equal (kind_of (&rules, "/m/training/checkpointing.py"),
                      KIND_PROGRAM);
    assert_int_equal (kind_of (&rules, "/m/checkpoint/__pycache__/a.x.pyc"),
                      KIND_PROGRAM);
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
    assert_int_equal (role_of ("dataloader", "fetch.end"), ROLE_STALL);
    assert_int_equal (role_of ("data_loader", "loop.iter.end"), ROLE_STALL);
    assert_int_equal (role_of ("dataloader", "start_workers"), ROLE_WORKERS);
    assert_int_equal (role_of ("dataloader", "collate"), ROLE_LOADER);
    assert_int_equal (role_of ("checkpoint", "capture"), ROLE_CHECKPOINT);
    assert_int_equal (role_of ("checkpoint", "restart"), ROLE_NONE);
    /* DLIO's */
    assert_int_equal (role_of ("data_loader", "loop.iter"), ROLE_STALL);
    assert_int_equal (role_of ("data_loader", "loop.yield"), ROLE_BODY);
    assert_int_equal (role_of ("dataloader", "fetch.block"), ROLE_BODY);
    assert_int_equal (role_of ("ai_framework", "TorchFramework.init_loader"),
                      ROLE_NONE);
    assert_int_equal (role_of ("comm", "all_reduce"), ROLE_COLLECTIVE);
    assert_int_equal (role_of ("ai_framework", "compute"), ROLE_COMPUTE);
    assert_int_equal (role_of ("comm", "barrier"), ROLE_BARRIER);
    assert_int_equal (role_of ("pipeline", "epoch"), ROLE_EPOCH);
    assert_int_equal (role_of ("compute", "step"), ROLE_COMPUTE);
    assert_int_equal (role_of ("pipeline", "train"), ROLE_NONE);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (patterns),      cmocka_unit_test (as_fnmatch),
        cmocka_unit_test (default_kinds), cmocka_unit_test (checkpoints),
        cmocka_unit_test (chosen_data),   cmocka_unit_test (roles),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
