/* SPDX-License-Identifier: MIT
 *
 * look.bpf.h - loads from addresses of the kernel that are known as numbers
 *
 * A kernel that lets a program say of what type an address is (bpf_rdonly_cast,
 * Linux 6.2) makes a load of it. An older one has it copied by a helper, which
 * is some 70 instructions and three returns more.
 */
#ifndef DFT_KERNEL_LOOK_BPF_H
#define DFT_KERNEL_LOOK_BPF_H

#include "kernel/bpf/types.bpf.h"

/* libbpf declares it, too, since 1.5, and with another type. */
#define bpf_rdonly_cast libbpf_rdonly_cast
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#undef bpf_rdonly_cast

extern void *bpf_rdonly_cast (void *object, __u32 type) __ksym __weak;

volatile const __u32 look_casts; /* this kernel has it: by the recorder */

#define LOOK_CAST(TYPE, ADDRESS)                 \
    ((TYPE *)bpf_rdonly_cast ((void *)(ADDRESS), \
                              bpf_core_type_id_kernel (TYPE)))

/* FIELD of the TYPE at ADDRESS, which may be anything: 0 where nothing is. The
 * address is taken first, since BPF_CORE_READ moves all fields that it is
 * given, ours too. */
#define LOOK(TYPE, ADDRESS, FIELD)                    \
    ({                                                \
        TYPE *look_at = (TYPE *)(ADDRESS);            \
        look_casts ? LOOK_CAST (TYPE, look_at)->FIELD \
                   : BPF_CORE_READ (look_at, FIELD);  \
    })

/* A pointer in an array of them, as a number. */
static __always_inline __u64 look_pointer (__u64 address)
{
    __u64 pointer = 0;

    if (look_casts)
        return (__u64)LOOK_CAST (struct rb_node, address)->__rb_parent_color;
    bpf_probe_read_kernel (&pointer, sizeof (pointer), (void *)address);
    return pointer;
}

#endif
