/* SPDX-License-Identifier: MIT
 *
 * optparse.c - option table and argv -> parsed values; --help, manual text
 */
#include "config.h"

#include <ctype.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/textable.h"
#include "lib/util/xalloc.h"

static const struct opt help_option = {"help", 'h', OPT_FLAG, NULL, NULL, NULL};

enum { WORD_MAX = 64 }; /* longer words have no near one */

/* --- nearest word ----------------------------------------------------- */

static int same_letter (char a, char b)
{
    return tolower ((unsigned char)a) == tolower ((unsigned char)b);
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b. */
static int edit_distance (const char *a, const char *b)
{
    int row[3][WORD_MAX + 1];
    int na = (int)strlen (a), nb = (int)strlen (b);

    if (na > WORD_MAX || nb > WORD_MAX)
        return INT_MAX;
    for (int j = 0; j <= nb; j++)
        row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *r = row[i % 3], *r1 = row[(i + 2) % 3], *r2 = row[(i + 1) % 3];

        r[0] = i;
        for (int j = 1; j <= nb; j++) {
            int best = r1[j - 1] + !same_letter (a[i - 1], b[j - 1]);

            if (r1[j] + 1 < best)
                best = r1[j] + 1;
            if (r[j - 1] + 1 < best)
                best = r[j - 1] + 1;
            if (i > 1 && j > 1 && same_letter (a[i - 1], b[j - 2]) &&
                same_letter (a[i - 2], b[j - 1]) && r2[j - 2] + 1 < best)
                best = r2[j - 2] + 1;
            r[j] = best;
        }
    }
    return row[na % 3][nb];
}

const char *nearest_word (const char *word, const char *const *list)
{
    const char *nearest = NULL;
    int best = (int)(strlen (word) / 3) + 1;

    for (; *list; list++) {
        int d = edit_distance (word, *list);

        if (d < best) {
            best = d;
            nearest = *list;
        }
    }
    return nearest;
}

/* --- finding an option ------------------------------------------------ */

static const char *nearest_option (const struct opt *opts, const char *name)
{
    const char *nearest = NULL;
    int best = (int)(strlen (name) / 3) + 1, d;

    for (const struct opt *o = opts; o->name; o++)
        if (o->help && (d = edit_distance (name, o->name)) < best) {
            best = d;
            nearest = o->name;
        }
    return nearest;
}

/* The option of "name" or "name=value": whole, or the only one that begins
 * so. */
static const struct opt *
find_long (const struct opt *opts, const char *word, struct errtext *err)
{
    size_t n = strcspn (word, "=");
    const struct opt *found = NULL, *second = NULL;
    char name[WORD_MAX + 1];
    const char *nearest;

    for (const struct opt *o = opts; n > 0; o++) {
        const struct opt *c = o->name ? o : &help_option;

        if (strncmp (c->name, word, n) == 0) {
            if (c->name[n] == '\0')
                return c;
            second = found;
            found = c;
        }
        if (!o->name)
            break;
    }
    if (second) {
        errf (err, "--%.*s: could be --%s or --%s", (int)n, word, second->name,
              found->name);
        return NULL;
    }
    if (found)
        return found;
    FORMAT (name, "%.*s", (int)n, word);
    nearest = nearest_option (opts, name);
    errf (err, "--%.*s: no such option%s%s; see --help", (int)n, word,
          nearest ? ": did you mean --" : "", nearest ? nearest : "");
    return NULL;
}

static const struct opt *
find_letter (const struct opt *opts, char letter, struct errtext *err)
{
    for (const struct opt *o = opts; o->name; o++)
        if (o->letter && o->letter == letter)
            return o;
    if (letter == help_option.letter)
        return &help_option;
    errf (err, "-%c: no such option; see --help", letter);
    return NULL;
}

/* --- values ----------------------------------------------------------- */

static int set_int (const struct opt *o, const char *value, struct errtext *err)
{
    uint64_t n;

    if (parse_u64 (value, &n) < 0 || n > INT_MAX)
        return errf (err, "--%s: %s: not a whole number", o->name, value);
    *(int *)o->dest = (int)n;
    return 0;
}

static int
append_list (const struct opt *o, const char *value, struct errtext *err)
{
    struct opt_list *list = o->dest;

    if (list->count == OPT_LIST_MAX)
        return errf (err, "--%s: given more than %d times", o->name,
                     OPT_LIST_MAX);
    list->item[list->count++] = value;
    return 0;
}

static int
set_format (const struct opt *o, const char *value, struct errtext *err)
{
    int format = table_format_parse (value);

    if (format < 0)
        return errf (err,
                     "--%s: %s: no such format: use text, csv, markdown or "
                     "json",
                     o->name, value);
    *(enum table_format *)o->dest = format;
    return 0;
}

static int
set_value (const struct opt *o, const char *value, struct errtext *err)
{
    switch (o->type) {
    case OPT_FLAG:
        *(int *)o->dest = 1;
        return 0;
    case OPT_TEXT:
        *(const char **)o->dest = value;
        return 0;
    case OPT_INT:
        return set_int (o, value, err);
    case OPT_SIZE:
        if (parse_size (value, o->dest) < 0)
            return errf (err, "--%s: %s: not a size such as 64K or 1G", o->name,
                         value);
        return 0;
    case OPT_DURATION:
        if (parse_duration (value, o->dest) < 0)
            return errf (err,
                         "--%s: %s: not a duration such as 500ms, 30s or 2h",
                         o->name, value);
        return 0;
    case OPT_FORMAT:
        return set_format (o, value, err);
    case OPT_LIST:
        return append_list (o, value, err);
    }
    return 0;
}

/* --- argv ------------------------------------------------------------- */

struct walk {
    const struct opt *opts;
    int argc, next; /* next: index of the next word */
    char **argv;
    int help;
    int stop_at_operand;
    struct errtext *err;
};

/* "--name", "--name=value", "--name value". */
static int take_long (struct walk *w, const char *word)
{
    const struct opt *o = find_long (w->opts, word, w->err);
    const char *value = strchr (word, '=');

    if (!o)
        return -1;
    if (o->type == OPT_FLAG && value)
        return errf (w->err, "--%s: takes no value", o->name);
    if (o == &help_option) {
        w->help = 1;
        return 0;
    }
    if (o->type != OPT_FLAG) {
        if (value)
            value++;
        else if (w->next < w->argc)
            value = w->argv[w->next++];
        else
            return errf (w->err, "--%s: needs a value: %s", o->name, o->arg);
    }
    return set_value (o, value, w->err);
}

/* "-a", "-ab", "-ovalue", "-o value". */
static int take_letters (struct walk *w, const char *letters)
{
    for (; *letters; letters++) {
        const struct opt *o = find_letter (w->opts, *letters, w->err);

        if (!o)
            return -1;
        if (o == &help_option) {
            w->help = 1;
            continue;
        }
        if (o->type == OPT_FLAG) {
            if (set_value (o, NULL, w->err) < 0)
                return -1;
            continue;
        }
        if (letters[1])
            return set_value (o, letters + 1, w->err);
        if (w->next >= w->argc)
            return errf (w->err, "-%c: needs a value: %s", *letters, o->arg);
        return set_value (o, w->argv[w->next++], w->err);
    }
    return 0;
}

/* Options to the front of argv, operands behind them, both in their order.
 * *operands: index of the first operand. */
static int walk_words (struct walk *w, int *operands)
{
    char **operand = ZEROED (operand, (size_t)w->argc + 1);
    int n = 0, front = 1, rc = 0;

    while (rc == 0 && w->next < w->argc) {
        char *word = w->argv[w->next];
        int from = w->next++;

        if (strcmp (word, "--") == 0) {
            w->argv[front++] = word;
            break;
        }
        if (word[0] != '-' || word[1] == '\0') {
            operand[n++] = word;
            if (w->stop_at_operand)
                break;
            continue;
        }
        rc = word[1] == '-' ? take_long (w, word + 2)
                            : take_letters (w, word + 1);
        while (from < w->next)
            w->argv[front++] = w->argv[from++];
    }
    while (w->next < w->argc)
        operand[n++] = w->argv[w->next++];
    if (rc == 0) {
        *operands = front;
        for (int i = 0; i < n; i++)
            w->argv[front + i] = operand[i];
    }
    free (operand);
    return rc;
}

/* Print the options for completion and manual pages; this is not part of
 * --help. */
static int print_for_tools (const char *word,
                            const struct opt *opts,
                            const struct verb_help *help,
                            const char *verb)
{
    char page[WORD_MAX + 1];

    if (strcmp (word, "--help-words") == 0) {
        optparse_completion (stdout, opts);
        return 1;
    }
    if (strcmp (word, "--help-all") == 0) {
        optparse_print_help (stdout, opts, help);
        return 1;
    }
    if (strcmp (word, "--help-man") != 0)
        return 0;
    FORMAT (page, "dftrace-%s", verb);
    optparse_man (stdout, opts, help, page);
    return 1;
}

static void optparse_print_short (FILE *out,
                                  const struct opt *opts,
                                  const struct verb_help *help);

enum optparse_result optparse (const struct opt *opts,
                               const struct verb_help *help,
                               int argc,
                               char **argv,
                               int *operands,
                               struct errtext *err)
{
    struct walk w = {.stop_at_operand = help->stop_at_operand,
                     .opts = opts,
                     .argc = argc,
                     .next = 1,
                     .argv = argv,
                     .err = err};

    if (argc == 2 && print_for_tools (argv[1], opts, help, argv[0]))
        return OPTPARSE_HELP;
    if (walk_words (&w, operands) < 0) {
        errno = EINVAL;
        return OPTPARSE_ERROR;
    }
    if (w.help) {
        optparse_print_short (stdout, opts, help);
        return OPTPARSE_HELP;
    }
    return OPTPARSE_OK;
}

int flush_output (int status)
{
    if (fflush (stdout) == 0 && !ferror (stdout))
        return status;
    log_error ("standard output: cannot write: is the disk full?");
    return status == EXIT_OK ? EXIT_FAILED : status;
}

int optparse_operands (const struct opt *opts,
                       const struct verb_help *help,
                       int argc,
                       char **argv)
{
    struct errtext err;
    int first;
    enum optparse_result rc = optparse (opts, help, argc, argv, &first, &err);
    int n = argc - first;

    if (rc == OPTPARSE_HELP)
        exit (flush_output (EXIT_OK));
    if (rc == OPTPARSE_ERROR)
        die_with (EXIT_USAGE, "%s", err.text);
    if (n < help->least || (help->most && n > help->most))
        die_with (EXIT_USAGE, "%s operand: usage: %s",
                  n < help->least ? "missing" : "too many", help->usage);
    return first;
}

/* ---- option table -> --help, completion words, manual page ---- */

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
        fputc (' ', out);
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
        w = opthelp_width_of (word, s - word);
        if (!first && at + 1 + w > LINE_WIDTH) {
            fputc ('\n', out);
            opthelp_spaces (out, indent);
            at = indent;
            first = 1;
        }
        if (!first) {
            fputc (' ', out);
            at++;
        }
        fwrite (word, 1, s - word, out);
        at += w;
        first = 0;
    }
    fputc ('\n', out);
}

/* Paragraphs are separated by an empty line; those that begin with a space
 * stay as they are. */
static void put_paragraphs (FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr (text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen (text);

        if (*text == ' ')
            fprintf (out, "%.*s\n", (int)n, text);
        else
            opthelp_put_wrapped (out, text, n, 0, 0);
        text += n;
        text += strspn (text, "\n");
        if (*text)
            fputc ('\n', out);
    }
}

/* --- --help ----------------------------------------------------------- */

/* "-o, --output=DIR" */
static size_t opthelp_option_text (const struct opt *o, char *buf, size_t size)
{
    char letter[8] = "    ";

    if (o->letter)
        FORMAT (letter, "-%c, ", o->letter);
    snprintf (buf, size, "%s--%s%s%s", letter, o->name, o->arg ? "=" : "",
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

    fprintf (out, "  %s", buf);
    if (w + 2 > column) {
        fputc ('\n', out);
        w = 0;
    }
    opthelp_spaces (out, column - w);
    opthelp_put_wrapped (out, o->help, strlen (o->help), column, column);
}

/* The first `shown` options; rest: say where all of it is. */
static void print_help (FILE *out,
                        const struct opt *opts,
                        const struct verb_help *help,
                        int shown,
                        int rest)
{
    const struct opt self = {"help", 'h',  OPT_FLAG,
                             NULL,   NULL, "show this help"};
    size_t column = help_column (opts);

    fprintf (out, "Usage: %s\n", help->usage);
    if (help->summary)
        put_paragraphs (out, help->summary);
    if (help->text) {
        fputc ('\n', out);
        put_paragraphs (out, help->text);
    }
    fputs ("\nOptions:\n", out);
    for (const struct opt *o = opts; o->name; o++)
        if (o->help && shown-- > 0)
            print_option (out, o, column);
    print_option (out, &self, column);
    if (rest) {
        int verb = (int)strcspn (help->usage, " ") + 1;

        verb += (int)strcspn (help->usage + verb, "[");
        if (shown < 0)
            fprintf (out, "%d options more", -shown);
        fprintf (out, "%s: dftrace help %.*s\n", shown < 0 ? "" : "More of it",
                 verb - 9, help->usage + 8);
    }
    if (help->example)
        fprintf (out, "\nExample:\n%s\n", help->example);
    if (help->exits)
        fprintf (out, "\nExit status:\n%s\n", help->exits);
}

void optparse_print_help (FILE *out,
                          const struct opt *opts,
                          const struct verb_help *help)
{
    print_help (out, opts, help, INT_MAX, 0);
}

/* Three lines of examples. */
static const char *short_example (const char *example, char *to, size_t size)
{
    size_t n = 0;

    for (int lines = 0; example && example[n] && lines < 3; lines++)
        n += strcspn (example + n, "\n") + 1;
    snprintf (to, size, "%.*s", n ? (int)n - 1 : 0, example ? example : "");
    return *to ? to : NULL;
}

static void optparse_print_short (FILE *out,
                                  const struct opt *opts,
                                  const struct verb_help *help)
{
    enum { HELP_LINES = 40, OPTIONS_MOST = 99 };
    char example[1024], *text = NULL;
    struct verb_help less = *help;
    size_t size, lines = HELP_LINES + 1;

    for (int shown = OPTIONS_MOST; shown > 0 && lines > HELP_LINES; shown--) {
        FILE *memory = xmemstream (&text, &size);

        print_help (memory, opts, shown == OPTIONS_MOST ? help : &less, shown,
                    shown != OPTIONS_MOST);
        xmemstream_end (memory);
        lines = 0;
        for (const char *p = text; (p = strchr (p, '\n')); p++)
            lines++;
        if (lines <= HELP_LINES)
            fputs (text, out);
        free (text);
        text = NULL;
        less.text = less.exits = NULL;
        less.example = short_example (help->example, example, sizeof (example));
    }
}

void optparse_completion (FILE *out, const struct opt *opts)
{
    for (const struct opt *o = opts; o->name; o++)
        if (o->help)
            fprintf (out, "--%s%s\n", o->name, o->arg ? "=" : "");
    fputs ("--help\n", out);
}

/* --- manual page ------------------------------------------------------ */

/* Text for troff: no line begins with a request, hyphens are ASCII ones. */
static void put_troff (FILE *out, const char *s, size_t bytes)
{
    int start = 1;

    for (const char *end = s + bytes; s < end; s++) {
        if (start && (*s == '.' || *s == '\''))
            fputs ("\\&", out);
        if (*s == '\\')
            fputs ("\\e", out);
        else if (*s == '-')
            fputs ("\\-", out);
        else
            fputc (*s, out);
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
    fprintf (out, ".SH %s\n", title);
    for (; *text; text++) {
        const char *end = strstr (text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen (text);

        put_troff (out, text, n);
        fputc ('\n', out);
        if (!end)
            break;
        fputs (".PP\n", out);
        text = end + 1;
    }
}

/* Lines that stay lines. */
static void put_literal (FILE *out, const char *title, const char *text)
{
    if (!text)
        return;
    fprintf (out, ".SH %s\n.nf\n", title);
    opthelp_put_text (out, text);
    fputs ("\n.fi\n", out);
}

void optparse_man (FILE *out,
                   const struct opt *opts,
                   const struct verb_help *help,
                   const char *name)
{
    fputs (".TH ", out);
    for (const char *p = name; *p; p++)
        fputc (toupper ((unsigned char)*p), out);
    fprintf (out, " 1 \"\" \"%s\" \"User Commands\"\n.SH NAME\n",
             PACKAGE_STRING);
    opthelp_put_text (out, name);
    fputs (" \\- ", out);
    opthelp_put_text (out, help->summary);
    fputs ("\n.SH SYNOPSIS\n", out);
    opthelp_put_text (out, help->usage);
    fputc ('\n', out);
    put_section (out, "DESCRIPTION", help->text ? help->text : help->summary);
    put_literal (out, "EXAMPLES", help->example);
    fputs (".SH OPTIONS\n", out);
    for (const struct opt *o = opts; o->name; o++) {
        char buf[OPTION_BYTES];

        if (!o->help)
            continue;
        opthelp_option_text (o, buf, sizeof (buf));
        fputs (".TP\n.B ", out);
        opthelp_put_text (out, buf + strspn (buf, " "));
        fputc ('\n', out);
        opthelp_put_text (out, o->help);
        fputs (".\n", out);
    }
    put_literal (out, "EXIT STATUS", help->exits);
}
