/* SPDX-License-Identifier: MIT
 *
 * lacks.c - BTF of the running kernel -> programs that can be attached
 */
#include "config.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "kernel/lacks.h"

/* A program, its tracepoint, and how many arguments that has. Of a part, all
 * programs are loaded or none; part 0: the program alone. One program of a
 * choice is enough, 0: there is none. */
static const struct lacks_row {
    const char *program, *tracepoint;
    unsigned arguments;
    unsigned part;
    unsigned choice;
} rows[] = {
    {"record_submit", "io_uring_submit_req", 1, LACKS_REQUESTS, 1},
    {"record_submit_sqe", "io_uring_submit_sqe", 2, LACKS_REQUESTS, 1},
    {"record_complete", "io_uring_complete", 3, LACKS_REQUESTS, 2},
    {"record_complete_values", "io_uring_complete", 7, LACKS_REQUESTS, 2},
    {"record_fault", "mm_filemap_fault", 2, LACKS_FAULTS, 3},
    {"record_switch", "sched_switch", 4, LACKS_FAULTS, 0},
    {"record_user_fault", "page_fault_user", 3, LACKS_FAULTS, 3},
    {"record_cached", "mm_filemap_add_to_page_cache", 1, LACKS_CACHE, 0},
    {"record_bio", "block_bio_queue", 1, LACKS_BLOCKS, 0},
    {"record_bio_end", "block_bio_complete", 2, LACKS_BLOCKS, 0},
    {"record_request_end", "block_rq_complete", 3, LACKS_BLOCKS, 0},
    {"record_dirty", "writeback_dirty_folio", 2, 0, 0},
    {"record_dirty_page", "writeback_dirty_page", 2, 0, 0},
};

enum { ROWS = sizeof (rows) / sizeof (rows[0]) };

/* The kernel's type of it is a pointer to a function, of one argument more. */
static int lacks_has (const struct btf *btf, const struct lacks_row *row)
{
    char name[128];
    const struct btf_type *t;
    int id;

    (void)snprintf (name, sizeof (name), "btf_trace_%s", row->tracepoint);
    id = btf__find_by_name_kind (btf, name, BTF_KIND_TYPEDEF);
    t = id > 0 ? btf__type_by_id (btf, (__u32)id) : NULL;
    t = t ? btf__type_by_id (btf, t->type) : NULL;
    t = t && btf_is_ptr (t) ? btf__type_by_id (btf, t->type) : NULL;
    return t && btf_is_func_proto (t) && btf_vlen (t) == row->arguments + 1;
}

static int lacks_chosen (const int *has, unsigned choice)
{
    for (int i = 0; choice && i < ROWS; i++)
        if (rows[i].choice == choice && has[i])
            return 1;
    return 0;
}

/* What needs pages to be in folios (Linux 5.16). */
static unsigned lacks_folios (const struct btf *btf)
{
    return btf__find_by_name_kind (btf, "folio", BTF_KIND_STRUCT) > 0
               ? 0
               : LACKS_FAULTS | LACKS_BLOCKS | LACKS_CACHE;
}

/* A kernel that tells of no more than a fault's address can be asked what is
 * there, or not. */
static unsigned lacks_places (const int *has)
{
    for (int i = 0; i < ROWS; i++)
        if (has[i] && strcmp (rows[i].program, "record_fault") == 0)
            return 0;
    return libbpf_probe_bpf_helper (BPF_PROG_TYPE_KPROBE, BPF_FUNC_find_vma,
                                    NULL) == 1
               ? LACKS_PLACES
               : LACKS_FAULTS;
}

static void lacks_leave_out (struct bpf_object *object, const char *program)
{
    struct bpf_program *p = bpf_object__find_program_by_name (object, program);

    if (p)
        (void)bpf_program__set_autoload (p, false);
}

unsigned lacks_find (struct bpf_object *object)
{
    struct btf *btf = btf__load_vmlinux_btf ();
    unsigned missing;
    int has[ROWS];

    if (libbpf_get_error (btf))
        return 0; /* loading them will say so */
    missing = lacks_folios (btf);
    for (int i = 0; i < ROWS; i++)
        has[i] = lacks_has (btf, &rows[i]);
    for (int i = 0; i < ROWS; i++)
        if (!has[i] && !lacks_chosen (has, rows[i].choice))
            missing |= rows[i].part;
    if (btf__find_by_name_kind (btf, "bpf_rdonly_cast", BTF_KIND_FUNC) <= 0)
        missing |= LACKS_CASTS;
    missing |= missing & LACKS_FAULTS ? 0 : lacks_places (has);
    for (int i = 0; i < ROWS; i++)
        if (!has[i] || missing & rows[i].part)
            lacks_leave_out (object, rows[i].program);
    btf__free (btf);
    return missing;
}

const char *lacks_base (void)
{
    if (libbpf_probe_bpf_map_type (BPF_MAP_TYPE_RINGBUF, NULL) == 0)
        return "a ring that programs write to (Linux 5.8)";
    if (libbpf_probe_bpf_map_type (BPF_MAP_TYPE_TASK_STORAGE, NULL) == 0)
        return "memory for each thread (Linux 5.12)";
    return NULL;
}

const char *lacks_text (unsigned lacks)
{
    static const char *const parts[LACKS_PARTS] = {
        "requests of io_urings", "page faults of mapped files",
        "requests to block devices", "what reads brought to the page cache",
        "page faults inside of system calls"};
    static char text[320];
    size_t n = 0;

    for (int i = 0; i < LACKS_PARTS; i++)
        if (lacks >> i & 1)
            n += (size_t)snprintf (
                text + n, sizeof (text) - n, "%s%s",
                n ? ", of " : "layer kernel: this kernel does not tell of ",
                parts[i]);
    if (n)
        (void)snprintf (text + n, sizeof (text) - n, ": they are not recorded");
    return text;
}
