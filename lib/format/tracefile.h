/* SPDX-License-Identifier: MIT
 *
 * tracefile.h - a shard or merged trace, open for reading
 */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "lib/base/text.h"
#include "lib/format/shard.h"

/* --- tracefile.c: a trace on disk -> its processes and chunks ---
 *
 * For the tools. Input is hostile: every length is checked, nothing is mapped
 * (a file cut while we read gives a short read, not a SIGBUS), and what is
 * damaged is counted, said and stepped over.
 */

struct tracefile;

/* A process as its block describes it. Strings are never NULL. */
struct trace_process {
    struct shard_process p;
    const char *text[SHARD_STRING_COUNT];
    uint64_t offset; /* of its block */
    uint32_t number; /* in the file; what its chunks say */
    int damaged;     /* the block's checksum did not fit */
};

/* An event block. */
struct trace_chunk {
    struct shard_block head; /* proc: an index of tracefile_process */
    uint64_t offset;         /* of the block in the file */
    uint32_t events;         /* committed, by the header */
    uint32_t used;           /* payload bytes committed */
    uint32_t present;        /* payload bytes that are in the file */
};

/* Result of reading all headers. Checksums are not verified here: reading a
 * chunk does that (EBADMSG) and adds its events to the losses. */
struct trace_health {
    uint64_t bytes;      /* size of the file */
    uint64_t chunks;     /* event blocks found */
    uint64_t chunks_cut; /* of these: payload incomplete */
    uint64_t events;     /* in whole chunks, by their headers */
    uint64_t missing;    /* promised, not in the file; with all events
                            of cut chunks: who decodes the part that is
                            there subtracts what it got */
    uint64_t lost;       /* lost while recording: busy + space */
    uint64_t lost_names;
    uint64_t bytes_skipped;         /* that belong to no block */
    uint32_t processes, unfinished; /* no orderly end, no exec */
    int cut;                        /* shorter than its header says */
};

/* Open and index every block of a trace. NULL, errno and err when it cannot
 * be opened (O_NOFOLLOW, regular files only) or holds no process block; err
 * then says what it is instead ("empty", "not a dftrace trace").
 */
struct tracefile *tracefile_open (const char *path, struct errtext *err);
struct tracefile *
tracefile_openat (int dirfd, const char *name, struct errtext *err);
/* As tracefile_open for an open file, which belongs to the trace from now on
 * and is closed in any case. name is for err. */
struct tracefile *
tracefile_openfd (int fd, const char *name, struct errtext *err);
/* Close the file until something is read from it, which opens it by that path
 * for each read; any thread may read then, too. 0 or -1. */
int tracefile_park (struct tracefile *f, const char *path);
void tracefile_close (struct tracefile *f); /* NULL is fine, keeps errno */

/* Write the payload of the chunk with that offset into buf, which has room for
 * chunk->used bytes, and return their number, or -1. Thread safe. */
typedef ssize_t
tracefile_payload (const void *of, uint64_t offset, unsigned char *buf);

/* Make a trace of data read elsewhere, `bytes` long: add its processes, each
 * with n bytes of strings in the order of enum shard_string, then all chunks
 * (malloc'd, owned by f from now on), whose payload comes from `payload`; `of`
 * must outlive f. tracefile_create returns NULL, the others -1 on ENOMEM. */
struct tracefile *tracefile_create (uint64_t bytes);
int tracefile_add_process (struct tracefile *f,
                           const struct shard_process *p,
                           const char *strings,
                           size_t n);
void tracefile_set_chunks (struct tracefile *f,
                           struct trace_chunk *chunks,
                           size_t n,
                           tracefile_payload *payload,
                           const void *of);

/* Whether it is one that the processes of a node share: more may come. */
int tracefile_is_shared (const struct tracefile *f);

size_t tracefile_processes (const struct tracefile *f);
const struct trace_process *tracefile_process (const struct tracefile *f,
                                               size_t proc);

/* From now on times of the process are so many ns earlier, in addition to what
 * its block says. Not while others read. */
void tracefile_shift_clock (struct tracefile *f, size_t proc, int64_t ns);

/* The process ended at this time (CLOCK_MONOTONIC; 0: as it says), and has no
 * profile. Not while others read. */
void tracefile_end_process (struct tracefile *f, size_t proc, uint64_t ns);

/* Somebody saw the process end like that (enum shard_ended), at a time of
 * CLOCK_REALTIME. What it said itself stays, but for a signal. Not while others
 * read. */
void tracefile_note_end (struct tracefile *f,
                         size_t proc,
                         uint32_t ended,
                         uint64_t real_ns);

size_t tracefile_chunks (const struct tracefile *f);
const struct trace_chunk *tracefile_chunk (const struct tracefile *f,
                                           size_t index);

/* Blocks of profiles, in the order of the file: they are no chunks of events
 * (events 0), and read as these are. */
size_t tracefile_profiles (const struct tracefile *f);
const struct trace_chunk *tracefile_profile (const struct tracefile *f,
                                             size_t index);

/* The lines of processes that a merged trace has kept, whose file need not be
 * open: malloc'd, *n bytes and a NUL; NULL (n 0): it has none, or they cannot
 * be read. */
char *tracefile_lines (const char *path, size_t *n);

/* Read the payload of a chunk into buf (tracefile_room bytes; at most
 * SHARD_CHUNK_MAX) and check it. Returns the number of bytes that may be
 * decoded, or -1: EBADMSG checksum wrong, EOVERFLOW dense records that are more
 * than their header says, EIO and so on. Thread safe. */
ssize_t tracefile_read (const struct tracefile *f,
                        const struct trace_chunk *c,
                        unsigned char *buf);

/* As tracefile_read, in the stored form: dense records stay dense. Needs room
 * for tracefile_stored bytes. */
ssize_t tracefile_read_stored (const struct tracefile *f,
                               const struct trace_chunk *c,
                               unsigned char *buf);
size_t tracefile_stored (const struct trace_chunk *c);
/* Bytes that the payload of the chunk needs in either form. */
size_t tracefile_room (const struct trace_chunk *c);

const struct trace_health *tracefile_health (const struct tracefile *f);

/* CLOCK_MONOTONIC of the process's node (what the decoder gives) to
 * CLOCK_REALTIME, by the pair taken at the start of the process. */
uint64_t trace_real_ns (const struct trace_process *p, uint64_t ns);

/* --- blocks of a merged trace, to be written --- */

/* Complete the header of a block by its payload of n bytes. */
void tracefile_seal (struct shard_block *b, const void *payload, size_t n);

/* Write a sealed block, its payload of n bytes, and what aligns the next one.
 * 0, or -1 with errno. */
int tracefile_put (FILE *out,
                   const struct shard_block *b,
                   const void *payload,
                   size_t n);

/* --- traceproc.c: the processes of a trace (private to tracefile.c) --- */

enum {
    TRACEPROC_BYTES_MAX = 1 << 20, /* of a process block */
    TRACEPROC_BYTES_MIN =
        sizeof (struct shard_block) + sizeof (struct shard_process)
};

struct traceproc {
    struct trace_process *all; /* [0 … count - 1]; owned */
    char **text;               /* strings of each, NULL none; owned */
    size_t count, room;
    uint32_t *slot;   /* number -> index + 1, 0 none; of a shared file; owned */
    size_t slots;     /* a power of 2, or 0 */
    int paged;        /* numbers are those of pages */
    uint32_t version; /* the one we cannot read, else 0 */
};

/* pread, but whole: bytes read, fewer at the end of the file; or -1. */
ssize_t traceproc_read (int fd, void *buf, size_t n, uint64_t offset);

/* Append the process of block b, which lies at offset. -1: ENOMEM, as read,
 * or EPROTONOSUPPORT and t->version set. */
int traceproc_take (struct traceproc *t,
                    int fd,
                    const struct shard_block *b,
                    uint64_t offset);

/* Append a process whose n bytes of strings are elsewhere. -1: ENOMEM. */
int traceproc_add (struct traceproc *t,
                   const struct shard_process *p,
                   const char *strings,
                   size_t n);

/* Index of process number `proc`, which exists from now on: those whose blocks
 * are damaged are nobody, with what can be saved of the first. -1: ENOMEM. */
int64_t traceproc_index (struct traceproc *t, int fd, uint32_t proc);

void traceproc_free (struct traceproc *t);
