/* SPDX-License-Identifier: MIT
 *
 * span_open.h - calls that name their file in a rarer way
 */
#ifndef DFT_PRELOAD_SPAN_OPEN_H
#define DFT_PRELOAD_SPAN_OPEN_H

#include <sched.h>

#include "preload/span.h"

/* Two descriptors; wanted when either is. The span is the first one's. */
int span_open_pair (struct span *sp, int in, int out);

/* The process is about to change its root or its user; never wanted. */
int span_open_leave (void);

/* The tree of files is going to be another one, if leaves: root, mounts, mount
 * namespaces. Always 0. */
enum { SPAN_OTHER_TREE = CLONE_NEWNS };
int span_open_leave_tree (int leaves);

/* setns with this type, unshare with these flags; always 0. clone. */
int span_open_setns (int type);
int span_open_unshare (int flags);
void span_clone (int flags);

/* Making an io_uring: one of these calls may be made of the other. */
extern _Thread_local unsigned span_rings
    __attribute__ ((tls_model ("initial-exec")));
int span_open_ring (struct span *sp);

/* Requests are about to be submitted: remembers the first of them. */
struct io_uring;
int span_open_submit (struct span *sp, const struct io_uring *ring);

/* The descriptor of a directory stream. */
int span_open_dir (struct span *sp, DIR *dir);

/* Formatted output straight to a descriptor: of the stdio layer. */
int span_open_print (struct span *sp, int fd);

#endif
