/* SPDX-License-Identifier: MIT
 *
 * mmpages.c - PAGEMAP_SCAN, /proc/self/pagemap, mincore -> bytes
 *
 * Caveat: one thread at a time, but for mmpages_of_file and _cached_now; the
 *         caller sees to it. mincore takes some 50 ns for a page that is
 *         not there.
 */
#include "config.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/mmap/mmpages.h"

enum {
    BUFFER_BYTES = 65536,
    SMALL_BYTES = 4096,
    REGIONS = BUFFER_BYTES / 24,
    ENTRIES = BUFFER_BYTES / 8,
    ENTRY_PRESENT = 63 /* bit of a pagemap entry */
};

/* linux/fs.h of 6.7; older headers do not have it. */
struct scan_region {
    uint64_t start, end, categories;
};
struct scan_arg {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask;
    uint64_t return_mask;
};
#define SCAN         _IOWR ('f', 16, struct scan_arg)
#define SCAN_PRESENT (UINT64_C (1) << 3)
_Static_assert(sizeof (struct scan_arg) == 96, "as the kernel has it");

static unsigned char *buffer;
static uint64_t page_bytes = 4096;
static int no_scan; /* the kernel does not know it */

int mmpages_start (void)
{
    long page = sysconf (_SC_PAGESIZE);

    if (page > 0)
        page_bytes = (uint64_t)page;
    if (!buffer)
        buffer = sys_memory (BUFFER_BYTES);
    return buffer ? 0 : -1;
}

/* The main thread may have ended. */
int mmpages_open (void)
{
    return highfd_open (AT_FDCWD, "/proc/thread-self/pagemap", O_RDONLY, 0);
}

static int64_t mmpages_scan (int fd, uint64_t start, uint64_t end)
{
    const struct scan_region *r = (const struct scan_region *)buffer;
    int64_t bytes = 0;

    while (start < end) {
        struct scan_arg arg = {.size = sizeof (arg),
                               .start = start,
                               .end = end,
                               .vec = (uint64_t)(uintptr_t)buffer,
                               .vec_len = REGIONS,
                               .category_mask = SCAN_PRESENT,
                               .return_mask = SCAN_PRESENT};
        long n = sys_call (SYS_ioctl, fd, SCAN, &arg);

        if (n < 0)
            return -1;
        for (long i = 0; i < n; i++)
            bytes += (int64_t)(r[i].end - r[i].start);
        if (arg.walk_end <= start)
            break;
        start = arg.walk_end;
    }
    return bytes;
}

static int64_t read_map (int fd, uint64_t start, uint64_t end)
{
    const uint64_t *entry = (const uint64_t *)buffer;
    int64_t bytes = 0;

    while (start < end) {
        uint64_t pages = (end - start + page_bytes - 1) / page_bytes;
        long n;

        if (pages > ENTRIES)
            pages = ENTRIES;
        n = sys_pread (fd, buffer, pages * sizeof (*entry),
                       (off_t)(start / page_bytes * sizeof (*entry)));
        if (n < (long)sizeof (*entry))
            return n < 0 ? -1 : bytes;
        n /= (long)sizeof (*entry);
        for (long i = 0; i < n; i++)
            if (entry[i] >> ENTRY_PRESENT & 1)
                bytes += (int64_t)page_bytes;
        start += (uint64_t)n * page_bytes;
    }
    return bytes;
}

int64_t mmpages_present (int fd, uint64_t start, uint64_t end, unsigned *source)
{
    if (fd < 0)
        return -1;
    if (!no_scan) {
        int64_t bytes = mmpages_scan (fd, start, end);

        *source = MM_PAGEMAP_SCAN;
        if (bytes >= 0)
            return bytes;
        no_scan = errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP;
    }
    *source = MM_PAGEMAP;
    return read_map (fd, start, end);
}

static int64_t
ask_cache (uint64_t start, uint64_t end, unsigned char *pages_at, size_t room)
{
    int64_t bytes = 0;

    while (start < end) {
        uint64_t pages = (end - start + page_bytes - 1) / page_bytes;

        if (pages > room)
            pages = room;
        if (sys_call (SYS_mincore, start, pages * page_bytes, pages_at) < 0)
            return -1;
        for (uint64_t i = 0; i < pages; i++)
            bytes += pages_at[i] & 1 ? (int64_t)page_bytes : 0;
        start += pages * page_bytes;
    }
    return bytes;
}

int64_t mmpages_cached (uint64_t start, uint64_t end)
{
    return ask_cache (start, end, buffer, BUFFER_BYTES);
}

/* linux/mman.h of 6.5. */
struct cache_range {
    uint64_t offset, length;
};
struct cache_state {
    uint64_t cached, dirty, writeback, evicted, recently_evicted;
};
enum { SYS_CACHESTAT = 451 };

int64_t mmpages_of_file (int fd, uint64_t offset, uint64_t length)
{
    struct cache_range range = {offset, length};
    struct cache_state state;

    if (sys_call (SYS_CACHESTAT, fd, &range, &state, 0) < 0)
        return -1;
    return (int64_t)(state.cached * page_bytes);
}

int64_t mmpages_cached_now (uint64_t start, uint64_t end)
{
    unsigned char pages[SMALL_BYTES];

    return ask_cache (start, end, pages, sizeof (pages));
}
