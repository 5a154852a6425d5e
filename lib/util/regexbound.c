/* SPDX-License-Identifier: MIT
 *
 * regexbound.c - a regular expression -> the reason why it is not compiled
 */
#include "config.h"

#include "lib/util/optparse.h"

/* A regular expression that takes neither much memory nor much time: libc
 * copies what is repeated, and tries what a back reference may stand for. */
enum { REGEX_MAX = 255, REGEX_REPEATS = 64, REGEX_SIZE = 4096 };

/* Return the end of a bracket expression, which begins at s. */
static const char *regex_bracket (const char *s)
{
    s += s[1] == '^' ? 2 : 1;
    for (s += *s == ']'; *s && *s != ']'; s++)
        if (*s == '[' && s[1] && strchr (":.=", s[1])) {
            const char close[] = {s[1], ']', '\0'},
                       *end = strstr (s + 2, close);

            s = end ? end + 1 : s;
        }
    return *s ? s : s - 1;
}

/* Return how many characters libc makes of it: + copies what is before it, so
 * that each further one, or one around it, doubles that. */
static unsigned long regex_size (const char *s)
{
    unsigned long sum[REGEX_MAX + 1] = {0}, last[REGEX_MAX + 1] = {0};
    size_t depth = 0;

    for (; *s && last[depth] <= REGEX_SIZE; s++) {
        if (*s == '+')
            last[depth] *= 2;
        else if (*s == '{')
            last[depth] *= 1 + strtoul (s + 1, NULL, 10) % REGEX_SIZE;
        else if (*s == ')' && depth) {
            depth--;
            last[depth] = 1 + sum[depth + 1] + last[depth + 1];
        } else if (!strchr ("*?|}", *s)) {
            sum[depth] += last[depth];
            last[depth] = *s != '(';
            if (*s == '(') {
                depth++;
                sum[depth] = last[depth] = 0;
            } else if (*s == '[')
                s = regex_bracket (s);
            else if (*s == '\\' && s[1])
                s++;
        }
    }
    return sum[depth] + last[depth];
}

const char *regex_bound (const char *text)
{
    unsigned repeats = 1;

    if (strlen (text) > REGEX_MAX)
        return "more than 255 bytes";
    for (const char *s = text; *s; s++) {
        if (*s == '\\' && s[1] >= '0' && s[1] <= '9')
            return "back references are not taken";
        if (*s == '\\' && s[1])
            s++;
        else if (*s == '{') {
            unsigned long n = strtoul (s + 1, NULL, 10), most = n;
            const char *comma = strpbrk (s, ",}");

            if (comma && *comma == ',' && comma[1] >= '0' && comma[1] <= '9')
                most = strtoul (comma + 1, NULL, 10);
            if (most < n)
                most = n;
            if (most > REGEX_REPEATS ||
                (repeats *= (unsigned)(most ? most : 1)) > REGEX_REPEATS)
                return "more than 64 repetitions";
        }
    }
    if (regex_size (text) > REGEX_SIZE)
        return "repetitions of repetitions, which libc copies";
    return NULL;
}
