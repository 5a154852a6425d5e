/* SPDX-License-Identifier: MIT
 *
 * inline.c - reads of one file, by libc and by the instruction itself
 *
 * In:  FILE, how many reads each way, bytes of each
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long bare_read (int fd, char *buf, size_t n)
{
    long rc;

#if defined __x86_64__
    __asm__ volatile("syscall"
                     : "=a"(rc)
                     : "a"((long)SYS_read), "D"((long)fd), "S"(buf), "d"(n)
                     : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = SYS_read;
    register long x0 __asm__("x0") = fd;
    register char *x1 __asm__("x1") = buf;
    register size_t x2 __asm__("x2") = n;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    rc = x0;
#endif
    return rc;
}

int main (int argc, char **argv)
{
    static char buf[65536];
    int fd = argc == 4 ? open (argv[1], O_RDONLY) : -1;
    int times = argc == 4 ? atoi (argv[2]) : 0;
    size_t n = argc == 4 ? (size_t)atol (argv[3]) : 0;

    if (fd < 0 || n > sizeof (buf))
        return 2;
    for (int i = 0; i < times; i++)
        if (read (fd, buf, n) < 0 || bare_read (fd, buf, n) < 0)
            return 1;
    return close (fd) == 0 ? 0 : 1;
}
