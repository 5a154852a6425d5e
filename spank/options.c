/* SPDX-License-Identifier: MIT
 *
 * options.c - --dftrace=LAYER[,LAYER...][,KEY=VALUE...] -> one word
 *
 * In:  the option, from Slurm, in the order: inherited, #SBATCH, command line
 * Out: the last one, for task_side.c; a complaint before the job is submitted
 * Caveat: a refusal on the remote side could drain a node, so a bad value
 *         is only remembered there.
 */
#include "config.h"

#include "lib/settings/settings.h"
#include "spank/message.h"
#include "spank/sides.h"

static struct {
    int given, bad;
    struct tracespec spec;
    struct errtext err;
} last;

struct plan_word options_word (void)
{
    return (struct plan_word){
        .name = "--dftrace",
        .spec = last.given && !last.bad ? &last.spec : NULL,
        .problem = last.bad ? last.err.text : NULL,
    };
}

/* Slurm calls this once for every place that says the option, and before
 * 24.05 twice for each. */
static int option_given (int val, const char *text, int remote)
{
    last.given = 1;
    last.bad = tracespec_parse (&last.spec, text, &last.err) < 0;
    if (!last.bad || remote)
        return 0;
    say (SAY_ERROR, "--dftrace: %s", last.err.text);
    return -1;
}

void options_register (spank_t sp)
{
    static char usage[] =
        "[dftrace] trace the I/O of a job: posix, app, mmap, kernel, nobatch, "
        "strict; off";
    static char name[] = "dftrace";
    static char arginfo[] = "LAYER[,LAYER...][,KEY=VALUE...]";
    static struct spank_option option = {
        .name = name,
        .arginfo = arginfo,
        .usage = usage,
        .has_arg = 1,
        .val = 0,
        .cb = option_given,
    };

    last.given = last.bad = 0;
    if (spank_option_register (sp, &option) != ESPANK_SUCCESS)
        say (SAY_ERROR, "cannot register --dftrace: listed twice in "
                        "plugstack.conf?");
}

/* ---- options and environment of the user -> early complaint ---- */

/* In words of a command line, up to end: the text of --wrap, or NULL. */
static char *submit_side_wrapped (char *words, const char *end)
{
    static const char wrap[] = "--wrap";
    const size_t n = sizeof (wrap) - 1;

    for (char *word = words; word < end; word += strlen (word) + 1) {
        if (strncmp (word, wrap, n) != 0)
            continue;
        if (word[n] == '=')
            return word + n + 1;
        if (word[n])
            continue;
        word += n + 1;
        return word < end ? word : NULL;
    }
    return NULL;
}

/* The script of an sbatch with its arguments, or NULL. sbatch reads its command
 * line last, up to the script's name: behind the options. */
static char *submit_side_script (char *words, const char *end)
{
    char *script = words;
    struct stat st;

    for (int i = 0; i < optind && script < end; i++)
        script += strlen (script) + 1;
    if (script >= end || stat (script, &st) < 0 || !S_ISREG (st.st_mode))
        return NULL;
    for (char *p = script; p < end - 1; p++)
        if (!*p)
            *p = ' ';
    return script;
}

/* Slurm itself does not tell the node what an sbatch was given. */
static void submit_side_name_script (void)
{
    char words[SETTING_TEXT_MAX];
    const char *text, *end;
    int fd = open ("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read (fd, words, sizeof (words));

    if (fd >= 0)
        close (fd);
    if (n <= 0)
        return;
    end = words + n;
    words[n - 1] = '\0'; /* also where the rest was cut off */
    if (!(text = submit_side_script (words, end)))
        text = submit_side_wrapped (words, end);
    if (text)
        setenv (PLAN_SCRIPT, text, 1);
}

static int submit_side_is_sbatch (void)
{
    return strcmp (program_invocation_short_name, "sbatch") == 0;
}

int submit_side_check (void)
{
    static struct tracespec spec;
    const char *text = settings_environ (NULL, PLAN_MIRROR);
    struct errtext err;

    unsetenv (PLAN_SCRIPT); /* of a job that this one is submitted from */
    if (submit_side_is_sbatch () && (last.given || !plan_is_unset (text)))
        submit_side_name_script ();
    if (last.given || plan_is_unset (text) ||
        tracespec_parse (&spec, text, &err) == 0)
        return 0;
    say (SAY_ERROR, "" PLAN_MIRROR ": %s", err.text);
    return -1;
}
