/* SPDX-License-Identifier: MIT
 *
 * finding.c - findings of `dftrace doctor`, of this host and of many
 */
#include "config.h"

#include <stdarg.h>

#include "cli/doctor/finding.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/util/xalloc.h"

enum { FINDING_MAX = 4096 };

static int finding_bad_count;
static const char *finding_host; /* NULL: for a reader */
static FILE *finding_log;        /* lines of this host, as it says them */
static char *finding_text;
static size_t finding_size;

static void
finding_line (FILE *out, const char *host, const char *kind, const char *text)
{
    fprintf (out, CARD_MARK "\t%s\t%s\t%s\n", host, kind, text);
}

/* For comparing with nodes. */
static void finding_keep (const char *kind, const char *text)
{
    if (!finding_log)
        finding_log = xmemstream (&finding_text, &finding_size);
    finding_line (finding_log, FINDING_THIS_HOST, kind, text);
}

static void
finding_say (const char *kind, int show, const char *fmt, va_list ap)
    __attribute__ ((format (printf, 3, 0)));

static void
finding_say (const char *kind, int show, const char *fmt, va_list ap)
{
    char text[FINDING_MAX], clean[FINDING_MAX];

    vsnprintf (text, sizeof (text), fmt, ap);
    escape_text (clean, sizeof (clean), text, ESCAPE_LINES);
    finding_keep (kind, clean);
    if (finding_host)
        finding_line (stdout, finding_host, kind, clean);
    else if (show)
        printf ("%-5s %s\n", kind, clean);
    fflush (stdout); /* the next look may take a while */
}

#define FINDING(NAME, KIND)                  \
    void NAME (const char *fmt, ...)         \
    {                                        \
        va_list ap;                          \
        va_start (ap, fmt);                  \
        finding_say (KIND, 1, fmt, ap);      \
        va_end (ap);                         \
        finding_bad_count += *(KIND) == 'B'; \
    }
FINDING (finding_good, "ok")
FINDING (finding_note, "note")
FINDING (finding_bad, "BAD")

void finding_fact (const char *key, const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    finding_say (key, 0, fmt, ap);
    va_end (ap);
}

void findings_of_host (const char *host)
{
    finding_host = host;
}

int findings_bad (void)
{
    return finding_bad_count;
}

char *findings_lines (void)
{
    if (!finding_log)
        return NULL;
    fflush (finding_log);
    return arena_text (finding_text);
}

/* ---- what many hosts say, gathered: which said the same? ---- */

enum { HOSTSAY_HOSTS = 8 /* named in a line */ };

struct said {
    char *host, *kind, *text;
};

struct hostsay {
    struct said *row;
    size_t rows;
    const char *line; /* of hostsay_name () */
};

struct hostsay *hostsay_create (void)
{
    return arena_alloc (sizeof (struct hostsay));
}

/* host TAB kind TAB text */
static void hostsay_add (struct hostsay *h, const char *line)
{
    char *copy = arena_text (line), *kind = strchr (copy, '\t');
    char *text = kind ? strchr (kind + 1, '\t') : NULL;

    if (!text)
        return;
    h->row = arena_grow (h->row, h->rows, sizeof (*h->row));
    *kind = *text = '\0';
    h->row[h->rows++] =
        (struct said){.host = copy, .kind = kind + 1, .text = text + 1};
}

void hostsay_read (struct hostsay *h, char *text)
{
    const size_t mark = strlen (CARD_MARK);
    char *save;

    for (char *l = strtok_r (text, "\n", &save); l;
         l = strtok_r (NULL, "\n", &save))
        if (strncmp (l, CARD_MARK, mark) == 0 && l[mark] == '\t')
            hostsay_add (h, l + mark + 1);
}

int hostsay_has (const struct hostsay *h, const char *kind, const char *host)
{
    for (size_t i = 0; i < h->rows; i++)
        if (strcmp (h->row[i].kind, kind) == 0 &&
            strcmp (h->row[i].host, host) == 0)
            return 1;
    return 0;
}

const char *hostsay_text (const struct hostsay *h, const char *kind)
{
    for (size_t i = 0; i < h->rows; i++)
        if (strcmp (h->row[i].kind, kind) == 0)
            return h->row[i].text;
    return NULL;
}

/* Hosts that said it, of that text or any (NULL), into h->line; how many. */
static int hostsay_name (struct hostsay *h, const char *kind, const char *text)
{
    int hosts = 0;

    h->line = "";
    for (size_t i = 0; i < h->rows; i++) {
        const struct said *s = &h->row[i];

        if (strcmp (s->kind, kind) != 0 || (text && strcmp (s->text, text)))
            continue;
        if (hosts++ <= HOSTSAY_HOSTS)
            h->line = arena_format ("%s%s%s", h->line, hosts == 1 ? "" : ", ",
                                    hosts > HOSTSAY_HOSTS ? "…" : s->host);
    }
    return hosts;
}

/* Is row at the first of its kind, and of its text if that counts? */
static int hostsay_first (const struct hostsay *h, size_t at, int by_text)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp (h->row[i].kind, h->row[at].kind) == 0 &&
            (!by_text || strcmp (h->row[i].text, h->row[at].text) == 0))
            return 0;
    return 1;
}

/* Drop findings that this host has reported already. */
static void hostsay_same (struct hostsay *h, size_t at)
{
    const struct said *s = &h->row[at];
    int n = hostsay_name (h, s->kind, s->text);

    if (strcmp (s->host, FINDING_THIS_HOST) == 0)
        return;

    if (strcmp (s->kind, "BAD") == 0)
        finding_bad ("%s%s: %s", n == 1 ? "node " : "nodes ", h->line, s->text);
    else
        finding_note ("%s%s: %s", n == 1 ? "node " : "nodes ", h->line,
                      s->text);
}

/* A line for each text but the one that most hosts have. */
static void hostsay_differing (struct hostsay *h, size_t at)
{
    const char *kind = h->row[at].kind, *most = NULL;
    int texts = 0, best = 0;

    for (size_t i = at; i < h->rows; i++)
        if (strcmp (h->row[i].kind, kind) == 0 && hostsay_first (h, i, 1)) {
            int n = hostsay_name (h, kind, h->row[i].text);

            texts++;
            if (n > best) {
                best = n;
                most = h->row[i].text;
            }
        }
    for (size_t i = at; texts > 1 && i < h->rows; i++)
        if (strcmp (h->row[i].kind, kind) == 0 && hostsay_first (h, i, 1) &&
            strcmp (h->row[i].text, most) != 0) {
            hostsay_name (h, kind, h->row[i].text);
            finding_bad ("%s: %s differs: %s; elsewhere %s: make it the same "
                         "on every node",
                         h->line, kind, h->row[i].text, most);
        }
}

void hostsay_report (struct hostsay *h)
{
    for (size_t i = 0; i < h->rows; i++) {
        const char *kind = h->row[i].kind;

        if (strcmp (kind, "BAD") == 0 || strcmp (kind, "note") == 0) {
            if (hostsay_first (h, i, 1))
                hostsay_same (h, i);
        } else if (strcmp (kind, "ok") != 0 && strcmp (kind, "trace") != 0 &&
                   hostsay_first (h, i, 0)) {
            hostsay_differing (h, i);
        }
    }
}
