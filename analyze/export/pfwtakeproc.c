/* SPDX-License-Identifier: MIT
 *
 * pfwtakeproc.c - processes of a job -> lines of metadata, "start" and "end"
 *
 * In:  processes, from pfwtake.c
 * Out: lines among its records
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/export/pfwtaker.h"

static const struct pfw_named *string_hash (struct pfw_taker *t,
                                            const struct trace_process *who,
                                            const char *kind,
                                            enum shard_string string)
{
    return pfw_taker_text (t, who, who->p.pid, kind, who->text[string],
                           strlen (who->text[string]));
}

/* The command line with blanks between its words. */
static const struct pfw_named *command_hash (struct pfw_taker *t,
                                             const struct trace_process *who)
{
    char *text = strdup (who->text[SHARD_STRING_ARGV]);
    const struct pfw_named *name = NULL;

    for (char *c = text; c && *c; c++)
        if (*c == 0x1f)
            *c = ' ';
    if (text)
        name = pfw_taker_text (t, who, who->p.pid, "SH", text, strlen (text));
    free (text);
    return name;
}

static int put_rank (struct pfw_taker *t,
                     const struct trace_process *who,
                     const struct pfw_named *host)
{
    size_t from = pfw_taker_begin (t, who, who->p.pid, "PR");

    pfw_taker_hash (t, ",\"ph\":\"M\",\"args\":{\"hhash\":\"", host);
    OUTBUF_PUT (&t->out->texts, "\",\"name\":\"rank\",\"value\":\"");
    outbuf_i64 (&t->out->texts, who->p.rank);
    OUTBUF_PUT (&t->out->texts, "\"}}");
    return pfw_taker_end (t, from, 0);
}

/* The begin of "start" or "end". */
static size_t begin_moment (struct pfw_taker *t,
                            const struct trace_process *who,
                            const char *name,
                            uint64_t us,
                            const struct pfw_named *host)
{
    size_t from = pfw_taker_begin (t, who, who->p.pid, name);

    t->moments++;
    OUTBUF_PUT (&t->out->texts, ",\"ts\":");
    outbuf_u64 (&t->out->texts, us);
    pfw_taker_hash (t, ",\"dur\":0,\"ph\":\"X\",\"args\":{\"hhash\":\"", host);
    return from;
}

int pfw_taker_process (struct pfw_taker *t, const struct trace_process *who)
{
    struct outbuf *b = &t->out->texts;
    const struct pfw_named *host = pfw_taker_host (t, who, who->p.pid);
    const struct pfw_named *exec = string_hash (t, who, "SH", SHARD_STRING_EXE);
    const struct pfw_named *cmd = command_hash (t, who);
    const struct pfw_named *cwd = string_hash (t, who, "FH", SHARD_STRING_CWD);
    uint64_t us = who->p.start_real / 1000;
    size_t from;

    if (!host || !exec || !cmd || !cwd ||
        (who->p.rank >= 0 && put_rank (t, who, host) < 0))
        return -1;
    from = begin_moment (t, who, "start", us, host);
    pfw_taker_hash (t, "\",\"exec_hash\":\"", exec);
    pfw_taker_hash (t, "\",\"cmd_hash\":\"", cmd);
    pfw_taker_hash (t, "\",\"cwd\":\"", cwd);
    OUTBUF_PUT (b, "\",\"ppid\":");
    outbuf_u64 (b, who->p.ppid);
    OUTBUF_PUT (b, ",\"job_id\":");
    outbuf_u64 (b, who->p.job_id);
    OUTBUF_PUT (b, "}}");
    return pfw_taker_end (t, from, us);
}

int pfw_taker_ended (struct pfw_taker *t, const struct trace_process *who)
{
    const struct pfw_named *host = pfw_taker_host (t, who, who->p.pid);
    uint64_t end = shard_in_order (&who->p) ? who->p.end_ns : who->p.exec_ns;
    uint64_t us;
    size_t from;

    if (!end || !host)
        return host ? 0 : -1;
    us = trace_real_ns (who, end) / 1000;
    from = begin_moment (t, who, "end", us, host);
    OUTBUF_PUT (&t->out->texts, "\"}}");
    return pfw_taker_end (t, from, us);
}
