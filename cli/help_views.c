/* SPDX-License-Identifier: MIT
 *
 * help_views.c - `dftrace help views`, `where`, `columns` and `rules`
 *
 * In:  views.def, viewcolumns.def, groupkeys.def,
 *      eventcolumns.def, insights.def
 * Out: text
 */
#include "config.h"

#include "cli/help_views.h"

#include <stdio.h>
#include <string.h>

#include "analyze/query/show.h"
#include "lib/model/view.h"
#include "analyze/facts/insight.h"

void help_views (void)
{
    (void)puts ("Tables of dftrace analyze --view VIEW:\n");
    for (int v = 0; v < VIEW_COUNT; v++)
        (void)printf ("  %-14s %s\n", view_table[v].word,
                      view_table[v].heading);
    (void)puts ("\nViews that are no tables in DIR/tables:\n");
    (void)puts ("  event          the events themselves, the longest first");
    (void)puts (
        "  tree           regions inside each other, with the calls under "
        "them");
    (void)puts (
        "\nKeys of --by KEY[,KEY] and --view KEY[,KEY]: events grouped by "
        "them\n");
    for (int k = 0; k < GROUP_KEYS; k++)
        (void)printf ("  %-14s %s\n", group_key_table[k].word,
                      group_key_table[k].help);
    (void)printf ("  %-14s %s\n", "arg.NAME",
                  "what a region says of itself: its argument NAME");
    (void)printf ("  %-14s %s\n", "COLUMN",
                  "columns of dftrace help where: name, errno, pid, offset");
    (void)printf ("  %-14s %s\n", "interval(TIME)",
                  "interval with its length: interval(1s)");
    (void)printf ("  %-14s %s\n", "log2(COLUMN)",
                  "numbers from a power of two to the next: log2(size)");
    (void)printf ("  %-14s %s\n", "bin(COLUMN, W)",
                  "numbers from a multiple of W to the next: bin(dur, 1ms)");
    (void)puts ("\nMeasures of --show, separated by commas:\n");
    for (int i = 0; i < SHOW_WHATS; i++)
        (void)printf ("  %s%-*s %s\n", show_table[i].word,
                      14 - (int)strlen (show_table[i].word),
                      show_table[i].of ? "(COLUMN)" : "", show_table[i].help);
    (void)printf ("  %-14s %s\n", "pN(COLUMN)",
                  "quantile, exactly: p50, p99, p99.9; the value of rank "
                  "N/100 * count");
}

/* --- conditions ----------------------------------------------------------- */

static void help_where_row (const struct where_column_info *c)
{
    static const char *const types[] = {
        [WHERE_TEXT] = "text",   [WHERE_NUMBER] = "number",
        [WHERE_BYTES] = "bytes", [WHERE_TIME] = "time",
        [WHERE_ERRNO] = "error", [WHERE_ANY] = "any"};

    (void)printf ("  %-10s %-7s %s\n", c->word, types[c->type], c->help);
}

void help_where (void)
{
    (void)puts (
        "Conditions of --where, of dftrace analyze and export:\n\n"
        "  --where 'dur > 10ms and size >= 1M and file ~ \"*.bin\"'\n"
        "  --where 'class = read and ret < size and not (rank in (0, 4))'\n"
        "  --where 'errno = ENOENT or arg.step = 3'\n"
        "\n"
        "  = != < <= > >=   a number with its unit, another column, a text\n"
        "  ~ !~             a shell pattern, case ignored; of a path without "
        "a / in it:\n"
        "                   of one component of the path\n"
        "  =~               a regular expression (POSIX, extended)\n"
        "  in (A, B)        one of these; not in (A, B)\n"
        "  has(COLUMN)      the event has a value there\n"
        "  and or not ( )   also && || !\n"
        "\n"
        "Times: ns us ms s min h. Bytes: K M G T and KiB are powers of 1024, "
        "kB MB GB of\n1000. A text with blanks stands in quotes. After = and "
        "!= a word without quotes is\na list of patterns (name=read,write), "
        "of numbers a list of ranges (rank=0-3,\ntime=2-); in quotes it is "
        "exactly that text. An event that does not have a value\nfulfils no "
        "condition on it; != and !~ are the contrary of = and ~. Several "
        "--where\nhave to hold all.\n\nColumns:\n");
    for (int c = 0; c < WHERE_COLUMNS; c++)
        if (where_column_taken ((enum where_column)c))
            help_where_row (where_column_info ((enum where_column)c));
    help_where_row (where_column_info (WHERE_argument));
}

/* One view: its columns with their units. */
static void help_columns_of (enum view v)
{
    (void)printf ("%s, %s.csv: a row is %s\n", view_table[v].word,
                  view_table[v].file, view_table[v].help);
    for (const struct view_column *c = NULL; (c = view_column_next (v, c));)
        if (!c->joined)
            (void)printf ("  %-21s%s%s%s %s\n", c->name, c->unit[0] ? " " : "",
                          c->unit, c->unit[0] ? "," : "", c->help);
    (void)putchar ('\n');
}

static void help_columns_top (void)
{
    (void)puts ("top --json: members of a line; sums are of the interval, over "
                "all threads");
    for (int i = 0; i < TOP_COLUMN_COUNT; i++) {
        const struct top_column_info *c = &top_column_table[i];

        (void)printf ("  %-21s%s%s%s %s\n", c->name, c->unit[0] ? " " : "",
                      c->unit, c->unit[0] ? "," : "", c->help);
    }
    (void)putchar ('\n');
}

void help_columns (void)
{
    (void)puts ("Columns of the tables of dftrace analyze, the same in text, "
                "CSV, JSON and SQLite:\n");
    for (int v = 0; v < VIEW_COUNT; v++)
        help_columns_of ((enum view)v);
    help_columns_top ();
}

void help_rules (void)
{
    (void)puts ("Rules of dftrace analyze --view insight: a finding when a / b "
                "is beyond the limit.\nIt is critical when mending it could "
                "save 10 % of the job's time, a warning from\n1 %, minor below "
                "that; a rule about the numbers is critical beyond its second "
                "limit.\n");
    for (int i = 0; i < INSIGHT_COUNT; i++) {
        const struct insight_info *r = &insight_table[i];

        (void)printf ("%s: %s\n    %s / %s %s %g", r->name, r->finding,
                      r->what_a, r->what_b, r->below ? "below" : "above",
                      r->limit);
        if (!r->costs)
            (void)printf (", critical %g", r->critical);
        (void)printf ("; from view %s.\n    Try: %s.\n", r->from, r->advice);
    }
}
