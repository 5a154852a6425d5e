/* SPDX-License-Identifier: MIT
 *
 * layerdoor.c - what libraries of layers may ask of the recorder
 */

/* Design. Layers with a library of their own (mpiio, hdf5, …). Symbols of
 * MPI in the preload library would be in front of every program, and tell
 * those that look for an MPI that there is one. So they are in
 * libdftrace_mpi.so, which LD_PRELOAD names only where the layer is asked
 * for. It has no state of the recorder: dftrace_layerdoor gives it a table
 * of functions, and records go the way of all others. Calls of MPI are
 * handed on as machine words, so that one wrapper serves both families of
 * handles; what they did is asked of the MPI, locally, after they have
 * succeeded. MPI's rank of a process replaces that of the environment in the
 * process block, in the file as well. */

#include "config.h"

#include "lib/format/event.h"
#include "preload/record/layerdoor.h"
#include "lib/base/sys.h"
#include "preload/files.h"
#include "preload/program.h"
#include "preload/process.h"

static int door_wants (unsigned layer)
{
    return (recorder_layers & layer) && process_is_ours ();
}

static uint64_t door_tick (void)
{
    return clock_tick ();
}

static void door_copy (uint32_t id, char *text, size_t size)
{
    size_t n = 0;
    const char *name = id ? names_text (id, &n, NULL) : NULL;

    if (!name || n >= size)
        n = 0;
    else
        memcpy (text, name, n);
    text[n && names_valid (id) ? n : 0] = '\0';
}

static int door_file (const char *path, uint32_t *id, char *text, size_t size)
{
    int saved_errno = errno;
    struct file f = files_by_path (AT_FDCWD, path, -1);

    *id = f.name;
    if (size > 0)
        door_copy (f.name, text, size);
    errno = saved_errno;
    return f.state == FILE_WANTED;
}

static int door_knows (uint32_t id)
{
    return names_valid (id);
}

static uint32_t door_name (enum shard_name_kind kind, const char *text)
{
    size_t n = strnlen (text, EVENT_NAME_MAX);

    return names_intern (kind, FILE_CLASS_UNKNOWN, text, n);
}

static void door_record (const struct record *r)
{
    int saved_errno = errno;

    if (!filter_drops (r) && recorder_enter ()) {
        recorder_record (r);
        recorder_leave ();
    }
    errno = saved_errno;
}

enum { MEET_LEAST_NS = 100000, MEET_SHORT_NS = 1000000 };

static void door_meet (const char *name, uint64_t start, uint64_t *left)
{
    static const char category[] = "comm";
    int saved_errno = errno;
    char text[sizeof (category) + 32];
    size_t n = strnlen (name, sizeof (text) - sizeof (category));
    struct record r = {
        .start = start, .call = CALL_region, .fd = -1, .offset = -1};

    r.end = clock_tick ();
    if (clock_ns_of (r.end - start) < MEET_LEAST_NS) {
        *left += r.end - start;
        if (clock_ns_of (*left) < MEET_SHORT_NS)
            return;
        r.start = r.end - *left;
        *left = 0;
    }
    memcpy (text, category, sizeof (category));
    memcpy (text + sizeof (category), name, n);
    if (recorder_enter ()) {
        r.file = names_intern (SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN, text,
                               sizeof (category) + n);
        recorder_record (&r);
        recorder_leave ();
    }
    errno = saved_errno;
}

static void door_rank (int32_t rank, uint32_t ranks)
{
    int saved_errno = errno;

    recorder_rank (rank, ranks);
    errno = saved_errno;
}

static void *door_find (const char *symbol)
{
    int saved_errno = errno;
    void *found = late_find (symbol);

    errno = saved_errno;
    return found;
}

static const struct layerdoor door = {
    .wants = door_wants,
    .tick = door_tick,
    .file = door_file,
    .knows = door_knows,
    .name = door_name,
    .record = door_record,
    .meet = door_meet,
    .rank = door_rank,
    .lose_name = recorder_lose_name,
    .find = door_find,
};

const struct layerdoor *dftrace_layerdoor (unsigned version)
{
    return version == LAYERDOOR_VERSION ? &door : NULL;
}
