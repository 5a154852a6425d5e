/* SPDX-License-Identifier: MIT
 *
 * calls.c - records of the ring -> processes, open files, events
 *
 * A file has the name under which it was opened, made absolute without
 * following links, as in layer posix; one that was open before, the kernel's.
 */
#include "config.h"

#include <sys/syscall.h>

#include "kernel/calls.h"
#include "kernel/load.h"
#include "lib/base/array.h"

static const struct chunk_name no_name;

/* --- files ---------------------------------------------------------------- */

static enum file_class calls_class (uint32_t mode, const char *path, size_t n)
{
    enum file_class guess = pathfilter_class (path, n);

    if (guess != FILE_CLASS_STORAGE)
        return guess;
    switch (mode & S_IFMT) {
    case S_IFIFO:
        return FILE_CLASS_PIPE;
    case S_IFSOCK:
        return FILE_CLASS_SOCKET;
    case S_IFCHR:
    case S_IFBLK:
        return FILE_CLASS_DEVICE;
    default:
        return guess;
    }
}

static struct open_file calls_file (const struct calls *c,
                                    uint64_t address,
                                    uint32_t number,
                                    uint32_t mode,
                                    char *path,
                                    size_t n)
{
    struct open_file f = {.address = address, .number = number, .path = path};

    f.class = (uint8_t)calls_class (mode, path, n);
    f.length = (uint16_t)n;
    f.wanted = (uint8_t)pathfilter_wants (&c->filter, f.class, path, n);
    return f;
}

static void calls_meet (struct calls *c, const struct abi_file *r, size_t n)
{
    char path[PARTS_MAX];
    struct open_file f;

    if (r->bytes > n - sizeof (*r))
        return;
    n = parts_path ((const char *)(r + 1), r->bytes, NULL, path);
    f = calls_file (c, r->file, r->number, r->mode, path, n);
    opens_set (c->opens, &f);
}

int calls_name (struct calls *c,
                struct thread *h,
                uint64_t address,
                uint32_t number,
                struct chunk_name *name)
{
    const struct open_file *f = opens_get (c->opens, address, number);

    *name = no_name;
    if (!address)
        return 0;
    if (!f) {
        procs_lose_name (h);
        return 1;
    }
    if (f->wanted)
        *name = (struct chunk_name){f->path, f->length, f->class};
    return f->wanted;
}

/* --- events --------------------------------------------------------------- */

static uint64_t argument (const struct abi_call *r, uint8_t which)
{
    return which < ABI_ARGS ? r->args[which] : 0;
}

static int64_t calls_offset (const struct abi_call *r,
                             const struct syscall_info *s)
{
    if (s->call == CALL_lseek)
        return r->result >= 0 ? r->result : -1;
    if (s->shape.flags & ABI_OFFSET_AT)
        return r->result >= 0 || !r->args[s->shape.offset] ? r->position : -1;
    if (s->offset == ABI_NONE)
        return s->shape.flags & ABI_POSITION ? r->position : -1;
    /* preadv2 (-1): at the position */
    if (s->shape.flags & ABI_POSITION && (int64_t)r->args[s->offset] == -1)
        return r->position;
    return r->args[s->offset];
}

static uint64_t calls_size (const struct abi_call *r,
                            const struct syscall_info *s)
{
    if (!(s->shape.flags & ABI_VECTOR))
        return argument (r, s->size);
    if (r->bytes != UINT64_MAX)
        return r->bytes;
    return r->result > 0 ? r->result : 0; /* a long vector */
}

static uint64_t calls_word (const struct abi_call *r,
                            const struct syscall_info *s)
{
    if (s->call == CALL_mmap)
        return (uint32_t)r->args[2] | (r->args[3] & 0xffffffff)
                                          << MAP_FLAGS_SHIFT;
    return (uint32_t)argument (r, s->word);
}

static int calls_fd (const struct abi_call *r, const struct syscall_info *s)
{
    if (s->shape.fd == ABI_RESULT)
        return r->result >= 0 ? (int)r->result : -1;
    return s->shape.fd < ABI_ARGS ? (int)r->args[s->shape.fd] : -1;
}

static void calls_fill (struct event *ev,
                        const struct abi_call *r,
                        const struct syscall_info *s)
{
    memset (ev, 0, offsetof (struct event, args));
    ev->start = r->start;
    ev->end = r->head.time;
    ev->call = s->call;
    ev->fd = calls_fd (r, s);
    ev->size = calls_size (r, s);
    ev->offset = calls_offset (r, s);
    ev->flags = calls_word (r, s);
    ev->ret = r->result < 0 && r->result > -4096 ? -1 : r->result;
    ev->err = r->result < 0 && r->result > -4096 ? (int32_t)-r->result : 0;
    if (s->call == CALL_mmap && !ev->err)
        ev->ret = 0; /* an address */
}

int calls_drops (const struct calls *c, const struct event *ev)
{
    unsigned char how = c->how[ev->call];

    return how && (how == FILTER_DROPPED || ev->size < c->settings->min_size);
}

/* By descriptors. */
static void calls_of_files (struct calls *c,
                            struct thread *h,
                            const struct abi_call *r,
                            const struct syscall_info *s)
{
    struct chunk_name name, name2;
    struct event ev;
    int wanted = calls_name (c, h, r->file, r->number, &name);

    wanted |= calls_name (c, h, r->file2, r->number2, &name2);
    calls_fill (&ev, r, s);
    if (wanted && !calls_drops (c, &ev))
        procs_record (c->procs, h, &ev, &name, &name2);
}

/* fstat of libc is newfstatat of a descriptor and "". */
static const struct syscall_info *calls_self (const struct abi_call *r,
                                              const struct syscall_info *s)
{
    return r->text[1] <= 1 && r->call == SYS_newfstatat &&
                   (int)r->args[0] != AT_FDCWD
               ? syscalls_info (SYS_fstat)
               : s;
}

/* By paths; what an open has opened is called so from now on. */
static void calls_of_paths (struct calls *c,
                            struct thread *h,
                            const struct abi_call *r,
                            const struct syscall_info *s)
{
    static char path[PARTS_MAX], path2[PARTS_MAX];
    const char *text = (const char *)(r + 1);
    struct chunk_name name = no_name, name2 = no_name;
    struct open_file f;
    struct event ev;
    int wanted;

    s = calls_self (r, s);
    name.length = parts_path (text, r->text[0],
                              r->text[1] ? text + r->text[0] : NULL, path);
    f = calls_file (c, r->file, r->number, r->mode, path, name.length);
    name.path = path;
    name.class = f.class;
    wanted = f.wanted;
    if (s->shape.path2 != ABI_NONE) {
        text += r->text[0] + r->text[1];
        name2.length = parts_path (
            text, r->text[2], r->text[3] ? text + r->text[2] : NULL, path2);
        name2.path = path2;
        name2.class = pathfilter_class (path2, name2.length);
        wanted |=
            pathfilter_wants (&c->filter, name2.class, path2, name2.length);
    }
    if (r->file)
        opens_set (c->opens, &f);
    calls_fill (&ev, r, s);
    if (wanted && !calls_drops (c, &ev))
        procs_record (c->procs, h, &ev, &name, &name2);
}

static void calls_call (struct calls *c, const struct abi_call *r, size_t n)
{
    const struct syscall_info *s = syscalls_info (r->call);
    struct thread *h = procs_thread (c->procs, &r->head);
    uint64_t text = 0;

    for (int i = 0; i < 4; i++)
        text += r->text[i];
    if (!s || !h || text > n - sizeof (*r))
        return;
    if (!h->proc->wanted)
        return;
    if (s->shape.path == ABI_NONE)
        calls_of_files (c, h, r, s);
    else
        calls_of_paths (c, h, r, s);
}

/* --- the ring ------------------------------------------------------------- */

static void
calls_process (struct calls *c, const struct abi_process *r, size_t n)
{
    const char *text = (const char *)(r + 1);
    char path[PARTS_MAX];

    n -= sizeof (*r);
    switch (r->head.type) {
    case ABI_START:
        procs_started (c->procs, r);
        return;
    case ABI_EXE:
    case ABI_DIR:
        if (r->bytes > n)
            return;
        parts_path (text, r->bytes, NULL, path);
        procs_named (c->procs, r, path);
        return;
    case ABI_EXEC:
        if ((uint64_t)r->args + r->environment <= n)
            procs_changed (c->procs, r, text);
        return;
    case ABI_LIBRARY:
        procs_library (c->procs, r);
        return;
    case ABI_END:
        procs_ended (c->procs, r);
        return;
    }
}

void calls_take (struct calls *c, const void *record, size_t n)
{
    const struct abi_head *h = record;
    struct thread *thread;

    if (n < sizeof (*h))
        return;
    /* A thread's end may be told after the end of its process, and begins no
     * process. What it has lost is counted by procs_finish. */
    if (h->lost && (h->type != ABI_END || procs_has (c->procs, h->tgid)) &&
        (thread = procs_thread (c->procs, h))) {
        procs_lose (thread, h->lost);
        c->told += h->lost;
    }
    if (h->type == ABI_CALL && n >= sizeof (struct abi_call))
        calls_call (c, record, n);
    else if (h->type == ABI_FILE && n >= sizeof (struct abi_file))
        calls_meet (c, record, n);
    else if (h->type == ABI_REQUEST && n >= sizeof (struct abi_request))
        requests_take (c, record);
    else if (h->type == ABI_FAULT && n >= sizeof (struct abi_fault))
        faults_take (c, record);
    else if (h->type == ABI_KEEP && n >= sizeof (struct abi_keep))
        blocks_keep (c, record);
    else if (h->type == ABI_BLOCK && n >= sizeof (struct abi_block))
        blocks_take (c, record);
    else if (h->type == ABI_CACHE && n >= sizeof (struct abi_cache))
        blocks_cached (c, record);
    else if (n >= sizeof (struct abi_process))
        calls_process (c, record, n);
}

/* ---- address of an open file -> its path ---- */

enum { OPENS_FIRST = 1024, OPENS_MAX = 1 << 20 };

struct opens {
    struct open_file *slot; /* address 0: free */
    size_t room, used;      /* room: a power of 2 */
};

struct opens *opens_create (void)
{
    struct opens *o = TRY_ZEROED (o, 1);

    if (!o)
        return NULL;
    o->room = OPENS_FIRST;
    TRY_NEW (o->slot, o->room);
    if (!o->slot) {
        free (o);
        return NULL;
    }
    return o;
}

static void opens_clear (struct opens *o)
{
    for (size_t i = 0; i < o->room; i++)
        free (o->slot[i].path);
    memset (o->slot, 0, o->room * sizeof (*o->slot));
    o->used = 0;
}

void opens_destroy (struct opens *o)
{
    if (!o)
        return;
    opens_clear (o);
    free (o->slot);
    free (o);
}

/* Its slot, or the free one where it would be. */
static struct open_file *opens_slot (const struct opens *o, uint64_t address)
{
    size_t i = (address * 0x9e3779b97f4a7c15u) >> 20;

    for (;; i++) {
        struct open_file *f = &o->slot[i & (o->room - 1)];

        if (f->address == address || !f->address)
            return f;
    }
}

static void opens_grow (struct opens *o)
{
    struct opens big = {.room = o->room * 2};

    if (o->room >= OPENS_MAX || !TRY_NEW (big.slot, big.room)) {
        opens_clear (o);
        return;
    }
    for (size_t i = 0; i < o->room; i++)
        if (o->slot[i].address)
            *opens_slot (&big, o->slot[i].address) = o->slot[i];
    free (o->slot);
    o->slot = big.slot;
    o->room = big.room;
}

int opens_set (struct opens *o, const struct open_file *f)
{
    struct open_file *slot;
    char *path = malloc ((size_t)f->length + 1);

    if (!path || !f->address) {
        free (path);
        return -1;
    }
    memcpy (path, f->path, f->length);
    if (o->used * 4 >= o->room * 3)
        opens_grow (o);
    slot = opens_slot (o, f->address);
    o->used += !slot->address;
    free (slot->path);
    *slot = *f;
    slot->path = path;
    return 0;
}

const struct open_file *
opens_get (const struct opens *o, uint64_t address, uint32_t number)
{
    const struct open_file *f = opens_slot (o, address);

    return address && f->address && f->number == number ? f : NULL;
}

/* ---- rows of syscalls.def, by the numbers of this machine ---- */

enum {
    NO = ABI_NONE,
    RES = ABI_RESULT,
    CWD = ABI_CWD,
    POS = ABI_POSITION,
    VEC = ABI_VECTOR,
    AT = ABI_OFFSET_AT + ABI_POSITION
};

static const struct syscall_info table[ABI_SYSCALLS] = {
#define SYSCALL(NAME, CALL, FLAGS, FD, FD2, PATH, AT1, PATH2, AT2, SIZE, OFF, \
                WORD)                                                         \
    [SYS_##NAME] = {.shape = {.flags = ABI_WANTED + (FLAGS),                  \
                              .fd = FD,                                       \
                              .fd2 = FD2,                                     \
                              .path = PATH,                                   \
                              .at = AT1,                                      \
                              .path2 = PATH2,                                 \
                              .at2 = AT2,                                     \
                              .offset = OFF,                                  \
                              .size = SIZE},                                  \
                    .call = CALL_##CALL,                                      \
                    .size = SIZE,                                             \
                    .offset = OFF,                                            \
                    .word = WORD},
#include "kernel/syscalls.def"
#undef SYSCALL
};

const struct syscall_info *syscalls_info (uint32_t number)
{
    return number < ABI_SYSCALLS && table[number].call ? &table[number] : NULL;
}
