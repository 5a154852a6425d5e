/* SPDX-License-Identifier: MIT
 *
 * md5.c - the test vectors of RFC 1321, and lengths around a block
 */
#include "tests/unit/tap.h"

#include "analyze/export/pfw.h"

static void assert_md5 (const char *text, const char *want)
{
    unsigned char digest[MD5_BYTES];
    char hex[2 * MD5_BYTES + 1];

    md5 (text, strlen (text), digest);
    for (int i = 0; i < MD5_BYTES; i++)
        (void)snprintf (hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal (hex, want);
}

static void test_vectors (void **state)
{
    assert_md5 ("", "d41d8cd98f00b204e9800998ecf8427e");
    assert_md5 ("a", "0cc175b9c0f1b6a831c399e269772661");
    assert_md5 ("abc", "900150983cd24fb0d6963f7d28e17f72");
    assert_md5 ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                "0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f");
    assert_md5 ("1234567890123456789012345678901234567890"
                "1234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a");
}

/* 55 bytes: the length still fits; 56: it needs another block. */
static void test_block_ends (void **state)
{
    assert_md5 ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                "04364420e25c512fd958a70738aa8f72");
    assert_md5 ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                "668a72d5ba17f08e62dabcafad6db14b");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_vectors),
        cmocka_unit_test (test_block_ends),
    };

    return tap_run (tests);
}
