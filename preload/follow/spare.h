/* SPDX-License-Identifier: MIT
 *
 * spare.h - memory for a large environment between the call and the exec
 *
 * The stack may be a small one, and malloc must not be called in a child of
 * vfork, where a mapping would stay in the parent: what such a child took is
 * the thread's spare one from then on, and taken again by its next exec.
 */
#ifndef DFT_PRELOAD_SPARE_H
#define DFT_PRELOAD_SPARE_H

#include <stddef.h>

struct spare {
    void *memory; /* NULL: nothing was taken */
    size_t size;
};

/* NULL when there is no memory. */
void *spare_take (struct spare *s, size_t size);

/* Before an exec that may not return; the thread runs in its parent's memory.
 */
void spare_leave (struct spare *s);

/* It is not needed any more. Keeps errno. */
void spare_free (struct spare *s);

/* This thread ends. */
void spare_thread_end (void);

#endif
