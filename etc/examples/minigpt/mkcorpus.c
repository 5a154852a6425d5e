/* SPDX-License-Identifier: MIT
 *
 * mkcorpus.c - text found on this machine -> a corpus in Megatron's format
 *
 * In:  documentation, licences, manuals and sources of scripts under
 *      /usr/share and /usr/lib/python3; a generator tops it up
 * Out: PREFIX.bin and PREFIX.idx; one line of summary. A valid pair that is
 *      large enough stays as it is. Both are written under temporary names;
 *      the .bin appears first, so a reader that finds the .idx has both.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "etc/examples/minigpt/minigpt.h"

static const char usage[] =
    "Usage: mkcorpus [OPTION\u2026] PREFIX\n"
    "Make PREFIX.bin and PREFIX.idx, a corpus of uint16 tokens.\n\n"
    "  -b, --bytes=BYTES  size of the .bin at least, K M G; default 64M\n"
    "  -s, --seed=N       of the generated part; default 1\n"
    "  -t, --text=DIR     take text from here; may be repeated; \"none\"\n"
    "                     for generated text only\n"
    "  -f, --force        make it anew even when it is there\n"
    "  -h, --help\n";

static const char *const usual_dirs[] = {"/usr/share/common-licenses",
                                         "/usr/share/doc",
                                         "/usr/share/man",
                                         "/usr/share/perl",
                                         "/usr/share/python3",
                                         "/usr/lib/python3",
                                         NULL};

enum { DIRS_MAX = 64, PROGRESS_BYTES = 1024 * 1024 };

static const char *prefix, *dirs[DIRS_MAX + 1];
static int ndirs, force;
static uint64_t want_bytes = 64 * 1024 * 1024, seed = 1;
static struct mt19937 random_state;

/* --- the .bin --------------------------------------------------------- */

enum {
    BUFFER_TOKENS = 512 * 1024,
    TEXT_MAX = 1024 * 1024, /* bytes of a document; more is cut */
    TEXT_MIN = 64           /* a shorter file is no document */
};

static int bin_fd;
static char *bin_tmp;
static uint16_t buffer[BUFFER_TOKENS], document[TEXT_MAX];
static size_t buffered;
static int32_t *length; /* of each document */
static uint64_t documents, tokens;

static uint64_t bin_bytes (void)
{
    return tokens * sizeof (uint16_t);
}

static void flush (void)
{
    if (write_whole (bin_fd, buffer, buffered * sizeof (*buffer)) < 0)
        die (STATUS_FAILED, "%s: cannot write: %m", bin_tmp);
    buffered = 0;
}

static void put (uint16_t token)
{
    buffer[buffered++] = token;
    tokens++;
    if (buffered == BUFFER_TOKENS)
        flush ();
}

/* Show a line that is overwritten, on a terminal only. */
static void show_progress (void)
{
    static uint64_t shown;

    if (!isatty (STDERR_FILENO) || bin_bytes () - shown < PROGRESS_BYTES)
        return;
    shown = bin_bytes ();
    (void)fprintf (stderr, "\r\033[Kmkcorpus: %llu of %llu MiB",
                   (unsigned long long)(shown >> 20),
                   (unsigned long long)(want_bytes >> 20));
}

/* Add n tokens of `document` and the end mark. Return 1 when there is
 * enough. */
static int add_document (size_t n)
{
    if (n == 0)
        return 0;
    if (documents % 4096 == 0 &&
        !(length = realloc (length, (documents + 4096) * sizeof (*length))))
        die (STATUS_FAILED, "not enough memory");
    for (size_t i = 0; i < n; i++)
        put (document[i]);
    put (TOKEN_END);
    length[documents++] = (int32_t)n + 1;
    show_progress ();
    return bin_bytes () >= want_bytes;
}

/* --- generated documents ---------------------------------------------- */

/* They look like text to a data loader: words by Zipf's law, lengths
 * log-normal with a mean of about 900 tokens, as web text has. The same seed
 * gives the same documents everywhere. */

enum {
    TOKEN_FIRST = 256,   /* below: reserved */
    TOKEN_LIMIT = 65521, /* a prime: all numbers are used */
    TOKENS_MIN = 16,     /* of a document */
    TOKENS_MAX = 32768,
    WORDS = 50000
};

/* exp (median_log + spread^2 / 2) is 900 tokens */
static const double median_log = 6.16, spread = 1.13;

/* Return a number between 0 and 1. */
static double uniform (void)
{
    return (mt19937_u32 (&random_state) + 0.5) / 4294967296.0;
}

static size_t random_length (void)
{
    double normal = -6, want;

    for (int i = 0; i < 12; i++) /* twelve are near enough to a normal one */
        normal += uniform ();
    want = exp (median_log + spread * normal);
    if (want < TOKENS_MIN)
        return TOKENS_MIN;
    return want > TOKENS_MAX ? TOKENS_MAX : (size_t)want;
}

/* Return the word of rank r with a probability of about 1 / r. */
static uint16_t random_word (void)
{
    uint64_t rank = (uint64_t)exp (uniform () * log (WORDS));

    return (uint16_t)(TOKEN_FIRST + rank * 40503 % (TOKEN_LIMIT - TOKEN_FIRST));
}

static int add_generated (void)
{
    size_t n = random_length ();

    for (size_t i = 0; i < n; i++)
        document[i] = random_word ();
    return add_document (n);
}

/* --- text to tokens --------------------------------------------------- */

/* A word or a run of the same kind of characters is a token; long words are
 * cut into pieces. The number is a hash of the bytes: no vocabulary is
 * needed, and the same text gives the same tokens everywhere. */

enum {
    PIECE_BYTES = 7, /* of a long word: about the length of subwords */
    TOKEN_TEXT = 5   /* bytes of text a token stands for, about */
};

enum kind { LETTER, DIGIT, SPACE, OTHER };

static enum kind kind_of (unsigned char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80)
        return LETTER;
    if (c >= '0' && c <= '9')
        return DIGIT;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
        return SPACE;
    return OTHER;
}

static uint16_t token_of (const char *p, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)p[i]) * 0x100000001b3u;
    return (uint16_t)(TOKEN_FIRST +
                      (hash ^ hash >> 32) % (TOKEN_LIMIT - TOKEN_FIRST));
}

/* Store the tokens of n bytes in `document`; return how many. */
static size_t tokenize (const char *text, size_t n)
{
    size_t count = 0, i = 0;

    while (i < n) {
        enum kind kind = kind_of ((unsigned char)text[i]);
        size_t from = i++;

        while (i < n && kind_of ((unsigned char)text[i]) == kind &&
               (kind == SPACE || i - from < PIECE_BYTES))
            i++;
        if (kind == SPACE && i - from == 1)
            continue; /* a single space belongs to the word after it */
        document[count++] = token_of (text + from, i - from);
    }
    return count;
}

/* Return the length of the first document of a long text: up to the end of a
 * paragraph if there is one near, else of a line. */
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
static int add_text (const char *text, size_t bytes)
{
    int enough = 0;

    while (bytes > 0 && !enough) {
        size_t n = cut (text, bytes, random_length () * TOKEN_TEXT);

        enough = add_document (tokenize (text, n));
        text += n;
        bytes -= n;
    }
    return enough;
}

/* Read a file, inflated if it is compressed. Return its bytes, 0 on failure. */
static size_t read_text (const char *path, char *buf)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), got;
    gzFile in = fd < 0 ? NULL : gzdopen (fd, "rb");
    size_t n = 0;

    if (!in) {
        if (fd >= 0)
            (void)close (fd);
        return 0;
    }
    while (n < TEXT_MAX &&
           (got = gzread (in, buf + n, (unsigned)(TEXT_MAX - n))) > 0)
        n += (size_t)got;
    (void)gzclose (in);
    return n;
}

/* Control characters other than those of layout do not occur in text. */
static int is_text (const char *buf, size_t n)
{
    static const char layout[] = "\t\n\v\f\r\b\033";

    for (size_t i = 0; i < n; i++)
        if ((unsigned char)buf[i] < 0x20 && !strchr (layout, buf[i]))
            return 0;
    return memchr (buf, '\0', n) == NULL;
}

static int by_name (const FTSENT **a, const FTSENT **b)
{
    return strcmp ((*a)->fts_name, (*b)->fts_name);
}

/* Add the text files under dir, in sorted order, until there is enough.
 * Symbolic links are not followed, other file systems not entered. */
static int add_dir (const char *dir)
{
    char *roots[] = {(char *)dir, NULL};
    char *buf = allocate (TEXT_MAX);
    FTS *fts = fts_open (roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
    FTSENT *e;
    int enough = 0;

    while (!enough && fts && (e = fts_read (fts))) {
        size_t n;

        if (e->fts_info != FTS_F || e->fts_statp->st_size < TEXT_MIN / 4)
            continue;
        n = read_text (e->fts_accpath, buf);
        if (n >= TEXT_MIN && is_text (buf, n))
            enough = add_text (buf, n);
    }
    if (fts)
        (void)fts_close (fts);
    free (buf);
    return enough;
}

/* --- the pair of files ------------------------------------------------ */

static void put_in_place (const char *bin, const char *idx)
{
    char *idx_tmp = format ("%s.tmp", idx);
    int fd = open (idx_tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (fd < 0 || corpus_write_index (fd, length, documents) < 0 ||
        fsync (fd) < 0 || close (fd) < 0)
        die (STATUS_FAILED, "%s: cannot write: %m", idx_tmp);
    /* an old .idx must not describe the new .bin, not for a moment */
    if (fsync (bin_fd) < 0 || (unlink (idx) < 0 && errno != ENOENT) ||
        rename (bin_tmp, bin) < 0 || rename (idx_tmp, idx) < 0)
        die (STATUS_FAILED, "%s: cannot write: %m", bin);
    free (idx_tmp);
}

/* Make both files. Return the bytes of the .bin that come from text. */
static uint64_t make (const char *bin, const char *idx)
{
    const char *const *dir = ndirs ? dirs : usual_dirs;
    uint64_t found;
    int enough = 0;

    bin_tmp = format ("%s.tmp", bin);
    bin_fd = open (bin_tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (bin_fd < 0)
        die (STATUS_FAILED, "%s: cannot write: %m", bin_tmp);
    mt19937_seed (&random_state, (uint32_t)seed);
    for (; *dir && !enough; dir++)
        if (strcmp (*dir, "none") != 0)
            enough = add_dir (*dir);
    found = bin_bytes ();
    while (!enough)
        enough = add_generated ();
    flush ();
    put_in_place (bin, idx);
    if (isatty (STDERR_FILENO))
        (void)fputs ("\r\033[K", stderr);
    free (bin_tmp);
    free (length);
    return found;
}

/* Return 1 if the files are a valid pair that is large enough. */
static int exists (const char *bin, const char *idx)
{
    struct corpus c;
    struct stat st;

    if (stat (bin, &st) < 0 || (uint64_t)st.st_size < want_bytes ||
        corpus_open (&c, idx, (uint64_t)st.st_size) ||
        c.tokens * (uint64_t)c.width != (uint64_t)st.st_size)
        return 0;
    documents = c.documents;
    tokens = c.tokens;
    return 1;
}

static void parse_options (int argc, char **argv)
{
    static const struct option words[] = {
        {"bytes", required_argument, NULL, 'b'},
        {"seed", required_argument, NULL, 's'},
        {"text", required_argument, NULL, 't'},
        {"force", no_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    int c;

    while ((c = getopt_long (argc, argv, "b:s:t:fh", words, NULL)) >= 0) {
        if (c == 'h') {
            (void)fputs (usage, stdout);
            exit (STATUS_OK);
        }
        if (c == 'b' && (parse_size (optarg, &want_bytes) < 0 ||
                         want_bytes == 0 || want_bytes > UINT64_C (1) << 40))
            die (STATUS_USAGE, "--bytes: %s: not a size", optarg);
        if (c == 's' && (parse_size (optarg, &seed) < 0 || seed > UINT32_MAX))
            die (STATUS_USAGE, "--seed: %s: not a number", optarg);
        if (c == 't' && ndirs < DIRS_MAX)
            dirs[ndirs++] = optarg;
        if (c == 'f')
            force = 1;
        if (c == '?')
            die (STATUS_USAGE, "wrong option: see --help");
    }
    if (optind + 1 != argc)
        die (STATUS_USAGE, "one PREFIX is needed: see --help");
    prefix = argv[optind];
}

int main (int argc, char **argv)
{
    char *bin, *idx;
    uint64_t found;
    int was_there;

    parse_options (argc, argv);
    bin = format ("%s.bin", prefix);
    idx = format ("%s.idx", prefix);
    was_there = !force && exists (bin, idx);
    found = was_there ? 0 : make (bin, idx);
    (void)printf ("mkcorpus: %s: documents=%llu tokens=%llu bytes=%llu", bin,
                  (unsigned long long)documents, (unsigned long long)tokens,
                  (unsigned long long)bin_bytes ());
    if (was_there)
        (void)printf (" (was there)\n");
    else
        (void)printf (" generated=%.0f%%\n",
                      100.0 * (double)(bin_bytes () - found) /
                          (double)bin_bytes ());
    free (bin);
    free (idx);
    return fflush (stdout) == 0 ? STATUS_OK : STATUS_FAILED;
}
