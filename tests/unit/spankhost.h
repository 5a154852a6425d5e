/* SPDX-License-Identifier: MIT
 *
 * spankhost.h - what slurmstepd is to the plugin, for tests without Slurm
 */
#ifndef DFT_TESTS_SPANKHOST_H
#define DFT_TESTS_SPANKHOST_H

#include "tests/unit/tap.h"

#include "spank/spank_api.h"

enum { VARIABLES_MAX = 64, TEXT_MAX = 8192 };

struct spankhost {
    enum spank_context context;
    uint32_t job, step, array_job, array_task, restart, tasks_here;
    int local_task;
    char name[VARIABLES_MAX][64];
    char value[VARIABLES_MAX][TEXT_MAX];
    struct spank_option option;
    char *argv[2]; /* of the step's command */
    int said;      /* lines to the user */
    char text[TEXT_MAX];
};
extern struct spankhost host;

/* A private directory; the library, the state directory and the log root that
 * the plugin is told in it. */
extern char root[64], library[96], state_dir[96], log_root[96];

/* The task's environment. */
const char *host_variable (const char *name);
void host_set (const char *name, const char *value);
/* A callback by its name; a word of the plugstack line; the option. */
int host_call (const char *name);
void host_site (const char *fmt, const char *value);
/* Setup and teardown of a test. */
int host_load (void **state);
int host_unload (void **state);
int host_option (const char *text, int remote);
/* The step's command is a program that cannot be traced. */
void host_static_program (void);
/* All callbacks of a task, as slurmstepd would; layers may be NULL. */
int host_run (const char *layers);
const char *path_in (const char *dir, const char *name);
int path_exists (const char *path);
void assert_untraced (void);
void assert_traced (const char *dir);

#define TEST(F) cmocka_unit_test_setup_teardown (F, host_load, host_unload)

#endif
