/* SPDX-License-Identifier: MIT
 *
 * sha256.c - known digests, in one piece and in many
 */
#include "tests/unit/tap.h"

#include "sweep/plan/sha256.h"

static const char *digest (const char *text, size_t piece)
{
    static char hex[SHA256_HEX + 1];
    struct sha256 s;

    sha256_init (&s);
    for (size_t at = 0; at < strlen (text); at += piece) {
        size_t n = strlen (text) - at;
        sha256_add (&s, text + at, n < piece ? n : piece);
    }
    sha256_hex (&s, hex);
    return hex;
}

static const char two_blocks[] =
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

/* FIPS 180-4, examples */
static void test_known (void **state)
{
    assert_string_equal (digest ("", 1), "e3b0c44298fc1c149afbf4c8996fb924"
                                         "27ae41e4649b934ca495991b7852b855");
    assert_string_equal (digest ("abc", 3), "ba7816bf8f01cfea414140de5dae2223"
                                            "b00361a396177a9cb410ff61f20015ad");
    assert_string_equal (digest (two_blocks, 1000),
                         "248d6a61d20638b8e5c026930c3e6039"
                         "a33ce45964ff2167f6ecedd419db06c1");
}

static void test_million (void **state)
{
    static char a[1000];
    char hex[SHA256_HEX + 1];
    struct sha256 s;

    memset (a, 'a', sizeof (a));
    sha256_init (&s);
    for (int i = 0; i < 1000; i++)
        sha256_add (&s, a, sizeof (a));
    sha256_hex (&s, hex);
    assert_string_equal (hex, "cdc76e5c9914fb9281a1c7e284d73e67"
                              "f1809a48a497200e046d39ccc7112cd0");
}

/* Every length around a block boundary, in pieces of every size. */
static void test_pieces (void **state)
{
    char text[200], whole[SHA256_HEX + 1];

    for (size_t length = 50; length < 135; length++) {
        memset (text, 'x', length);
        text[length] = '\0';
        memcpy (whole, digest (text, length), sizeof (whole));
        for (size_t piece = 1; piece < 70; piece += 9)
            assert_string_equal (digest (text, piece), whole);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_known),
        cmocka_unit_test (test_million),
        cmocka_unit_test (test_pieces),
    };

    return tap_run (tests);
}
