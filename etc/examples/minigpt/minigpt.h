/* SPDX-License-Identifier: MIT
 *
 * minigpt.h - the parts that minigpt and mkcorpus are made of
 *
 * An example may end at the first error: functions without a result call
 * die (), which prints "PROGRAM: text".
 */
#ifndef MINIGPT_H
#define MINIGPT_H

#include <stddef.h>
#include <stdint.h>

/* --- util.c ----------------------------------------------------------- */

enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

_Noreturn void die (int status, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Memory that cannot run out. */
void *allocate (size_t bytes);
char *format (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));

/* Digits, and K, M or G. Return 0, or -1 if the text is anything else. */
int parse_size (const char *text, uint64_t *out);

/* All bytes, over short counts and EINTR. Return 0, or -1 with errno
 * (read_whole: ENODATA when the file or the pipe ends before). */
int write_whole (int fd, const void *data, size_t bytes);
int read_whole (int fd, void *data, size_t bytes);

/* numpy.random.RandomState: the same seed gives the same numbers and the same
 * order, so an index of ours equals the one that Megatron builds. */
enum { MT19937_WORDS = 624 };

struct mt19937 {
    uint32_t key[MT19937_WORDS];
    uint32_t next; /* index of the next word to return */
};

void mt19937_seed (struct mt19937 *r, uint32_t seed);
uint32_t mt19937_u32 (struct mt19937 *r);
uint32_t mt19937_interval (struct mt19937 *r, uint32_t max); /* 0 to max */
void mt19937_shuffle (struct mt19937 *r, uint32_t *item, size_t n);

/* --- corpus.c: PREFIX.bin, tokens; PREFIX.idx, where documents begin -- */

enum { TOKEN_END = 0 }; /* the last token of each document */

struct corpus {
    const unsigned char *idx; /* the mapped .idx */
    int width;                /* bytes of a token: 2 or 4 */
    uint64_t documents, tokens;
};

/* Map PREFIX.idx; bin_bytes is the size of PREFIX.bin. Return NULL if every
 * document lies inside the .bin, else the reason as text. */
const char *
corpus_open (struct corpus *c, const char *idx_path, uint64_t bin_bytes);
int32_t corpus_length (const struct corpus *c, uint64_t document); /* tokens */
int64_t corpus_offset (const struct corpus *c, uint64_t document); /* bytes */

/* Write the index of n documents of uint16 tokens. Return 0, or -1 with
 * errno. */
int corpus_write_index (int fd, const int32_t *length, uint64_t n);

/* --- dataset.c: sample number -> tokens, as Megatron's GPTDataset ----- */

/* The three indices of a data set:
 *   document  ids in shuffled order, all epochs
 *   sample    [samples + 1][2]: entry of `document`, token in that document,
 *             at which a sample begins; it ends in the next row, and its last
 *             token is the first one of the next sample
 *   shuffle   the order in which the samples are used */
struct indices {
    const uint32_t *document, *sample, *shuffle;
    uint64_t documents, samples, epochs;
};

/* Build the indices for `wanted` samples of sequence + 1 tokens out of n
 * documents; more samples than wanted may result. The arrays are equal to
 * Megatron's (core/datasets/gpt_dataset.py, helpers.cpp). */
void indices_build (struct indices *x,
                    const int32_t *length,
                    uint64_t n,
                    uint64_t sequence,
                    uint64_t wanted,
                    uint32_t seed);

/* direct does what CPython does for every part of a document: open, fstat,
 * lseek, read, close. mmap maps once. mock makes the samples up: no files. */
enum access { ACCESS_MMAP, ACCESS_DIRECT, ACCESS_MOCK };

struct dataset_options {
    const char *prefix; /* of the corpus */
    const char *cache;  /* directory of the index files */
    enum access access;
    uint64_t sequence, samples;
    uint32_t seed;
    int rank;
};

struct dataset {
    struct dataset_options o;
    struct corpus corpus;
    struct indices x;
    char *bin_path;
    uint64_t bin_bytes;
    const unsigned char *map; /* of the .bin, ACCESS_MMAP */
    unsigned char *buf;       /* of one sample's parts, ACCESS_DIRECT */
};

/* Cost of samples: document parts read, and their bytes. */
struct cost {
    uint64_t parts, bytes;
};

/* Rank 0 builds index files that are missing; other ranks wait for them. */
void dataset_open (struct dataset *d, const struct dataset_options *o);
void dataset_close (struct dataset *d);

/* Store the sequence + 1 tokens of a sample and add to *cost. Not for several
 * threads: they would share buf. */
void dataset_item (struct dataset *d,
                   uint64_t number,
                   int64_t *tokens,
                   struct cost *cost);

#endif
