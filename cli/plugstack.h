/* SPDX-License-Identifier: MIT
 *
 * plugstack.h - Slurm's plugstack.conf -> our line in it
 */
#pragma once

enum { PLUGSTACK_WORDS = 64, PLUGSTACK_TEXT = 8192 };

struct plugstack {
    int readable;    /* the first file */
    int lines;       /* that name dftrace.so */
    int required;    /* the first of them says so */
    char file[1024]; /* where it is */
    char *path;      /* of the plugin */
    char *word[PLUGSTACK_WORDS];
    int words;
    char text[PLUGSTACK_TEXT];
};

/* Read file and what it includes. */
void plugstack_read (struct plugstack *p, const char *file);
