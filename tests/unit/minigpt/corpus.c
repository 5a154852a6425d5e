/* SPDX-License-Identifier: MIT
 *
 * corpus.c - test of the corpus of the example workload, .bin and .idx
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "etc/examples/minigpt/corpus.h"
#include "etc/examples/minigpt/idxfile.h"

static char dir[] = "/tmp/dftrace-corpus.XXXXXX";
static struct failure failure;

static struct corpus *small_corpus (void)
{
    static const uint16_t tokens[] = {300, 301, 302, 303, 65000};
    struct corpus *c = corpus_create ("small", &failure);

    assert_non_null (c);
    assert_int_equal (corpus_add (c, tokens, 5, &failure), 0);
    assert_int_equal (corpus_add (c, tokens + 4, 1, &failure), 0);
    assert_int_equal (corpus_add (c, tokens, 2, &failure), 0);
    return c;
}

static void test_corpus (void **state)
{
    struct corpus *c = small_corpus ();
    uint64_t documents, tokens;
    struct idxfile x;
    struct stat st;

    assert_int_equal (corpus_exists ("small", 1, &documents, &tokens), 0);
    assert_int_equal (corpus_finish (c, &failure), 0);
    corpus_destroy (c);
    assert_int_equal (stat ("small.idx", &st), 0);
    assert_int_equal (st.st_size, 34 + 3 * 12 + 4 * 8);
    assert_int_equal (idxfile_open (&x, "small.idx", 22, &failure), 0);
    assert_int_equal (x.type, IDX_UINT16);
    assert_int_equal (x.sequences, 3);
    assert_int_equal (x.documents, 4);
    assert_int_equal (x.tokens, 11);
    assert_int_equal (idxfile_length (&x, 0), 6);
    assert_int_equal (idxfile_length (&x, 2), 3);
    assert_int_equal (idxfile_pointer (&x, 0), 0);
    assert_int_equal (idxfile_pointer (&x, 2), 16);
    idxfile_close (&x);
    assert_int_equal (corpus_exists ("small", 22, &documents, &tokens), 1);
    assert_int_equal (documents, 3);
    assert_int_equal (tokens, 11);
    assert_int_equal (corpus_exists ("small", 23, &documents, &tokens), 0);
    assert_int_equal (truncate ("small.bin", 21), 0);
    assert_int_equal (corpus_exists ("small", 2, &documents, &tokens), 0);
    (void)unlink ("small.bin");
    (void)unlink ("small.idx");
}

static void test_unfinished_corpus (void **state)
{
    struct stat st;

    corpus_destroy (small_corpus ());
    assert_int_equal (stat ("small.bin", &st), -1);
    assert_int_equal (stat ("small.bin.tmp", &st), -1);
    corpus_destroy (NULL);
    assert_null (corpus_create ("no/such/dir", &failure));
}

/* Every byte of a head that can be wrong, and every length of file. */
static void test_bad_idx (void **state)
{
    static const int32_t length[] = {3, 4};
    unsigned char byte;
    struct idxfile x;
    int fd = open ("bad.idx", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal (idxfile_open (&x, "absent.idx", 14, &failure), -1);
    assert_int_equal (errno, ENOENT);
    assert_int_equal (idxfile_write (fd, length, 2, &failure), 0);
    assert_int_equal (idxfile_open (&x, "bad.idx", 14, &failure), 0);
    idxfile_close (&x);
    assert_int_equal (idxfile_open (&x, "bad.idx", 13, &failure), -1);
    assert_int_equal (errno, EBADMSG);
    for (off_t at = 0; at < 34; at++) {
        assert_int_equal (pread (fd, &byte, 1, at), 1);
        byte ^= 0x11;
        assert_int_equal (pwrite (fd, &byte, 1, at), 1);
        assert_int_equal (idxfile_open (&x, "bad.idx", 14, &failure), -1);
        byte ^= 0x11;
        assert_int_equal (pwrite (fd, &byte, 1, at), 1);
    }
    for (off_t size = 34 + 24 + 23; size >= 0; size--) {
        assert_int_equal (ftruncate (fd, size), 0);
        assert_int_equal (idxfile_open (&x, "bad.idx", 14, &failure), -1);
    }
    (void)close (fd);
    (void)unlink ("bad.idx");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_corpus),
        cmocka_unit_test (test_unfinished_corpus),
        cmocka_unit_test (test_bad_idx),
    };
    int rc;

    if (!mkdtemp (dir) || chdir (dir) < 0)
        return 99;
    rc = tap_run (tests);
    (void)rmdir (dir);
    return rc;
}
