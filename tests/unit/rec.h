/* SPDX-License-Identifier: MIT
 *
 * rec.h - processes that record, and an account of what they left
 *
 * The test itself never records: each case is a child of fork that starts the
 * recorder, runs its body and leaves by _exit.
 */
#ifndef DFT_TESTS_UNIT_REC_H
#define DFT_TESTS_UNIT_REC_H

#include "preload/record/recorder.h"
#include "lib/settings/settings.h"
#include "lib/format/tracefile.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REC_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define REC_TSAN 1
#endif
#ifndef REC_TSAN
#define REC_TSAN 0
#endif

/* Tests of processes that share a file are compiled from the same source. */
#ifndef REC_SHARED
#define REC_SHARED 0
#endif
#define REC_FILES(N) (REC_SHARED ? 1 : (N))

enum { REC_FDS = 64, REC_PATH = 4096 };

/* A fresh directory, settings that record into it; as cmocka setup and
 * teardown. The directory of the job is rec_dir "/job". */
int rec_setup (void **state);
int rec_teardown (void **state);

extern char rec_dir[REC_PATH];
extern struct settings rec_settings;

/* Run body in a child that records; returns its wait status. finish: call
 * recorder_finish at the end. */
typedef void (*rec_body_f) (void *cookie);
int rec_run (rec_body_f body, void *cookie, int finish);

/* rec_run without waiting; returns the pid. */
int rec_spawn (rec_body_f body, void *cookie, int finish);

/* Record one read of 4 KiB by "thread" fd, as the number-th of its events. */
void rec_read (int fd, uint64_t number);

/* number of them, from 0. */
void rec_reads (int fd, uint64_t number);

/* From now on a system call fails in this process and its children. */
void rec_refuse (long call, int error);

/* From now on a system call kills this process and its children, but where the
 * low word of that argument is 0. */
void rec_kill_unless_0 (long call, int argument);

/* What is in a trace, or in all of rec_dir/job/shards. */
struct rec_tally {
    unsigned files, refused; /* refused: not opened */
    unsigned processes, unfinished, cut, damaged;
    unsigned chunks, bad_chunks; /* bad: EBADMSG on reading */
    uint64_t events;             /* decoded */
    uint64_t counted;            /* calls in profiles, instead of that */
    uint64_t promised;           /* by the headers of chunks read well */
    uint64_t missing, lost, lost_names, untraced;
    uint64_t partly;        /* decoded from cut chunks */
    uint64_t per[REC_FDS];  /* events of each fd */
    uint64_t next[REC_FDS]; /* number behind its last */
    uint64_t gaps;          /* events whose number was not the next */
    uint64_t bytes;
};
void rec_tally_file (const char *path, struct rec_tally *t);
void rec_tally (struct rec_tally *t);

/* rec_run, which must end with status 0, then rec_tally. */
void rec_good (struct rec_tally *t, rec_body_f body, void *cookie, int finish);

/* Path of the only shard. */
const char *rec_shard (char *path);

/* Copy n bytes of a file to another. */
void rec_copy (const char *from, const char *to, uint64_t n);

/* Change one byte of a file. */
void rec_flip (const char *path, uint64_t offset, unsigned char mask);

#endif
