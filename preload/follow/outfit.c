/* SPDX-License-Identifier: MIT
 *
 * outfit.c - envp, kind of the program -> envp as it should be
 */
#include "config.h"

#include "lib/base/text.h"
#include "lib/base/sys.h"
#include "lib/settings/preloads.h"
#include "preload/follow/locks.h"
#include "preload/follow/outfit.h"
#include "preload/follow/told.h"
#include "preload/probe.h"
#include "preload/record/recorder.h"

static const char preload[] = "LD_PRELOAD=";
static const char pythonpath[] = "PYTHONPATH=";

enum { ENTRY_MAX = 512 /* longer ones are left as they are */ };

static SYS_START const char *outfit_ours; /* NULL: nobody is followed */
static SYS_START const char *python_dir;  /* NULL: none */
static SYS_START unsigned follow;         /* enum follow */

void outfit_start (const char *ours, const struct settings *s)
{
    outfit_ours = ours && ours[0] ? ours : NULL;
    follow = s->follow;
}

void outfit_python (const char *directory)
{
    python_dir = directory && directory[0] ? directory : NULL;
}

int outfit_is_active (void)
{
    return outfit_ours || recorder_layers || recorder_aside;
}

/* --- LD_PRELOAD --------------------------------------------------------- */

/* Whether n bytes of a list are the path of a library of ours. */
static int outfit_is_ours (const char *entry, size_t n)
{
    return n < ENTRY_MAX && memchr (entry, '/', n) &&
           preloads_has_name (entry, n) && !memchr (entry, '$', n);
}

/* Or not to be started, where a system call of ours is the end. */
static int outfit_is_missing (const char *entry, size_t n)
{
    char path[ENTRY_MAX];

    if (recorder_aside)
        return 1;
    memcpy (path, entry, n);
    path[n] = '\0';
    return sys_call (SYS_faccessat, AT_FDCWD, path, R_OK) < 0 &&
           (errno == ENOENT || errno == ENOTDIR || errno == EACCES);
}

/* The loader separates by colons and blanks. Writes what stays to out, unless
 * that is NULL; the list may be there itself. Returns how many went. */
static size_t outfit_filter (const char *list, int all, char *out)
{
    size_t n, used = 0, dropped = 0;

    for (; *list; list += n + (list[n] != '\0')) {
        n = strcspn (list, ": ");
        if (outfit_is_ours (list, n) && (all || outfit_is_missing (list, n))) {
            dropped++;
            continue;
        }
        if (out && used > 0)
            out[used] = ':';
        used += used > 0;
        if (out)
            memmove (out + used, list, n);
        used += n;
    }
    if (out)
        out[used] = '\0';
    return dropped;
}

/* Whether the list names our library; it may be NULL. */
static int outfit_has_library (const char *list)
{
    size_t n;

    for (; list && *list; list += n + (list[n] != '\0')) {
        n = strcspn (list, ": ");
        if (outfit_is_ours (list, n))
            return 1;
    }
    return 0;
}

/* --- what it is to be -------------------------------------------------------
 */

int outfit_look (struct outfit *o, char *const envp[])
{
    int saved_errno = errno, is;

    *o = (struct outfit){.kind = PROGRAM_UNKNOWN};
    is = envlook_read (&o->look, envp);
    errno = saved_errno;
    return is;
}

int outfit_carries (const struct outfit *o)
{
    return o->look.has & ENVLOOK_JOB_DIR && o->look.has & ENVLOOK_LAYERS &&
           outfit_has_library (o->look.preload.value);
}

/* The loader ends a program in which a library does not find room. Ours take
 * 2.5 MiB, and 2 MiB more for each layer; 0.7 MiB of it is data. */
static int has_addresses (void)
{
    enum { LEAST = 8 << 20 };
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    struct rlimit l;

    for (size_t i = 0; i < sizeof (limits) / sizeof (limits[0]); i++)
        if (sys_call (SYS_prlimit64, 0, limits[i], NULL, &l) == 0 &&
            l.rlim_cur < LEAST)
            return 0;
    return 1;
}

/* The user's wish, and what only the environment tells of a program. */
static enum program_kind outfit_kind (const struct outfit *o,
                                      enum program_kind kind)
{
    if (kind == PROGRAM_SANITIZER && o->look.has & ENVLOOK_ASAN)
        kind = PROGRAM_UNKNOWN;
    if (kind == PROGRAM_STATIC && o->look.has & ENVLOOK_VALGRIND)
        kind = PROGRAM_UNKNOWN; /* it loads the program, and that loads us */
    if (o->look.has & ENVLOOK_DISABLED || (outfit_ours && follow == FOLLOW_NO))
        return PROGRAM_OWN_REQUEST;
    if (kind == PROGRAM_UNKNOWN && outfit_ours &&
        follow == FOLLOW_ENVIRONMENT && !outfit_carries (o))
        return PROGRAM_ENVIRONMENT;
    if (kind == PROGRAM_UNKNOWN && outfit_ours && !has_addresses ())
        return PROGRAM_ADDRESSES;
    return kind;
}

/* Their loader would load us, and must not. */
static int must_drop (enum program_kind kind)
{
    return kind == PROGRAM_MACHINE || kind == PROGRAM_OTHER_USER ||
           kind == PROGRAM_OWN_REQUEST || kind == PROGRAM_NOEXEC ||
           kind == PROGRAM_SANITIZER || kind == PROGRAM_ADDRESSES;
}

/* A static program hands them on to those that it starts. */
static int may_add (enum program_kind kind)
{
    return kind == PROGRAM_UNKNOWN || kind == PROGRAM_STATIC;
}

static void plan_adding (struct outfit *o)
{
    const char *theirs = o->look.preload.value;

    o->adds = 1;
    o->flags = (theirs ? TOLD_PRELOAD : 0u) |
               (outfit_has_library (theirs) ? TOLD_OURS : 0u) |
               (locks_held () ? TOLD_LOCKS : 0u);
    o->pointers += 2;
    o->room += sizeof (preload) + o->look.preload.length + 1 +
               strlen (outfit_ours) + told_length (o->flags);
}

static void plan_dropping (struct outfit *o)
{
    const struct envlist *list = &o->look.preload;

    if (list->value) {
        o->dropped = outfit_filter (list->value, o->all, NULL);
        o->room += sizeof (preload) + list->length;
    }
}

/* Only a program whose environment has our settings: one that was given no
 * environment does not find PYTHONPATH in it. */
static void plan_python (struct outfit *o)
{
    o->python =
        python_dir && o->dropped == 0 && may_add (o->kind) &&
        (outfit_has_library (o->look.preload.value) ||
         (o->adds && o->look.has & ENVLOOK_JOB_DIR)) &&
        !pathlist_has (o->look.python.value, python_dir, PATHLIST_PYTHON);
    if (o->python) {
        o->pointers += o->look.python.at == o->look.count;
        o->room += sizeof (pythonpath) + strlen (python_dir) + 1 +
                   o->look.python.length;
    }
}

int outfit_plan (struct outfit *o, enum program_kind kind)
{
    int saved_errno = errno;

    o->kind = outfit_kind (o, kind);
    o->pointers = o->look.count + 1;
    o->all = must_drop (o->kind);
    if (outfit_ours && !recorder_aside && follow == FOLLOW_ALL &&
        may_add (o->kind) && (!outfit_carries (o) || locks_held ()))
        plan_adding (o);
    else
        plan_dropping (o);
    plan_python (o);
    o->room += o->pointers * sizeof (char *);
    errno = saved_errno;
    return o->adds || o->dropped > 0 || o->python;
}

/* --- making it --------------------------------------------------------------
 */

/* Both return where the next text goes. */
static char *make_put (char *to, const char *text, size_t n)
{
    memcpy (to, text, n);
    to[n] = '\0';
    return to + n;
}

/* No more than was measured; it may be less by now. */
static char *make_list (char *to, const struct envlist *l)
{
    if (l->value)
        (void)make_put (to, l->value, l->length);
    return l->value ? to + strlen (to) : to;
}

/* Where another thread removes an entry, the others move up. What ends the
 * environment then is not to hide what is added: one stands there twice, as it
 * does while they move. */
static void make_entries (const struct outfit *o, char **to)
{
    static const char none[] = "";
    char *last = (char *)(uintptr_t)none;

    for (size_t i = 0; i < o->look.count; i++) {
        char *entry = o->look.envp[i];

        to[i] = last = entry ? entry : last;
    }
}

static char *make_dropped (const struct outfit *o, char **to, char *text)
{
    char *list = make_put (text, preload, sizeof (preload) - 1);

    (void)make_list (list, &o->look.preload);
    (void)outfit_filter (list, o->all, list);
    to[o->look.preload.at] = text;
    return text + strlen (text) + 1;
}

static char *make_python (const struct outfit *o, char **to, char *text)
{
    char *end = make_put (text, pythonpath, sizeof (pythonpath) - 1);

    end = make_put (end, python_dir, strlen (python_dir));
    if (o->look.python.length)
        end = make_list (make_put (end, ":", 1), &o->look.python);
    to[o->look.python.at] = text;
    return end + 1;
}

static void
make_added (const struct outfit *o, char **to, char *text, const char *end)
{
    char *list = make_put (text, preload, sizeof (preload) - 1);

    to[0] = text;
    text = make_list (list, &o->look.preload);
    if (!(o->flags & TOLD_OURS)) {
        if (text > list)
            text = make_put (text, ":", 1);
        text = make_put (text, outfit_ours, strlen (outfit_ours));
    }
    to[1] = text + 1;
    told_write (o->flags, to[1], (size_t)(end - to[1]));
}

char *const *outfit_make (const struct outfit *o, void *memory)
{
    int saved_errno = errno;
    char **to = memory, *text = (char *)(to + o->pointers);

    if (recorder_aside)
        recorder_count_untraced ();
    make_entries (o, to);
    to[o->pointers - 1] = NULL;
    if (o->dropped)
        text = make_dropped (o, to, text);
    if (o->python)
        text = make_python (o, to, text);
    if (o->adds)
        make_added (o, to + o->pointers - 3, text, (char *)memory + o->room);
    errno = saved_errno;
    return to;
}

/* ---- envp -> struct envlook ---- */

static const char enable[] = "DFTRACE_ENABLE=";
static const char asan[] = "ASAN_OPTIONS=";

enum { TEXT_MAX = 1 << 17 /* of one entry; more is E2BIG */ };

/* Whether the kernel can read it; but it cannot be asked any more. */
static int can_read (struct probe *p, const void *at)
{
    return recorder_aside || probe_byte (p, at);
}

/* Whether a text begins with the variable; -1 when it cannot be read. */
static int begins (struct probe *p, const char *text, const char *variable)
{
    for (size_t i = 0; variable[i]; i++) {
        if (!can_read (p, text + i))
            return -1;
        if (text[i] != variable[i])
            return 0;
    }
    return 1;
}

/* Whether all of it can be read. */
static int is_whole (struct probe *p, const char *text)
{
    return recorder_aside || probe_text (p, text, TEXT_MAX) >= 0;
}

/* 1: the text is of the variable, and can be read. -1: it cannot. */
static int
envlook_is_of (struct probe *p, const char *text, const char *variable)
{
    int is = begins (p, text, variable);

    return is > 0 && !is_whole (p, text) ? -1 : is;
}

static unsigned settings_bits (const char *text, int *is, struct probe *p)
{
    int on = 1;

    if ((*is = envlook_is_of (p, text, "DFTRACE_JOB_DIR=")))
        return *is > 0 ? ENVLOOK_JOB_DIR : 0;
    if ((*is = envlook_is_of (p, text, "DFTRACE_LAYERS=")))
        return *is > 0 ? ENVLOOK_LAYERS : 0;
    if ((*is = envlook_is_of (p, text, enable)) > 0)
        (void)parse_bool (text + sizeof (enable) - 1, &on);
    return on ? 0 : ENVLOOK_DISABLED;
}

static unsigned asan_bit (const char *text, int *is, struct probe *p)
{
    *is = envlook_is_of (p, text, asan);
    return *is > 0 && text_contains (text, strlen (text),
                                     "verify_asan_link_order=0")
               ? ENVLOOK_ASAN
               : 0;
}

static void
envlook_keep (struct envlist *list, const char *text, size_t head, size_t at)
{
    const char *value = text + head - 1;

    *list = (struct envlist){at, value, strlen (value)};
}

/* 0 when the entry cannot be read. */
static int
envlook_entry (struct envlook *l, struct probe *p, const char *text, size_t i)
{
    int is = 0;

    if (!can_read (p, text))
        return 0;
    switch (text[0]) {
    case 'L':
        if ((is = envlook_is_of (p, text, preload)) > 0)
            envlook_keep (&l->preload, text, sizeof (preload), i);
        break;
    case 'P':
        if ((is = envlook_is_of (p, text, pythonpath)) > 0 && !l->python.value)
            envlook_keep (&l->python, text, sizeof (pythonpath), i);
        break;
    case 'D':
        l->has |= settings_bits (text, &is, p);
        break;
    case 'V':
        is = envlook_is_of (p, text, "VALGRIND_LAUNCHER=");
        l->has |= is > 0 ? ENVLOOK_VALGRIND : 0;
        break;
    case 'A':
        l->has |= asan_bit (text, &is, p);
        break;
    default:
        break;
    }
    return is >= 0;
}

int envlook_read (struct envlook *l, char *const envp[])
{
    struct probe vector = {0}, texts = {0};
    size_t i = 0;

    *l = (struct envlook){.envp = envp};
    for (; envp; i++) {
        if (!can_read (&vector, envp + i) ||
            !can_read (&vector, (const char *)(envp + i + 1) - 1))
            return 0;
        if (!envp[i])
            break;
        if (!envlook_entry (l, &texts, envp[i], i))
            return 0;
    }
    l->count = i;
    if (!l->preload.value)
        l->preload.at = i;
    if (!l->python.value)
        l->python.at = i;
    return 1;
}
