/* SPDX-License-Identifier: MIT
 *
 * pfwlex.h - one JSON object of a DFTracer trace -> struct pfw_line
 *
 * Every dialect from 2023 on: numbers bare or quoted, hashes as integers or
 * hex digits, "ph" as a letter or a number, "args" or none. One pass, no
 * allocation, pure; texts point into the caller's bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PFW_ARGS_MAX = 16 };
/* Calls in one line; more is wrong. */
#define PFW_MERGED_MAX ((int64_t)1 << 40)
/* Bytes of one call; more is wrong. */
#define PFW_SIZE_MAX ((int64_t)1 << 53)

/* A text in quotes, or a bare word, with its escapes. */
struct pfw_text {
    const char *p; /* NULL: not there */
    uint32_t n;
    uint8_t escaped; /* holds a backslash */
};

/* Is it this word, as it is written? */
static inline int pfw_text_is (const struct pfw_text *t, const char *word)
{
    return t->p && t->n == strlen (word) && memcmp (t->p, word, t->n) == 0;
}

enum pfw_phase {
    PFW_PHASE_NONE = 0,
    PFW_PHASE_EVENT,      /* "X", 1 */
    PFW_PHASE_COUNTER,    /* "C", 2 */
    PFW_PHASE_AGGREGATED, /* 3: many events in one line */
    PFW_PHASE_META,       /* "M", 4 */
    PFW_PHASE_BEGIN,      /* "B", "E": made one event */
    PFW_PHASE_END,
    PFW_PHASE_OTHER /* a moment, a flow, a state: no event of a duration */
};

enum pfw_has {
    PFW_HAS_TS = 1,
    PFW_HAS_PID = 2,
    PFW_HAS_RET = 4,
    PFW_HAS_SIZE = 8,
    PFW_HAS_COUNT = 16,
    PFW_HAS_OFFSET = 32,
    PFW_HAS_FD = 64,
    PFW_HAS_SIZE_SUM = 128,
    PFW_HAS_DUR_SUM = 256, /* of an aggregated line, as all that follow */
    PFW_HAS_DUR_MIN = 512,
    PFW_HAS_DUR_MAX = 1024,
    PFW_HAS_DUR_ONE = 2048,
    PFW_HAS_RET_SUM = 4096,
    PFW_HAS_RET_MIN = 8192,
    PFW_HAS_ID = 16384,
    PFW_HAS_DUR = 32768,
    PFW_HAS_TS_BELOW = 131072, /* a time below 0 */
    PFW_HAS_HUGE = 65536 /* a size or result of 19 digits or more: left out */
};

enum pfw_type { PFW_INT = 1, PFW_DOUBLE, PFW_TEXT };

/* An argument that has no field of its own. */
struct pfw_arg {
    struct pfw_text key, text; /* text: as it is written */
    enum pfw_type type;
    int64_t i;
    double d;
    uint32_t *known; /* as in struct pfw_line, of the key */
};

struct pfw_line {
    struct pfw_text name, cat;
    uint32_t *known; /* where a number can be kept that follows from name and
                        category, 0 at first; NULL: nowhere. Valid as long as
                        the lines before are remembered. */
    enum pfw_phase phase;
    unsigned has; /* set of enum pfw_has */
    uint64_t id, pid, tid, ts, dur;
    uint16_t ts_part, dur_part; /* thousandths of the unit behind these */
    /* args */
    struct pfw_text hhash, fhash, fname, hostname;
    struct pfw_text meta_name, meta_value; /* "name" and "value" in args */
    int64_t ret, size, count, offset, flags, fd, err, size_sum;
    int64_t merged; /* dft_cnt of an aggregated line */
    int64_t dur_sum, dur_min, dur_max, dur_one, ret_sum, ret_min; /* of it */
    int nargs;
    struct pfw_arg arg[PFW_ARGS_MAX];
};

/* Read the object that begins at p (a '{'). Returns the byte after it, or
 * NULL when it is malformed, cut before limit, or no event: one needs a name
 * and a phase. */
const char *pfw_lex (struct pfw_line *line, const char *p, const char *limit);

/* The text without escapes, cut to room bytes; returns its length. */
size_t pfw_unescape (const struct pfw_text *t, char *out, size_t room);
