/* SPDX-License-Identifier: MIT
 *
 * detail.c - "rank:0+step:1/100" -> what is traced in full
 */
#include "config.h"

#include "lib/settings/detail.h"
#include "lib/base/text.h"

enum { DETAIL_TERM_MAX = 80 };

static const char detail_known[] =
    "known: all, rank:N, rank:N-M, rank:K/N, step:N, step:N-M, step:K/N, "
    "first:DURATION, p99:read:DURATION, p99:write:DURATION, joined by +";

static int detail_is_blank (char c)
{
    return c == ' ' || c == ':' || c == '>';
}

/* The next word of a term, cut off; "" behind the last one. */
static char *detail_word (char **at)
{
    char *word = *at, *end;

    while (detail_is_blank (*word))
        word++;
    for (end = word; *end && !detail_is_blank (*end);)
        end++;
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* "7", "3-5", "1/100" */
static int detail_numbers (char *word, struct detail_numbers *n)
{
    struct detail_numbers to = {0, 0, 0};
    char *mark = strpbrk (word, "-/");
    char sign = mark ? *mark : '\0';

    if (mark)
        *mark++ = '\0';
    if (parse_u64 (word, &to.first) < 0)
        return -1;
    to.last = to.first;
    if (sign == '-' && (parse_u64 (mark, &to.last) < 0 || to.last < to.first))
        return -1;
    if (sign == '/' &&
        (parse_u64 (mark, &to.every) < 0 || !to.first || to.every < to.first))
        return -1;
    *n = to;
    return 0;
}

static int detail_p99 (char *class, const char *bound, struct detail *d)
{
    int is_read = strcmp (class, "read") == 0;

    if (!is_read && strcmp (class, "write") != 0)
        return -1;
    d->p99_class = is_read ? CALL_CLASS_READ : CALL_CLASS_WRITE;
    return parse_duration (bound, &d->p99_ns);
}

static int detail_term (char *term, struct detail *d)
{
    char *at = term, *what = detail_word (&at), *value = detail_word (&at);
    char *more = detail_word (&at);
    unsigned is = strcmp (what, "rank") == 0    ? DETAIL_RANK
                  : strcmp (what, "step") == 0  ? DETAIL_STEP
                  : strcmp (what, "first") == 0 ? DETAIL_FIRST
                  : strcmp (what, "p99") == 0   ? DETAIL_P99
                                                : 0;

    if (!is || d->terms & is || *detail_word (&at) ||
        (*more != '\0') != (is == DETAIL_P99))
        return -1;
    d->terms |= is;
    if (is == DETAIL_RANK)
        return detail_numbers (value, &d->rank);
    if (is == DETAIL_STEP)
        return detail_numbers (value, &d->step);
    return is == DETAIL_FIRST ? parse_duration (value, &d->first_ns)
                              : detail_p99 (value, more, d);
}

int detail_parse (const char *text, struct detail *d, struct errtext *err)
{
    struct detail all = {.terms = 0};

    while (*text && strcmp (text, "all") != 0) {
        char term[DETAIL_TERM_MAX];
        size_t n = strcspn (text, "+");

        memcpy (term, text, n < sizeof (term) ? n : 0);
        term[n < sizeof (term) ? n : 0] = '\0';
        if (detail_term (term, &all) < 0) {
            errno = EINVAL;
            return errf (err, "%.*s: cannot be traced in full: %s",
                         (int)(n > 64 ? 64 : n), text, detail_known);
        }
        text += n + (text[n] == '+' && text[n + 1]);
    }
    *d = all;
    return 0;
}

int detail_check (const char *text, struct errtext *err)
{
    struct detail d;

    return detail_parse (text, &d, err);
}

double detail_weight (const struct detail_numbers *n, uint64_t among)
{
    uint64_t of = among && among < n->every ? among : n->every;

    return n->every ? (double)of / (double)(n->first < of ? n->first : of) : 1;
}

int detail_holds (const struct detail_numbers *n,
                  uint64_t number,
                  uint64_t seed,
                  uint64_t among)
{
    uint64_t mixed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15u;
    uint64_t of = among && among < n->every ? among : n->every;

    if (!n->every)
        return number >= n->first && number <= n->last;
    mixed = seed ? (mixed >> 32) % of : 0;
    return (number + n->every - mixed) % n->every < n->first;
}
