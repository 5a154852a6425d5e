/* SPDX-License-Identifier: MIT
 *
 * profkind.h - what a call counts as in a map of time: the rule of timemap.def
 *
 * For the recorder, which counts calls, and for the analysis, which counts
 * events in the same way.
 */
#ifndef DFT_CORE_PROFKIND_H
#define DFT_CORE_PROFKIND_H

#include "lib/format/calls.h"
#include "lib/format/profile.h"

struct profkind {
    int calls, time;   /* enum profile_bin_counter */
    int reads, writes; /* do its bytes count as these? */
};

/* Return the kind of a call of posix or stdio by the storage of its files; a
 * call without any is not counted. */
static inline struct profkind
profkind (enum call_class class, int storage, int storage2)
{
    int copy = class == CALL_CLASS_COPY;
    struct profkind k = {PROFILE_BIN_others, PROFILE_BIN_other_time,
                         class == CALL_CLASS_READ || (copy && storage),
                         class == CALL_CLASS_WRITE || (copy && storage2)};

    if (k.reads) {
        k.calls = PROFILE_BIN_reads;
        k.time = PROFILE_BIN_read_time;
    } else if (k.writes) {
        k.calls = PROFILE_BIN_writes;
        k.time = PROFILE_BIN_write_time;
    }
    return k;
}

#endif
