/* SPDX-License-Identifier: MIT
 *
 * vector.bpf.h - an array of struct iovec -> bytes
 */
#pragma once

#include "kernel/bpf/task.bpf.h"

enum { VECTOR_BYTES = 16 };

/* ~0: it is longer than is looked at. */
static __always_inline __u64 sum_vector (__u64 at, __u64 count)
{
    __u64 sum = 0;

    for (int i = 0; i < ABI_VECTORS; i++) {
        __u64 length = 0;

        if ((__u64)i >= count)
            break;
        bpf_probe_read_user (&length, sizeof (length),
                             (void *)(at + i * VECTOR_BYTES + 8));
        sum += length;
    }
    return count > ABI_VECTORS ? ~0ull : sum;
}
