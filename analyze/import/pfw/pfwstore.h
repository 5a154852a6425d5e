/* SPDX-License-Identifier: MIT
 *
 * pfwstore.h - a DFTracer trace (.pfw, .pfw.gz) -> its processes, and chunks in
 *              an unnamed temporary file
 */

/* Design. A file of DFTracer (.pfw, .pfw.gz, any dialect) has the lines of all
 * threads mixed, hashes that are explained later or in another file, and
 * processes of which any line may say something. So it is read in one pass:
 * lines become records of a thread's events as in a trace of ours, which lie in
 * an unnamed temporary file; what names and processes are is known at the end
 * of all files. From there on it is a trace like ours to all others: its
 * chunks are the records of their dictionary, made when they are read, and
 * those of their events.
 * DFAnalyzer counts lines that are no events for us, and lines that are
 * there twice; so dftrace.dfanalyzer (analyze/python/dftrace/dfanalyzer.py)
 * reads the lines themselves. */

#pragma once

#include "analyze/import/pfw/pfwnames.h"
#include "analyze/import/pfw/pfwread.h"
#include "analyze/import/pfw/pfwsums.h"
#include "lib/format/tracefile.h"

struct pfw_store;

void pfw_store_destroy (struct pfw_store *s); /* NULL is fine, keeps errno */

struct pfw_names *pfw_store_names (const struct pfw_store *s);

/* All is there, and names are explained: a trace like ours, which reads from
 * the store. */
struct tracefile *pfw_store_index (struct pfw_store *s);

/* --- reading ------------------------------------------------------------- */

/* Is it the name of such a file? */
int pfw_is_name (const char *name);

/* How a trace is read, and what is found in it besides its events. */
struct pfw_reading {
    int threads; /* 0: one per core */
    struct pfw_account *account;
    struct pfw_sums *sums;
};

/* Read path: its processes and events. NULL, errno and err
 * when it cannot be read or holds no event at all. *account says what is not
 * in it, *sums (which is empty) what its aggregated lines say. Lines that are
 * there twice are taken once. */
struct pfw_store *pfw_open (const char *path,
                            const struct pfw_reading *reading,
                            struct errtext *err);

/* Definitions of hashes of a file that is not read: into map, as
 * pfw_names_tell does. 0, or -1 with errno. */
int pfw_read_definitions (const char *path, struct strmap *map);
