/* SPDX-License-Identifier: MIT
 *
 * packer.h - numbers and texts <-> checked sections of a file
 *
 * A section is its type, its length and its checksum (8 bytes each), then
 * that many bytes. Numbers are varints; texts have their length before them.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* All zero is empty. */
struct packer {
    unsigned char *data; /* owned */
    size_t used, room;
};

void pack_uint (struct packer *p, uint64_t value);
void pack_int (struct packer *p, int64_t value);
void pack_bytes (struct packer *p, const void *data, size_t n);
void pack_text (struct packer *p, const char *text); /* NULL is "" */
/* Write what was packed as a section and begin anew. 0, or -1 (EIO). */
int pack_section (struct packer *p, uint64_t type, FILE *out);
void packer_clear (struct packer *p);

struct unpacker {
    unsigned char *data; /* owned */
    size_t room;
    const unsigned char *p, *limit;
    int bad; /* it ended too early, or makes no sense */
};

/* The next section: 1 and *type; 0 at the end of the file; -1: EBADMSG when
 * it is cut or its checksum is wrong, EIO. */
int unpack_section (struct unpacker *u, uint64_t *type, FILE *in);
/* 0, NULL, … and u->bad when there is no such thing. */
uint64_t unpack_uint (struct unpacker *u);
int64_t unpack_int (struct unpacker *u);
void unpack_bytes (struct unpacker *u, void *to, size_t n);
/* A text in place: not NUL-terminated; NULL when there is none. */
const char *unpack_text (struct unpacker *u, size_t *length);
char *unpack_string (struct unpacker *u); /* a copy; NULL: u->bad */
int unpack_ended (const struct unpacker *u);
void unpacker_clear (struct unpacker *u);
