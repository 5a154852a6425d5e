/* SPDX-License-Identifier: MIT
 *
 * wrap.h - prototypes of all wrappers, as wraps.def has them
 */
#pragma once

/* Else <stdio.h> renames the scanf family, and we define both names. */
#include <features.h>
#undef __GLIBC_USE_DEPRECATED_SCANF
#define __GLIBC_USE_DEPRECATED_SCANF 1
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0

/* First: glibc before 2.36 has enumerators that linux/mount.h defines, which
 * linux/aio_abi.h brings in. */
#include <sys/mount.h>

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <linux/aio_abi.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wordexp.h>

struct io_uring;
struct io_uring_cqe;
struct __kernel_timespec;
struct io_uring_params;

#define WRAP_EXPORT __attribute__ ((visibility ("default")))

#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE) \
    WRAP_EXPORT R F (WRAP_PARAMS PARAMS);
#define HAND(R, F, PARAMS) WRAP_EXPORT R F PARAMS;
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
