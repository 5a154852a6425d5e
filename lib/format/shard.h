/* SPDX-License-Identifier: MIT
 *
 * shard.h - the bytes of a shard: blocks, records, dictionary entries
 *
 * The one place that knows the layout; doc/trace-format.md draws it. Little
 * endian, x86-64 and aarch64. A trace is a run of blocks; each block starts
 * with a struct shard_block and is `capacity` bytes long, header included.
 * Shards (one process) and merged traces (many) are the same format.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    SHARD_MAGIC = 0x43544644,    /* "DFTC" */
    SHARD_VERSION = 8,           /* the only one that is read */
    SHARD_ALIGN = 4096,          /* blocks of a shard start on a page */
    SHARD_MERGED_ALIGN = 8,      /* blocks of a merged trace */
    SHARD_PROCESS_BYTES = 16384, /* capacity of a process block, at most */
    SHARD_CHUNK_MIN = 16384,     /* first chunk of a thread, usually */
    SHARD_CHUNK_MAX = 1 << 24    /* a longer one is damage */
};

enum shard_block_type {
    SHARD_BLOCK_NONE = 0,
    SHARD_BLOCK_PROCESS = 1, /* who: struct shard_process, then strings */
    SHARD_BLOCK_EVENTS = 2,  /* one thread's records */
    SHARD_BLOCK_DENSE = 3,   /* the same in fewer bytes (dense.h): the low half
                                of commit is what they are without that */
    SHARD_BLOCK_NODE = 4,    /* first page of a file that the processes of a
                                node share: struct shard_node */
    SHARD_BLOCK_PROFILE = 5, /* counters of one thread (profile/profile.h); no
                                events: the high half of commit is 0 */
    SHARD_BLOCK_LINES = 6    /* at the head of a merged trace: lines of
                                processes (lines/procline.h), text */
};

enum shard_block_flag {
    SHARD_SEALED = 1, /* complete; checksum is valid */
    SHARD_FACTS = 2   /* metadata is among the events */
};

struct shard_block {
    uint32_t magic;
    uint16_t type;     /* enum shard_block_type */
    uint16_t flags;    /* enum shard_block_flag */
    uint64_t commit;   /* events << 32 | bytes of payload, one store */
    uint32_t capacity; /* bytes from this header to the next */
    uint32_t proc;     /* ordinal of the process in the file, from 0; in a
                          shared one the page where its block begins */
    uint32_t tid;
    uint32_t seq;      /* number of this chunk in its thread, from 0; of a
                          process block enum shard_numbering */
    uint64_t base;     /* tick from which the first record counts */
    uint64_t base_ns;  /* CLOCK_MONOTONIC at base, about */
    uint32_t lost;     /* events this thread lost before this chunk */
    uint32_t check;    /* shard_block_check of this header, from its begin */
    uint64_t checksum; /* shard_events_sum, shard_process_sum; once sealed */
};
_Static_assert(sizeof (struct shard_block) == 64, "block header is 64 bytes");

/* Numbering of a process: seq of its block. */
enum shard_numbering { SHARD_ORDINAL = 0, SHARD_PAGED = 1 };

/* Payload of the block at the start of a shared file. Every process of the user
 * may write here at any time: whoever reads it trusts nothing. All are in no
 * checksum.
 */
struct shard_node {
    uint32_t version;  /* SHARD_VERSION */
    uint32_t number;   /* of this file, from 1 */
    uint64_t next;     /* where the next block will be; odd: nobody may take
                          space any more (SHARD_CLOSED) */
    uint64_t promised; /* the file system has promised the space before this */
    uint64_t latest;   /* in the first file: the number of the latest one */
};
_Static_assert(sizeof (struct shard_node) == 32, "node block layout");

/* Payload of a process block: this, then NUL-terminated strings in the order
 * of enum shard_string, strings_bytes in all. The counters at the end change
 * while the process runs, as do requests, exec_ns, rings and ended; everything
 * else is covered by the checksum, for which these four are taken as 0,
 * together with the strings.
 */
struct shard_process {
    uint32_t version; /* SHARD_VERSION */
    uint32_t strings_bytes;
    uint32_t pid, ppid;
    uint32_t uid, gid;
    int32_t rank;       /* global, -1 none */
    int32_t local_rank; /* on its node, -1 none; SHARD_ADDED_UP */
    uint32_t ranks;     /* 0 not known */
    uint32_t restart;   /* Slurm restart count */
    uint64_t job_id;    /* 0 none, and so below */
    uint64_t array_job_id;
    int64_t array_task_id; /* -1 none */
    int64_t step_id;       /* -1 none */
    uint64_t start_real;   /* CLOCK_REALTIME, ns */
    uint64_t start_ns;     /* CLOCK_MONOTONIC at the same time, ns */
    uint64_t start_tick;   /* the tick at the same time */
    uint64_t tick_hz;      /* ticks a second, as known at the start */
    uint32_t clock;        /* enum shard_clock */
    uint32_t layers;       /* set of enum layer; PROFILE may come later */
    int64_t clock_offset;  /* ns that merging found the node's CLOCK_REALTIME
                              to be ahead; 0 in shards */
    uint64_t requests;     /* live: submitted to io_urings */
    uint64_t exec_ns; /* live: CLOCK_MONOTONIC when the process began an exec
                         that has not failed; else 0 */
    uint32_t rings;   /* live: io_urings, whose transfers are not recorded */
    uint32_t ended;   /* live: enum shard_ended; 0 not known */
    /* -- live from here on; SHARD_PROCESS_LIVE ------------------------- */
    uint64_t events_sealed; /* events in sealed chunks */
    uint64_t chunks;        /* chunks begun */
    uint64_t file_bytes;    /* where the next chunk would start; odd: there
                               will be none, and the file was cut there */
    uint64_t lost_busy;     /* events inside our own code (signals) */
    uint64_t lost_space;    /* events for which there was no room */
    uint64_t lost_names;    /* paths that could not be kept */
    uint64_t end_ns;        /* CLOCK_MONOTONIC of the end, 0 not known: in a
                               shard of an orderly one only */
    uint64_t untraced;      /* children that could not be followed */
};
#define SHARD_PROCESS_LIVE offsetof (struct shard_process, events_sealed)
_Static_assert(sizeof (struct shard_process) == 208, "process block layout");

/* How a process has ended: one of these, and its exit status or signal. Where
 * it was a signal, end_ns is when somebody who waited for it learnt that. */
enum shard_ended {
    SHARD_ENDED_NUMBER = 0xff,
    SHARD_ENDED_EXIT = 1 << 8,
    SHARD_ENDED_SIGNAL = 2 << 8,
    SHARD_ENDED_ROOT = 4 << 8 /* beside them: it was the command of the job, or
                                 of a task of Slurm */
};

/* It ended, and had the time to say so. */
static inline int shard_in_order (const struct shard_process *p)
{
    return p->end_ns != 0 && !(p->ended & SHARD_ENDED_SIGNAL);
}

/* A local rank that no file has: the process is what another tool has added up
 * over so many (ranks) of its processes, of which it says nothing else. */
enum { SHARD_ADDED_UP = -2 };

/* Bit of file_bytes and of next: no chunk may begin any more. */
enum { SHARD_CLOSED = 1 };

enum shard_clock { SHARD_CLOCK_MONOTONIC = 1, SHARD_CLOCK_TSC = 2 };

enum shard_string {
    SHARD_STRING_HOST = 0,
    SHARD_STRING_EXE,
    SHARD_STRING_CWD,
    SHARD_STRING_JOB_NAME,
    SHARD_STRING_ARGV, /* arguments separated by 0x1f, cut if too long */
    SHARD_STRING_COUNT
};

/* A record is: call (1 byte), mask (1), [mask2 (1)], end - previous end or
 * base (varint ticks), end - start (varint ticks), then what the masks say,
 * in the order of the bits. What is not said is predicted; see event.h.
 */
enum shard_mask {
    SHARD_HAS_FILE = 1,   /* varint dictionary id */
    SHARD_HAS_FD = 2,     /* zigzag varint */
    SHARD_HAS_SIZE = 4,   /* varint bytes */
    SHARD_HAS_OFFSET = 8, /* varint offset + 1; 0 not known */
    SHARD_HAS_RET = 16,   /* zigzag varint */
    SHARD_HAS_ERR = 32,   /* varint errno; result is -1 unless said */
    SHARD_HAS_FLAGS = 64, /* varint */
    SHARD_HAS_MORE = 128  /* a second mask byte follows the first */
};
enum shard_mask2 {
    SHARD_HAS_FILE2 = 1, /* varint dictionary id */
    SHARD_HAS_ARGS = 2   /* count byte, then key id, type byte, value each */
};

/* First bytes of records that are not calls. */
enum shard_record {
    SHARD_RECORD_END = 0,     /* nothing more in this chunk */
    SHARD_RECORD_CLOCK = 242, /* a pair: zigzag varint tick - previous end,
                                 varint ns - ns of the previous pair (0 at
                                 first), varint ticks a second */
    SHARD_RECORD_NAME = 241,  /* kind byte, class byte, varint length, bytes;
                                 gets the next dictionary id, from 1 */
    SHARD_RECORD_LIKE = 243   /* the same by another name: varints ids back,
                                 bytes of its begin, of its end, own length;
                                 own bytes */
};

enum shard_name_kind {
    SHARD_NAME_NONE = 0,
    SHARD_NAME_FILE = 1,  /* path; class is enum file_class */
    SHARD_NAME_EVENT = 2, /* category NUL name */
    SHARD_NAME_KEY = 3,   /* key of an argument */
    SHARD_NAME_TEXT = 4   /* text value of an argument */
};

enum file_class {
    FILE_CLASS_UNKNOWN = 0,
    FILE_CLASS_STORAGE = 1,
    FILE_CLASS_SHM = 2,
    FILE_CLASS_PIPE = 3,
    FILE_CLASS_SOCKET = 4,
    FILE_CLASS_DEVICE = 5,
    FILE_CLASS_OTHER = 6
};

/* "storage", "shm", "pipe", "socket", "device", "other", "unknown". */
const char *file_class_name (enum file_class class);

/* 64-bit checksum of n bytes; not cryptographic. Defined by
 * doc/trace-format.md. */
uint64_t shard_checksum (const void *data, size_t n, uint64_t seed);

/* Return the value of b->check: a sum of all fields but magic, flags and commit
 * (which are set later) and the two sums. It must be set again after a change
 * of the header (proc, capacity). */
uint32_t shard_block_check (const struct shard_block *b);

/* Return the value of b->checksum: for an event block over its payload of
 * (uint32_t)b->commit bytes, for a dense one over all behind its header, for a
 * process block over its payload, of which strings bytes follow the struct. */
uint64_t shard_events_sum (const struct shard_block *b, const void *payload);
uint64_t shard_process_sum (const void *payload, size_t strings);
