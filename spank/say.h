/* SPDX-License-Identifier: MIT
 *
 * say.h - lines of ours in slurmd's log, and to the user
 */
#ifndef DFT_SPANK_SAY_H
#define DFT_SPANK_SAY_H

enum say_to {
    SAY_LOG,   /* slurmd's, or slurmstepd's: for the admin */
    SAY_ERROR, /* the same, or of sbatch and its kin: an error */
    SAY_USER   /* the standard error of the job */
};

/* One line, "dftrace: " in front. Whatever of the user's is in it (paths,
 * names, variables) cannot make it two, or move a cursor. */
void say (enum say_to to, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

#endif
