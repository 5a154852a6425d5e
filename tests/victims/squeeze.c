/* SPDX-License-Identifier: MIT
 *
 * squeeze.c - little memory, no space, system calls that fail
 *
 * squeeze KIND N FILE: writes 10 bytes to FILE N times, the same again after
 * what KIND says (but "none"), and shows what its own calls gave
 *
 * address    with as little address space as it has now, and 1 MiB
 * fill       touches memory until it is killed (for a memory cgroup)
 * quota      fallocate, which only the tracer uses, gives EDQUOT
 * io         the same with EIO
 * nomap      mmap of files fails with ENOMEM
 * nofiles    nothing can be opened for reading and writing
 * none       nothing of that
 */
#include "config.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum { MIB = 1 << 20, BIG = 64 };

static int n, fd;

static void put (int times)
{
    int failed = 0;

    for (int i = 0; i < times; i++)
        failed += write (fd, "0123456789", 10) != 10;
    SHOW (failed);
}

static void none (void)
{
    put (n);
}

/* --- memory ------------------------------------------------------------ */

static long pages_of_address_space (void)
{
    FILE *f = fopen ("/proc/self/statm", "r");
    long pages = 0;

    if (!f || fscanf (f, "%ld", &pages) != 1)
        exit (9);
    (void)fclose (f);
    return pages;
}

static void address (void)
{
    struct rlimit rl;
    char *p;

    rl.rlim_cur = (rlim_t)pages_of_address_space () * 4096 + MIB;
    rl.rlim_max = rl.rlim_cur;
    SHOW (setrlimit (RLIMIT_AS, &rl));
    p = malloc (BIG * MIB);
    SHOW (p == NULL);
    free (p);
    put (n);
    p = mmap (NULL, 2 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    SHOW (p == MAP_FAILED);
    put (n);
}

static void fill (void)
{
    put (n);
    for (;;) {
        char *p = malloc (MIB);

        if (p)
            memset (p, 1, MIB);
        (void)!write (fd, "0123456789", 10);
    }
}

/* --- refusals ------------------------------------------------------------ */

#define LOAD(FIELD) \
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, FIELD))
#define IS(VALUE, THEN, ELSE) \
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, VALUE, THEN, ELSE)
#define HAS(BITS, THEN, ELSE) \
    BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, BITS, THEN, ELSE)
#define GIVE(WHAT) BPF_STMT (BPF_RET | BPF_K, WHAT)

static void filter (struct sock_filter *f, size_t length)
{
    struct sock_fprog prog = {(unsigned short)length, f};

    put (n);
    if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
        exit (77);
    put (n);
}

#define FILTER(F) filter (F, sizeof (F) / sizeof ((F)[0]))

static void refuse (int number, int error)
{
    struct sock_filter f[] = {
        LOAD (nr),
        IS ((unsigned)number, 0, 1),
        GIVE (SECCOMP_RET_ERRNO | (unsigned)error),
        GIVE (SECCOMP_RET_ALLOW),
    };

    FILTER (f);
}

static void quota (void)
{
    refuse (SYS_fallocate, EDQUOT);
}

static void io (void)
{
    refuse (SYS_fallocate, EIO);
}

/* The low half of the fourth argument are the flags. */
static void nomap (void)
{
    struct sock_filter f[] = {
        LOAD (nr),
        IS (SYS_mmap, 0, 3),
        LOAD (args[3]),
        HAS (MAP_SHARED, 0, 1),
        GIVE (SECCOMP_RET_ERRNO | ENOMEM),
        GIVE (SECCOMP_RET_ALLOW),
    };

    FILTER (f);
}

static void nofiles (void)
{
    struct sock_filter f[] = {
        LOAD (nr),
        IS (SYS_openat, 0, 3),
        LOAD (args[2]),
        HAS (O_RDWR, 0, 1),
        GIVE (SECCOMP_RET_ERRNO | EACCES),
        GIVE (SECCOMP_RET_ALLOW),
    };

    FILTER (f);
}

static const struct victim kinds[] = {
    {"none", none},       {"address", address}, {"fill", fill},
    {"quota", quota},     {"io", io},           {"nomap", nomap},
    {"nofiles", nofiles},
};

int main (int argc, char **argv)
{
    if (argc != 4)
        return 2;
    n = atoi (argv[2]);
    fd = open (argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    return VICTIM_RUN (kinds, argv[1]);
}
