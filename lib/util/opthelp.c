/* SPDX-License-Identifier: MIT
 *
 * opthelp.c - option table -> --help, completion words, manual page
 */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "lib/util/optparse.h"

enum {
    LINE_WIDTH = 79,
    HELP_COLUMN_MAX = 30, /* a wider option has its help on the next line */
    OPTION_BYTES = 128
};

/* --- wrapped text ----------------------------------------------------- */

/* Places on the terminal, not bytes. */
static size_t opthelp_width_of (const char *s, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)s[i] & 0xc0) != 0x80;
    return n;
}

static void opthelp_spaces (FILE *out, size_t n)
{
    while (n-- > 0)
        (void)fputc (' ', out);
}

/* Words of one paragraph from column `at`, further lines from `indent`. */
static void opthelp_put_wrapped (
    FILE *out, const char *s, size_t bytes, size_t at, size_t indent)
{
    const char *end = s + bytes;
    int first = 1;

    while (s < end) {
        const char *word;
        size_t w;

        while (s < end && (*s == ' ' || *s == '\n'))
            s++;
        for (word = s; s < end && *s != ' ' && *s != '\n';)
            s++;
        if (s == word)
            break;
        w = opthelp_width_of (word, (size_t)(s - word));
        if (!first && at + 1 + w > LINE_WIDTH) {
            (void)fputc ('\n', out);
            opthelp_spaces (out, indent);
            at = indent;
            first = 1;
        }
        if (!first) {
            (void)fputc (' ', out);
            at++;
        }
        (void)fwrite (word, 1, (size_t)(s - word), out);
        at += w;
        first = 0;
    }
    (void)fputc ('\n', out);
}

/* Paragraphs are separated by an empty line; those that begin with a space
 * stay as they are. */
static void put_paragraphs (FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr (text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen (text);

        if (*text == ' ')
            (void)fprintf (out, "%.*s\n", (int)n, text);
        else
            opthelp_put_wrapped (out, text, n, 0, 0);
        text += n;
        text += strspn (text, "\n");
        if (*text)
            (void)fputc ('\n', out);
    }
}

/* --- --help ----------------------------------------------------------- */

/* "-o, --output=DIR" */
static size_t opthelp_option_text (const struct opt *o, char *buf, size_t size)
{
    char letter[8] = "    ";

    if (o->letter)
        (void)snprintf (letter, sizeof (letter), "-%c, ", o->letter);
    (void)snprintf (buf, size, "%s--%s%s%s", letter, o->name, o->arg ? "=" : "",
                    o->arg ? o->arg : "");
    return opthelp_width_of (buf, strlen (buf));
}

static size_t help_column (const struct opt *opts)
{
    size_t column = sizeof ("  -h, --help") + 1;
    char buf[OPTION_BYTES];

    for (const struct opt *o = opts; o->name; o++) {
        size_t w = 2 + opthelp_option_text (o, buf, sizeof (buf)) + 2;

        if (o->help && w > column && w <= HELP_COLUMN_MAX)
            column = w;
    }
    return column;
}

static void print_option (FILE *out, const struct opt *o, size_t column)
{
    char buf[OPTION_BYTES];
    size_t w = 2 + opthelp_option_text (o, buf, sizeof (buf));

    (void)fprintf (out, "  %s", buf);
    if (w + 2 > column) {
        (void)fputc ('\n', out);
        w = 0;
    }
    opthelp_spaces (out, column - w);
    opthelp_put_wrapped (out, o->help, strlen (o->help), column, column);
}

void optparse_print_help (FILE *out,
                          const struct opt *opts,
                          const struct verb_help *help)
{
    const struct opt self = {"help", 'h',  OPT_FLAG,
                             NULL,   NULL, "show this help"};
    size_t column = help_column (opts);

    (void)fprintf (out, "Usage: %s\n", help->usage);
    if (help->summary)
        put_paragraphs (out, help->summary);
    if (help->text) {
        (void)fputc ('\n', out);
        put_paragraphs (out, help->text);
    }
    (void)fputs ("\nOptions:\n", out);
    for (const struct opt *o = opts; o->name; o++)
        if (o->help)
            print_option (out, o, column);
    print_option (out, &self, column);
    if (help->example)
        (void)fprintf (out, "\nExample:\n%s\n", help->example);
    if (help->exits)
        (void)fprintf (out, "\nExit status:\n%s\n", help->exits);
}

void optparse_completion (FILE *out, const struct opt *opts)
{
    for (const struct opt *o = opts; o->name; o++)
        if (o->help)
            (void)fprintf (out, "--%s%s\n", o->name, o->arg ? "=" : "");
    (void)fputs ("--help\n", out);
}

/* --- manual page ------------------------------------------------------ */

/* Text for troff: no line begins with a request, hyphens are ASCII ones. */
static void put_troff (FILE *out, const char *s, size_t bytes)
{
    int start = 1;

    for (const char *end = s + bytes; s < end; s++) {
        if (start && (*s == '.' || *s == '\''))
            (void)fputs ("\\&", out);
        if (*s == '\\')
            (void)fputs ("\\e", out);
        else if (*s == '-')
            (void)fputs ("\\-", out);
        else
            (void)fputc (*s, out);
        start = *s == '\n';
    }
}

static void opthelp_put_text (FILE *out, const char *s)
{
    put_troff (out, s, strlen (s));
}

static void put_section (FILE *out, const char *title, const char *text)
{
    if (!text)
        return;
    (void)fprintf (out, ".SH %s\n", title);
    for (; *text; text++) {
        const char *end = strstr (text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen (text);

        put_troff (out, text, n);
        (void)fputc ('\n', out);
        if (!end)
            break;
        (void)fputs (".PP\n", out);
        text = end + 1;
    }
}

/* Lines that stay lines. */
static void put_literal (FILE *out, const char *title, const char *text)
{
    if (!text)
        return;
    (void)fprintf (out, ".SH %s\n.nf\n", title);
    opthelp_put_text (out, text);
    (void)fputs ("\n.fi\n", out);
}

void optparse_man (FILE *out,
                   const struct opt *opts,
                   const struct verb_help *help,
                   const char *name)
{
    (void)fputs (".TH ", out);
    for (const char *p = name; *p; p++)
        (void)fputc (toupper ((unsigned char)*p), out);
    (void)fprintf (out, " 1 \"\" \"%s\" \"User Commands\"\n.SH NAME\n",
                   PACKAGE_STRING);
    opthelp_put_text (out, name);
    (void)fputs (" \\- ", out);
    opthelp_put_text (out, help->summary);
    (void)fputs ("\n.SH SYNOPSIS\n", out);
    opthelp_put_text (out, help->usage);
    (void)fputc ('\n', out);
    put_section (out, "DESCRIPTION", help->text ? help->text : help->summary);
    put_literal (out, "EXAMPLES", help->example);
    (void)fputs (".SH OPTIONS\n", out);
    for (const struct opt *o = opts; o->name; o++) {
        char buf[OPTION_BYTES];

        if (!o->help)
            continue;
        (void)opthelp_option_text (o, buf, sizeof (buf));
        (void)fputs (".TP\n.B ", out);
        opthelp_put_text (out, buf + strspn (buf, " "));
        (void)fputc ('\n', out);
        opthelp_put_text (out, o->help);
        (void)fputs (".\n", out);
    }
    put_literal (out, "EXIT STATUS", help->exits);
}
