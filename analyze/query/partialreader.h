/* SPDX-License-Identifier: MIT
 *
 * partialreader.h - sections of a partition -> totals (private to partial*.c)
 */
#ifndef DFT_ANALYZE_PARTIALREADER_H
#define DFT_ANALYZE_PARTIALREADER_H

#include "analyze/scan/packer.h"
#include "analyze/query/partial.h"

struct partial_reader {
    struct unpacker u;
    struct job *job;
    struct totals *t;
    char *has; /* of each source: this partition has it */
    size_t processes_room;
};

/* Take in the section at hand. 0, or -1: r->u.bad, or errno. Spans and what
 * layer mmap says are those of the process before them. */
int partial_get_process (struct partial_reader *r);
int partial_get_spans (struct partial_reader *r);
int partial_get_mmap (struct partial_reader *r);
int partial_get_shares (struct partial_reader *r);
int partial_get_time (struct partial_reader *r);

/* Sizes and strides of the file whose section is at hand. As above. */
int partial_get_values (struct partial_reader *r, struct file_total *f);

#endif
