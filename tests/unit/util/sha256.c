/* SPDX-License-Identifier: MIT
 *
 * sha256.c - known digests, in one piece and in many
 */
#include "tests/unit/tap.h"

#include "lib/util/sha256.h"

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

/* RFC 4231, cases 1, 2 and 6 */
static void test_hmac (void **state)
{
    char hex[SHA256_HEX + 1], key[131];

    memset (key, 0x0b, 20);
    sha256_hmac (key, 20, "Hi There", 8, hex);
    assert_string_equal (hex, "b0344c61d8db38535ca8afceaf0bf12b"
                              "881dc200c9833da726e9376c2e32cff7");
    sha256_hmac ("Jefe", 4, "what do ya want for nothing?", 28, hex);
    assert_string_equal (hex, "5bdcc146bf60754e6a042426089575c7"
                              "5a003f089d2739839dec58b964ec3843");
    memset (key, 0xaa, sizeof (key));
    sha256_hmac (key, sizeof (key),
                 "Test Using Larger Than Block-Size Key - Hash Key First", 54,
                 hex);
    assert_string_equal (hex, "60e431591ee0b67f0d8a26aacbf5b77f"
                              "8e0bc6213728c5140546040f0ee37f54");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_known),
        cmocka_unit_test (test_hmac),
        cmocka_unit_test (test_million),
        cmocka_unit_test (test_pieces),
    };

    return tap_run (tests);
}
