/* SPDX-License-Identifier: MIT
 *
 * where.c - text of a condition (--where) -> struct where
 *
 * In:  text of the command line
 * Out: nodes of the condition; messages that mark the wrong place
 */
#include "config.h"

#include "analyze/scan/place.h"
#include "analyze/scan/where.h"
#include "analyze/trace/dict.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"
#include "lib/model/kind.h"
#include "lib/util/optparse.h"

#include <ctype.h>
#include <stdarg.h>

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
    vsnprintf (what, sizeof (what), fmt, ap);
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

/* A value: what is in quotes, or a word up to a blank, parenthesis, one of
 * `stops`. *text is malloc'd. 1 a word, 2 in quotes, -1 with err. */
static const char *asking_keep (struct asking *a, char *text)
{
    struct where *w = a->w;

    w->text = xreallocarray (w->text, (size_t)w->texts + 1, sizeof (*w->text));
    return w->text[w->texts++] = text;
}

/* The value at a->at, which is the condition's, or NULL with err. */
static const char *
asking_value (struct asking *a, const char *stops, int *quoted)
{
    const char *s, *end;
    size_t n;

    asking_space (a);
    s = a->text + a->at;
    *quoted = *s == '"' || *s == '\'';
    if (*quoted) {
        if (!(end = strchr (s + 1, *s))) {
            asking_fail (a, a->at, "text without its closing %c", *s);
            return NULL;
        }
        n = end - ++s;
    } else
        n = strcspn (s, stops);
    if (!n && !*quoted)
        asking_fail (a, a->at,
                     *s ? "a value should be here" : "a value is missing");
    else if (n > WHERE_TEXT_MAX)
        asking_fail (a, a->at, "a value of more than %d bytes", WHERE_TEXT_MAX);
    else {
        a->at += n + (*quoted ? 2 : 0);
        return asking_keep (a, xstrndup (s, n));
    }
    return NULL;
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
        if (where_column_taken (i) && strlen (columns[i].word) == n &&
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
        if (where_column_taken (i))
            words[n++] = columns[i].word;
    words[n++] = "arg.NAME";
    words[n] = NULL;
    near = nearest_word (word, words);
    if (!*word)
        return asking_fail (a, a->at,
                            "a column should be here, like dur, size, file: "
                            "see dftrace help where");
    for (int i = 0; i < n; i++)
        snprintf (all + strlen (all), sizeof (all) - strlen (all), "%s%s",
                  i ? " " : "", words[i]);
    return near ? asking_fail (a, a->at,
                               "no such column: did you mean %s? There are %s",
                               near, all)
                : asking_fail (a, a->at, "no such column: there are %s", all);
}

static int asking_node (struct asking *a, const struct where_node *node)
{
    struct where *w = a->w;

    if (w->nodes == WHERE_NODES_MAX)
        return asking_fail (a, a->at, "more than %d terms", WHERE_NODES_MAX);
    w->node = xreallocarray (w->node, (size_t)w->nodes + 1, sizeof (*w->node));
    w->node[w->nodes] = *node;
    return w->nodes++;
}

/* Two conditions as one: what decides both decides it. */
static int
where_join (struct asking *a, enum where_test test, int left, int right)
{
    struct where_node n = {
        .test = test, .left = (uint16_t)left, .right = (uint16_t)right};

    if (left < 0 || right < 0)
        return -1;
    if (a->w->node[left].of == a->w->node[right].of)
        n.of = a->w->node[left].of;
    return asking_node (a, &n);
}

static int where_not (struct asking *a, int of)
{
    return where_join (a, WHERE_NOT, of, of);
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
    FORMAT (word, "%.*s", (int)length, s);
    column = asking_find (s, length);
    *n = (struct where_node){.test = WHERE_HAS};
    if (column < 0 && length > 4 && length < KEYS_WORD_MAX &&
        strncmp (s, "arg.", 4) == 0) {
        n->argument = asking_keep (a, xstrdup (word + 4));
        column = WHERE_argument;
    }
    if (column < 0)
        return asking_no_column (a, word);
    n->column = (uint16_t)column;
    n->of = where_column_info (column)->of;
    a->at += length;
    return 0;
}

/* --- units ---------------------------------------------------------------- */

static const struct askingnumber_unit {
    const char *word;
    enum where_type type;
    long double factor;
} units[] = {
    {"ns", WHERE_TIME, 1e0L},
    {"us", WHERE_TIME, 1e3L},
    {"\302\265s", WHERE_TIME, 1e3L}, /* the micro sign */
    {"ms", WHERE_TIME, 1e6L},
    {"s", WHERE_TIME, 1e9L},
    {"min", WHERE_TIME, 60e9L},
    {"m", WHERE_TIME, 60e9L},
    {"h", WHERE_TIME, 3600e9L},
    {"B", WHERE_BYTES, 1},
    {"k", WHERE_BYTES, 1024},
    {"K", WHERE_BYTES, 1024},
    {"Ki", WHERE_BYTES, 1024},
    {"KiB", WHERE_BYTES, 1024},
    {"kB", WHERE_BYTES, 1e3L},
    {"KB", WHERE_BYTES, 1e3L},
    {"M", WHERE_BYTES, 1048576},
    {"Mi", WHERE_BYTES, 1048576},
    {"MiB", WHERE_BYTES, 1048576},
    {"MB", WHERE_BYTES, 1e6L},
    {"G", WHERE_BYTES, 1073741824},
    {"Gi", WHERE_BYTES, 1073741824},
    {"GiB", WHERE_BYTES, 1073741824},
    {"GB", WHERE_BYTES, 1e9L},
    {"T", WHERE_BYTES, 1099511627776},
    {"Ti", WHERE_BYTES, 1099511627776},
    {"TiB", WHERE_BYTES, 1099511627776},
    {"TB", WHERE_BYTES, 1e12L},
};

static const struct {
    const char *name;
    int number;
} errnos[] = {
#define E(NAME)     \
    {               \
#NAME, NAME \
    }
    /* clang-format off */
    E (EPERM), E (ENOENT), E (ESRCH), E (EINTR), E (EIO),
    E (ENXIO), E (E2BIG), E (ENOEXEC), E (EBADF), E (ECHILD),
    E (EAGAIN), E (ENOMEM), E (EACCES), E (EFAULT), E (EBUSY),
    E (EEXIST), E (EXDEV), E (ENODEV), E (ENOTDIR), E (EISDIR),
    E (EINVAL), E (ENFILE), E (EMFILE), E (ENOTTY), E (ETXTBSY),
    E (EFBIG), E (ENOSPC), E (ESPIPE), E (EROFS), E (EMLINK),
    E (EPIPE), E (ERANGE), E (EDEADLK), E (ENAMETOOLONG), E (ENOLCK),
    E (ENOSYS), E (ENOTEMPTY), E (ELOOP), E (EOVERFLOW), E (EOPNOTSUPP),
    E (ENOTSOCK), E (ECONNRESET), E (ETIMEDOUT), E (ESTALE), E (EDQUOT),
    E (ECANCELED),
/* clang-format on */
#undef E
};

/* A value with a place in a condition, for messages. */
struct askingnumber {
    struct asking *a;
    enum where_column column;
    enum where_type type;
    const char *value; /* all of it */
    size_t at;         /* of value in the condition */
};

static int askingnumber_fail (const struct askingnumber *v,
                              const char *s,
                              const char *what)
{
    const char *of = v->type == WHERE_TIME    ? ": use ns, us, ms, s, min, h"
                     : v->type == WHERE_BYTES ? ": use K, M, G, T, KiB, kB"
                     : v->type == WHERE_ERRNO
                         ? ": use a name like ENOENT, or a number"
                         : "";

    return asking_fail (v->a, v->at + (size_t)(s - v->value), "%s%s", what, of);
}

/* The unit at *s, which moves behind it. 0, or -1 with err. */
static int askingnumber_unit (const struct askingnumber *v,
                              const char **s,
                              long double number,
                              long double *factor)
{
    size_t n = strcspn (*s, ",-");

    *factor = 1;
    if (!n && v->type == WHERE_TIME && v->column == WHERE_time)
        *factor = 1e9L;
    else if (!n && v->type == WHERE_TIME && number != 0)
        return askingnumber_fail (v, *s, "a time without a unit");
    for (size_t i = 0; n && i < ITEMS (units); i++)
        if (strlen (units[i].word) == n && memcmp (units[i].word, *s, n) == 0 &&
            (units[i].type == WHERE_TIME) == (v->type == WHERE_TIME)) {
            *factor = units[i].factor;
            *s += n;
            return 0;
        }
    return n ? askingnumber_fail (v, *s, "not a unit of this column") : 0;
}

/* A number with its unit at *s, which moves behind it. 0, or -1 with err. */
static int askingnumber_one (const struct askingnumber *v,
                             const char **s,
                             long double *number)
{
    const char *digits = *s + (**s == '-');
    size_t n = strspn (digits, "0123456789.");
    long double factor;
    char *end;

    if (digits[0] == '0' && digits[1] == 'x')
        *number =
            (long double)strtoull (digits, &end, 16) * (digits > *s ? -1 : 1);
    else if (!n || (n == 1 && *digits == '.'))
        return askingnumber_fail (v, *s, "not a number");
    else
        *number = strtold (*s, &end);
    *s = end;
    if (askingnumber_unit (v, s, *number, &factor) < 0)
        return -1;
    *number *= factor;
    return isfinite (*number) ? 0 : askingnumber_fail (v, *s, "too large");
}

/* --- ranges --------------------------------------------------------------- */

static int64_t askingnumber_whole (long double x)
{
    return x >= (long double)INT64_MAX   ? INT64_MAX
           : x <= (long double)INT64_MIN ? INT64_MIN
                                         : (int64_t)x;
}

/* Values from low to high, or, as `how` says, without one of these. */
static int askingnumber_range (struct asking *a,
                               struct where_node n,
                               enum where_operator how,
                               long double low,
                               long double high)
{
    int above = how == WHERE_MORE, below = how == WHERE_LESS;

    n.test = WHERE_RANGE;
    n.low = isinf (low)
                ? INT64_MIN
                : askingnumber_whole (above ? floorl (low) + 1 : ceill (low));
    n.high = isinf (high) ? INT64_MAX
                          : askingnumber_whole (below ? ceill (high) - 1
                                                      : floorl (high));
    n.least = above ? nextafter (low, INFINITY) : low;
    n.most = below ? nextafter (high, -INFINITY) : high;
    return asking_node (a, &n);
}

/* Values that are equal to x, less or more. */
static int askingnumber_compare (struct asking *a,
                                 struct where_node n,
                                 enum where_operator how,
                                 long double x)
{
    int less = how == WHERE_LESS || how == WHERE_LESS_EQUAL;

    return askingnumber_range (a, n, how, less ? -INFINITY : x,
                               less || how == WHERE_EQUAL ? x : INFINITY);
}

/* "N", "N-M", "N-", "-M"; of columns that may be less than zero "-N" is that.
 */
static int askingnumber_item (const struct askingnumber *v,
                              struct where_node n,
                              const char **s)
{
    long double low = -INFINITY, high = INFINITY;
    int below =
        **s == '-' && (v->column == WHERE_BY_rank || v->column == WHERE_pid ||
                       v->column == WHERE_tid || v->column == WHERE_time);
    const char *from = *s;

    if (below) {
        ++*s;
        if (askingnumber_one (v, s, &high) < 0)
            return -1;
        return askingnumber_range (v->a, n, WHERE_EQUAL, low, high);
    }
    if (askingnumber_one (v, s, &low) < 0)
        return -1;
    if (**s != '-')
        high = low;
    else if (*++*s && **s != ',' && askingnumber_one (v, s, &high) < 0)
        return -1;
    if (high < low)
        return askingnumber_fail (v, from,
                                  "a range that ends before it begins");
    return askingnumber_range (v->a, n, WHERE_EQUAL, low, high);
}

static int askingnumber_list (const struct askingnumber *v, struct where_node n)
{
    const char *s = v->value;
    int node = -1;

    for (;; s++) {
        int one = askingnumber_item (v, n, &s);

        node = node < 0 ? one : where_join (v->a, WHERE_OR, node, one);
        if (node < 0)
            return -1;
        if (*s != ',')
            return *s ? askingnumber_fail (v, s, "not a number") : node;
    }
}

/* --- names ---------------------------------------------------------------- */

/* 0 when value is no name of an error; -1 with err when it looks like one. */
static int askingnumber_errno (const struct askingnumber *v, int *number)
{
    const char *words[ITEMS (errnos) + 1] = {NULL}, *near;

    if (*v->value != 'E')
        return 0;
    for (size_t i = 0; i < ITEMS (errnos); i++) {
        words[i] = errnos[i].name;
        if (strcmp (errnos[i].name, v->value) == 0) {
            *number = errnos[i].number;
            return 1;
        }
    }
    near = nearest_word (v->value, words);
    return near ? asking_fail (v->a, v->at, "no such error: did you mean %s?",
                               near)
                : askingnumber_fail (v, v->value, "no such error");
}

const char *where_errno_name (int error, char *buf)
{
    for (size_t i = 0; i < ITEMS (errnos); i++)
        if (errnos[i].number == error)
            return errnos[i].name;
    snprintf (buf, 32, "%d", error);
    return buf;
}

/* Another column of numbers? */
static int askingnumber_column (const struct askingnumber *v,
                                struct where_node n,
                                enum where_operator how)
{
    int other = asking_find (v->value, strlen (v->value));
    enum where_type type;

    if (other < 0)
        return 0;
    type = where_column_info (other)->type;
    if (type == WHERE_TEXT || v->type == WHERE_ANY ||
        (type == WHERE_TIME) != (v->type == WHERE_TIME))
        return asking_fail (v->a, v->at, "%s and %s cannot be compared",
                            v->value, where_column_info (v->column)->word);
    n.test = WHERE_COMPARE;
    n.other = (uint16_t)other;
    n.how = how;
    n.of = WHERE_OF_EVENT;
    return asking_node (v->a, &n) < 0 ? -1 : 1;
}

int asking_whole (struct asking *a,
                  enum where_column column,
                  const char *text,
                  size_t at,
                  int64_t *value)
{
    struct askingnumber v = {a, column, where_column_info (column)->type, text,
                             at};
    long double x;

    if (askingnumber_one (&v, &text, &x) < 0)
        return -1;
    if (*text)
        return askingnumber_fail (&v, text, "not a number");
    *value = askingnumber_whole (floorl (x));
    return 0;
}

static int asking_number (struct asking *a,
                          struct where_node n,
                          enum where_operator how,
                          const char *value,
                          size_t at)
{
    struct askingnumber v = {a, n.column, where_column_info (n.column)->type,
                             value, at};
    const char *s = value;
    long double x;
    int error = 0, rc = askingnumber_column (&v, n, how);

    if (rc)
        return rc < 0 ? -1 : a->w->nodes - 1;
    rc = v.type == WHERE_ERRNO ? askingnumber_errno (&v, &error) : 0;
    if (rc < 0)
        return -1;
    if (rc > 0)
        return askingnumber_compare (a, n, how, error);
    if (how == WHERE_EQUAL)
        return askingnumber_list (&v, n);
    if (askingnumber_one (&v, &s, &x) < 0)
        return -1;
    return *s ? askingnumber_fail (&v, s, "not a number")
              : askingnumber_compare (a, n, how, x);
}

enum { WORDS_ROOM = 32 };

/* --- columns with few words ----------------------------------------------- */

/* All words of the column in list, NULL behind them; 0: any word may occur. */
static int askingtext_words (uint16_t column, const char **list)
{
    int n = 0;

    switch (column) {
    case WHERE_BY_class:
        for (int c = CALL_CLASS_NONE + 1; c <= CALL_CLASS_LAST; c++)
            list[n++] = call_class_name (c);
        break;
    case WHERE_BY_kind:
        for (int k = 0; k < KIND_COUNT; k++)
            list[n++] = kind_name (k);
        break;
    case WHERE_BY_role:
        for (int r = 0; r < ROLE_COUNT; r++)
            list[n++] = role_word (r);
        break;
    case WHERE_BY_access:
        for (int p = 0; p < PLACED_COUNT; p++)
            list[n++] = placed_name (p);
        break;
    default:
        break;
    }
    list[n] = NULL;
    return n;
}

static int askingtext_is_pattern (const char *text)
{
    return text[strcspn (text, "*?[")] != '\0';
}

/* Each of the words of a list must be one of the column. */
static int askingtext_check (struct asking *a,
                             uint16_t column,
                             const char *value,
                             size_t at)
{
    const char *list[WORDS_ROOM], *near, *s = value;
    char word[64], all[160] = "";

    if (!askingtext_words (column, list))
        return 0;
    for (size_t n; *s; s += n + (s[n] == ',')) {
        int found = 0;

        n = strcspn (s, ",");
        FORMAT (word, "%.*s", (int)n, s);
        for (int i = 0; list[i]; i++)
            found |= pattern_match (word, list[i]);
        if (found || !n)
            continue;
        for (int i = 0; list[i]; i++)
            snprintf (all + strlen (all), sizeof (all) - strlen (all), "%s%s",
                      i ? ", " : "", list[i]);
        near = nearest_word (word, list);
        return asking_fail (
            a, at + (size_t)(s - value), "no such %s%s%s%s are %s",
            where_column_info (column)->word, near ? ": did you mean " : "",
            near ? near : "", near ? "? There" : ": there", all);
    }
    return 0;
}

static int asking_text (struct asking *a,
                        struct where_node n,
                        const char *value,
                        int quoted,
                        size_t at)
{
    n.test = quoted ? WHERE_SAME : WHERE_GLOB;
    n.text = value;
    return askingtext_check (a, n.column, value, at + (size_t)quoted) < 0
               ? -1
               : asking_node (a, &n);
}

/* --- words of the traces -------------------------------------------------- */

static int askingtext_fits (const struct where_node *n, const char *text)
{
    return n->test == WHERE_SAME ? strcmp (n->text, text) == 0
                                 : pattern_match (n->text, text);
}

struct askingtext_list {
    const struct where_node *node;
    const char **word; /* owned; NULL at its end */
    size_t count, room;
    int found;
    char function[96]; /* POSIX/write, where write was meant */
};

static void askingtext_offer (struct askingtext_list *l, const char *text)
{
    l->found |= askingtext_fits (l->node, text);
    GROW (l->word, l->room, l->count + 2);
    l->word[l->count++] = text;
    l->word[l->count] = NULL;
}

static void askingtext_collect (struct askingtext_list *l,
                                const struct dict *dict)
{
    int name = l->node->column == WHERE_name;
    uint32_t limit = dict_limit (dict);

    for (int c = 0; name && c < CALL_MAX; c++)
        if (call_table[c].name[0])
            askingtext_offer (l, call_table[c].name);
    for (int c = CALL_CATEGORY_POSIX; !name && c < CALL_CATEGORY_COUNT; c++)
        askingtext_offer (l, call_category_name (c));
    for (uint32_t i = 1; i < limit; i++) {
        const struct dict_entry *e = dict_entry_of (dict, i, SHARD_NAME_EVENT);

        if (e)
            askingtext_offer (l, name ? dict_region_name (e) : e->text);
    }
}

/* The functions of --by function have their category before them. */
static void askingtext_function (struct askingtext_list *l,
                                 const struct where_node *n)
{
    for (int c = 0; c < CALL_MAX; c++)
        if (strcmp (call_table[c].name, n->text) == 0)
            FORMAT (l->function, "%s/%s",
                    call_category_name (call_table[c].category), n->text);
}

static int askingtext_seen (const struct where_node *n,
                            const struct dict *dict,
                            struct errtext *err)
{
    struct askingtext_list l = {.node = n};
    const char *near;
    int rc = 0;

    if (n->column == WHERE_BY_function) {
        askingtext_function (&l, n);
        near = *l.function ? l.function : NULL;
    } else {
        askingtext_collect (&l, dict);
        near = l.found ? NULL : nearest_word (n->text, l.word);
    }
    if (near) {
        errno = EINVAL;
        rc =
            errf (err, "--where: no event has the %s %s: did you mean %s%s%s?",
                  where_column_info (n->column)->word, n->text, near,
                  *l.function ? " or name = " : "", *l.function ? n->text : "");
    }
    free (l.word);
    return rc;
}

int where_check (const struct where *w,
                 const struct dict *dict,
                 struct errtext *err)
{
    for (int i = 0; i < w->nodes && !w->partial; i++) {
        const struct where_node *n = &w->node[i];

        if ((n->test == WHERE_SAME || n->test == WHERE_GLOB) &&
            !askingtext_is_pattern (n->text) &&
            (n->column == WHERE_name || n->column == WHERE_cat ||
             n->column == WHERE_BY_layer ||
             (n->column == WHERE_BY_function && !strchr (n->text, '/'))) &&
            askingtext_seen (n, dict, err) < 0)
            return -1;
    }
    return 0;
}

/* Those that begin like another one stand before it. */
static const struct {
    const char *sign;
    enum where_operator how;
    int unequal;
} signs[] = {{"=~", WHERE_MATCH, 0},      {"==", WHERE_EQUAL, 0},
             {"=", WHERE_EQUAL, 0},       {"!=", WHERE_EQUAL, 1},
             {"!~", WHERE_LIKE, 1},       {"~", WHERE_LIKE, 0},
             {"<=", WHERE_LESS_EQUAL, 0}, {"<", WHERE_LESS, 0},
             {">=", WHERE_MORE_EQUAL, 0}, {">", WHERE_MORE, 0}};

/* --- one value ------------------------------------------------------------ */

static int askingterm_regex (struct asking *a,
                             struct where_node n,
                             const char *value,
                             size_t at)
{
    const char *why = regex_bound (value);
    char reason[128];
    int rc, node;

    if (why)
        return asking_fail (a, at, "not a regular expression for us: %s", why);
    n.test = WHERE_REGEX;
    n.text = value;
    NEW (n.regex, 1);
    if ((rc = regcomp (n.regex, value, REG_EXTENDED | REG_NOSUB)) != 0) {
        regerror (rc, n.regex, reason, sizeof (reason));
        free (n.regex);
        return asking_fail (a, at, "not a regular expression: %s", reason);
    }
    if ((node = asking_node (a, &n)) < 0) {
        regfree (n.regex);
        free (n.regex);
    }
    return node;
}

/* A text against a column of texts. */
static int askingterm_text (struct asking *a,
                            struct where_node n,
                            enum where_operator how,
                            const char *value,
                            int quoted,
                            size_t at)
{
    n.text = value;
    switch (how) {
    case WHERE_MATCH:
        return askingterm_regex (a, n, value, at);
    case WHERE_LIKE:
        n.test = WHERE_GLOB;
        return asking_node (a, &n);
    case WHERE_EQUAL:
        return asking_text (a, n, value, quoted, at);
    default:
        n.test = WHERE_ORDER;
        n.how = how;
        return asking_node (a, &n);
    }
}

/* An argument is a number or a text: what the value looks like. */
static int askingterm_is_number (const char *value)
{
    value += *value == '-';
    value += *value == '.';
    return *value >= '0' && *value <= '9';
}

static int askingterm_value (struct asking *a,
                             struct where_node n,
                             enum where_operator how,
                             const char *stops)
{
    enum where_type type = where_column_info (n.column)->type;
    const char *value;
    size_t at;
    int quoted;

    asking_space (a);
    at = a->at;
    if (!(value = asking_value (a, stops, &quoted)))
        return -1;
    if (type == WHERE_TEXT ||
        (type == WHERE_ANY &&
         (quoted || how >= WHERE_LIKE || !askingterm_is_number (value))))
        return askingterm_text (a, n, how, value, quoted, at);
    if (how >= WHERE_LIKE)
        return asking_fail (a, at,
                            "%s is a number: use = != < <= > >= or in (…)",
                            where_column_info (n.column)->word);
    return asking_number (a, n, how, value, at);
}

/* --- several -------------------------------------------------------------- */

static int askingterm_in (struct asking *a, struct where_node column)
{
    int node = -1;

    if (!asking_take (a, "("))
        return asking_fail (a, a->at, "a list should be here: in (1, 2)");
    do {
        int one = askingterm_value (a, column, WHERE_EQUAL, " \t\r\n'\"(),|&");

        node = node < 0 ? one : where_join (a, WHERE_OR, node, one);
        if (node < 0)
            return -1;
    } while (asking_take (a, ","));
    return asking_take (a, ")")
               ? node
               : asking_fail (a, a->at, "\",\" or \")\" should be here");
}

static int asking_term (struct asking *a, struct where_node n)
{
    size_t at, i = 0;
    int node, unequal;

    asking_space (a);
    at = a->at;
    unequal = asking_take (a, "not");
    if (asking_take (a, "in"))
        node = askingterm_in (a, n);
    else {
        a->at = at;
        while (i < ITEMS (signs) && !asking_take (a, signs[i].sign))
            i++;
        if (i == ITEMS (signs))
            return asking_fail (a, at,
                                "a comparison should be here: = != < <= > >= "
                                "~ !~ =~ or in (…)");
        unequal = signs[i].unequal;
        node = askingterm_value (a, n, signs[i].how, " \t\r\n'\"()|&");
    }
    return unequal ? where_not (a, node) : node;
}

/* --- grammar -------------------------------------------------------------- */

static int where_or (struct asking *a);

static int where_sign (struct asking *a, const char *word, const char *sign)
{
    return asking_take (a, word) || asking_take (a, sign);
}

static int where_has_value (struct asking *a)
{
    struct where_node n;

    if (asking_column (a, &n) < 0)
        return -1;
    if (!asking_take (a, ")"))
        return asking_fail (a, a->at, "\")\" should be here");
    return asking_node (a, &n);
}

static int where_primary (struct asking *a)
{
    struct where_node n;
    size_t from;
    int node;

    asking_space (a);
    from = a->at;
    if (asking_take (a, "has") && asking_take (a, "("))
        return where_has_value (a);
    a->at = from;
    if (!asking_take (a, "("))
        return asking_column (a, &n) < 0 ? -1 : asking_term (a, n);
    if ((node = where_or (a)) < 0)
        return -1;
    return asking_take (a, ")")
               ? node
               : asking_fail (a, a->at,
                              "\")\" should be here, or \"and\" or "
                              "\"or\"");
}

static int where_negated (struct asking *a)
{
    int node;

    if (++a->depth > WHERE_DEPTH_MAX)
        return asking_fail (a, a->at, "more than %d parentheses and nots",
                            WHERE_DEPTH_MAX);
    node = where_sign (a, "not", "!") ? where_not (a, where_negated (a))
                                      : where_primary (a);
    a->depth--;
    return node;
}

static int where_and (struct asking *a)
{
    int node = where_negated (a);

    while (node >= 0 && where_sign (a, "and", "&&"))
        node = where_join (a, WHERE_AND, node, where_negated (a));
    return node;
}

static int where_or (struct asking *a)
{
    int node = where_and (a);

    while (node >= 0 && where_sign (a, "or", "||"))
        node = where_join (a, WHERE_OR, node, where_and (a));
    return node;
}

/* --- all ------------------------------------------------------------------ */

static void where_cut (struct where *w, int nodes, int texts)
{
    for (; w->nodes > nodes; w->nodes--) {
        regex_t *regex = w->node[w->nodes - 1].regex;

        if (regex)
            regfree (regex);
        free (regex);
    }
    while (w->texts > texts)
        free (w->text[--w->texts]);
}

int where_add (struct where *w, const char *text, struct errtext *err)
{
    struct asking a = {.text = text, .w = w, .err = err};
    int nodes = w->nodes, texts = w->texts, root = where_or (&a);

    asking_space (&a);
    if (root >= 0 && text[a.at])
        root = asking_fail (&a, a.at,
                            "\"and\" or \"or\" should be here; a text with "
                            "blanks stands in quotes");
    if (root >= 0 && w->terms)
        root = where_join (&a, WHERE_AND, w->root, root);
    if (root < 0) {
        where_cut (w, nodes, texts);
        return -1;
    }
    w->root = root;
    w->terms++;
    return 0;
}

void where_clear (struct where *w)
{
    where_cut (w, 0, 0);
    free (w->node);
    free (w->text);
    ZERO (w);
}

int where_has (const struct where *w, enum where_column column)
{
    for (int i = 0; i < w->nodes; i++)
        if (w->node[i].test >= WHERE_HAS &&
            (w->node[i].column == column ||
             (w->node[i].test == WHERE_COMPARE && w->node[i].other == column)))
            return 1;
    return 0;
}

int where_needs_context (const struct where *w)
{
    return where_has (w, WHERE_BY_step) || where_has (w, WHERE_BY_epoch);
}
