/* SPDX-License-Identifier: MIT
 *
 * whatif.h - run a command with a part of its I/O made fast; what that saves
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyze/report/csv.h"
#include "lib/base/text.h"
#include "lib/util/optparse.h"
#include "lib/util/sha256.h"
#include "lib/util/stats.h"
#include "lib/util/textable.h"

/* --- fastrun.c: one run --- */

/* Sets of these. FAST_SYNC is part of FAST_OUTPUT: nothing is on a disk.
 * FAST_META: directories of data are copied to memory and mounted over
 * themselves, read-only. */
enum { FAST_DATA = 1, FAST_OUTPUT = 2, FAST_SYNC = 4, FAST_META = 8 };

struct fastpaths {
    char **path;
    size_t count;
};

struct fastrun {
    unsigned fast;
    struct fastpaths data;  /* files or directories that are read */
    struct fastpaths under; /* directories that are written to */
    struct fastpaths same;  /* files or directories whose bytes are hashed
                               after the command; may be empty */
    const char *scratch;    /* an own, empty directory: memory goes here */
    const char *keep; /* where outputs in memory are copied to; NULL: nowhere */
    uint64_t room;    /* bytes that a memory file system may hold */
    int cold;         /* without FAST_DATA: the data leaves the page cache */
    const char *stop_at; /* fastrun_child: SIGTERM once so many lines of the
                            output have this text; NULL: the command runs to
                            its end */
    int stop_lines;
    int stop_after; /* seconds, 0: no; the lines are counted and timed */
};

struct fastend {
    int status;  /* as of waitpid */
    int stopped; /* by stop_at; its status is no failure */
    double seconds;
    double line_seconds; /* of stop_after: from one line to the next, the mean
                            from the first to the last; NaN: fewer than two */
    int64_t data_bytes, data_resident; /* before the start; resident -1: the
                                          kernel does not tell */
    char digest[SHA256_HEX + 1];       /* "" without `same` */
};

/* Add a path, which is copied. */
void fastpaths_add (struct fastpaths *l, const char *path);
/* Return 1 if path is one of them, or below one. */
int fastpaths_cover (const struct fastpaths *l, const char *path);

/* Run argv (searched in PATH) to its end, signals handed on. Changes this
 * process for good where f->fast has outputs: it gets a mount namespace of its
 * own, and a user namespace if it is not root's, in which the directories
 * `under` are overlays. They end with the last process. 0, or -1 and err when
 * nothing was started. */
int fastrun_here (const struct fastrun *f,
                  char **argv,
                  struct fastend *end,
                  struct errtext *err);

/* As fastrun_here, in a child; what the command prints is appended to the file
 * output. */
int fastrun_child (const struct fastrun *f,
                   char **argv,
                   const char *output,
                   struct fastend *end,
                   struct errtext *err);

/* Return 1 if what a run with fast outputs writes at path is not there
 * afterwards. */
int fastrun_hides (const struct fastrun *f, const char *path);

/* Bytes of memory that this process may still use: the node's, or those of its
 * cgroup if they are fewer. */
uint64_t fastrun_memory (void);

/* --- cmd_whatif.c: runs in several ways, in rounds --- */

enum { WAYS_MAX = 6 };

/* The job as it is, then what can be made fast. calls: the events of a trace
 * whose time it can save. */
struct way_kind {
    const char *name, *title;
    unsigned fast;
    const char *calls;
    const char *help;
};
extern const struct way_kind whatif_kind[WAYS_MAX];

struct way {
    const struct way_kind *kind;
    unsigned fast;                 /* kind's, or more */
    double *seconds;               /* of each round */
    struct statistics time, saved; /* over the rounds; saved: percent */
    double half;                   /* of the interval of saved; may be NaN */
    double bound;                  /* seconds; NaN: not known */
};

struct whatif {
    /* options */
    const char *fast, *apply, *before, *keep, *dir, *trace;
    struct opt_list data, under, same;
    int repeats, within, warm, seed;
    enum table_format format;
    /* the job */
    char **argv, self[PATH_MAX]; /* of it, of this program */
    struct fastrun run;
    uint64_t written;    /* bytes, in the first run */
    uint64_t copied;     /* bytes of memory for data with no-metadata */
    unsigned chosen;     /* set of kinds, by --fast or --apply */
    unsigned reasons;    /* what the first run has at all */
    struct csv *bill;    /* of the last traced run as it is; may be NULL */
    struct csv *epochs;  /* of it: time and bytes of reads; may be NULL */
    struct csv *remains; /* the bill of a traced run in the last way, or NULL */
    struct csv *findings; /* of that run, or NULL */
    struct way way[WAYS_MAX];
    size_t ways;
    int done; /* rounds */
    char digest[SHA256_HEX + 1];
};

/* Return 1 if all savings are known as well as --within asks for. */
int whatif_is_narrow (const struct whatif *w);

/* --- whatif_answer.c: what is told --- */

/* Print on stdout in w's format. */
void whatif_print (const struct whatif *w);
/* what-if.json, what-if.html. */
void whatif_json (const struct whatif *w, FILE *out);
void whatif_page (const struct whatif *w, FILE *out);
