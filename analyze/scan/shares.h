/* SPDX-License-Identifier: MIT
 *
 * shares.h - what a thread, or a process, had of each file on storage
 *
 * A file is known by a 64-bit number that follows from its path (shares_id), so
 * that lists of processes can be put together without the paths. All zero is
 * empty.
 */
#ifndef DFT_ANALYZE_SHARES_H
#define DFT_ANALYZE_SHARES_H

#include <stddef.h>
#include <stdint.h>

/* Pairs of a thread and a file in a job; of more no list is kept, as that would
 * take more memory than all else. 40 MiB. */
enum { SHARES_MAX = 640 << 10 };

struct share {
    uint64_t id; /* of the file */
    uint64_t reads, read_bytes, writes, write_bytes;
    uint64_t ns, write_ns; /* of all calls on it; of writes and syncs */
};

struct shares {
    struct share *item; /* owned */
    uint32_t *slot;     /* hash of id -> index + 1; owned; NULL: in order */
    size_t count, room, slots;
};

uint64_t shares_id (const char *path, size_t length);

/* That of a file, zeroed when it is new; index of it, or -1 (ENOMEM). */
int64_t shares_at (struct shares *s, uint64_t id);

/* Add what another list has. 0, or -1 (ENOMEM). */
int shares_append (struct shares *to, const struct shares *from);

void shares_clear (struct shares *s); /* keeps errno */

#endif
