/* SPDX-License-Identifier: MIT
 *
 * layerdoor.h - libraries of layers (libdftrace_mpi.so) -> the recorder
 *
 * The recorder is in the preload library and hides its names. A library of a
 * layer comes behind it in LD_PRELOAD, from the same build, and asks it for
 * this table by the one symbol `dftrace_layerdoor`, a weak reference: without
 * the preload library nothing is recorded. All functions keep errno, may be
 * called by any thread, and take nothing over.
 */
#pragma once

#include "preload/record/recorder.h"

enum { LAYERDOOR_VERSION = 2 };

struct layerdoor {
    /* True where events of the layer (a bit of enum layer) are recorded now. */
    int (*wants) (unsigned layer);

    /* Read the clock of struct record. */
    uint64_t (*tick) (void);

    /* The file of a path of the program: 0 when filters leave it out; else 1,
     * *id (0: names ran out), and at most size bytes of its absolute path with
     * a NUL in text ("": it did not fit). */
    int (*file) (const char *path, uint32_t *id, char *text, size_t size);

    /* Whether an id of a file still is one. */
    int (*knows) (uint32_t id);

    /* Id of a key or text value; it lasts as long as the process. */
    uint32_t (*name) (enum shard_name_kind kind, const char *text);

    /* One finished event; dropped where settings leave its call out. */
    void (*record) (const struct record *r);

    /* A region comm/NAME has ended now. Short ones, whose ticks *left adds up,
     * become one of that length. */
    void (*meet) (const char *name, uint64_t start, uint64_t *left);

    /* Set the rank that MPI gives this process. */
    void (*rank) (int32_t rank, uint32_t ranks);

    /* Count a name that an event should have. */
    void (*lose_name) (void);

    /* A function or variable of any library that is loaded by now, or NULL: of
     * those that RTLD_NEXT does not see. */
    void *(*find) (const char *symbol);
};

/* NULL: another version. The table is constant. */
const struct layerdoor *dftrace_layerdoor (unsigned version)
    __attribute__ ((weak, visibility ("default")));
