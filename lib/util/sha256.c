/* SPDX-License-Identifier: MIT
 *
 * sha256.c - bytes -> SHA-256
 */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>

#include "lib/base/array.h"
#include "lib/util/sha256.h"

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr (uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void compress (uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], v[8];

    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotr (a, 7) ^ rotr (a, 18) ^ a >> 3) + w[i - 7] +
               (rotr (b, 17) ^ rotr (b, 19) ^ b >> 10);
    }
    memcpy (v, state, sizeof (v));
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotr (v[4], 6) ^ rotr (v[4], 11) ^ rotr (v[4], 25);
        uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + ch + round_constant[i] + w[i];
        uint32_t s0 = rotr (v[0], 2) ^ rotr (v[0], 13) ^ rotr (v[0], 22);
        uint32_t maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove (v + 1, v, 7 * sizeof (v[0]));
        v[4] += t1;
        v[0] = t1 + s0 + maj;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void sha256_init (struct sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};

    ZERO (s);
    memcpy (s->state, start, sizeof (start));
}

void sha256_add (struct sha256 *s, const void *data, size_t length)
{
    const unsigned char *p = data;

    while (length) {
        size_t at = s->bytes % sizeof (s->block);
        size_t n = sizeof (s->block) - at;

        if (n > length)
            n = length;
        memcpy (s->block + at, p, n);
        s->bytes += n;
        p += n;
        length -= n;
        if (s->bytes % sizeof (s->block) == 0)
            compress (s->state, s->block);
    }
}

void sha256_text (struct sha256 *s, const char *text)
{
    sha256_add (s, text, strlen (text));
}

static const char digit[] = "0123456789abcdef";

void sha256_hex (struct sha256 *s, char hex[SHA256_HEX + 1])
{
    static const unsigned char pad[64] = {0x80};
    uint64_t bits = s->bytes * 8;
    unsigned char length[8];

    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add (s, pad, 64 - (s->bytes + 8) % 64);
    sha256_add (s, length, sizeof (length));
    for (int i = 0; i < SHA256_HEX; i++)
        hex[i] = digit[s->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[SHA256_HEX] = '\0';
}

/* -- HMAC ---------------------------------------------------------------- */

static void sha256_bytes (const char *hex, unsigned char *out)
{
    for (int i = 0; i < SHA256_HEX / 2; i++) {
        unsigned high = (unsigned)(strchr (digit, hex[2 * i]) - digit);
        unsigned low = (unsigned)(strchr (digit, hex[2 * i + 1]) - digit);

        out[i] = (unsigned char)(high << 4 | low);
    }
}

void sha256_hmac (const void *key,
                  size_t key_length,
                  const void *data,
                  size_t length,
                  char hex[SHA256_HEX + 1])
{
    unsigned char block[64] = {0}, pad[64], inner[SHA256_HEX / 2];
    struct sha256 s;

    if (key_length > sizeof (block)) {
        sha256_init (&s);
        sha256_add (&s, key, key_length);
        sha256_hex (&s, hex);
        sha256_bytes (hex, block);
    } else if (key_length) {
        memcpy (block, key, key_length);
    }
    for (size_t i = 0; i < sizeof (pad); i++)
        pad[i] = block[i] ^ 0x36;
    sha256_init (&s);
    sha256_add (&s, pad, sizeof (pad));
    sha256_add (&s, data, length);
    sha256_hex (&s, hex);
    sha256_bytes (hex, inner);
    for (size_t i = 0; i < sizeof (pad); i++)
        pad[i] = block[i] ^ 0x5c;
    sha256_init (&s);
    sha256_add (&s, pad, sizeof (pad));
    sha256_add (&s, inner, sizeof (inner));
    sha256_hex (&s, hex);
}

/* ---- this program's notes -> a text that names its build ---- */

enum {
    BUILDID_MOST = 32 /* bytes of the ID */
};

static char buildid_said[sizeof (PACKAGE_VERSION) + 1 + 2 * BUILDID_MOST];
static pthread_once_t buildid_once = PTHREAD_ONCE_INIT;

static size_t buildid_round (size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* Append the ID to the text, if these notes have one. */
static int buildid_take (const unsigned char *note, size_t bytes)
{
    ElfW (Nhdr) head;
    size_t name, id;

    for (; bytes >= sizeof (head); note += id, bytes -= id) {
        memcpy (&head, note, sizeof (head));
        note += sizeof (head);
        bytes -= sizeof (head);
        if ((name = buildid_round (head.n_namesz)) > bytes)
            return 0;
        bytes -= name;
        note += name;
        if ((id = buildid_round (head.n_descsz)) > bytes)
            return 0;
        if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
            memcmp (note - name, "GNU", 4) != 0)
            continue;
        for (size_t i = 0; i < head.n_descsz && i < BUILDID_MOST; i++)
            snprintf (buildid_said + sizeof (PACKAGE_VERSION) + 2 * i, 3,
                      "%02x", note[i]);
        buildid_said[sizeof (PACKAGE_VERSION) - 1] = ' ';
        return 1;
    }
    return 0;
}

/* Is this code in the object? */
static int buildid_is_here (const struct dl_phdr_info *info)
{
    uintptr_t here = (uintptr_t)buildid_text;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *p = info->dlpi_phdr + i;

        if (p->p_type == PT_LOAD && here >= info->dlpi_addr + p->p_vaddr &&
            here - info->dlpi_addr - p->p_vaddr < p->p_memsz)
            return 1;
    }
    return 0;
}

static int buildid_look (struct dl_phdr_info *info, size_t bytes, void *nothing)
{
    if (!buildid_is_here (info))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *p = info->dlpi_phdr + i;

        if (p->p_type == PT_NOTE &&
            buildid_take ((const unsigned char *)(info->dlpi_addr + p->p_vaddr),
                          p->p_memsz))
            break;
    }
    return 1;
}

static void buildid_make (void)
{
    memcpy (buildid_said, PACKAGE_VERSION, sizeof (PACKAGE_VERSION));
    dl_iterate_phdr (buildid_look, NULL);
}

const char *buildid_text (void)
{
    pthread_once (&buildid_once, buildid_make);
    return buildid_said;
}
