/* SPDX-License-Identifier: MIT
 *
 * shard.c - checksum and names of the shard format
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/shard.h"

enum { LANES = 4 };

static inline uint64_t shard_mix (uint64_t h, uint64_t word)
{
    h ^= word;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Four lanes of 8-byte words, so that the multiplications overlap; the last
 * partial word is padded with zeros and the length goes in at the end. Every
 * step is a bijection of the lane, so any change of one word changes the
 * result.
 */
uint64_t shard_checksum (const void *data, size_t n, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t lane[LANES], word, h = seed;
    size_t left = n;

    for (int i = 0; i < LANES; i++)
        lane[i] = seed + (uint64_t)i;
    for (; left >= LANES * 8; left -= LANES * 8) {
        for (int i = 0; i < LANES; i++, p += 8) {
            memcpy (&word, p, 8);
            lane[i] = shard_mix (lane[i], word);
        }
    }
    for (int i = 0; left > 0; i++) {
        size_t take = MIN (left, 8);

        word = 0;
        memcpy (&word, p, take);
        lane[i] = shard_mix (lane[i], word);
        p += take;
        left -= take;
    }
    for (int i = 0; i < LANES; i++)
        h = shard_mix (h, lane[i]);
    return shard_mix (h, n);
}

uint32_t shard_block_check (const struct shard_block *b)
{
    struct shard_block copy = *b;
    uint64_t h;

    copy.magic = SHARD_MAGIC;
    copy.flags = 0;
    copy.commit = 0;
    copy.check = 0;
    copy.checksum = 0;
    h = shard_checksum (&copy, sizeof (copy), 0);
    return (uint32_t)(h ^ h >> 32);
}

uint64_t shard_events_sum (const struct shard_block *b, const void *payload)
{
    size_t n = b->type == SHARD_BLOCK_DENSE ? b->capacity - sizeof (*b)
                                            : (uint32_t)b->commit;

    return shard_checksum (payload, n, b->commit);
}

uint64_t shard_process_sum (const void *payload, size_t strings)
{
    struct shard_process fixed;
    uint64_t sum;

    memcpy (&fixed, payload, SHARD_PROCESS_LIVE);
    fixed.exec_ns = 0;
    fixed.rings = 0;
    fixed.ended = 0;
    fixed.requests = 0;
    sum = shard_checksum (&fixed, SHARD_PROCESS_LIVE, 0);
    return shard_checksum (
        (const char *)payload + sizeof (struct shard_process), strings, sum);
}

const char *file_class_name (enum file_class class)
{
    static const char *const names[] = {
        [FILE_CLASS_UNKNOWN] = "unknown", [FILE_CLASS_STORAGE] = "storage",
        [FILE_CLASS_SHM] = "shm",         [FILE_CLASS_PIPE] = "pipe",
        [FILE_CLASS_SOCKET] = "socket",   [FILE_CLASS_DEVICE] = "device",
        [FILE_CLASS_OTHER] = "other",
    };

    if ((size_t) class >= ITEMS (names))
        return "unknown";
    return names[class];
}
