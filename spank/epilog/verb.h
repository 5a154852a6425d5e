/* SPDX-License-Identifier: MIT
 *
 * verb.h - another verb of dftrace, in a process of its own or in this one
 */
#ifndef DFT_EPILOG_VERB_H
#define DFT_EPILOG_VERB_H

/* Run a verb; argv[0] is its word. Return its exit status after all output is
 * written. */
typedef int (*verb_run_f) (int argc, char **argv);
void verb_runner (verb_run_f function);

/* `dftrace VERB …` in a child of fork; argv ends with NULL. Its exit
 * status, or -1 when it could not run or was killed. */
int verb_run (const char *const *argv);

/* As verb_run, in this process, which ends if the verb crashes. Call it once
 * for each verb, since memory is not freed. */
int verb_call (const char *const *argv);

#endif
