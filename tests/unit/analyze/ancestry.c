/* SPDX-License-Identifier: MIT
 *
 * ancestry.c - parents and heads of many small jobs, by looking at all others
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/facts/ancestry.h"

enum { PROCESSES = 40, JOBS = 3000 };

static struct trace_process who[PROCESSES];
static struct process process[PROCESSES];
static struct totals job = {.process = process, .processes = PROCESSES};

static int order (const void *va, const void *vb)
{
    const struct trace_process *a = va, *b = vb;
    int rc = strcmp (a->text[SHARD_STRING_HOST], b->text[SHARD_STRING_HOST]);

    if (rc)
        return rc;
    if (a->p.start_real != b->p.start_real)
        return a->p.start_real < b->p.start_real ? -1 : 1;
    return a->p.pid < b->p.pid ? -1 : a->p.pid > b->p.pid;
}

/* Few ids, few times: so that each is used again. */
static void make_job (void)
{
    memset (who, 0, sizeof (who));
    memset (process, 0, sizeof (process));
    for (int i = 0; i < PROCESSES; i++) {
        who[i].text[SHARD_STRING_HOST] = rand () % 2 ? "a" : "b";
        who[i].p.pid = (uint32_t)rand () % 12;
        who[i].p.ppid = (uint32_t)rand () % 12;
        who[i].p.start_real = (uint64_t)rand () % 20;
        who[i].p.rank = rand () % 3 ? -1 : rand () % 4;
        who[i].p.step_id = rand () % 2 - 1;
        who[i].p.job_id = (uint64_t)rand () % 2;
    }
    qsort (who, PROCESSES, sizeof (who[0]), order);
    for (int i = 0; i < PROCESSES; i++)
        process[i].who = &who[i];
}

static int same_host (const struct process *a, const struct process *b)
{
    return strcmp (a->who->text[SHARD_STRING_HOST],
                   b->who->text[SHARD_STRING_HOST]) == 0;
}

static struct process *slow_parent (const struct process *p)
{
    struct process *parent = NULL, *before = NULL;

    for (int i = 0; i < PROCESSES; i++) {
        struct process *q = &process[i];
        struct process **found = q->who->p.pid == p->who->p.pid    ? &before
                                 : q->who->p.pid == p->who->p.ppid ? &parent
                                                                   : NULL;

        if (!found || q == p || !same_host (q, p) ||
            q->who->p.start_real > p->who->p.start_real)
            continue;
        if (!*found || q->who->p.start_real > (*found)->who->p.start_real)
            *found = q;
    }
    return before ? before : parent;
}

static struct process *slow_head (struct process *p)
{
    struct process *head = p, *up;

    for (int i = 0; p->who->p.rank >= 0 && i < PROCESSES; i++) {
        const struct shard_process *q = &process[i].who->p;

        if (q->rank == p->who->p.rank && q->step_id == p->who->p.step_id &&
            q->job_id == p->who->p.job_id)
            return &process[i];
    }
    for (int depth = 0; depth < PROCESSES; depth++) {
        if (!(up = slow_parent (head)) || up->who->p.rank >= 0)
            break;
        head = up;
    }
    return head;
}

static int slow_replaced (int i)
{
    for (int k = i + 1; k < PROCESSES && same_host (&process[i], &process[k]);
         k++)
        if (process[k].who->p.pid == process[i].who->p.pid)
            return 1;
    return 0;
}

static void test_as_by_looking_at_all (void **state)
{
    struct ancestry a;

    (void)state;
    srand (7);
    for (int n = 0; n < JOBS; n++) {
        make_job ();
        ancestry_open (&a, &job);
        for (int i = 0; i < PROCESSES; i++) {
            struct process *p = &process[i];

            assert_ptr_equal (ancestry_parent (&a, p), slow_parent (p));
            assert_ptr_equal (ancestry_head (&a, p), slow_head (p));
            assert_int_equal (ancestry_replaced (&a, p), slow_replaced (i));
        }
        ancestry_close (&a);
    }
}

static void test_no_process (void **state)
{
    struct totals none = {0};
    struct ancestry a = {0};

    (void)state;
    ancestry_close (&a);
    ancestry_open (&a, &none);
    ancestry_close (&a);
    ancestry_close (&a);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_as_by_looking_at_all),
        cmocka_unit_test (test_no_process),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
