/* SPDX-License-Identifier: MIT
 *
 * load.c - libbpf: skeleton -> programs in the kernel -> records
 */
#include "config.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/lacks.h"
#include "kernel/load.h"
#include "kernel/record.skel.h"
#include "kernel/syscalls.h"

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
    (void)level;
    (void)f;
    (void)a;
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
    enum call_class class = (enum call_class)call_table[info->call].class;

    if (class == CALL_CLASS_READ || class == CALL_CLASS_COPY)
        s.flags |= ABI_READS;
    return s;
}

/* What the programs know from the start: the calls that count, and the kinds
 * of files, of which those that are no file only if somebody wants them. */
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
    for (size_t i = 0; i < sizeof (kinds) / sizeof (kinds[0]); i++)
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
    (void)bpf_map__set_max_entries (bpf->maps.ring, (uint32_t)bytes);
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
    (void)close (fd);
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
        (void)snprintf (text, sizeof (text),
                        "this kernel lacks %s: see doc/kernel.md", base);
        return text;
    }
    return "this kernel lacks what it needs: see doc/kernel.md";
}

struct load *load_start (struct calls *calls, pid_t parent, struct errtext *err)
{
    static const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    struct load *l = calloc (1, sizeof (*l));
    const char *what = "cannot be loaded";
    int saved_errno;

    if (!l)
        return NULL;
    l->calls = calls;
    (void)libbpf_set_print (load_silent);
    (void)setrlimit (RLIMIT_MEMLOCK, &all);
    l->bpf = record_bpf__open ();
    if (!l->bpf)
        goto error;
    l->lacks = lacks_find (l->bpf->obj);
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

uint64_t load_foreign (const struct load *l)
{
    return __atomic_load_n (&l->bpf->bss->totals.foreign, __ATOMIC_RELAXED);
}

void load_stop (struct load *l)
{
    if (!l)
        return;
    ring_buffer__free (l->ring);
    record_bpf__destroy (l->bpf);
    free (l);
}
