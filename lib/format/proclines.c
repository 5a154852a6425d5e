/* SPDX-License-Identifier: MIT
 *
 * proclines.c - JOBDIR/shards/processes.HOST -> records
 */
#include "config.h"

#include <dirent.h>
#include <sys/wait.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/base/sys.h"
#include "lib/format/proclines.h"
#include "lib/format/shard.h"

enum {
    DIRECTORY = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
    FILE_FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
    FILES_MAX = 100000, /* hosts */
    SENSIBLE_BITS = 60  /* less than 2^60 bytes in a number */
};

/* --- words of a line ---------------------------------------------------- */

/* The next word, in place; NULL: the line has ended. Two blanks have an empty
 * word between them. */
static char *proclines_word (char **at)
{
    char *word = *at, *blank = word ? strchr (word, ' ') : NULL;

    if (blank)
        *blank++ = '\0';
    *at = blank;
    return word;
}

static int proclines_number (char **at, uint64_t most, uint64_t *n)
{
    const char *word = proclines_word (at);

    return word && parse_u64 (word, n) == 0 && *n <= most ? 0 : -1;
}

static int proclines_u32 (char **at, uint32_t *n)
{
    uint64_t value;

    if (proclines_number (at, UINT32_MAX, &value) < 0)
        return -1;
    *n = (uint32_t)value;
    return 0;
}

static int proclines_hex (char c)
{
    const char *at = c ? strchr ("0123456789abcdef", c) : NULL;

    return at ? (int)(at - "0123456789abcdef") : -1;
}

/* %XX -> byte, in place. Anything else stays. */
static char *proclines_decode (char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++) {
        int high = *p == '%' ? proclines_hex (p[1]) : -1;
        int low = high >= 0 ? proclines_hex (p[2]) : -1;

        if (low >= 0 && high + low > 0) {
            *to++ = (char)(high << 4 | low);
            p += 2;
        } else
            *to++ = *p;
    }
    *to = '\0';
    return text;
}

/* --- kinds of lines ----------------------------------------------------- */

static struct procpair *proclines_pair (struct procrecord *r, const char *word)
{
    static const char *const left[LEFTOUTS] = {
#define LEFTOUT(WORD, TITLE, HELP) #WORD,
#include "lib/format/leftout.def"
#undef LEFTOUT
    };
    const struct {
        const char *word;
        struct procpair *pair;
    } own[] = {{"all", &r->all},         {"own", &r->own},
               {"start", &r->start_all}, {"startown", &r->start_own},
               {"tracer", &r->tracer},   {"aio", &r->aio},
               {"cpu", &r->cpu},         {"runq", &r->runq},
               {"gpu", &r->gpu}};

    for (size_t i = 0; i < ITEMS (own); i++)
        if (strcmp (word, own[i].word) == 0)
            return own[i].pair;
    for (int i = 0; i < LEFTOUTS; i++)
        if (strcmp (word, left[i]) == 0)
            return &r->left[i];
    return NULL; /* of a later version */
}

static int proclines_bytes (const char *text, uint64_t *n)
{
    return parse_u64 (text, n) < 0 || *n >> SENSIBLE_BITS ? -1 : 0;
}

/* READ,WRITTEN or READ,WRITTEN,CALLS,NS */
static int proclines_sums (char *text, struct procpair *pair)
{
    uint64_t *const n[PROCLINE_SUMS] = {&pair->n[COUNTED_READ],
                                        &pair->n[COUNTED_WRITTEN], &pair->calls,
                                        &pair->ns};
    int count = 0;

    for (char *next; text && count < PROCLINE_SUMS; text = next) {
        if ((next = strchr (text, ',')))
            *next++ = '\0';
        if (proclines_bytes (text, n[count++]) < 0)
            return -1;
    }
    return text || (count != 2 && count != PROCLINE_SUMS) ? -1 : 0;
}

/* WORD=N or WORD=N,N,… or exe=PATH */
static int proclines_member (struct procrecord *r, char *word)
{
    char *value = strchr (word, '=');
    struct procpair pair = {.known = 1}, *to;

    if (!value)
        return -1;
    *value++ = '\0';
    if (strcmp (word, "exe") == 0) {
        r->exe = proclines_decode (value);
        return 0;
    }
    if (strcmp (word, "quiet") == 0) {
        r->quiet = 1;
        return parse_u64 (value, &r->files_out);
    }
    if (proclines_sums (value, &pair) < 0)
        return -1;
    to = proclines_pair (r, word);
    if (to)
        *to = pair;
    return 0;
}

/* The process has written the line, too. */
static void proclines_add_line (struct procpair *p, size_t bytes)
{
    if (p->known)
        p->n[COUNTED_WRITTEN] += bytes;
}

static int proclines_traced (struct procrecord *r, char *at, size_t bytes)
{
    char *word;

    if (proclines_u32 (&at, &r->ppid) < 0 || proclines_u32 (&at, &r->sid) < 0 ||
        proclines_number (&at, UINT64_MAX, &r->start) < 0 ||
        proclines_number (&at, UINT64_MAX, &r->end) < 0 ||
        !(word = proclines_word (&at)))
        return -1;
    r->exec = strcmp (word, "exec") == 0;
    while (at && strncmp (at, "from=", 5) != 0)
        if (proclines_member (r, proclines_word (&at)) < 0)
            return -1;
    r->places = at;
    proclines_add_line (&r->all, bytes);
    proclines_add_line (&r->own, bytes);
    proclines_add_line (&r->tracer, bytes);
    return 0;
}

/* WORD=N,N,TEXT: what is behind TEXT's comma; NULL: it is none. */
static const char *
proclines_two (char *word, const char *is, uint64_t *a, uint64_t *b)
{
    size_t n = strlen (is);
    char *first = word + n, *second, *text;

    if (strncmp (word, is, n) != 0 || !(second = strchr (first, ',')) ||
        !(text = strchr (second + 1, ',')))
        return NULL;
    *second++ = *text++ = '\0';
    return parse_u64 (first, a) < 0 || parse_u64 (second, b) < 0
               ? NULL
               : proclines_decode (text);
}

int proclines_place (struct procplace *p, char **at)
{
    const char *text;
    char *word;

    while ((word = proclines_word (at)))
        if ((text = proclines_two (word, "from=", &p->bytes, &p->changed)))
            p->object = text;
        else if ((text = proclines_two (word, "at=", &p->offset, &p->kind)) &&
                 p->object) {
            p->name = text;
            return 1;
        }
    return 0;
}

static int proclines_untraced (struct procrecord *r, char *at)
{
    char *exe = proclines_word (&at), *reason = proclines_word (&at);
    const char *time = proclines_word (&at);

    if (!time || !*exe || !*reason || at || (*time != '@' && *time != '~') ||
        parse_u64 (time + 1, &r->end) < 0)
        return -1;
    r->child = *time == '~';
    r->exe = proclines_decode (exe);
    r->reason = proclines_decode (reason);
    return 0;
}

static int proclines_ended (struct procrecord *r, char *at)
{
    uint64_t number;
    const char *how;

    if (!r->pid || proclines_number (&at, UINT64_MAX, &r->end) < 0 ||
        !(how = proclines_word (&at)) ||
        proclines_number (&at, SHARD_ENDED_NUMBER, &number) < 0 ||
        !(r->who = proclines_word (&at)) || at)
        return -1;
    if (strcmp (how, "exit") == 0)
        r->ended = SHARD_ENDED_EXIT | (uint32_t)number;
    else if (strcmp (how, "signal") == 0)
        r->ended = SHARD_ENDED_SIGNAL | (uint32_t)number;
    if (strcmp (r->who, PROCLINE_RUN) == 0 ||
        strcmp (r->who, PROCLINE_TASK) == 0)
        r->ended |= SHARD_ENDED_ROOT;
    return r->ended & ~(uint32_t)SHARD_ENDED_ROOT ? 0 : -1;
}

static int proclines_doing (struct procrecord *r, char *at)
{
    char *file, *region;

    if (proclines_number (&at, UINT64_MAX, &r->start) < 0 ||
        proclines_number (&at, UINT64_MAX, &r->end) < 0 ||
        !(r->call = proclines_word (&at)) || !(file = proclines_word (&at)))
        return -1;
    region = proclines_word (&at);
    if (at)
        return -1;
    r->exe = proclines_decode (file);
    r->reason = region ? proclines_decode (region) : "";
    return 0;
}

static int proclines_kind (const char *word)
{
    return strcmp (word, "traced") == 0     ? PROCRECORD_TRACED
           : strcmp (word, "untraced") == 0 ? PROCRECORD_UNTRACED
           : strcmp (word, "ended") == 0    ? PROCRECORD_ENDED
           : strcmp (word, "doing") == 0    ? PROCRECORD_DOING
                                            : 0;
}

static int
proclines_take (struct proclines *p, const char *host, char *line, size_t bytes)
{
    struct procrecord r;
    char *at = line;
    int kind = proclines_kind (proclines_word (&at)), rc;

    if (!(kind & (int)p->kinds))
        return 0;
    ZERO (&r);
    r.kind = kind;
    r.host = host;
    r.exe = r.reason = r.who = r.call = "";
    r.order = p->lines;
    if (proclines_u32 (&at, &r.pid) < 0)
        return 0;
    rc = kind == PROCRECORD_TRACED     ? proclines_traced (&r, at, bytes)
         : kind == PROCRECORD_UNTRACED ? proclines_untraced (&r, at)
         : kind == PROCRECORD_ENDED    ? proclines_ended (&r, at)
                                       : proclines_doing (&r, at);
    if (rc < 0)
        return 0;
    p->lines++;
    return p->f (&r, p->cookie);
}

/* n bytes and a NUL. A last line without an end was cut off, and is not known.
 * host: NULL: that is the first word of each line. */
static int
proclines_text (struct proclines *p, char *text, size_t n, const char *host)
{
    char *line = text, *end, *at;
    int rc = 0;

    for (; !rc && (end = memchr (line, '\n', n - (size_t)(line - text)));
         line = end + 1) {
        const char *whose = host;

        *end = '\0';
        at = line;
        if (!whose)
            whose = proclines_word (&at);
        if (at)
            rc = proclines_take (p, whose, at, end + 1 - at);
    }
    p->cut |= !rc && line < text + n;
    return rc;
}

int proclines_read_kept (struct proclines *p, char *text, size_t n)
{
    p->files++;
    return proclines_text (p, text, n, NULL);
}

/* --- files -------------------------------------------------------------- */

/* Open a file of lines; it must belong to the owner of shards/ or to root. */
static int proclines_open (int shards, const char *name, struct stat *st)
{
    struct stat dir;
    int fd = openat (shards, name, O_RDONLY | FILE_FLAGS);

    if (fd >= 0 && fstat (fd, st) == 0 && S_ISREG (st->st_mode) &&
        fstat (shards, &dir) == 0 && (st->st_uid == dir.st_uid || !st->st_uid))
        return fd;
    if (fd >= 0)
        close (fd);
    return -1;
}

/* Read at most as much as may be in it, with a NUL behind. */
static char *proclines_load (int fd, off_t size, size_t *n)
{
    size_t most = PROCLINE_FILE_MAX + PROCLINE_MAX;
    char *text;
    ssize_t got;

    if ((uint64_t)size < most)
        most = size;
    *n = 0;
    if (!(text = malloc (most + 1)))
        return NULL;
    while (*n < most && (got = read (fd, text + *n, most - *n)) > 0)
        *n += got;
    text[*n] = '\0';
    return text;
}

/* The node of a file of lines, into host. */
static const char *proclines_host (const char *name, char host[NAME_MAX + 1])
{
    const char *from = name + sizeof (PROCLINE_FILE) - 1;

    snprintf (host, NAME_MAX + 1, "%.*s",
              (int)strcspn (from, (const char[]){PROCLINE_PART, '\0'}), from);
    return host;
}

static int proclines_file (struct proclines *p, int shards, const char *name)
{
    const off_t full = p->kinds & PROCRECORD_TRACED ? PROCLINE_FILE_TRACED_MAX
                                                    : PROCLINE_FILE_MAX;
    const char *part = strchr (name, PROCLINE_PART);
    struct stat st;
    int fd = proclines_open (shards, name, &st), rc = 0;
    char *text = NULL, host[NAME_MAX + 1];
    size_t n;

    if (fd < 0)
        return 0;
    p->files++;
    p->bytes += st.st_size;
    p->cut |= st.st_size >= full || (part && !strcmp (part, PROCLINE_MORE));
    if (p->kinds) {
        text = proclines_load (fd, st.st_size, &n);
        rc = text ? proclines_text (p, text, n, proclines_host (name, host))
                  : -1;
    }
    free (text);
    close (fd);
    return rc;
}

static int proclines_is_one (const struct dirent *e)
{
    return strncmp (e->d_name, PROCLINE_FILE, sizeof (PROCLINE_FILE) - 1) == 0;
}

/* shards/ of a job directory; -1: there is none. */
static int proclines_shards (const char *job_dir)
{
    int top = job_dir ? open (job_dir, DIRECTORY) : -1;
    int fd = top < 0 ? -1 : openat (top, "shards", DIRECTORY | O_NOFOLLOW);

    if (top >= 0)
        close (top);
    return fd;
}

/* The names in order; how many. */
static int proclines_names (int shards, struct dirent ***names)
{
    int n = scandirat (shards, ".", names, proclines_is_one, alphasort);

    return n < 0 ? 0 : n;
}

int proclines_read_at (struct proclines *p, int shards)
{
    struct dirent **names = NULL;
    int n = proclines_names (shards, &names), rc = 0;

    for (int i = 0; i < n; i++) {
        if (rc == 0 && i < FILES_MAX)
            rc = proclines_file (p, shards, names[i]->d_name);
        free (names[i]);
    }
    free (names);
    return rc;
}

int proclines_read (struct proclines *p, const char *job_dir)
{
    int fd = proclines_shards (job_dir);
    int rc = fd < 0 ? 0 : proclines_read_at (p, fd);

    if (fd >= 0)
        close (fd);
    return rc;
}

static void proclines_keep_file (FILE *out, int shards, const char *name)
{
    struct stat st;
    int fd = proclines_open (shards, name, &st);
    size_t n = 0;
    char *text = fd < 0 ? NULL : proclines_load (fd, st.st_size, &n);
    char *line = text, *end, host[NAME_MAX + 1];

    for (; line && (end = memchr (line, '\n', n - (size_t)(line - text)));
         line = end + 1)
        fprintf (out, "%s %.*s\n", proclines_host (name, host),
                 (int)(end - line), line);
    free (text);
    if (fd >= 0)
        close (fd);
}

char *proclines_keep (const char *job_dir, size_t *n)
{
    int fd = proclines_shards (job_dir);
    struct dirent **names = NULL;
    int count = fd < 0 ? 0 : proclines_names (fd, &names);
    char *text = NULL;
    FILE *out = count ? open_memstream (&text, n) : NULL;

    *n = 0;
    for (int i = 0; i < count; i++) {
        if (out)
            proclines_keep_file (out, fd, names[i]->d_name);
        free (names[i]);
    }
    free (names);
    if (fd >= 0)
        close (fd);
    if (out && fclose (out) == 0 && *n)
        return text;
    free (text);
    return NULL;
}

/* ---- facts about a process -> a line ---- */

enum { REASON_MAX = 200, DIGITS = 20 };

static void procline_put (struct procline *l, char c)
{
    if (l->used + 1 < l->room) /* the line has an end in any case */
        l->text[l->used++] = c;
}

static void procline_put_text (struct procline *l, const char *text)
{
    while (*text)
        procline_put (l, *text++);
}

void procline_digits (struct procline *l, uint64_t n)
{
    char digits[DIGITS + 1], *p = digits + DIGITS;

    *p = '\0';
    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    procline_put_text (l, p);
}

void procline_begin (struct procline *l, const char *kind, uint64_t pid)
{
    l->used = 0;
    procline_put_text (l, kind);
    procline_number (l, pid);
}

void procline_word (struct procline *l, const char *word)
{
    procline_put (l, ' ');
    procline_put_text (l, word);
}

void procline_number (struct procline *l, uint64_t n)
{
    procline_put (l, ' ');
    procline_digits (l, n);
}

void procline_pair (struct procline *l,
                    const char *word,
                    uint64_t a,
                    uint64_t b)
{
    procline_word (l, word);
    procline_put (l, '=');
    procline_digits (l, a);
    procline_put (l, ',');
    procline_digits (l, b);
}

void procline_sums (struct procline *l,
                    const char *word,
                    const uint64_t n[PROCLINE_SUMS])
{
    procline_pair (l, word, n[0], n[1]);
    for (int i = 2; i < PROCLINE_SUMS; i++) {
        procline_put (l, ',');
        procline_digits (l, n[i]);
    }
}

void procline_text (struct procline *l, const char *text, size_t n)
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c > ' ' && c < 127 && c != '%') {
            procline_put (l, (char)c);
            continue;
        }
        procline_put (l, '%');
        procline_put (l, hex[c >> 4]);
        procline_put (l, hex[c & 15]);
    }
}

void procline_end (struct procline *l)
{
    l->text[l->used++] = '\n';
}

/* By the kernel's clock: another preload may have replaced libc's. */
static uint64_t procline_now (void)
{
    struct timespec now = {0, 0};

    sys_call (SYS_clock_gettime, CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void procline_untraced (struct procline *l,
                        pid_t pid,
                        const char *exe,
                        size_t n,
                        const char *what,
                        const char *reason)
{
    procline_begin (l, "untraced", pid);
    procline_word (l, "");
    procline_text (l, exe, n);
    procline_word (l, "");
    procline_text (l, what, strlen (what));
    procline_text (l, reason, strnlen (reason, REASON_MAX));
    procline_word (l, pid == sys_getpid () ? "@" : "~");
    procline_digits (l, procline_now ());
    procline_end (l);
}

void procline_ended (struct procline *l, pid_t pid, int status, const char *who)
{
    procline_begin (l, "ended", pid);
    procline_number (l, procline_now ());
    procline_word (l, WIFSIGNALED (status) ? "signal" : "exit");
    procline_number (
        l, (WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status)));
    procline_word (l, who);
    procline_end (l);
}
