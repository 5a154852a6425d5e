/* SPDX-License-Identifier: MIT
 *
 * words.c - any bytes as --dftrace=, a rule, a letter path: no crash, and what
 *           is taken is within its bounds
 *
 * make fuzz-words
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/settings/jobdir.h"
#include "lib/settings/site.h"
#include "lib/settings/plan.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void check_spec (const char *text)
{
    static struct tracespec spec;
    static struct settings settings;
    struct errtext err = {""};

    if (tracespec_parse (&spec, text, &err) < 0) {
        if (!err.text[0] || spec.layers != -1)
            abort ();
        return;
    }
    settings_init (&settings);
    settings_overlay (&settings, &spec.settings);
    if (settings.given != spec.settings.given)
        abort ();
}

static void check_rule (const char *text)
{
    const struct jobinfo job = {.user = text, .partition = text, .nnodes = 1};
    struct rule rule;
    struct errtext err = {""};

    if (rule_parse (&rule, text, &err) == 0)
        (void)rule_fits (&rule, &job);
    else if (!err.text[0])
        abort ();
}

static void check_path (const char *text)
{
    const struct jobinfo job = {.job_name = text,
                                .user = text,
                                .home = "/h",
                                .workdir = "/w",
                                .array_task_id = -1};
    static char path[SETTING_TEXT_MAX];
    struct errtext err = {""};

    if (jobdir_expand ("dir", text, &job, path, &err) == 0 &&
        (path[0] != '/' || strpbrk (path, "\n\r")))
        abort ();
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char *text = malloc (size + 1);

    if (!text)
        abort ();
    memcpy (text, data, size);
    text[size] = '\0';
    check_spec (text);
    check_rule (text);
    check_path (text);
    free (text);
    return 0;
}
