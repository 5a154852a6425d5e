/* SPDX-License-Identifier: MIT
 *
 * dict.h - names of a job <-> numbers, and what follows from a name
 *
 * One dictionary serves all threads that read a job. Numbers count up from 1
 * in the order in which names are met, so they differ from run to run: what
 * is written must be sorted by text.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/format/shard.h"
#include "lib/model/kind.h"
#include "lib/util/strmap.h"

/* Meaning of the key of an argument for the analysis. */
enum dict_key {
    DICT_KEY_NONE = 0,
    DICT_KEY_IMAGE_SIZE, /* bytes of the sample that a region handled */
    DICT_KEY_STEP,
    DICT_KEY_EPOCH,
    DICT_KEY_COUNT, /* samples of a batch, workers of a loader */
    DICT_KEY_AGAIN, /* how often that had been done before */
    DICT_KEY_USAGE  /* + enum usage_key: what layer mmap says */
};

/* Names are equal when kind, class and text are. */
struct dict_entry {
    const char *text;  /* NUL-terminated; of a region: category, NUL, name */
    uint32_t length;   /* without the last NUL */
    uint8_t kind;      /* enum shard_name_kind */
    uint8_t class;     /* enum file_class, of files */
    uint8_t file_kind; /* enum file_kind; KIND_NONE: not on storage */
    uint8_t role;      /* enum role, of regions */
    uint8_t sample;    /* enum role_sample, of regions */
    uint8_t layer;     /* enum call_category: POSIX or STDIO for a region
                          that is a call calls.def does not know, else APP;
                          NONE for other kinds */
    uint8_t key;       /* enum dict_key (or more, see there), of keys */
    uint16_t name_at;  /* of regions: where their name begins in text */
};

struct dict;

/* rules say what a file is for; NULL: the default patterns. They stay the
 * caller's and must outlive the dictionary. */
struct dict *dict_create (const struct kind_rules *rules);
void dict_destroy (struct dict *d); /* NULL is fine */

/* Before the first name: files with these paths (keys; NULL: none) are
 * checkpoints where by their names they would be data or an index. They stay
 * the caller's and must outlive the dictionary. */
void dict_know_checkpoints (struct dict *d, const struct strmap *paths);

/* Before the first name: these paths are directories on the way to programs:
 * whatever asks for them looks for a program, not for data. As above. */
void dict_know_programs (struct dict *d, const struct strmap *paths);

/* The number of a name, which is copied. Thread safe. */
uint32_t dict_number (struct dict *d,
                      enum shard_name_kind kind,
                      enum file_class class,
                      const char *text,
                      size_t length);

/* The entry of a number that dict_number gave; never moves, never NULL but
 * for 0. Thread safe, takes no lock. */
const struct dict_entry *dict_entry (const struct dict *d, uint32_t number);

/* The entry, if it is of this kind; else NULL. */
static inline const struct dict_entry *
dict_entry_of (const struct dict *d, uint32_t number, enum shard_name_kind kind)
{
    const struct dict_entry *e = dict_entry (d, number);

    return e && e->kind == kind ? e : NULL;
}

/* Text behind the category of a region's entry; "" when there is none. */
static inline const char *dict_region_name (const struct dict_entry *e)
{
    return e->text + e->name_at;
}

/* Numbers are below this; it grows while others read. */
uint32_t dict_limit (const struct dict *d);
