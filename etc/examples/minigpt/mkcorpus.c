/* SPDX-License-Identifier: MIT
 *
 * mkcorpus.c - text found on this machine -> a corpus in Megatron's format
 *
 * In:  documentation, licences, manuals and sources of scripts under
 *      /usr/share and /usr/lib/python3; a generator tops it up
 * Out: PREFIX.bin and PREFIX.idx; one line of summary. A valid pair that is
 *      large enough stays as it is.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "etc/examples/minigpt/corpus.h"
#include "etc/examples/minigpt/synth.h"
#include "etc/examples/minigpt/textfile.h"
#include "etc/examples/minigpt/tokenizer.h"

enum {
    STATUS_OK = 0,
    STATUS_FAILED = 1,
    STATUS_USAGE = 2,
    PROGRESS_BYTES = 1024 * 1024,
    TOKEN_TEXT = 5 /* bytes of text a token stands for, about */
};

static const char usage[] =
    "Usage: mkcorpus [OPTION\u2026] PREFIX\n"
    "Make PREFIX.bin and PREFIX.idx, a corpus of uint16 tokens.\n\n"
    "  -b, --bytes=BYTES  size of the .bin at least, K M G; default 64M\n"
    "  -s, --seed=N       of the generated part; default 1\n"
    "  -t, --text=DIR     take text from here; may be repeated; \"none\"\n"
    "                     for generated text only\n"
    "  -f, --force        make it anew even when it is there\n"
    "  -h, --help\n";

static const char *const usual[] = {"/usr/share/common-licenses",
                                    "/usr/share/doc",
                                    "/usr/share/man",
                                    "/usr/share/perl",
                                    "/usr/share/python3",
                                    "/usr/lib/python3",
                                    NULL};

enum { DIRS_MAX = 64 };

struct job {
    const char *prefix, *dirs[DIRS_MAX + 1];
    int ndirs, force;
    uint64_t bytes;
    uint32_t seed;
    struct synth synth;
    struct corpus *corpus;
    uint16_t *tokens;
    uint64_t shown; /* bytes at the last progress line */
    struct failure failure;
};

/* A line that moves, on a terminal only. */
static void show_progress (struct job *j, int last)
{
    uint64_t done = corpus_bytes (j->corpus);

    if (!isatty (STDERR_FILENO) || (!last && done - j->shown < PROGRESS_BYTES))
        return;
    j->shown = done;
    if (last)
        (void)fputs ("\r\033[K", stderr);
    else
        (void)fprintf (stderr, "\r\033[Kmkcorpus: %llu of %llu MiB",
                       (unsigned long long)(done >> 20),
                       (unsigned long long)(j->bytes >> 20));
}

static int add (struct job *j, size_t n)
{
    if (n == 0)
        return 0;
    if (corpus_add (j->corpus, j->tokens, n, &j->failure) < 0)
        return -1;
    show_progress (j, 0);
    return corpus_bytes (j->corpus) >= j->bytes;
}

/* Where the first document of a long text ends: at a paragraph if there is
 * one near, else at a line. */
static size_t cut (const char *text, size_t bytes, size_t want)
{
    size_t most = want + want / 2;
    const char *p;

    if (bytes <= most)
        return bytes;
    if ((p = memmem (text + want, most - want, "\n\n", 2)))
        return (size_t)(p - text) + 2;
    if ((p = memchr (text + want, '\n', most - want)))
        return (size_t)(p - text) + 1;
    return want;
}

/* A file is a document; a long one is several, as long as web pages are, so
 * that samples consist of as many parts as with the usual training data. */
static int take_text (void *cookie, const char *text, size_t bytes)
{
    struct job *j = cookie;
    int rc = 0;

    while (bytes > 0 && rc == 0) {
        size_t n = cut (text, bytes, synth_length (&j->synth) * TOKEN_TEXT);

        rc = add (j, tokenize (text, n, j->tokens));
        text += n;
        bytes -= n;
    }
    return rc;
}

/* -1 on failure */
static int fill (struct job *j, uint64_t *found)
{
    const char *const *dirs = j->ndirs ? j->dirs : usual;
    int rc = 0;

    synth_init (&j->synth, j->seed);
    for (; *dirs && rc == 0; dirs++)
        if (strcmp (*dirs, "none") != 0)
            rc = textfile_walk (*dirs, take_text, j);
    *found = corpus_bytes (j->corpus);
    while (rc == 0)
        rc = add (j, synth_document (&j->synth, j->tokens));
    return rc;
}

static void summary (const struct job *j,
                     uint64_t documents,
                     uint64_t tokens,
                     uint64_t found)
{
    uint64_t bytes = tokens * sizeof (uint16_t);

    (void)printf ("mkcorpus: %s.bin: documents=%llu tokens=%llu bytes=%llu",
                  j->prefix, (unsigned long long)documents,
                  (unsigned long long)tokens, (unsigned long long)bytes);
    if (found <= bytes)
        (void)printf (" generated=%.0f%%",
                      100.0 * (double)(bytes - found) / (double)bytes);
    (void)printf (found <= bytes ? "\n" : " (was there)\n");
}

static int make (struct job *j)
{
    uint64_t documents, tokens, found = UINT64_MAX;
    int rc = -1;

    if (!j->force && corpus_exists (j->prefix, j->bytes, &documents, &tokens)) {
        summary (j, documents, tokens, found);
        return 0;
    }
    if (!(j->corpus = corpus_create (j->prefix, &j->failure)))
        return -1;
    j->tokens = malloc (TEXT_MAX * sizeof (*j->tokens));
    if (!j->tokens)
        failf (&j->failure, "not enough memory");
    else if ((rc = fill (j, &found)) >= 0) {
        show_progress (j, 1);
        rc = corpus_finish (j->corpus, &j->failure);
    }
    if (rc == 0)
        summary (j, corpus_documents (j->corpus), corpus_tokens (j->corpus),
                 found);
    free (j->tokens);
    corpus_destroy (j->corpus);
    return rc;
}

/* Digits and K, M or G. */
static int parse_bytes (const char *text, uint64_t *out)
{
    char *end;
    uint64_t n;

    errno = 0;
    n = strtoull (text, &end, 10);
    if (errno || end == text || *text == '-')
        return -1;
    for (const char *u = "KMG"; *end && *u; u++) {
        n *= 1024;
        if (*end == *u) {
            end++;
            break;
        }
    }
    if (*end || n == 0 || n > UINT64_C (1) << 40)
        return -1;
    *out = n;
    return 0;
}

/* 0; 1 help; -1 wrong words. */
static int parse_words (struct job *j, int argc, char **argv)
{
    static const struct option words[] = {
        {"bytes", required_argument, NULL, 'b'},
        {"seed", required_argument, NULL, 's'},
        {"text", required_argument, NULL, 't'},
        {"force", no_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    uint64_t n;
    int c;

    while ((c = getopt_long (argc, argv, "b:s:t:fh", words, NULL)) >= 0) {
        if (c == 'h')
            return 1;
        if (c == 'b' && parse_bytes (optarg, &j->bytes) < 0)
            return failf (&j->failure, "--bytes: %s: not a size", optarg);
        if (c == 's') {
            if (parse_bytes (optarg, &n) < 0 || n > UINT32_MAX)
                return failf (&j->failure, "--seed: %s: not a number", optarg);
            j->seed = (uint32_t)n;
        }
        if (c == 't' && j->ndirs < DIRS_MAX)
            j->dirs[j->ndirs++] = optarg;
        if (c == 'f')
            j->force = 1;
        if (c == '?')
            return failf (&j->failure, "wrong option: see --help");
    }
    if (optind + 1 != argc)
        return failf (&j->failure, "one PREFIX is needed: see --help");
    j->prefix = argv[optind];
    return 0;
}

int main (int argc, char **argv)
{
    struct job j = {.bytes = 64 * 1024 * 1024, .seed = 1};
    int rc = parse_words (&j, argc, argv);

    if (rc > 0) {
        (void)fputs (usage, stdout);
        return STATUS_OK;
    }
    if (rc < 0 || make (&j) < 0) {
        (void)fprintf (stderr, "mkcorpus: %s\n", j.failure.text);
        return rc < 0 ? STATUS_USAGE : STATUS_FAILED;
    }
    return fflush (stdout) == 0 ? STATUS_OK : STATUS_FAILED;
}
