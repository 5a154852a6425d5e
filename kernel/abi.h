/* SPDX-License-Identifier: MIT
 *
 * abi.h - what the programs in the kernel tell the recorder
 *
 * Records of one ring, in the order of their ends. Both sides are built
 * together, so this is no format: nothing of it is ever stored.
 */
#pragma once

#include <linux/types.h>

enum {
    ABI_SYSCALLS = 512, /* numbers of calls that may be looked at */
    ABI_ARGS = 6,
    ABI_RANGES = 4,         /* of code whose calls the library sees */
    ABI_PARTS = 48,         /* components of a path; what is above is cut */
    ABI_TEXT = 4096,        /* bytes of a path */
    ABI_VECTORS = 32,       /* of readv and kin whose sizes are added */
    ABI_START_TEXT = 16384, /* bytes of arguments and environment */
    ABI_FILES = 65536       /* open files that are remembered */
};

/* Number of the argument that names a file; ABI_NONE if there is none. */
enum { ABI_NONE = 0xff, ABI_RESULT = 0xfe, ABI_CWD = 0xfd };

enum abi_shape_flag {
    ABI_WANTED = 1,
    ABI_POSITION = 2,  /* works at the file's position */
    ABI_VECTOR = 4,    /* argument 1 is an array of struct iovec */
    ABI_OFFSET_AT = 8, /* argument `offset` may point to it */
    ABI_READS = 16     /* it reads from fd, by the page cache or past it */
};

struct abi_shape {
    __u8 flags;
    __u8 fd, fd2;  /* descriptors; ABI_RESULT: the one that it returns */
    __u8 path, at; /* a path, and the directory that it counts from */
    __u8 path2, at2;
    __u8 offset; /* an offset, with ABI_OFFSET_AT a pointer to it */
    __u8 size;   /* bytes asked for */
    __u8 unused[7];
};

enum abi_type {
    ABI_CALL = 1,
    ABI_FILE,    /* what a file's number means from now on */
    ABI_START,   /* a process is followed from here on: it began as a copy */
    ABI_EXEC,    /* its program is another one from now on */
    ABI_EXE,     /* path of that program; before ABI_EXEC */
    ABI_DIR,     /* and its working directory */
    ABI_END,     /* a thread has ended */
    ABI_LIBRARY, /* the library is in it */
    ABI_REQUEST, /* a request of an io_uring is complete; of who submitted it */
    ABI_FAULT,   /* a fault on a page of a file that slept, or brought bytes */
    ABI_KEEP,    /* the file of this number may be told of after it is closed */
    ABI_BLOCK,   /* a request to a block device is complete */
    ABI_CACHE    /* a call that read has added pages to the page cache */
};

struct abi_head {
    __u32 type; /* enum abi_type */
    __u32 lost; /* records of this thread that found no room before this one */
    __u32 tgid, tid;
    __u64 time; /* CLOCK_MONOTONIC, ns: when it ended */
};

/* Paths come as the names of their components, the last one first, each with
 * its NUL: "c\0b\0a\0" is /a/b/c. */
struct abi_call {
    struct abi_head head;
    __u64 start; /* ns */
    __u64 args[ABI_ARGS];
    __s64 result;          /* -errno on failure */
    __s64 position;        /* of the file before the call; -1 not known */
    __u64 bytes;           /* of ABI_VECTOR: asked for */
    __u64 file, file2;     /* 0 none */
    __u32 number, number2; /* of ABI_FILE */
    __u32 call;            /* number of the system call */
    __u32 append;          /* the file was opened with O_APPEND */
    __u32 mode;            /* of a file that it opened: st_mode */
    __u32 unused;
    /* bytes of what follows: base of a path, path, base of path2, path2 */
    __u32 text[4];
};

struct abi_file {
    struct abi_head head;
    __u64 file;
    __u64 inode;
    __u64 magic; /* of the file system */
    __u32 number;
    __u32 mode;  /* st_mode */
    __u32 cut;   /* components are missing */
    __u32 bytes; /* of the path, which follows */
};

struct abi_process {
    struct abi_head head;
    __u32 parent; /* ABI_START */
    __u32 left;   /* ABI_END: threads of the process that still run; ABI_START:
                     1: what it does before its exec is not the job's */
    __u32 uid, gid;
    __u32 args, environment; /* ABI_EXEC: bytes of each, which follow */
    __u32 bytes;             /* ABI_EXE, ABI_DIR: of the path, which follows */
};

struct abi_request {
    struct abi_head head;
    __u64 start; /* ns: when it was submitted */
    __u64 file;
    __u64 size;   /* bytes asked for */
    __s64 offset; /* -1: at the file's position */
    __u32 number; /* of ABI_FILE */
    __u32 op;     /* IORING_OP_* */
    __s32 fd;     /* -1: a registered file */
    __s32 result; /* -errno on failure */
};

struct abi_fault {
    struct abi_head head; /* time: when its last sleep was over, or it began */
    __u64 slept;          /* ns; waiting for a CPU is left out */
    __u64 file;           /* 0: no file that was mapped by a call */
    __u64 offset;         /* in the file, bytes */
    __u64 bytes;          /* that it added to the page cache */
    __u32 number;         /* of ABI_FILE */
    __u32 major;          /* 0: its page was there, or on its way */
};

/* The recorder finds its name by the number alone from now on. */
struct abi_keep {
    struct abi_head head;
    __u64 file;
    __u32 number; /* of ABI_FILE */
    __u32 unused;
};

enum abi_block_flag {
    ABI_BLOCK_DIRECT = 1, /* from or to memory of the program */
    ABI_BLOCK_LATE = 2    /* the kernel wrote it back by itself */
};

/* A request to a block device, sent for the thread that asked for it or that
 * made the pages dirty. */
struct abi_block {
    struct abi_head head;
    __u64 start;  /* ns: when the block layer was given it */
    __s64 offset; /* in the file, bytes; -1: not known */
    __u32 bytes;
    __u32 number; /* of ABI_KEEP; 0: no file is known */
    __u32 device; /* the kernel's dev_t */
    __u8 op;      /* REQ_OP_* */
    __u8 failed;
    __u8 flags; /* enum abi_block_flag */
    __u8 unused;
};

struct abi_cache {
    struct abi_head head;
    __s64 offset; /* of the first page that was added, bytes */
    __u64 added;  /* bytes */
    __u64 missed; /* of what the call asked for, what was not there */
    __u32 number; /* of ABI_KEEP */
    __u32 exact;  /* 0: nobody knows what it asked for, missed is all */
};

/* In the memory that both sides share. */
struct abi_totals {
    __u64 lost;    /* records for which the ring had no room */
    __u64 foreign; /* calls of 32-bit programs, which are not looked at */
};
