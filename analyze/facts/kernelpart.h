/* SPDX-License-Identifier: MIT
 *
 * kernelpart.h - what layer kernel adds to processes that the library is in
 *
 * The recorder of layer kernel writes a block of its own for a process of which
 * it has something to tell: calls past libc, requests of an io_uring, page
 * faults. So such a process is twice in the trace, with the same pid at the
 * same time.
 */
#ifndef DFT_ANALYZE_KERNELPART_H
#define DFT_ANALYZE_KERNELPART_H

#include "analyze/scan/load.h"

/* The library's block of a process that is the recorder's, by index; its own
 * index: there is none, or it is the library's. free () it. NULL (ENOMEM). */
size_t *kernelpart_find (const struct totals *t);

/* The page faults that the kernel told become those of the library's block;
 * what was sampled there is dropped. 0, or -1 (ENOMEM). */
int kernelpart_join (struct totals *t, const size_t *whole);

#endif
