/* SPDX-License-Identifier: MIT
 *
 * plugstack.c - Slurm's plugstack.conf -> our line in it
 *
 * In:  "required|optional FILE [WORD...]", "include GLOB", # comments
 * Out: struct plugstack
 */
#include "config.h"

#include <glob.h>

#include "cli/doctor/doctor.h"
#include "lib/base/array.h"

enum { INCLUDE_DEPTH = 8 };

static const char blank[] = " \t\r\n";

static void
plugstack_read_file (struct plugstack *p, const char *file, int depth);

static int plugstack_is_ours (const char *path)
{
    const char *slash = strrchr (path, '/');

    return strcmp (slash ? slash + 1 : path, "dftrace.so") == 0;
}

/* The words behind the kind, which stay in p->text. */
static void
plugstack_take_line (struct plugstack *p, const char *file, const char *line)
{
    char *save, *word;
    int required;

    if (p->lines++)
        return;
    FORMAT (p->text, "%s", line);
    FORMAT (p->file, "%s", file);
    word = strtok_r (p->text, blank, &save);
    required = word && strcmp (word, "required") == 0;
    p->required = required;
    p->path = strtok_r (NULL, blank, &save);
    while (p->words < PLUGSTACK_WORDS && (word = strtok_r (NULL, blank, &save)))
        p->word[p->words++] = word;
}

static void include (struct plugstack *p, const char *pattern, int depth)
{
    glob_t found;

    if (depth >= INCLUDE_DEPTH || glob (pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        plugstack_read_file (p, found.gl_pathv[i], depth + 1);
    globfree (&found);
}

static void
plugstack_take (struct plugstack *p, const char *file, char *line, int depth)
{
    char kind[32], path[4096];

    line[strcspn (line, "#")] = '\0';
    if (sscanf (line, "%31s %4095s", kind, path) != 2)
        return;
    if (strcmp (kind, "include") == 0)
        include (p, path, depth);
    else if (plugstack_is_ours (path))
        plugstack_take_line (p, file, line);
}

static void
plugstack_read_file (struct plugstack *p, const char *file, int depth)
{
    FILE *in = fopen (file, "re");
    char *line = NULL;
    size_t room = 0;

    if (!in)
        return;
    p->readable = 1;
    while (getline (&line, &room, in) >= 0)
        plugstack_take (p, file, line, depth);
    free (line);
    fclose (in);
}

void plugstack_read (struct plugstack *p, const char *file)
{
    ZERO (p);
    plugstack_read_file (p, file, 0);
}
