/* SPDX-License-Identifier: MIT
 *
 * darshanlog.h - a log of Darshan 3 on disk -> its regions, unpacked
 *
 * The format is that of Darshan's darshan-log-format.h, versions 3.00 to 3.41:
 * a header, then regions, each packed by itself (zlib, bzip2 or not at all; a
 * region may be several streams, one behind the other), in the byte order of
 * the machine that wrote them. Input is hostile: nothing is trusted, what is
 * unpacked is bounded, what does not fit is counted.
 */
#pragma once

#include <stdint.h>

#include "lib/base/text.h"

/* Modules, with their numbers in a log of 3.41. */
enum darshan_module {
    DARSHAN_POSIX = 1,
    DARSHAN_MPIIO = 2,
    DARSHAN_H5F = 3,
    DARSHAN_H5D = 4,
    DARSHAN_PNETCDF_FILE = 5,
    DARSHAN_PNETCDF_VAR = 6,
    DARSHAN_LUSTRE = 8,
    DARSHAN_STDIO = 9,
    DARSHAN_DXT_POSIX = 10,
    DARSHAN_DXT_MPIIO = 11,
    DARSHAN_HEATMAP = 15,
    DARSHAN_MODULES = 64
};

enum {
    DARSHAN_REGION_MAX = 1 << 29, /* bytes of a region, unpacked */
    DARSHAN_NAME_MAX = 4096       /* of a path; longer ones are cut */
};

/* Faults of a log. */
struct darshan_account {
    uint64_t cut;     /* regions that end too early, or are damaged: what came
                         before counts */
    uint64_t unnamed; /* records whose file has no name */
    uint64_t bad;     /* records that make no sense: left out */
    uint64_t skipped; /* modules that are not read, or of a later version */
    uint64_t partial; /* modules that ran out of memory while recording */
    uint64_t mixed;   /* DXT segments of which the kind is not known */
};

struct darshan_region {
    uint64_t offset, bytes; /* in the file, packed */
};

/* Unpacked bytes. */
struct darshan_bytes {
    unsigned char *at; /* owned */
    size_t count;
};

struct darshan_log {
    int fd; /* not owned */
    int swap;
    int version; /* 341: 3.41 */
    unsigned char packing;
    struct darshan_region job, names, module[DARSHAN_MODULES];
    uint32_t module_version[DARSHAN_MODULES];
    uint64_t partial; /* bits of modules */
    struct darshan_account *account;
};

/* Does the name end in .darshan? (.darshan_partial, too.) */
int darshan_is_name (const char *name);

/* Read the header. 0, or -1 with err: not a log, of another version. name is
 * for err. */
int darshan_log_begin (struct darshan_log *l,
                       int fd,
                       struct darshan_account *account,
                       const char *name,
                       struct errtext *err);

/* Unpack a region; what is missing is counted. */
void darshan_log_unpack (const struct darshan_log *l,
                         const struct darshan_region *r,
                         struct darshan_bytes *b);
void darshan_bytes_clear (struct darshan_bytes *b);

uint64_t darshan_u64 (const struct darshan_log *l, const unsigned char *p);
uint32_t darshan_u32 (const struct darshan_log *l, const unsigned char *p);
double darshan_f64 (const struct darshan_log *l, const unsigned char *p);
static inline int64_t darshan_i64 (const struct darshan_log *l,
                                   const unsigned char *p)
{
    return (int64_t)darshan_u64 (l, p);
}

/* --- records of a module -> counters of the latest layout -------------------
 */

enum {
    DARSHAN_COUNTERS = 120,
    DARSHAN_TIMES = 17,
    DARSHAN_COMMON = 4 /* most used sizes, or strides, of a file */
};

/* Calls, or bytes, of a record; of a segment. */
#define DARSHAN_COUNT_MAX ((int64_t)1 << 56)

/* Numbers of counters, those of Darshan's headers. */
enum darshan_posix {
    POSIX_OPENS = 0,
    POSIX_FILENOS,
    POSIX_DUPS,
    POSIX_READS,
    POSIX_WRITES,
    POSIX_SEEKS,
    POSIX_STATS,
    POSIX_MMAPS,
    POSIX_FSYNCS,
    POSIX_FDSYNCS,
    POSIX_RENAME_SOURCES,
    POSIX_BYTES_READ = 14,
    POSIX_BYTES_WRITTEN,
    POSIX_MAX_BYTE_READ,
    POSIX_CONSEC_READS = 18,
    POSIX_CONSEC_WRITES,
    POSIX_SEQ_READS,
    POSIX_SEQ_WRITES,
    POSIX_STRIDE = 49, /* the four most used, then how often each; of reads and
                          writes together */
    POSIX_ACCESS = 57, /* sizes, in the same way */
    POSIX_RANKS = 65   /* fastest rank, its bytes, slowest rank, its bytes */
};

enum darshan_mpiio {
    MPIIO_INDEP_OPENS = 0,
    MPIIO_COLL_OPENS,
    MPIIO_INDEP_READS,
    MPIIO_INDEP_WRITES,
    MPIIO_COLL_READS,
    MPIIO_COLL_WRITES,
    MPIIO_SPLIT_READS,
    MPIIO_SPLIT_WRITES,
    MPIIO_NB_READS,
    MPIIO_NB_WRITES,
    MPIIO_SYNCS,
    MPIIO_VIEWS = 12,
    MPIIO_BYTES_READ = 14,
    MPIIO_BYTES_WRITTEN
};

enum darshan_stdio {
    STDIO_OPENS = 0,
    STDIO_FDOPENS,
    STDIO_READS,
    STDIO_WRITES,
    STDIO_SEEKS,
    STDIO_FLUSHES,
    STDIO_BYTES_WRITTEN,
    STDIO_BYTES_READ
};

enum darshan_h5f { H5F_OPENS = 0, H5F_FLUSHES };

enum darshan_h5d {
    H5D_OPENS = 0,
    H5D_READS,
    H5D_WRITES,
    H5D_FLUSHES,
    H5D_BYTES_READ,
    H5D_BYTES_WRITTEN
};

enum darshan_pnetcdf_file {
    PNETCDF_FILE_CREATES = 0, /* before version 3 independent opens, and */
    PNETCDF_FILE_OPENS,       /* collective ones */
    PNETCDF_FILE_INDEP_WAITS = 3,
    PNETCDF_FILE_COLL_WAITS,
    PNETCDF_FILE_SYNCS
};

/* Counters of reads; that of writes follows. */
enum darshan_pnetcdf_var {
    PNETCDF_VAR_INDEP_READS = 1,
    PNETCDF_VAR_COLL_READS = 3,
    PNETCDF_VAR_NB_READS = 5,
    PNETCDF_VAR_BYTES_READ = 7
};

/* Times of POSIX, MPI-IO, datasets of HDF5 and variables of PnetCDF: durations
 * in s, and s since the start of the job. */
enum darshan_times {
    DARSHAN_OPEN_START = 0,
    DARSHAN_READ_START,
    DARSHAN_WRITE_START,
    DARSHAN_CLOSE_START,
    DARSHAN_OPEN_END,
    DARSHAN_READ_END,
    DARSHAN_WRITE_END,
    DARSHAN_CLOSE_END,
    DARSHAN_READ_TIME,
    DARSHAN_WRITE_TIME,
    DARSHAN_META_TIME,
    DARSHAN_MAX_READ,
    DARSHAN_MAX_WRITE,
    DARSHAN_FASTEST_TIME,
    DARSHAN_SLOWEST_TIME
};

/* Times of other modules are given in the order of these; those of waits of
 * PnetCDF as of reads. */
struct darshan_record {
    uint64_t id;
    uint64_t file;               /* in which an object is; 0: not said */
    int64_t rank;                /* -1: all ranks, added up */
    int64_t n[DARSHAN_COUNTERS]; /* -1: not known */
    double t[DARSHAN_TIMES];     /* in the order of enum darshan_times; -1: not
                                    known */
};

/* Bytes of a record of this version; 0: it is not known. */
size_t darshan_record_bytes (enum darshan_module module, uint32_t version);

/* The record that begins at p. */
void darshan_record_read (const struct darshan_log *l,
                          enum darshan_module module,
                          const unsigned char *p,
                          struct darshan_record *r);
