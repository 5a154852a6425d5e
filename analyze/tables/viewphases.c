/* SPDX-License-Identifier: MIT
 *
 * viewphases.c - facts of a job -> tables of time: bill, I/O costs, clocks,
 * start, training, checkpoints
 *
 * In:  struct result, from views.c
 * Out: rows
 */
#include "config.h"

#include "analyze/facts/clocks.h"
#include "analyze/tables/views.h"
#include "lib/base/array.h"
#include "lib/model/kind.h"

/* Seconds since the start of the job; 0 is never. */
static void put_since (struct textable *t, const struct result *r, uint64_t ns)
{
    if (ns)
        cell_seconds (t, ns > r->summary->start ? ns - r->summary->start : 0);
    else
        textable_na (t);
}

static void viewphases_put_rank (struct textable *t, const struct rank *k)
{
    cell_rank (t, k->first);
    textable_text (t, k->first->who->text[SHARD_STRING_HOST]);
}

/* --- clocks -------------------------------------------------------------- */

void fill_clock (struct textable *t, const struct result *r, size_t top)
{
    struct clocks c;

    clocks_make (&c, r->totals);
    for (size_t i = 0; i < c.nodes; i++) {
        const struct node_clock *n = &c.node[i];

        textable_line (t, "%s %s %zu %.3f %.3f", n->host,
                       clock_source_name (n->source), n->events,
                       n->source == CLOCK_BARRIERS || n->source == CLOCK_STARTS
                           ? n->offset / 1e3
                           : NAN,
                       n->source == CLOCK_BARRIERS ? n->spread / 1e3 : NAN);
    }
    clocks_clear (&c);
}

/* --- the gap ------------------------------------------------------------- */

static void viewphases_put_metric (struct textable *t,
                                   const struct result *r,
                                   enum metric m,
                                   const char *what)
{
    struct metric_value v = metric_compute (r->summary, m);

    textable_line (t, "%s", metric_table[m].name);
    textable_double (t, v.known ? v.value : NAN, metric_table[m].digits);
    textable_cells (t, "%s - %s", metric_table[m].unit,
                    v.known ? what : v.note);
}

/* A part of a time, both added up over ranks or threads. */
static void viewphases_put_part (struct textable *t,
                                 const char *part,
                                 uint64_t ns,
                                 uint64_t of,
                                 const char *what)
{
    textable_line (t, "%s %jus %s %.2f %s", part, ns, "s",
                   of ? 100 * (double)ns / (double)of : NAN, what);
}

static void put_loader (struct textable *t, const struct summary *s)
{
    uint64_t loader = s->over[SET_LOADER].sum;
    uint64_t reads = s->overlap[OVERLAP_LOADER_READ].common;

    viewphases_put_part (t, "loader", loader, loader,
                         "loader regions of the ranks, workers included");
    viewphases_put_part (t, "loader_reads", reads, loader,
                         "of it: POSIX reads of data files were running");
    viewphases_put_part (
        t, "loader_other", loader > reads ? loader - reads : 0, loader,
        "of it: no such read: opening, page faults, decoding, copies, "
        "the framework");
    viewphases_put_part (
        t, "loader_opening", s->n.data_meta.ns, loader,
        "in loader_other, at most: open, close, seek, stat of data "
        "files (sum over threads)");
}

static void put_faults (struct textable *t, const struct summary *s)
{
    struct metric_value v = metric_compute (s, METRIC_fault_stall_time);

    if (v.known)
        viewphases_put_part (
            t, "page_faults", s->mm.sum.stall_ns, s->over[SET_LOADER].sum,
            "in loader_other, mostly: threads asleep for major page "
            "faults (sum)");
    else {
        textable_line (t, "%s - %s - %s", "page_faults", "s", v.note);
    }
}

void fill_gap (struct textable *t, const struct result *r, size_t top)
{
    const struct train *n = &r->summary->train;

    viewphases_put_metric (
        t, r, METRIC_theoretical_bandwidth,
        "bytes per sample times samples a second: what training took");
    viewphases_put_metric (t, r, METRIC_delivered_bandwidth,
                           "bytes read over the same time");
    viewphases_put_metric (t, r, METRIC_read_bandwidth,
                           "what storage gave while it was read");
    viewphases_put_metric (
        t, r, METRIC_sample_bandwidth_total,
        "what one loader made of it: bytes of samples over their time");
    viewphases_put_metric (
        t, r, METRIC_bandwidth_used,
        "theoretical of read bandwidth; the gap to 100 % is explained "
        "below");
    viewphases_put_part (
        t, "training", n->sum, n->sum,
        "ranks, from their first to their last region, added up");
    viewphases_put_part (t, "waiting", n->stall, n->sum,
                         "of it: for the next batch (dataloader/fetch)");
    viewphases_put_part (t, "computing", n->compute, n->sum,
                         "of it: compute regions");
    viewphases_put_part (t, "framework", n->other, n->sum, "of it: neither");
    put_loader (t, r->summary);
    put_faults (t, r->summary);
}

/* --- start --------------------------------------------------------------- */

void fill_startup (struct textable *t, const struct result *r, size_t top)
{
    static const char *const waited[] = {
        [WAIT_UNKNOWN] = "-",
        [WAIT_REGIONS] = "barrier regions",
        [WAIT_SILENCE] = "silence while the index was written",
    };

    for (size_t i = 0; i < r->summary->ranks; i++) {
        const struct rank *k = &r->summary->rank[i];
        const struct startup *u = &k->startup;

        textable_row (t);
        viewphases_put_rank (t, k);
        put_since (t, r, k->start);
        put_since (t, r, u->step_first);
        textable_cells (t, "%ju %jus %d?%jus %s %ju %ju %ju %ju %jus",
                        u->built_bytes, u->built_last - u->built_first,
                        k->waited != WAIT_UNKNOWN, k->wait, waited[k->waited],
                        u->index_reads, u->index_read_bytes, u->maps,
                        u->map_bytes, u->map_ns);
        put_since (t, r, u->map_first);
        put_since (t, r, u->map_last);
    }
}

/* --- checkpoints -----------------------------------------------------------
 */

static void
cell_seen (struct textable *t, const struct result *r, uint64_t ns, int seen)
{
    if (seen)
        cell_union (t, r, ns);
    else
        textable_na (t);
}

/* The parts of what held it up, and when it was on storage. */
static void viewphases_put_saves (struct textable *t,
                                  const struct result *r,
                                  const struct rank *k)
{
    const struct summary *s = r->summary;

    cell_seen (t, r, k->saved[CKPT_GATHER], s->over[SET_COMM].ranks > 0);
    cell_seen (t, r, k->saved[CKPT_SERIALISE],
               s->n.regions[ROLE_CHECKPOINT] > 0);
    cell_union (t, r, k->saved[CKPT_META]);
    cell_union (t, r, k->saved[CKPT_WRITE]);
    cell_union (t, r, k->saved[CKPT_SYNC]);
    textable_known (t, !summary_is_profile (s), k->saves);
    cell_seen (t, r, k->durable, k->saves > 0);
    textable_text (t, !k->time[SET_CKPT_WRITE] ? ""
                      : k->time[SET_CKPT_SYNC] ? "synced"
                                               : "not synced");
}

void fill_checkpoint (struct textable *t, const struct result *r, size_t top)
{
    const struct summary *s = r->summary;

    for (size_t i = 0; i < s->ranks; i++) {
        const struct rank *k = &s->rank[i];
        uint64_t time = k->time[SET_CKPT_WRITE];
        double rate = time ? k->ckpt.bytes * 1e9 / (double)time : 0;
        double of_best = s->checkpoint.best > 0 ? rate / s->checkpoint.best : 0;

        if (!k->ckpt.count && !time && !k->time[SET_CHECKPOINT])
            continue;
        textable_row (t);
        viewphases_put_rank (t, k);
        textable_cells (t, "%ju %ju", k->ckpt.count, k->ckpt.bytes);
        cell_union (t, r, time);
        cell_union_rate (t, r, k->ckpt.bytes, time);
        textable_double (t, time ? 100 * of_best : NAN, 1);
        cell_union (t, r, k->time[SET_CHECKPOINT]);
        cell_union (t, r, time - k->common[OVERLAP_CKPT]);
        viewphases_put_saves (t, r, k);
        textable_text (t, time && k->ckpt.bytes && of_best < 0.25 ? "straggler"
                                                                  : "");
    }
}

/* Content of a checkpoint file, by its path. As in kinds.def: the first row
 * with a matching pattern wins, patterns match a component of the path. Names
 * are those of Megatron-LM, DeepSpeed, FSDP, torch.distributed.checkpoint,
 * Hugging Face and DLIO. */
static const struct {
    const char *word, *patterns;
} ckpt_kinds[] = {
    {"optimizer", "*optim*,*zero_pp_rank*,*distrib_optim*,*adam*,*momentum*"},
    {"layer", "layer_*,layer-*,*_layer_*,*.layer.*"},
    {"state", "*rng*,*scheduler*,*trainer_state*,*training_args*,*state.json,"
              "latest*,common.pt,*global_step*state*"},
    {"metadata", ".metadata,metadata*,*.index.json,*.json,*.txt"},
    {"model", "*model*,*.safetensors,mp_rank_*,*.distcp,*.pt,*.pth,*.bin"},
    {"other", "*"},
};

enum { CKPT_KINDS = ITEMS (ckpt_kinds) };

/* By the name of the file; only when that says nothing by its directories. */
static int ckpt_kind_of (const char *path)
{
    const char *slash = strrchr (path, '/');
    int kind = 0;

    while (kind < CKPT_KINDS - 1 &&
           !pattern_match (ckpt_kinds[kind].patterns, slash ? slash + 1 : path))
        kind++;
    if (kind < CKPT_KINDS - 1)
        return kind;
    for (kind = 0; !pattern_match_path (ckpt_kinds[kind].patterns, path);)
        kind++;
    return kind;
}

void fill_checkpointkind (struct textable *t,
                          const struct result *r,
                          size_t top)
{
    const struct strmap *files = r->totals->tally.files;
    struct file_total sum[CKPT_KINDS] = {0};
    uint64_t count[CKPT_KINDS] = {0};

    for (size_t i = 0; i < strmap_count (files); i++) {
        const struct file_total *f = strmap_value (files, i);
        int kind;

        if (f->kind != KIND_CHECKPOINT || f->class != FILE_CLASS_STORAGE)
            continue;
        kind = ckpt_kind_of (strmap_key (files, i, NULL));
        file_total_add (&sum[kind], f);
        count[kind]++;
    }
    for (int kind = 0; kind < CKPT_KINDS; kind++) {
        if (!count[kind])
            continue;
        textable_line (t, "%s %ju %ju %ju %jus", ckpt_kinds[kind].word,
                       count[kind], sum[kind].writes, sum[kind].write_bytes,
                       sum[kind].write_ns);
        cell_rate (t, sum[kind].write_bytes, sum[kind].write_ns);
        textable_cells (t, "%ju %ju %jus", sum[kind].reads,
                        sum[kind].read_bytes, sum[kind].read_ns);
    }
}

/* --- tables of what the time of the ranks went into, what I/O costs ---------
 */

static void
viewbill_put_times (struct textable *t, uint64_t all, const uint64_t *time)
{
    cell_seconds (t, all);
    for (int row = 0; row < BILL_COUNT; row++)
        cell_seconds (t, time[row]);
}

static const enum metric viewbill_metric[BILL_COUNT] = {
#define BILL(NAME, TITLE, HEAD, CALLS, KINDS, ROLES, WAITS, NEED, HELP) \
    METRIC_wall_##NAME,
#include "lib/model/bill.def"
#undef BILL
};

void fill_wall (struct textable *t, const struct result *r, size_t top)
{
    const struct summary *s = r->summary;

    for (int row = 0; row < BILL_COUNT; row++) {
        struct metric_value v = metric_compute (s, viewbill_metric[row]);

        textable_line (t, "%s %s %d?%jus %.2f %d?%jus %s", bill_table[row].name,
                       bill_table[row].title, v.known, s->wall[row],
                       v.known ? v.value : NAN, v.known, bill_longest (s, row),
                       v.known ? "" : v.note);
    }
}

void fill_bill (struct textable *t, const struct result *r, size_t top)
{
    const struct summary *s = r->summary;

    if (summary_is_profile (s)) /* nobody knows who waited for what */
        return;
    for (size_t i = 0; i < s->lanes; i++) {
        const struct bill_lane *lane = &s->lane[i];

        textable_row (t);
        cell_rank (t, lane->first);
        textable_cells (t, "%s %u", lane->first->who->text[SHARD_STRING_HOST],
                        lane->first->who->p.pid);
        viewbill_put_times (t, lane->end - lane->start, lane->time);
    }
    textable_line (t, "- %s -", "all");
    viewbill_put_times (t, s->billed, s->bill);
}

static void viewbill_put_cost (struct textable *t,
                               const struct result *r,
                               const char *title,
                               struct cost_time time,
                               const struct transfer *n)
{
    const struct summary *s = r->summary;

    textable_line (t, "%s", title);
    cell_union (t, r, time.own);
    textable_double (t,
                     s->end > s->start && !summary_is_profile (s)
                         ? 100 * (double)time.own / (double)(s->end - s->start)
                         : NAN,
                     2);
    cell_union (t, r, time.all);
    textable_cells (t, "%jus %ju %d?%ju", n->ns, n->count, n->bytes > 0,
                    n->bytes);
    if (n->bytes)
        cell_union_rate (t, r, n->bytes, time.all);
    else
        textable_na (t);
}

void fill_io (struct textable *t, const struct result *r, size_t top)
{
    const struct summary *s = r->summary;
    struct transfer all = {0};

    for (int row = 0; row < COST_COUNT; row++) {
        viewbill_put_cost (t, r, cost_table[row].title, s->cost[row],
                           &s->n.cost[row]);
        transfer_add (&all, &s->n.cost[row]);
    }
    viewbill_put_cost (t, r, "all", (struct cost_time){s->io_time, s->io_time},
                       &all);
}
