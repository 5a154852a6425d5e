/* SPDX-License-Identifier: MIT
 *
 * askingnumber.c - "10ms", "1M", "2-4,7", "ENOENT" -> ranges of integers
 *
 * In:  values of a condition on a column of numbers
 * Out: nodes
 */
#include "config.h"

#include "analyze/query/asking.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/optparse.h"

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
#define ERRNO(NAME) {#NAME, NAME},
#include "lib/model/errnos.def"
#undef ERRNO
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
    for (size_t i = 0; n && i < sizeof (units) / sizeof (*units); i++)
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

static int askingnumber_range (struct asking *a,
                               struct where_node n,
                               long double low,
                               long double high)
{
    n.test = WHERE_RANGE;
    n.low = isinf (low) ? INT64_MIN : askingnumber_whole (ceill (low));
    n.high = isinf (high) ? INT64_MAX : askingnumber_whole (floorl (high));
    n.least = (double)low;
    n.most = (double)high;
    return asking_node (a, &n);
}

/* What is less or more than x. */
static int askingnumber_half (struct asking *a,
                              struct where_node n,
                              enum where_operator how,
                              long double x)
{
    int node;
    struct where_node *made;

    if (how == WHERE_LESS || how == WHERE_LESS_EQUAL)
        node = askingnumber_range (a, n, -INFINITY, x);
    else
        node = askingnumber_range (a, n, x, INFINITY);
    if (node < 0)
        return -1;
    made = &a->w->node[node];
    if (how == WHERE_LESS) {
        made->high = askingnumber_whole (ceill (x) - 1);
        made->most = nextafter ((double)x, -INFINITY);
    } else if (how == WHERE_MORE) {
        made->low = askingnumber_whole (floorl (x) + 1);
        made->least = nextafter ((double)x, INFINITY);
    }
    return node;
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
        return askingnumber_range (v->a, n, low, high);
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
    return askingnumber_range (v->a, n, low, high);
}

static int askingnumber_list (const struct askingnumber *v, struct where_node n)
{
    const char *s = v->value;
    int node = -1;

    for (;; s++) {
        int one = askingnumber_item (v, n, &s);
        struct where_node both = {.test = WHERE_OR,
                                  .of = n.of,
                                  .left = (uint16_t)node,
                                  .right = (uint16_t)one};

        if (one < 0 || (node = node < 0 ? one : asking_node (v->a, &both)) < 0)
            return -1;
        if (*s != ',')
            return *s ? askingnumber_fail (v, s, "not a number") : node;
    }
}

/* --- names ---------------------------------------------------------------- */

/* 0 when value is no name of an error; -1 with err when it looks like one. */
static int askingnumber_errno (const struct askingnumber *v, int *number)
{
    const char *words[sizeof (errnos) / sizeof (*errnos) + 1] = {NULL}, *near;

    if (*v->value != 'E')
        return 0;
    for (size_t i = 0; i < sizeof (errnos) / sizeof (*errnos); i++) {
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
    for (size_t i = 0; i < sizeof (errnos) / sizeof (*errnos); i++)
        if (errnos[i].number == error)
            return errnos[i].name;
    (void)snprintf (buf, 32, "%d", error);
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
    type = where_column_info ((enum where_column)other)->type;
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

int asking_number (struct asking *a,
                   struct where_node n,
                   enum where_operator how,
                   const char *value,
                   size_t at)
{
    struct askingnumber v = {
        a, (enum where_column)n.column,
        where_column_info ((enum where_column)n.column)->type, value, at};
    const char *s = value;
    long double x;
    int error = 0, rc = askingnumber_column (&v, n, how);

    if (rc)
        return rc < 0 ? -1 : a->w->nodes - 1;
    rc = v.type == WHERE_ERRNO ? askingnumber_errno (&v, &error) : 0;
    if (rc < 0)
        return -1;
    if (rc > 0)
        return how == WHERE_EQUAL ? askingnumber_range (a, n, error, error)
                                  : askingnumber_half (a, n, how, error);
    if (how == WHERE_EQUAL)
        return askingnumber_list (&v, n);
    if (askingnumber_one (&v, &s, &x) < 0)
        return -1;
    return *s ? askingnumber_fail (&v, s, "not a number")
              : askingnumber_half (a, n, how, x);
}
