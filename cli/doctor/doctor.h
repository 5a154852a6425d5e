/* SPDX-License-Identifier: MIT
 *
 * doctor.h - the looks of `dftrace doctor`, shared by its files
 *
 * Each look writes its findings (finding.h). Those of doctorfiles.c
 * are done on the submit host and, by the test job, on nodes.
 */
#pragma once

#include <sys/types.h>

#include "lib/settings/site.h"

/* --- plugstack.c: Slurm's plugstack.conf -> our line in it --- */

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

/* --- the looks --- */

enum { DOCTOR_TEXT_MAX = 256 * 1024, DOCTOR_SLURM_SECONDS = 20 };

struct doctor {
    int no_job, no_epilog;
    int wait;  /* seconds for the epilogs of the test job */
    int nodes; /* of the test job at most; 0: all that are free */
    int here;  /* as part of the test job: this node, for the one who asks */
    const char *partition;
    uid_t slurm_uid; /* SlurmUser: may own what Slurm reads */
    char config[DOCTOR_TEXT_MAX], text[DOCTOR_TEXT_MAX];
    struct plugstack stack;
    struct site site;
};

/* Value of "Key   = value" in d->config; NULL where there is none. */
const char *doctor_config_value (const struct doctor *d, const char *key);

/* A file that root or every job trusts: it belongs to root or SlurmUser,
 * nobody else can write to it or put another one in its place. What it holds
 * becomes a fact: key; NULL: it may differ between hosts. path: absolute. */
void doctor_trust (const struct doctor *d, const char *key, const char *path);

/* plugstack.conf, plugin, dftrace.conf, library, command, directories. */
void doctor_files (struct doctor *d);

/* Check the epilog that slurmd starts at the end of a job, and its settings. */
void doctor_epilog (struct doctor *d);

/* A traced job on the nodes that are free, which looks there, too. */
void doctor_nodes (struct doctor *d);
