/* SPDX-License-Identifier: MIT
 *
 * sha256.h - bytes -> SHA-256 (FIPS 180-4), for ids and digests; HMAC (RFC
 * 2104)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* -- bytes -> SHA-256 (FIPS 180-4), for ids and digests; HMAC (RFC 2104) -- */

enum { SHA256_HEX = 64 }; /* digits, without the NUL */

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
};

void sha256_init (struct sha256 *s);
void sha256_add (struct sha256 *s, const void *data, size_t length);
void sha256_text (struct sha256 *s, const char *text); /* without the NUL */
/* Lower-case digits; s is used up. */
void sha256_hex (struct sha256 *s, char hex[SHA256_HEX + 1]);

/* Digits of the HMAC of data under a key of any length. */
void sha256_hmac (const void *key,
                  size_t key_length,
                  const void *data,
                  size_t length,
                  char hex[SHA256_HEX + 1]);

/* -- which build of the program this is -- */

/* "0.1.0", and after a space the build ID of the program or library that this
 * function is in (GNU note .note.gnu.build-id, hexadecimal, at most 32 bytes of
 * it) where the linker wrote one: two builds of one version differ in it. Lasts
 * as long as the process; never NULL. Safe in any thread. */
const char *buildid_text (void);
