/* SPDX-License-Identifier: MIT
 *
 * mmkernel.c - a process whose page faults the kernel told -> bytes by file
 *
 * In:  faults, each with what it slept and the bytes that it added to the page
 *      cache of the node
 * Out: bytes of each file and in each bin of time, exact
 *
 * Bytes of a fault in no file that a call of the program has mapped, of a
 * library for example, are other bytes.
 */
#include "config.h"

#include <string.h>

#include "analyze/facts/mmwork.h"

/* What was shared out by samples is forgotten. */
static void mmkernel_forget (struct join *j)
{
    for (size_t i = 0; i <= j->files; i++) {
        if (i < j->files)
            j->file[i].bytes = 0;
        for (unsigned b = 0; j->bin[i] && b < MM_BINS; b++)
            j->bin[i][b].bytes = 0;
    }
}

int mm_kernel_share (struct join *j, struct mm_process *p)
{
    const struct mm_seen *f = j->log->faults.item;
    uint64_t others = 0;

    mmkernel_forget (j);
    p->fault_bytes = p->major = 0;
    for (size_t i = 0; i < j->log->faults.count; i++) {
        struct mm_bin *bin;

        if (f[i].file == MM_NOBODY) {
            others += f[i].bytes;
            continue;
        }
        p->major += !f[i].minor;
        p->fault_bytes += f[i].bytes;
        j->file[f[i].file].bytes += f[i].bytes;
        j->file[f[i].file].processes = 1;
        if (!(bin = mm_bin_at (j, f[i].file, f[i].end)))
            return -1;
        bin->bytes += f[i].bytes;
    }
    if (p->bytes < p->call_bytes + p->fault_bytes + others)
        p->bytes = p->call_bytes + p->fault_bytes + others;
    p->other_bytes = p->bytes - p->call_bytes - p->fault_bytes;
    p->exact = j->log->lost.faults == 0;
    p->estimated |= !p->exact;
    return 0;
}

/* All that is mapped was told by the kernel; a process of which it told nothing
 * had no fault on a file that it mapped, so its few bytes are others'. */
int mm_kernel_told (struct mm_totals *t)
{
    uint64_t bytes = 0;

    if (!(t->sum.sources & MM_KERNEL))
        return 0;
    for (size_t i = 0; i < t->processes; i++)
        if (!t->process[i].exact)
            bytes += t->process[i].fault_bytes;
    return bytes <= t->sum.fault_bytes / MM_FEW;
}
