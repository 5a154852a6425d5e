/* SPDX-License-Identifier: MIT
 *
 * opens.h - open files: what each is called, and whether it is recorded
 */
#ifndef DFT_KERNEL_OPENS_H
#define DFT_KERNEL_OPENS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/format/shard.h"

/* A file as the programs in the kernel know it: its address there, and a number
 * that says which of the files that had this address one after the other. */
struct open_file {
    uint64_t address;
    uint32_t number;
    uint16_t length;
    uint8_t class;  /* enum file_class */
    uint8_t wanted; /* 0: its calls are not recorded */
    char *path;     /* length bytes; owned */
};

struct opens;

/* NULL: ENOMEM. Not for several threads. */
struct opens *opens_create (void);
void opens_destroy (struct opens *o); /* NULL is fine */

/* From now on the address is that of this file; what it was is forgotten. The
 * path is copied. 0, or -1: no memory, nobody knows it then. */
int opens_set (struct opens *o, const struct open_file *f);

/* NULL: not known, or meanwhile another. Until the next opens_set. */
const struct open_file *
opens_get (const struct opens *o, uint64_t address, uint32_t number);

#endif
