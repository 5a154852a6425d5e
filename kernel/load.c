/* SPDX-License-Identifier: MIT
 *
 * load.c - libbpf: skeleton -> programs in the kernel -> records
 */
#include "config.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "kernel/calls.h"
#include "kernel/load.h"
#include "kernel/record.skel.h"
#include "lib/base/array.h"
#include "lib/settings/paths.h"

enum {
    KIND_SHIFT = 12,
    TASK_BYTES_MAX = 1024,
    TURN = 1 << 17,
    RING_MIN = 4096,
    RING_MAX = 16 << 20,
    RING_WAKE = 4 /* the recorder is woken when a quarter of it is full */
};

struct load {
    struct record_bpf *bpf;
    struct ring_buffer *ring;
    struct calls *calls;
    unsigned taken; /* records, in this turn */
    unsigned lacks; /* enum lacks */
};

static int load_silent (enum libbpf_print_level level, const char *f, va_list a)
{
    return 0;
}

static int load_record (void *cookie, void *record, size_t n)
{
    struct load *l = cookie;

    calls_take (l->calls, record, n);
    return ++l->taken < TURN ? 0 : -EAGAIN;
}

static struct abi_shape load_shape (const struct syscall_info *info)
{
    struct abi_shape s = info->shape;
    enum call_class class = call_table[info->call].class;

    if (class == CALL_CLASS_READ || class == CALL_CLASS_COPY)
        s.flags |= ABI_READS;
    return s;
}

/* Fill the maps that the programs read from the start: recorded calls and kinds
 * of files. */
static void
load_fill (struct record_bpf *bpf, const struct calls *calls, unsigned lacks)
{
    static const struct {
        mode_t mode;
        enum file_class class;
    } kinds[] = {
        {S_IFREG, FILE_CLASS_STORAGE}, {S_IFDIR, FILE_CLASS_STORAGE},
        {S_IFLNK, FILE_CLASS_STORAGE}, {S_IFIFO, FILE_CLASS_PIPE},
        {S_IFSOCK, FILE_CLASS_SOCKET}, {S_IFCHR, FILE_CLASS_DEVICE},
        {S_IFBLK, FILE_CLASS_DEVICE},  {0, FILE_CLASS_OTHER},
    };
    struct abi_shape *shapes = (void *)(uintptr_t)bpf->rodata->shapes;
    __u8 *wanted = (void *)(uintptr_t)bpf->rodata->wanted_kinds;

    for (uint32_t i = 0; i < ABI_SYSCALLS; i++)
        if (syscalls_info (i))
            shapes[i] = load_shape (syscalls_info (i));
    for (size_t i = 0; i < ITEMS (kinds); i++)
        wanted[kinds[i].mode >> KIND_SHIFT] =
            kinds[i].class == FILE_CLASS_STORAGE ||
            pathfilter_wants (&calls->filter, kinds[i].class, "/", 1);
    bpf->rodata->look_casts = !(lacks & LACKS_CASTS);
    bpf->rodata->mark_call = SYS_getppid;
    bpf->rodata->map_call = lacks & LACKS_FAULTS ? 0 : SYS_mmap;
    bpf->rodata->fault_by_address = (lacks & LACKS_PLACES) != 0;
    bpf->rodata->ring_call = SYS_io_uring_enter;
    bpf->rodata->aio_call = SYS_io_submit;
    bpf->rodata->block_direct_flag = O_DIRECT;
    bpf->rodata->page_shift =
        (uint32_t)__builtin_ctzl ((unsigned long)sysconf (_SC_PAGESIZE));
}

/* A power of two, at least a page. */
static void load_ring (struct record_bpf *bpf, const struct settings *s)
{
    uint64_t bytes = RING_MIN;

    while (bytes < s->kernel_ring && bytes < RING_MAX)
        bytes *= 2;
    bpf_map__set_max_entries (bpf->maps.ring, (uint32_t)bytes);
    bpf->data->wake_bytes = bytes / RING_WAKE;
}

/* The parent is followed, but waits to be told: so its children do. */
static int load_mark (struct record_bpf *bpf, pid_t parent)
{
    static char zeros[TASK_BYTES_MAX];
    int fd = (int)syscall (SYS_pidfd_open, parent, 0), rc = -1;

    if (fd < 0)
        return -1;
    if (bpf_map__value_size (bpf->maps.tasks) <= sizeof (zeros))
        rc = bpf_map_update_elem (bpf_map__fd (bpf->maps.tasks), &fd, zeros,
                                  BPF_NOEXIST);
    close (fd);
    return rc;
}

static const char *load_hint (int error)
{
    static char text[128];
    const char *base;

    if (error == EPERM || error == EACCES)
        return "it takes root, or CAP_BPF and CAP_PERFMON";
    if (access ("/sys/kernel/btf/vmlinux", R_OK) < 0)
        return "this kernel has no BTF";
    base = lacks_base ();
    if (base) {
        FORMAT (text, "this kernel lacks %s: see doc/kernel.md", base);
        return text;
    }
    return "this kernel lacks what it needs: see doc/kernel.md";
}

/* In a namespace of processes these have other numbers for the kernel's
 * programs than for the library: what layer mmap tells of a page fault would
 * count twice. */
static unsigned load_without (const struct settings *s)
{
    static const char first[] = "pid:[4026531836]";
    char own[sizeof (first)];
    ssize_t n = readlink ("/proc/self/ns/pid", own, sizeof (own));

    if (!(s->layers & LAYER_MMAP) || n <= 0 ||
        (n == sizeof (first) - 1 && memcmp (own, first, n) == 0))
        return 0;
    return LACKS_FAULTS | LACKS_NUMBERS;
}

struct load *load_start (struct calls *calls, pid_t parent, struct errtext *err)
{
    static const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    struct load *l = TRY_ZEROED (l, 1);
    const char *what = "cannot be loaded";
    int saved_errno;

    if (!l)
        return NULL;
    l->calls = calls;
    libbpf_set_print (load_silent);
    setrlimit (RLIMIT_MEMLOCK, &all);
    l->bpf = record_bpf__open ();
    if (!l->bpf)
        goto error;
    l->lacks = lacks_find (l->bpf->obj, load_without (calls->settings));
    load_fill (l->bpf, calls, l->lacks);
    load_ring (l->bpf, calls->settings);
    if (record_bpf__load (l->bpf) < 0)
        goto error;
    what = "cannot be attached";
    if (record_bpf__attach (l->bpf) < 0)
        goto error;
    what = "cannot follow the job";
    if (load_mark (l->bpf, parent) < 0)
        goto error;
    l->ring = ring_buffer__new (bpf_map__fd (l->bpf->maps.ring), load_record, l,
                                NULL);
    if (!l->ring)
        goto error;
    return l;
error:
    saved_errno = errno;
    errf (err, "layer kernel: its programs %s: %s: %s", what,
          strerror (saved_errno), load_hint (saved_errno));
    load_stop (l);
    errno = saved_errno;
    return NULL;
}

int load_drain (struct load *l)
{
    l->taken = 0;
    return ring_buffer__consume (l->ring);
}

const char *load_lacks (const struct load *l)
{
    return lacks_text (l->lacks);
}

void load_detach (struct load *l)
{
    record_bpf__detach (l->bpf);
}

int load_fd (const struct load *l)
{
    return ring_buffer__epoll_fd (l->ring);
}

uint64_t load_lost (const struct load *l)
{
    return __atomic_load_n (&l->bpf->bss->totals.lost, __ATOMIC_RELAXED);
}

void load_stop (struct load *l)
{
    if (!l)
        return;
    ring_buffer__free (l->ring);
    record_bpf__destroy (l->bpf);
    free (l);
}

/* ---- BTF of the running kernel -> programs that can be attached ---- */

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

enum { ROWS = ITEMS (rows) };

/* The kernel's type of it is a pointer to a function, of one argument more. */
static int lacks_has (const struct btf *btf, const struct lacks_row *row)
{
    char name[128];
    const struct btf_type *t;
    int id;

    FORMAT (name, "btf_trace_%s", row->tracepoint);
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

/* Return the features that need folios (Linux 5.16). */
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
        bpf_program__set_autoload (p, false);
}

unsigned lacks_find (struct bpf_object *object, unsigned without)
{
    struct btf *btf = btf__load_vmlinux_btf ();
    unsigned missing;
    int has[ROWS];

    if (libbpf_get_error (btf))
        return without; /* loading them will say so */
    missing = lacks_folios (btf);
    without &= missing & LACKS_FAULTS ? 0 : ~0u; /* the kernel is why */
    missing |= without;
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
    static char text[448];
    unsigned told =
        lacks & LACKS_NUMBERS ? lacks & ~(unsigned)LACKS_FAULTS : lacks;
    size_t n = 0;

    for (int i = 0; i < LACKS_PARTS; i++)
        if (told >> i & 1)
            n += snprintf (text + n, sizeof (text) - n, "%s%s",
                           n ? ", of "
                             : "layer kernel: this kernel does not tell of ",
                           parts[i]);
    if (n)
        n += snprintf (text + n, sizeof (text) - n, ": they are not recorded");
    if (lacks & LACKS_NUMBERS)
        snprintf (text + n, sizeof (text) - n,
                  "%spage faults are left to layer mmap in a namespace of "
                  "processes",
                  n ? "; " : "layer kernel: ");
    return text;
}

/* ---- "c\0b\0a\0", "../d" -> "/a/b/d" ---- */

size_t
parts_path (const char *parts, size_t n, const char *path, char out[PARTS_MAX])
{
    size_t used = 0;
    ssize_t all;

    if (path && path[0] == '/')
        n = 0;
    while (n > 0) {
        size_t end = --n, length; /* parts[end] is a NUL */

        while (n > 0 && parts[n - 1] != '\0')
            n--;
        length = end - n;
        if (length == 0 || used + length + 2 > PARTS_MAX)
            continue;
        out[used] = '/';
        memcpy (out + used + 1, parts + n, length);
        used += length + 1;
    }
    if (path && (all = paths_append (out, used, PARTS_MAX - 2, path)) >= 0)
        used = all;
    if (used == 0)
        out[used++] = '/';
    out[used] = '\0';
    return used;
}
