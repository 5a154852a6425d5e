/* SPDX-License-Identifier: MIT
 *
 * asking.c - words, signs and columns of a condition; what is wrong with it
 *
 * In:  text of the command line
 * Out: columns and values, to where.c and askingterm.c; messages
 */
#include "config.h"

#include "analyze/query/asking.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/optparse.h"

/* --- mistakes ------------------------------------------------------------- */

enum { ASKING_BEFORE = 40, ASKING_SHOWN = 70 }; /* bytes of a long condition */
enum { ASKING_WHAT = 340 }; /* errtext has room for that and two lines */

static int asking_continues (char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; /* a character of UTF-8 */
}

int asking_fail (const struct asking *a, size_t at, const char *fmt, ...)
{
    char what[ASKING_WHAT], line[ASKING_SHOWN + 1], mark[ASKING_SHOWN + 1];
    size_t length = strlen (a->text), from = 0, n = 0, marks = 0;
    va_list ap;

    va_start (ap, fmt);
    (void)vsnprintf (what, sizeof (what), fmt, ap);
    va_end (ap);
    if (at > length)
        at = length;
    if (length > ASKING_SHOWN && at > ASKING_BEFORE)
        from = at - ASKING_BEFORE;
    while (from < at && asking_continues (a->text[from]))
        from++;
    for (; n < ASKING_SHOWN && a->text[from + n]; n++) {
        unsigned char c = (unsigned char)a->text[from + n];

        line[n] = (char)(c < 0x20 || c == 0x7f ? '?' : c);
        if (from + n < at && !asking_continues ((char)c))
            mark[marks++] = ' ';
    }
    line[n] = '\0';
    mark[marks] = '\0';
    errno = EINVAL;
    return errf (a->err, "%s\n    %s\n    %s^", what, line, mark);
}

/* --- signs and words ------------------------------------------------------ */

static int asking_in_word (char c)
{
    return isalnum ((unsigned char)c) || c == '_';
}

void asking_space (struct asking *a)
{
    a->at += strspn (a->text + a->at, " \t\r\n");
}

int asking_take (struct asking *a, const char *word)
{
    size_t n = strlen (word);

    asking_space (a);
    if (strncasecmp (a->text + a->at, word, n) != 0 ||
        (asking_in_word (*word) && asking_in_word (a->text[a->at + n])))
        return 0;
    a->at += n;
    return 1;
}

int asking_value (struct asking *a, const char *stops, char **text)
{
    const char *s, *end;
    size_t n;
    int quoted;

    asking_space (a);
    s = a->text + a->at;
    quoted = *s == '"' || *s == '\'';
    if (quoted) {
        if (!(end = strchr (s + 1, *s)))
            return asking_fail (a, a->at, "text without its closing %c", *s);
        n = (size_t)(end - ++s);
    } else
        n = strcspn (s, stops);
    if (!n && !quoted)
        return asking_fail (
            a, a->at, *s ? "a value should be here" : "a value is missing");
    if (n > WHERE_TEXT_MAX)
        return asking_fail (a, a->at, "a value of more than %d bytes",
                            WHERE_TEXT_MAX);
    if (!(*text = strndup (s, n)))
        return asking_fail (a, a->at, "%s", strerror (ENOMEM));
    a->at += n + (quoted ? 2 : 0);
    return 1 + quoted;
}

/* --- columns -------------------------------------------------------------- */

static const struct where_column_info columns[WHERE_COLUMNS] = {
#define TEXT   WHERE_TEXT
#define NUMBER WHERE_NUMBER
#define KEY(WORD, TITLE, ORDER, OF, HELP) \
    [GROUP_##WORD] = {#WORD, HELP, ORDER, WHERE_OF_##OF},
#include "lib/model/groupkeys.def"
#undef KEY
#undef TEXT
#undef NUMBER
#define COLUMN(WORD, TYPE, OF, HELP) \
    [WHERE_##WORD] = {#WORD, HELP, WHERE_##TYPE, WHERE_OF_##OF},
#include "lib/model/eventcolumns.def"
#undef COLUMN
};

static const struct where_column_info argument = {
    "arg.NAME", "an argument of a region", WHERE_ANY, WHERE_OF_EVENT};

const struct where_column_info *where_column_info (enum where_column column)
{
    return column < WHERE_COLUMNS ? &columns[column] : &argument;
}

/* A length of --view interval, and which of several jobs it is, are no facts
 * of an event; `size` is that of eventcolumns.def. */
int where_column_taken (enum where_column column)
{
    return column != WHERE_BY_interval && column != WHERE_BY_configuration &&
           column != WHERE_BY_size;
}

int asking_find (const char *word, size_t n)
{
    for (int i = 0; i < WHERE_COLUMNS; i++)
        if (where_column_taken ((enum where_column)i) &&
            strlen (columns[i].word) == n &&
            memcmp (columns[i].word, word, n) == 0)
            return i;
    return -1;
}

static int asking_no_column (const struct asking *a, const char *word)
{
    const char *words[WHERE_COLUMNS + 2], *near;
    char all[256] = "";
    int n = 0;

    for (int i = 0; i < WHERE_COLUMNS; i++)
        if (where_column_taken ((enum where_column)i))
            words[n++] = columns[i].word;
    words[n++] = "arg.NAME";
    words[n] = NULL;
    near = nearest_word (word, words);
    if (!*word)
        return asking_fail (a, a->at,
                            "a column should be here, like dur, size, file: "
                            "see dftrace help where");
    for (int i = 0; i < n; i++)
        (void)snprintf (all + strlen (all), sizeof (all) - strlen (all), "%s%s",
                        i ? " " : "", words[i]);
    return near ? asking_fail (a, a->at,
                               "no such column: did you mean %s? There are %s",
                               near, all)
                : asking_fail (a, a->at, "no such column: there are %s", all);
}

int asking_column (struct asking *a, struct where_node *n)
{
    const char *s;
    char word[KEYS_WORD_MAX];
    size_t length = 0;
    int column;

    asking_space (a);
    s = a->text + a->at;
    while (asking_in_word (s[length]) ||
           (length && s[length] && strchr (".-:", s[length])))
        length++;
    (void)snprintf (word, sizeof (word), "%.*s", (int)length, s);
    column = asking_find (s, length);
    *n = (struct where_node){.test = WHERE_HAS};
    if (column < 0 && length > 4 && length < KEYS_WORD_MAX &&
        strncmp (s, "arg.", 4) == 0) {
        n->argument = asking_keep (a, strdup (word + 4));
        column = n->argument ? WHERE_argument : -1;
        if (column < 0)
            return -1;
    }
    if (column < 0)
        return asking_no_column (a, word);
    n->column = (uint16_t)column;
    n->of = where_column_info ((enum where_column)column)->of;
    a->at += length;
    return 0;
}
