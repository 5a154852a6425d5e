/* SPDX-License-Identifier: MIT
 *
 * pointfault.h - facts of a trace -> trace points that do not work
 *
 * Each process says it of itself; here it stands once, with how often it was
 * said.
 */
#pragma once

#include "analyze/trace/batch.h"
#include "lib/format/event.h"
#include "lib/util/strmap.h"

enum pointfault {
    POINTFAULT_BAD,
    POINTFAULT_UNRESOLVED,
    POINTFAULT_UNHOOKED,
    POINTFAULT_FAULTS,
    POINTFAULT_FRAMEWORK = POINTFAULT_FAULTS, /* no fault: what was imported */
    POINTFAULT_SOURCE, /* no fault: lines of the program that open files */
    POINTFAULT_COUNT
};

struct pointfault_info {
    const char *key, *word, *meaning;
};

extern const struct pointfault_info pointfault_table[POINTFAULT_COUNT];

/* Zeroed is none. */
struct pointfaults {
    struct strmap *reports[POINTFAULT_COUNT]; /* "FILE:LINE: why"; NULL: none */
};

/* Take what metadata event i of a batch says of trace points; nothing when it
 * is about something else. */
void pointfaults_take (struct pointfaults *p,
                       const struct dict *dict,
                       const struct batch *b,
                       size_t i);
void pointfaults_merge (struct pointfaults *p, const struct pointfaults *other);
/* A text was reported so many times. */
void pointfaults_say (struct pointfaults *p,
                      enum pointfault what,
                      const char *text,
                      size_t length,
                      uint64_t times);
/* Put them into the order of their texts. */
void pointfaults_sort (struct pointfaults *p);
void pointfaults_clear (struct pointfaults *p);

size_t pointfaults_count (const struct pointfaults *p, enum pointfault what);
/* Without frameworks. */
size_t pointfaults_all (const struct pointfaults *p);

/* FILE:LINE, which is where_length bytes long; why; how often it was reported.
 */
struct pointfault_text {
    const char *where, *what;
    size_t where_length;
    uint64_t times;
};

/* The i-th, in the order in which they were met; its texts are the map's. */
struct pointfault_text
pointfaults_text (const struct pointfaults *p, enum pointfault what, size_t i);
