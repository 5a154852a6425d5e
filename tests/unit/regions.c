/* SPDX-License-Identifier: MIT
 *
 * regions.c - tests of report/job/regions.c: the same roles as the numbers have
 */
#include "config.h"

#include "lib/model/role.h"
#include "report/job/regions.h"
#include "tests/unit/tap.h"

static enum region_role as_region (enum role role)
{
    switch (role) {
    case ROLE_COMPUTE:
        return REGION_COMPUTE;
    case ROLE_LOADER:
        return REGION_LOADER;
    case ROLE_STALL:
        return REGION_STALL;
    case ROLE_CHECKPOINT:
        return REGION_CHECKPOINT;
    default:
        return REGION_OTHER;
    }
}

/* Every category with every name: whoever adds a row to roles.def adds one
 * to regions.c. */
static void as_analyze_has_them (void **state)
{
    static const char *const categories[] = {
        "",       "data",    "DATA",       "dataloader", "data_loader",
        "reader", "compute", "checkpoint", "pipeline",   "comm",
        "other",  "dataset"};
    static const char *const names[] = {"",
                                        "item",
                                        "preprocess",
                                        "preprocess.file_read",
                                        "fetch",
                                        "Fetch",
                                        "fetch.iter",
                                        "init",
                                        "loader.init",
                                        "restart",
                                        "load",
                                        "restore",
                                        "capture",
                                        "step",
                                        "fetching"};

    (void)state;
    for (size_t i = 0; i < sizeof (categories) / sizeof (categories[0]); i++)
        for (size_t k = 0; k < sizeof (names) / sizeof (names[0]); k++)
            if (region_role (categories[i], names[k]) !=
                as_region (role_of (categories[i], names[k])))
                fail_msg ("%s/%s: %d, analyze: %d", categories[i], names[k],
                          region_role (categories[i], names[k]),
                          as_region (role_of (categories[i], names[k])));
}

static void some (void **state)
{
    (void)state;
    assert_int_equal (region_role ("data", "item"), REGION_LOADER);
    assert_int_equal (region_role ("dataloader", "fetch"), REGION_STALL);
    assert_int_equal (region_role ("compute", "step"), REGION_COMPUTE);
    assert_int_equal (region_role ("pipeline", "train"), REGION_OTHER);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (as_analyze_has_them),
        cmocka_unit_test (some),
    };

    return tap_run (tests);
}
