/* SPDX-License-Identifier: MIT
 *
 * load.h - the programs of the recorder, in the kernel
 */
#pragma once

#include <sys/types.h>

#include "kernel/calls.h"
#include "lib/base/text.h"

/* -- the programs of the recorder, in the kernel -- */

struct load;

/* Load and attach them; they follow the children of process parent that ask
 * for it (kernelmark.h). Records go to calls from then on. Needs CAP_BPF and
 * CAP_PERFMON, or root; nothing that is done later does. NULL and err. */
struct load *
load_start (struct calls *calls, pid_t parent, struct errtext *err);

/* Return a text of what this kernel cannot report; "" if nothing is missing. */
const char *load_lacks (const struct load *l);

/* Take what is in the ring: 0 or more, or -EAGAIN: there is more. */
int load_drain (struct load *l);

/* No system call is looked at any more; what is in the ring stays. */
void load_detach (struct load *l);

/* Records for which the ring had no room, so far. */
uint64_t load_lost (const struct load *l);

/* A descriptor that can be read when there is much in the ring. */
int load_fd (const struct load *l);

/* Nothing is followed any more. NULL is fine. */
void load_stop (struct load *l);

/* -- tracepoints that not every kernel has -- */

struct bpf_object;

enum lacks {
    LACKS_REQUESTS = 1,
    LACKS_FAULTS = 2,
    LACKS_BLOCKS = 4,
    LACKS_CACHE = 8,
    LACKS_PLACES = 16, /* of faults: their addresses are told, no more */
    LACKS_PARTS = 5,   /* bits that are said; what is above costs time only */
    LACKS_CASTS = 32,
    LACKS_NUMBERS = 64 /* with LACKS_FAULTS: layer mmap tells of them */
};

/* Leave programs out whose tracepoints this kernel does not have, or has with
 * other arguments, and those of the features in without (enum lacks). Before
 * the object is loaded. A sum of enum lacks, without among them. */
unsigned lacks_find (struct bpf_object *object, unsigned without);

/* Without which nothing can be recorded: what is missing, for people; NULL:
 * none of what is known to be missing on older kernels. */
const char *lacks_base (void);

/* Return a text of what is not recorded for that reason; "" if nothing is
 * missing. The text is valid until the next call; not thread-safe. */
const char *lacks_text (unsigned lacks);

/* -- a path as the programs in the kernel send it -> absolute text -- */

enum { PARTS_MAX = 16384 }; /* bytes of a path, with the NUL */

/* Names of components, the last one first, each with its NUL, n bytes in all,
 * and behind them what path has, which counts from there unless it is absolute
 * (NULL: nothing). Lexical. Length of out; it ends with a NUL. */
size_t
parts_path (const char *parts, size_t n, const char *path, char out[PARTS_MAX]);
