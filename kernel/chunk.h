/* SPDX-License-Identifier: MIT
 *
 * chunk.h - one thread's events -> bytes, with the encoder of everybody
 */
#pragma once

#include "lib/base/text.h"
#include "lib/format/event.h"

/* -- the file that the recorder writes, and places in it -- */

struct space {
    int dir;          /* the directory; the caller's */
    const char *name; /* of the file; the caller's */
    int fd;           /* -1: not made yet */
    uint64_t next;    /* where the next place begins */
    uint64_t max;     /* bytes that the file may have; 0: any number */
};

void space_start (struct space *s, int dir, const char *name, uint64_t max);

/* A place of size bytes (whole pages); 0: there is none. */
uint64_t space_take (struct space *s, uint32_t size);

/* n bytes to byte `at`; the first ones make the file. 0, or -1 and errno: what
 * was to be written is lost. */
int space_write (struct space *s, const void *bytes, size_t n, uint64_t at);

/* The node block says how much there is. */
void space_finish (struct space *s);

/* -- one thread's events -> bytes, with the encoder of everybody -- */

/* A file of an event; path NULL: none. */
struct chunk_name {
    const char *path;
    size_t length;
    enum file_class class;
};

struct chunk {
    struct event_state state;
    struct chunk_dict *dict; /* names that are defined in it */
    unsigned char *bytes;    /* capacity, header included; NULL: none */
    uint32_t capacity, used;
    uint32_t next_capacity;
    uint32_t written; /* bytes that are in the file */
    uint32_t events, seq;
    uint64_t place; /* in the file; 0: none yet */
    uint64_t base;  /* tick */
};

/* Zeros are a chunk that has nothing. ev->file and file2 are set here, and keys
 * of arguments, which come as enum usage_key, are changed when it is 0. 0; 1:
 * it is full, chunk_seal it and try again; -1: no memory. */
int chunk_put (struct chunk *c,
               struct event *ev,
               const struct chunk_name *file,
               const struct chunk_name *file2);

/* Process and thread in the header of the chunk. */
struct chunk_owner {
    uint32_t proc, tid;
    uint32_t lost; /* events before it */
};

/* Write the events so far; the chunk goes on. Return 0, or -1 if there is no
 * space. */
int chunk_flush (struct chunk *c,
                 struct space *s,
                 const struct chunk_owner *owner);

/* Write the chunk and end it; the next one begins empty. Return as
 * chunk_flush. */
int chunk_seal (struct chunk *c,
                struct space *s,
                const struct chunk_owner *owner);

/* Forget it. */
void chunk_drop (struct chunk *c);

/* -- root -> a user without any right of his own -- */

/* Become user "UID:GID" (NULL: stay who we are), without groups, without
 * capabilities, for good; nobody can trace this process from then on. 0, or -1
 * and err: then nothing may be done that a user asks for. */
int drop_rights (const char *user, struct errtext *err);
