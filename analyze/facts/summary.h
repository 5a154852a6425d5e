/* SPDX-License-Identifier: MIT
 *
 * summary.h - totals of a job -> ranks and the facts that metrics are made of
 */
#pragma once

#include "analyze/facts/ancestry.h"
#include "analyze/facts/coverage.h"
#include "analyze/facts/mmjoin.h"
#include "analyze/scan/load.h"
#include "analyze/scan/packer.h"
#include "lib/format/untracedlist.h"

/* -- totals of a job -> ranks and the facts that metrics are made of -- */

/* Pairs of sets of time whose intersection is known. */
enum {
    OVERLAP_IO,          /* reads and writes, compute */
    OVERLAP_LOADER,      /* loader, compute */
    OVERLAP_LOADER_READ, /* reads, loader */
    OVERLAP_CKPT,        /* writes of checkpoints, checkpoint regions */
    OVERLAP_CKPT_SYNC,   /* their syncs, which are among these */
    OVERLAP_CKPT_META,   /* these and their opening, renaming */
    OVERLAP_CKPT_COMM,   /* these and what ranks exchange */
    OVERLAP_COUNT
};

/* How it is known that a rank waited for others. */
enum waited { WAIT_UNKNOWN = 0, WAIT_REGIONS, WAIT_SILENCE };

/* Parts of a checkpoint; where two of them go on at once the first one has the
 * time. */
enum {
    CKPT_SYNC,
    CKPT_WRITE,
    CKPT_META,      /* opening, closing, renaming its files */
    CKPT_GATHER,    /* what the ranks exchange */
    CKPT_SERIALISE, /* the rest of the regions */
    CKPT_PARTS
};

/* A rank with everything it started: processes of the same step and rank, or,
 * without ranks, a process and its descendants. Times are ns. */
struct rank {
    const struct process *first; /* that started */
    size_t processes;
    uint64_t time[SET_COUNT]; /* length of the union over the processes */
    uint64_t common[OVERLAP_COUNT];
    uint64_t busy; /* union of compute and stall */
    struct transfer ckpt, samples;
    /* of phases.c */
    uint64_t start; /* ns of CLOCK_REALTIME */
    struct startup startup;
    uint64_t saved[CKPT_PARTS]; /* ns of its checkpoints, blocking */
    uint64_t saves, durable;    /* checkpoints; see struct checkpoint */
    uint64_t wait;              /* for others, before the first step */
    enum waited waited;
};

/* Before the first step, over the ranks. */
struct start {
    size_t ranks;   /* that have a first step */
    uint64_t time;  /* until then, longest */
    uint64_t built; /* first to last write of the index, by the rank
                       that wrote most of it */
    uint64_t built_bytes;
    size_t waiting;  /* ranks that waited */
    unsigned waited; /* how that is known: bits of enum waited */
    uint64_t wait_max, wait_sum;
    uint64_t maps, map_bytes; /* of index files */
    uint64_t map_first, map_last;
};

/* From the first to the last loader, fetch or compute region of each rank. */
struct train {
    size_t ranks, steps;
    uint64_t max, sum;
    uint64_t stall, compute; /* sums over the ranks */
    uint64_t other;          /* neither of both */
};

/* Time of reading data, sums over ranks in ns: in the first epoch (without
 * epochs, in the first tenth of the steps), and in as many later ones. */
struct cold {
    double first, later;
    int epochs;
};

/* Rates of writing checkpoints: bytes a second of a rank while it writes. Of
 * the rank that was held up longest: the parts. A save is a checkpoint region,
 * or, without any, what follows the opening of a checkpoint file; it is durable
 * with the last write or sync of such a file before the next one. */
struct checkpoint {
    size_t ranks;
    double best, worst;
    uint64_t part[CKPT_PARTS]; /* ns */
    uint64_t saves, durable;   /* most of a rank; ns, longest of all */
};

/* Over the ranks that have anything of a set. */
struct over_ranks {
    size_t ranks;
    uint64_t max, sum; /* ns */
};

/* Time of something beside something else, mostly compute, in ns: intersections
 * of intervals. */
struct overlap {
    unsigned what; /* bits of enum set */
    enum set with;
    uint64_t job, job_common;   /* unions over all processes */
    size_t ranks;               /* that have any of it */
    uint64_t sum, common;       /* unions of each rank, added up */
    uint64_t alone_max;         /* without the other, largest of all ranks */
    uint64_t compute_alone_max; /* the other without it */
};

enum { RANKWAIT_LOGS = 4 }; /* of compute regions of different sets of time */

/* A main thread, see times.h. */
struct bill_lane {
    size_t rank;                 /* index of its rank */
    const struct process *first; /* that trains, or that began the rank */
    uint64_t start, end;         /* ns of CLOCK_REALTIME */
    uint64_t step, last;         /* when its first step began and its last one
                                    ended; 0: none */
    int asks;                    /* it waits for what others do */
    uint64_t time[BILL_COUNT];   /* ns; add up to end - start */
    /* Waits for other ranks inside of compute regions, if it trains. Owned. */
    struct spanlog waits[RANKWAIT_LOGS];
};

/* The rank of a step that comes later than the others, which wait for it. */
struct late_rank {
    const struct bill_lane *lane; /* NULL: there is none */
    size_t ranks;                 /* of its step */
    double cost_s;   /* the least wait of the others, beyond its own */
    double others_s; /* mean wait of the others */
    double times;    /* steps, else regions of collectives; 0: not seen */
    int steps;       /* times are steps */
    enum bill why;   /* the row that it has most more of than the others */
    double why_s;    /* BILL_COUNT, 0: none is seen */
    uint64_t since;  /* when the others begin to wait; ns of CLOCK_REALTIME */
};

/* One of equal processes: of one program, one parent and the same arguments but
 * for numbers, or ranks of a step, that begin together. */
struct unequal {
    const struct process *who; /* NULL: there is none */
    size_t equals;             /* with it */
    double self_s, next_s; /* what it has, and the one that has next to it */
};

/* Equal children that a process starts and waits for again and again. */
struct pools {
    const struct process *parent; /* NULL: there is none, or it is not traced */
    double sets;                  /* one after another, of two or more */
    double cost_s; /* after the first set: the parent's waits until a child
                      works, and after the last one's work until their end */
};

struct equals {
    struct unequal last; /* that ends last: times from its start until its own
                            end, until that of the one before it */
    struct unequal most; /* that has most time in which it does not wait for
                            others; of those that end together */
    double waited_s; /* that the parent of the latter waits while none of them
                        but it works; below 0: waits are not known */
    double slept_s;  /* by the latter */
    struct pools pools;
};

/* Workers of the processes that train: their children that load data. */
struct workers {
    double lanes; /* processes that train and have workers */
    double waves; /* sets of workers that they started, one after another */
    /* Where there is one set: of the processes that train, the one whose
     * slowest worker has most beyond the next one. */
    struct unequal slow;
    /* The most that one of them waits for sets after its first one: until they
     * load, and for the ends of as many loaders; below 0: not known. */
    double restart_s;
};

/* A process that has a part in a row of the bill. */
struct row_part {
    size_t process; /* index */
    uint64_t ns;
};
enum { ROW_MOST = 4 };

/* When a row of the bill was, and in which processes. */
struct row_time {
    uint64_t from, until;           /* from the first to the last of it, ns of
                                       CLOCK_REALTIME; from is UINT64_MAX: not known */
    size_t processes;               /* that have a part in it */
    struct row_part most[ROW_MOST]; /* of these, by time */
};

/* When calls of a row of costs.def were running in any process, ns. */
struct cost_time {
    uint64_t own; /* what the row has of io_time */
    uint64_t all; /* union */
};

struct summary {
    struct rank *rank;
    size_t ranks;
    struct bill_lane *lane; /* owned */
    size_t lanes;
    uint64_t bill[BILL_COUNT]; /* sums over the lanes, ns */
    uint64_t billed;           /* sum of these */
    size_t lanes_ended;        /* that have a last step */
    double lanes_at_once; /* that run, mean of the time in which one does; all
                             of them where that is nearly so */
    /* The bill of the job's wall time (wall.h), ns: each instant from start to
       end belongs to one row of bill.def, or is shared by the main threads that
       were there; they add up to end - start. */
    uint64_t wall[BILL_COUNT];
    uint64_t any[BILL_COUNT];  /* ns in which any main thread was in a call on
                                  storage of the row, whoever else was there */
    uint64_t waited[CALL_MAX]; /* ns of waits, sums over the main threads */
    uint64_t chain_busy; /* ns on a CPU, or wanting one, of main threads one
                            after another: the job cannot be shorter, unless
                            they spin */
    struct row_time when[BILL_COUNT];
    struct equals equal;
    struct workers work; /* of data loaders */
    struct late_rank late;
    struct cost_time cost[COST_COUNT];
    uint64_t io_time; /* ns, sum of their own */
    struct launched launched;
    struct counts n;
    struct mm_totals mm; /* layer mmap; owned */
    size_t processes, hosts, unfinished;
    unsigned layers;              /* traced in some process */
    uint64_t start, end;          /* ns of CLOCK_REALTIME */
    uint64_t job_time[SET_COUNT]; /* ns, union over all processes */
    struct over_ranks over[SET_COUNT];
    struct overlap overlap[OVERLAP_COUNT];
    struct start start_up;
    struct train train;
    struct cold cold;
    struct checkpoint checkpoint;
    /* health */
    size_t files, unreadable, damaged; /* damaged: any loss, unreadable too */
    uint64_t lost;                     /* events, all reasons, at least */
    uint64_t copied_processes;  /* in several files; the longest counts */
    uint64_t copied;            /* events, of these and of lines */
    uint64_t doubtful;          /* events that cannot be quite so */
    uint64_t unsized;           /* reads and writes that do not say how much */
    int guessed_unit;           /* of time, in some file */
    int foreign;                /* some file is another tracer's */
    uint64_t lost_names;        /* names of files that could not be kept */
    uint64_t stages;            /* of nodes, that nobody has collected */
    struct profparts profparts; /* what is in events, what in profiles */
    uint64_t untraced_counted;  /* processes not traced, as others counted */
    struct untraced gone;       /* those that left a line; owned */
    uint64_t untraced_more;     /* without a line */
    uint64_t untraced;          /* of both */
    uint64_t untraced_wanted;   /* of these, as the user wanted it */
    struct coverage coverage;   /* the kernel's count of the bytes */
    size_t far_starts; /* processes that began long before their job, or
                          years after: their clock is doubtful */
    uint64_t rings;    /* io_urings, whose transfers are not recorded */
    uint64_t requests; /* made of them, that may be of files */
    /* as job.json says, see find.h */
    uint64_t cpus;
    double cpu_limit, throttled_s;
};

/* A job that has been read. */
struct result {
    const struct job *job;
    const struct totals *totals;
    const struct summary *summary;
};

/* 0, or -1 with err (out of memory). t's processes get their rank. */
int summary_make (struct summary *s,
                  struct totals *t,
                  const struct job *job,
                  struct errtext *err);

/* How the process ended, as it said itself, or who waited for it. */
enum ending summary_ending (const struct ancestry *kin,
                            const struct process *p);

/* The ranks alone, which follow from who the processes are; s is to be cleared,
 * too. 0, or -1 (ENOMEM). */
int summary_ranks (struct summary *s, struct totals *t);
/* Fill s with ranks and hosts, and when processes began and ended, as far as t
 * knows. */
void summary_heads (struct summary *s, struct totals *t);
/* Fill in the damage of the files, from t->health. */
void summary_health (struct summary *s,
                     const struct totals *t,
                     const struct job *job);
/* Join the facts of layer mmap, when all processes have their times. */
void summary_clear (struct summary *s);

/* The most that a rank has of a row, ns. */
uint64_t bill_longest (const struct summary *s, enum bill row);

/* Is there a profile instead of the events of some process? Of its calls only
 * sums are known: what they had in common in time, and with others, is not. */
int summary_is_profile (const struct summary *s);

/* Are the requests of io_urings, whose results nobody sees, a share of the
 * job's reads and writes that matters? An event loop that owns a ring is none.
 */
int summary_rings_matter (const struct summary *s);

/* --- processes that were not traced --- */

enum { SUMMARY_WORDS = 512 };

/* Read the list, take out of it who is among the processes of t, and fill
 * s->gone and what is counted of it; s->untraced_counted is known. Then
 * s->coverage. 0, or -1 (ENOMEM). */
int summary_account (struct summary *s,
                     struct totals *t,
                     const struct job *job);

/* Is everything there that was asked for? Then the job is complete. */
int summary_complete (const struct summary *s);

/* "3 processes: 2 × ldconfig (static), 1 × sudo (setuid)"; "" for none. */
char *
summary_words (const struct summary *s, char text[SUMMARY_WORDS], int places);

/* Is anything wrong with this source? */
int source_damaged (const struct source *src, const struct health *h);

/* -- the facts that metrics are made of <-> bytes -- */

/* Can it be packed? Not what layers mmap and kernel say. */
int summary_packs (const struct summary *s);

/* The summary, and what summary_make added to t. */
void summary_pack (struct packer *p,
                   const struct summary *s,
                   const struct totals *t);

/* Into t, which has the processes of that time in their order. 0, or -1:
 * u->bad, ENOMEM; s is to be cleared in any case. */
int summary_unpack (struct unpacker *u, struct summary *s, struct totals *t);

/* A number that differs when the layout does. */
uint64_t summarypack_layout (void);
