/* SPDX-License-Identifier: MIT
 *
 * wild.c - every call of wraps.def with pointers that lead nowhere
 *
 * In:  the rows of wraps.def, as text: their parameters say what to pass;
 *      argv[1]: a file to remove first
 * Out: a line for each call and choice of arguments: its result and errno, or
 *      how the process ended, as some of libc read what they are given
 *
 * Each pointer is good, NULL, wild, or the last page before nothing, full of
 * what has no end; numbers are fitting, -1, or nonsense. Of streams and
 * mappings only libc itself knows what is good, so they have no part here.
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    ARGS_MAX = 6,
    WORD = 32,
    NUMBERS = 3 /* fitting, -1, NONSENSE */
};
static const long NONSENSE = 99;

struct row {
    const char *result, *name, *params, *open;
};

#define TEXT_OF_(...) "(" #__VA_ARGS__ ")"
#define TEXT_OF(...)  TEXT_OF_ (__VA_ARGS__)

static const struct row rows[] = {
#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE) \
    {#R, #F, TEXT_OF (WRAP_PARAMS PARAMS), #OPEN},
#define HAND(R, F, PARAMS) {#R, #F, #PARAMS, ""},
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
};

/* Not called: they need what only libc can make, take what is not there as an
 * offer to crash at some other time, or change more than this place. */
static const char *const not_called[] = {"FILE", "DIR",      "va_list",
                                         "fmt",  "aiocb",    "*fn",
                                         "iocb", "io_uring", "io_event"};
static const char *const not_named[] = {
    "shm_open", "puts",          "mmap",
    "mmap64",   "munmap",        "mremap",
    "madvise",  "msync",         "posix_madvise",
    "sleep",    "usleep",        "poll",
    "select",   "nanosleep",     "clock_nanosleep",
    "ppoll",    "__poll_chk",    "__ppoll_chk",
    "pselect",  "epoll_wait",    "epoll_pwait",
    "sem_wait", "sem_timedwait", "sem_clockwait",
    "sem_open",
};

enum kind {
    NUMBER,
    FD,
    DIRFD,
    SIZE,
    COUNT,
    ROOM,
    TEXT,
    VECTOR,
    ENVIRON,
    BUFFER,
    NOTHING
};
enum choice { GOOD, NIL, WILD, PAGE_END, CHOICES };

struct call {
    const struct row *row;
    long (*function) (long, long, long, long, long, long);
    enum kind kinds[ARGS_MAX];
    int n, execs;
};

static const struct {
    const char *name;
    enum kind kind;
} names[] = {{"fd", FD},           {"in", FD},        {"out", FD},
             {"mountfd", DIRFD},   {"dirfd", DIRFD},  {"todir", DIRFD},
             {"n", SIZE},          {"size", SIZE},    {"count", COUNT},
             {"room", ROOM},       {"path", TEXT},    {"to", TEXT},
             {"file", TEXT},       {"name", TEXT},    {"key", TEXT},
             {"argv", VECTOR},     {"envp", ENVIRON}, {"pid", NOTHING},
             {"actions", NOTHING}, {"attr", NOTHING}, {"select", NOTHING},
             {"compare", NOTHING}};

static char *page, *vectors; /* each followed by nothing */
static char good[PAGE];
static const char *const good_vector[] = {"true", NULL};
static int *at, file_fd, exec_fd;

/* --- parameters --------------------------------------------------------- */

/* The name at the end of a parameter's text: "const char *path", "int fd[2]".
 */
static void name_of (const char *text, size_t n, char *name)
{
    const char *bracket = memchr (text, '[', n);
    size_t end = bracket ? (size_t)(bracket - text) : n, i = end;

    while (i > 0 && text[i - 1] != ' ' && text[i - 1] != '*')
        i--;
    snprintf (name, WORD, "%.*s", (int)(end - i), text + i);
}

static enum kind kind_of (const char *text, size_t n)
{
    int pointer = memchr (text, '*', n) || memchr (text, '[', n);
    char name[WORD];

    if (memmem (text, n, "(*", 2)) /* a function */
        return NOTHING;
    name_of (text, n, name);
    for (size_t k = 0; k < sizeof (names) / sizeof (names[0]); k++)
        if (strcmp (names[k].name, name) == 0 &&
            pointer == (names[k].kind >= TEXT) &&
            (names[k].kind != TEXT || memmem (text, n, "char", 4)))
            return names[k].kind;
    return pointer ? BUFFER : NUMBER;
}

/* "(int fd, void *buf)" -> kinds; 0: none is a pointer of interest. */
static int parse (struct call *c)
{
    const char *p = c->row->params + 1, *begin = p;
    int depth = 0, pointers = 0;

    for (;; p++) {
        if (*p == '(')
            depth++;
        if ((*p == ',' || *p == ')') && depth == 0) {
            enum kind k = kind_of (begin, (size_t)(p - begin));

            if (strncmp (begin, " ...", 4) != 0 && c->n < ARGS_MAX)
                c->kinds[c->n++] = k;
            pointers += k >= TEXT && k != NOTHING;
            begin = p + 1;
            if (*p == ')')
                return pointers;
        } else if (*p == ')')
            depth--;
    }
}

static int is_called (const struct row *r)
{
    for (size_t i = 0; i < sizeof (not_called) / sizeof (not_called[0]); i++)
        if (strstr (r->params, not_called[i]))
            return 0;
    if (strstr (r->open, "libcio")) /* libc itself reads what it is given */
        return 0;
    for (size_t i = 0; i < sizeof (not_named) / sizeof (not_named[0]); i++)
        if (strcmp (r->name, not_named[i]) == 0)
            return 0;
    return 1;
}

/* --- arguments ---------------------------------------------------------- */

static long number (const struct call *c, enum kind k, int mode)
{
    if (k == ROOM)
        return mode == 1 ? -1 : PAGE;
    if (mode > 0)
        return mode == 1 ? -1 : NONSENSE;
    switch (k) {
    case FD:
        return c->execs ? exec_fd : file_fd;
    case DIRFD:
        return AT_FDCWD;
    case SIZE:
        return 16;
    case COUNT:
        return 1;
    default:
        return 0;
    }
}

static long pointer (const struct call *c, enum kind k, enum choice choice)
{
    switch (choice) {
    case NIL:
        return 0;
    case WILD:
        return 8;
    case PAGE_END:
        return (long)(intptr_t)(k == VECTOR || k == ENVIRON ? vectors : page);
    default:
        break;
    }
    if (k == TEXT)
        return (long)(intptr_t)(c->execs ? "/bin/true" : "file");
    if (k == VECTOR)
        return (long)(intptr_t)good_vector;
    if (k == ENVIRON)
        return (long)(intptr_t)environ;
    return (long)(intptr_t)memset (good, 0, sizeof (good));
}

/* How many ways there are to call it. */
static int ways (const struct call *c)
{
    int n = NUMBERS;

    for (int i = 0; i < c->n; i++)
        n *= c->kinds[i] >= TEXT && c->kinds[i] != NOTHING ? CHOICES : 1;
    return n;
}

static void arguments (const struct call *c, int way, long args[], char *label)
{
    int mode = way % NUMBERS;

    way /= NUMBERS;
    *label++ = "f-n"[mode];
    for (int i = 0; i < c->n; i++) {
        enum kind k = c->kinds[i];

        if (k == NOTHING)
            args[i] = 0;
        else if (k < TEXT)
            args[i] = number (c, k, mode);
        else {
            args[i] = pointer (c, k, (enum choice) (way % CHOICES));
            *label++ = "g0wp"[way % CHOICES];
            way /= CHOICES;
        }
    }
    *label = '\0';
}

static void one (const struct call *c, int way)
{
    long args[ARGS_MAX] = {0}, rc;
    char label[ARGS_MAX + 2];

    arguments (c, way, args, label);
    memset (page, 'x', PAGE);
    errno = 0;
    rc = c->function (args[0], args[1], args[2], args[3], args[4], args[5]);
    if (strchr (c->row->result, '*'))
        rc = rc != 0; /* an address */
    else if (strcmp (c->row->result, "int") == 0 ||
             strcmp (c->row->result, "pid_t") == 0)
        rc = (int)rc; /* the upper half of the register may be anything */
    printf ("%s %s: %ld %d\n", c->row->name, label, rc, errno);
    fflush (stdout);
}

/* --- processes ---------------------------------------------------------- */

/* From way *at on, until all are done or one ends the process. */
static void child (const struct call *c)
{
    const struct rlimit none = {0, 0};

    setrlimit (RLIMIT_CORE, &none);
    alarm (300);
    for (; *at < ways (c); ++*at)
        one (c, *at);
    _exit (0);
}

static void try_all (const struct call *c)
{
    int status;
    pid_t pid;

    for (*at = 0; *at < ways (c); ++*at) {
        unlink ("file");
        file_fd = open ("file", O_RDWR | O_CREAT | O_TRUNC, 0644);
        (void)!write (file_fd, "data\n", 5);
        lseek (file_fd, 0, SEEK_SET);
        fflush (stdout);
        pid = fork ();
        if (pid == 0)
            child (c);
        waitpid (pid, &status, 0);
        close (file_fd);
        if (*at < ways (c))
            printf ("%s way %d: ended with status %x\n", c->row->name, *at,
                    (unsigned)status);
    }
}

static char *last_page (void)
{
    char *p = mmap (NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    mprotect (p + PAGE, PAGE, PROT_NONE); /* nothing else may come there */
    return p;
}

int main (int argc, char **argv)
{
    static const char variable[] = "LD_PRELOAD";
    char *entry = getenv (variable);

    void *libc = dlopen ("libc.so.6", RTLD_NOW);

    /* the entry itself, from where its value is */
    entry = entry ? entry - sizeof (variable) : argv[0];
    if (argc > 1)
        (void)unlink (argv[1]);
    page = last_page ();
    vectors = last_page ();
    for (size_t i = 0; i < PAGE; i += sizeof (entry))
        memcpy (vectors + i, &entry, sizeof (entry));
    at = mmap (NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0);
    exec_fd = open ("/bin/true", O_RDONLY);
    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++) {
        struct call c = {.row = &rows[i]};
        void *function = dlsym (RTLD_DEFAULT, rows[i].name);

        c.execs =
            strstr (rows[i].name, "exec") || strstr (rows[i].name, "spawn");
        if (!is_called (&rows[i]) || !libc || !dlsym (libc, rows[i].name) ||
            parse (&c) == 0)
            continue;
        memcpy (&c.function, &function, sizeof (function));
        try_all (&c);
    }
    return 0;
}
