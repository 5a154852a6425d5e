/* SPDX-License-Identifier: MIT
 *
 * mkcorpus.c - a corpus of generated documents for minigpt
 *
 * Out: PREFIX.bin and PREFIX.idx; one line of summary. The documents have
 *      900 tokens in the mean, and many are short, as those of web text are.
 *      The same seed gives the same corpus everywhere.
 */
#include "config.h"

#include <err.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>

#include "etc/examples/minigpt/minigpt.h"

enum { FAILED = 1, USAGE = 2, TOKENS_MIN = 16, MEAN = 884, TOKENS_MAX = 32768 };

static uint64_t want_bytes = 64 << 20, state = 1;

static int32_t random_length (void)
{
    double uniform = (double)(next_random (&state) >> 32) / 4294967296.0;

    return TOKENS_MIN + (int32_t)(-MEAN * log (1 - uniform));
}

static FILE *create (const char *prefix, const char *suffix, char **path)
{
    FILE *out = NULL;

    if (asprintf (path, "%s%s", prefix, suffix) < 0 ||
        !(out = fopen (*path, "we")))
        err (FAILED, "%s: cannot write", *path);
    return out;
}

static void finish (FILE *out, const char *path)
{
    if (ferror (out) || fclose (out) != 0)
        err (FAILED, "%s: cannot write", path);
}

/* Write one document; return its tokens. */
static int32_t put_document (FILE *bin)
{
    uint16_t token[TOKENS_MAX];
    int32_t n = random_length ();

    for (int32_t i = 0; i < n; i++)
        token[i] = (uint16_t)(1 + next_random (&state) % UINT16_MAX);
    token[n - 1] = TOKEN_END;
    (void)fwrite (token, sizeof (*token), (size_t)n, bin);
    return n;
}

static void put_index (FILE *idx, const int32_t *length, uint64_t n)
{
    struct idx_head head = {IDX_MAGIC, 1, IDX_UINT16, n, n + 1};
    int64_t offset = 0;

    (void)fwrite (&head, sizeof (head), 1, idx);
    (void)fwrite (length, sizeof (*length), n, idx);
    for (uint64_t i = 0; i < n; i++) {
        (void)fwrite (&offset, sizeof (offset), 1, idx);
        offset += length[i] * 2;
    }
    for (int64_t i = 0; i <= (int64_t)n; i++)
        (void)fwrite (&i, sizeof (i), 1, idx);
}

static const char *parse_options (int argc, char **argv)
{
    static const struct option words[] = {
        {"bytes", required_argument, NULL, 'b'},
        {"seed", required_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    int c, bad = 0;

    while ((c = getopt_long (argc, argv, "b:s:h", words, NULL)) >= 0 && !bad)
        bad = c == 'b'   ? parse_size (optarg, &want_bytes) < 0
              : c == 's' ? parse_size (optarg, &state) < 0
                         : c;
    if (bad || optind + 1 != argc) {
        (void)fprintf (bad == 'h' ? stdout : stderr,
                       "Usage: mkcorpus [--bytes=BYTES] [--seed=N] PREFIX\n"
                       "Make PREFIX.bin, of BYTES at least (K, M, G; 64M), and "
                       "PREFIX.idx.\n");
        exit (bad == 'h' ? 0 : USAGE);
    }
    return argv[optind];
}

int main (int argc, char **argv)
{
    const char *prefix = parse_options (argc, argv);
    uint64_t n = 0, tokens = 0;
    char *bin_path, *idx_path;
    FILE *bin = create (prefix, ".bin", &bin_path), *idx;
    int32_t *length =
        calloc (want_bytes / 2 / TOKENS_MIN + 1, sizeof (*length));

    if (!length)
        err (FAILED, "%s", prefix);
    do
        tokens += (uint64_t)(length[n++] = put_document (bin));
    while (tokens * 2 < want_bytes);
    finish (bin, bin_path);
    idx = create (prefix, ".idx", &idx_path);
    put_index (idx, length, n);
    finish (idx, idx_path);
    (void)printf ("mkcorpus: %s: documents=%llu tokens=%llu bytes=%llu\n",
                  bin_path, (unsigned long long)n, (unsigned long long)tokens,
                  (unsigned long long)tokens * 2);
    free (bin_path);
    free (idx_path);
    free (length);
    return fflush (stdout) == 0 ? 0 : FAILED;
}
