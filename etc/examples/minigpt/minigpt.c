/* SPDX-License-Identifier: MIT
 *
 * minigpt.c - the input and output of a GPT training
 *
 * In:  a token corpus in Megatron's format, options or environment
 * Out: checkpoints; one line with what was read:
 *        minigpt: steps=6 samples=384 parts=1012 bytes=786816 checkpoints=2
 *                 digest=0123456789abcdef rank=0/2
 *      parts is the number of document parts, which is the number of reads of
 *      the .bin under --access=direct; digest is that of all tokens in the
 *      order of their use, equal for both ways of access. --access=mock is the
 *      same training without a corpus: the difference in time is the loader's.
 *
 *   pipeline/train
 *     per step
 *       dataloader/fetch      per micro batch
 *       compute/step
 *         compute/forward     per micro batch
 *       checkpoint/capture
 *
 * Fetching and computing do not overlap in this process, so that waiting for
 * data and computing can be told apart; the workers go on meanwhile.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dftrace/dftrace.h>

#include "etc/examples/minigpt/minigpt.h"

/* --- options ---------------------------------------------------------- */

static const char *data, *access_word, *save_dir, *cache_dir;
static uint64_t sequence, global_batch, micro_batch, steps, nworkers;
static uint64_t save_every, checkpoint_bytes, seed, rank, world;
static uint64_t compute_us_per_ktoken, compute_us_per_step, index_only;

/* An option takes precedence over the environment. */
static const struct {
    const char **text; /* one of text and number */
    uint64_t *number;
    const char *name, *env, *value, *arg, *help;
} rows[] = {
    {&data, NULL, "data", "DATA_PATH", "", "PREFIX",
     "token corpus: PREFIX.bin and PREFIX.idx"},
    {NULL, &sequence, "seq", "SEQ_LENGTH", "1024", "N", "tokens of a sample"},
    {NULL, &global_batch, "global-batch", "GLOBAL_BATCH_SIZE", "128", "N",
     "samples of a step, all ranks"},
    {NULL, &micro_batch, "micro-batch", "MICRO_BATCH_SIZE", "4", "N",
     "samples of a forward pass"},
    {NULL, &steps, "steps", "TRAIN_STEPS", "6", "N", "steps to train"},
    {&access_word, NULL, "access", "ACCESS", "mmap", "MODE",
     "mmap; direct: read () of every document part; mock: no corpus, samples "
     "are made up"},
    {NULL, &nworkers, "workers", "NUM_WORKERS", "1", "N",
     "data loader processes of a rank; 0: none"},
    {&save_dir, NULL, "save", "SAVE_DIR", "", "DIR",
     "checkpoints; none without"},
    {NULL, &save_every, "save-every", "SAVE_EVERY", "3", "N",
     "steps between checkpoints"},
    {NULL, &checkpoint_bytes, "checkpoint-bytes", "CHECKPOINT_BYTES", "4M",
     "BYTES", "of the model; the optimizer has twice as much"},
    {&cache_dir, NULL, "cache", "CACHE_DIR", "", "DIR",
     "index files; default PREFIX.cache"},
    {NULL, &seed, "seed", "SEED", "1234", "N", "of the data order"},
    {NULL, &rank, "rank", "SLURM_PROCID", "0", "N", "of this process"},
    {NULL, &world, "world", "SLURM_NTASKS", "1", "N", "number of ranks"},
    {NULL, &compute_us_per_ktoken, "compute-us-per-ktoken",
     "COMPUTE_US_PER_KTOKEN", "400", "N", "CPU time of 1000 tokens"},
    {NULL, &compute_us_per_step, "compute-us-per-step", "COMPUTE_US_PER_STEP",
     "120000", "N", "CPU time of the optimizer in each step"},
    {NULL, &index_only, "index-only", "INDEX_ONLY", "0", "0|1",
     "1: build the index files, if they are not there, and stop"},
};

enum { ROWS = sizeof (rows) / sizeof (*rows), HELP = 'h' };

static void print_help (void)
{
    (void)puts ("Usage: minigpt --data PREFIX [OPTION\u2026]\n"
                "The input and output of a GPT training, without the GPT.\n");
    for (int i = 0; i < ROWS; i++) {
        char word[64];

        (void)snprintf (word, sizeof (word), "--%s=%s", rows[i].name,
                        rows[i].arg);
        (void)printf ("  %-28s  %s\n%32s$%s%s%s\n", word, rows[i].help, "",
                      rows[i].env, rows[i].value[0] ? ", " : "", rows[i].value);
    }
}

static void set (int row, const char *name, const char *value)
{
    if (rows[row].text)
        *rows[row].text = value;
    else if (parse_size (value, rows[row].number) < 0)
        die (STATUS_USAGE, "%s: %s: not a number", name, value);
}

static void check_options (void)
{
    int mock = strcmp (access_word, "mock") == 0;

    if (!mock && strcmp (access_word, "mmap") != 0 &&
        strcmp (access_word, "direct") != 0)
        die (STATUS_USAGE, "--access: %s: mmap, direct or mock", access_word);
    if (!data[0] && !mock)
        die (STATUS_USAGE, "--data: missing: see --help");
    if (sequence == 0 || sequence > 1 << 20)
        die (STATUS_USAGE, "--seq: 1 to 1048576");
    if (micro_batch == 0 || micro_batch > 1 << 16 || world == 0 ||
        world > 1 << 16 || rank >= world)
        die (STATUS_USAGE, "--micro-batch, --rank, --world: out of range");
    if (global_batch == 0 || global_batch % (micro_batch * world) != 0 ||
        global_batch > 1 << 24)
        die (STATUS_USAGE,
             "--global-batch: not a multiple of %llu (micro batch times ranks)",
             (unsigned long long)(micro_batch * world));
    if (steps == 0 || steps > 1 << 24 || save_every == 0)
        die (STATUS_USAGE, "--steps, --save-every: out of range");
    if (nworkers > 256)
        die (STATUS_USAGE, "--workers: at most 256");
    if (seed > UINT32_MAX)
        die (STATUS_USAGE, "--seed: at most 4294967295");
}

static void parse_options (int argc, char **argv)
{
    struct option words[ROWS + 2] = {{.name = NULL}};
    int c;

    for (int i = 0; i < ROWS; i++) {
        const char *value = getenv (rows[i].env);

        set (i, rows[i].name, rows[i].value);
        if (value && *value)
            set (i, rows[i].env, value);
        words[i] = (struct option){rows[i].name, required_argument, NULL, i};
    }
    words[ROWS] = (struct option){"help", no_argument, NULL, HELP};
    opterr = 0;
    while ((c = getopt_long (argc, argv, "h", words, NULL)) >= 0) {
        if (c == HELP) {
            print_help ();
            exit (STATUS_OK);
        }
        if (c >= ROWS)
            die (STATUS_USAGE, "%s: not understood: see --help",
                 argv[optind - 1]);
        set (c, rows[c].name, optarg);
    }
    if (optind < argc)
        die (STATUS_USAGE, "%s: not understood: see --help", argv[optind]);
    check_options ();
}

/* --- data loader ------------------------------------------------------ */

/* As PyTorch's DataLoader: batch b is made by worker b % workers, a fork of
 * this process; each worker has PREFETCH requests in front of it; tokens come
 * back through shared memory, answers through pipes. Nothing is requested
 * beyond the last batch, so the reads do not depend on timing. */

enum { PREFETCH = 2 }; /* PyTorch's default */

struct answer {
    uint64_t batch;
    struct cost cost;
};

struct worker {
    pid_t pid;
    int request, answer; /* this side of the pipes */
};

static struct {
    struct dataset data;
    struct worker worker[256];
    uint64_t started, batches, requested, taken;
    uint64_t batch_tokens; /* micro_batch x (sequence + 1) */
    int64_t *tokens;       /* shared: workers x PREFETCH batches */
    struct cost cost;      /* of all batches taken */
} loader;

static int64_t *slot_of (uint64_t batch)
{
    uint64_t n = nworkers ? nworkers : 1;
    uint64_t slot = batch % n * PREFETCH + batch / n % PREFETCH;

    return loader.tokens + slot * loader.batch_tokens;
}

/* Samples are dealt to the ranks micro batch by micro batch. */
static struct cost make_batch (uint64_t batch)
{
    uint64_t first = (batch * world + rank) * micro_batch;
    int64_t *tokens = slot_of (batch);
    struct cost cost = {0, 0};

    for (uint64_t i = 0; i < micro_batch; i++)
        dataset_item (&loader.data, first + i, tokens + i * (sequence + 1),
                      &cost);
    return cost;
}

/* Answer requests until the loader closes its end. The worker has only its own
 * ends, so that each worker sees the end of its requests. */
_Noreturn static void work (const int request[2], const int answer[2])
{
    struct answer a;

    for (uint64_t i = 0; i < loader.started; i++) {
        (void)close (loader.worker[i].request);
        (void)close (loader.worker[i].answer);
    }
    (void)close (request[1]);
    (void)close (answer[0]);
    while (read_whole (request[0], &a.batch, sizeof (a.batch)) == 0) {
        a.cost = make_batch (a.batch);
        if (write_whole (answer[1], &a, sizeof (a)) < 0)
            break;
    }
    _exit (0);
}

static void start_worker (void)
{
    struct worker *w = &loader.worker[loader.started];
    int request[2], answer[2];

    if (pipe2 (request, O_CLOEXEC) < 0 || pipe2 (answer, O_CLOEXEC) < 0 ||
        (w->pid = fork ()) < 0)
        die (STATUS_FAILED, "cannot start the data loader: %m");
    if (w->pid == 0)
        work (request, answer);
    (void)close (request[0]);
    (void)close (answer[1]);
    w->request = request[1];
    w->answer = answer[0];
    loader.started++;
}

/* Request one more batch, if there is one. */
static void request_next (void)
{
    uint64_t number;

    if (loader.requested == loader.batches)
        return;
    number = loader.requested % nworkers;
    if (write_whole (loader.worker[number].request, &loader.requested,
                     sizeof (loader.requested)) < 0)
        die (STATUS_FAILED, "worker %llu has ended",
             (unsigned long long)number);
    loader.requested++;
}

static void loader_start (uint64_t batches)
{
    uint64_t n = nworkers ? nworkers : 1;

    loader.batches = batches;
    loader.batch_tokens = micro_batch * (sequence + 1);
    loader.tokens = mmap (
        NULL, n * PREFETCH * loader.batch_tokens * sizeof (*loader.tokens),
        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (loader.tokens == MAP_FAILED)
        die (STATUS_FAILED, "cannot start the data loader: %m");
    for (uint64_t i = 0; i < nworkers; i++)
        start_worker ();
    for (uint64_t i = 0; i < nworkers * PREFETCH; i++)
        request_next ();
}

static void loader_stop (void)
{
    for (uint64_t i = 0; i < loader.started; i++) {
        (void)close (loader.worker[i].request);
        (void)close (loader.worker[i].answer);
    }
    for (uint64_t i = 0; i < loader.started; i++)
        while (waitpid (loader.worker[i].pid, NULL, 0) < 0 && errno == EINTR)
            continue;
}

/* Return the tokens of the next batch, valid until the next call. A slot is
 * free for its worker again when the caller comes back for the batch after it:
 * so a request goes out one batch late. */
static const int64_t *loader_next (void)
{
    uint64_t batch = loader.taken++;
    struct answer a;

    if (nworkers == 0)
        a.cost = make_batch (batch);
    else {
        if (batch > 0)
            request_next ();
        if (read_whole (loader.worker[batch % nworkers].answer, &a,
                        sizeof (a)) < 0)
            die (STATUS_FAILED, "worker %llu has ended",
                 (unsigned long long)(batch % nworkers));
    }
    loader.cost.parts += a.cost.parts;
    loader.cost.bytes += a.cost.bytes;
    return slot_of (batch);
}

/* --- checkpoint ------------------------------------------------------- */

/*   DIR/checkpoint-0000003/model_optim_rng.pt        rank 0: model
 *                         /distrib_optim_000.pt      each rank: its part
 *                         /rng_000.pt                each rank
 *   DIR/latest_checkpointed_iteration.txt            rank 0, last
 *
 * Sizes do not depend on batch or sequence, so neither do the writes. */

enum {
    BLOCK = 1024 * 1024, /* bytes of one write */
    PIECES = 8           /* of one writev, as libstdc++ splits a tensor */
};

static struct mt19937 model_random; /* here only to be saved */

static char *checkpoint_path (uint64_t step, const char *name)
{
    return format ("%s/checkpoint-%07llu/%s", save_dir,
                   (unsigned long long)step, name);
}

static char *ranked_path (uint64_t step, const char *kind)
{
    return format ("%s/checkpoint-%07llu/%s_%03d.pt", save_dir,
                   (unsigned long long)step, kind, (int)rank);
}

/* Write all n bytes of p in one writev; the rest of a short one by write. */
static int write_pieces (int fd, const unsigned char *p, size_t n)
{
    struct iovec iov[PIECES];
    size_t each = n / PIECES;
    ssize_t done;

    for (size_t i = 0; i < PIECES; i++) {
        iov[i].iov_base = (void *)(p + i * each);
        iov[i].iov_len = i + 1 < PIECES ? each : n - i * each;
    }
    do
        done = writev (fd, iov, PIECES);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        return -1;
    return write_whole (fd, p + done, n - (size_t)done);
}

/* Write tensors whose content says step and place. */
static int write_tensors (int fd, uint64_t bytes, uint64_t step, int by_writev)
{
    static unsigned char block[BLOCK];

    memset (block, (int)(step & 0xff), sizeof (block));
    for (uint64_t at = 0; at < bytes; at += BLOCK) {
        size_t n = bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK;

        memcpy (block, &at, sizeof (at));
        if ((by_writev ? write_pieces (fd, block, n)
                       : write_whole (fd, block, n)) < 0)
            return -1;
    }
    return 0;
}

static int open_temporary (const char *path)
{
    char *temporary = format ("%s.tmp", path);
    int fd = open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    free (temporary);
    return fd;
}

/* Put the file in place, if it was written (rc 0). Frees path. */
static void finish (int fd, int rc, char *path)
{
    char *temporary = format ("%s.tmp", path);

    if (fd < 0 || rc < 0 || fsync (fd) < 0 || close (fd) < 0 ||
        rename (temporary, path) < 0)
        die (STATUS_FAILED, "%s: cannot write: %m", path);
    free (temporary);
    free (path);
}

static void
save_tensors (char *path, uint64_t bytes, uint64_t step, int by_writev)
{
    int fd = open_temporary (path);

    finish (fd, write_tensors (fd, bytes, step, by_writev), path);
}

static void save_bytes (char *path, const void *bytes, size_t n)
{
    int fd = open_temporary (path);

    finish (fd, write_whole (fd, bytes, n), path);
}

static void make_dir (const char *path)
{
    if (mkdir (path, 0777) < 0 && errno != EEXIST)
        die (STATUS_FAILED, "%s: cannot make directory: %m", path);
}

static void remove_file (char *path)
{
    (void)unlink (path);
    free (path);
}

/* Remove this rank's files of a checkpoint; the last rank to do so removes the
 * directory, too. */
static void checkpoint_remove (uint64_t step)
{
    char *dir = checkpoint_path (step, "");

    if (rank == 0)
        remove_file (checkpoint_path (step, "model_optim_rng.pt"));
    remove_file (ranked_path (step, "distrib_optim"));
    remove_file (ranked_path (step, "rng"));
    (void)rmdir (dir);
    free (dir);
}

/* Write the state after a step, then remove the one before it. */
static void checkpoint_save (uint64_t step)
{
    static uint64_t last; /* step of the previous one; 0: none */
    char *dir = checkpoint_path (step, "");
    char text[32];

    make_dir (save_dir);
    make_dir (dir);
    free (dir);
    if (rank == 0)
        save_tensors (checkpoint_path (step, "model_optim_rng.pt"),
                      checkpoint_bytes, step, 0);
    save_tensors (ranked_path (step, "distrib_optim"),
                  checkpoint_bytes * 2 / world, step, 1);
    save_bytes (ranked_path (step, "rng"), &model_random,
                sizeof (model_random));
    (void)snprintf (text, sizeof (text), "%llu\n", (unsigned long long)step);
    if (rank == 0)
        save_bytes (format ("%s/latest_checkpointed_iteration.txt", save_dir),
                    text, strlen (text));
    if (last)
        checkpoint_remove (last);
    last = step;
}

/* --- training --------------------------------------------------------- */

enum { SIDE = 24 }; /* one product takes about 10 us */

static struct {
    uint64_t samples, checkpoints;
    uint64_t digest; /* of all tokens, in the order of their use */
} result = {.digest = 0xcbf29ce484222325u};

static uint64_t cpu_ns (void)
{
    struct timespec ts = {0, 0};

    (void)clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void multiply (float out[SIDE][SIDE], float a[SIDE][SIDE])
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;

            for (int k = 0; k < SIDE; k++)
                sum += a[i][k] * a[k][j];
            out[i][j] = sum * 0.5f + 0.01f;
        }
}

/* Compute for so much CPU time of this thread, not wall time: on a loaded
 * machine a step takes longer, as a real one would. */
static void compute_us (uint64_t us)
{
    static float a[SIDE][SIDE], b[SIDE][SIDE];
    uint64_t end = cpu_ns () + us * 1000;

    while (cpu_ns () < end) {
        multiply (b, a);
        multiply (a, b);
    }
}

static dftrace_region_t
begin (const char *category, const char *name, uint64_t step)
{
    dftrace_region_t region = dftrace_begin (category, name);

    dftrace_arg_int (&region, "step", (int64_t)step);
    return region;
}

static void forward (const int64_t *tokens, uint64_t step)
{
    dftrace_region_t region = begin ("compute", "forward", step);

    for (uint64_t i = 0; i < loader.batch_tokens; i++)
        result.digest = (result.digest ^ (uint64_t)tokens[i]) * 0x100000001b3u;
    compute_us (loader.batch_tokens * compute_us_per_ktoken / 1000);
    dftrace_end (&region);
}

/* tokens: room for the batches of a step, "on the device". */
static void train_step (int64_t *tokens, uint64_t batches, uint64_t step)
{
    dftrace_region_t region;

    for (uint64_t i = 0; i < batches; i++) {
        region = begin ("dataloader", "fetch", step);
        memcpy (tokens + i * loader.batch_tokens, loader_next (),
                loader.batch_tokens * sizeof (*tokens));
        dftrace_end (&region);
    }
    region = begin ("compute", "step", step);
    for (uint64_t i = 0; i < batches; i++)
        forward (tokens + i * loader.batch_tokens, step);
    compute_us (compute_us_per_step);
    dftrace_end (&region);
    result.samples += batches * micro_batch;
    if (save_dir[0] && step % save_every == 0) {
        region = begin ("checkpoint", "capture", step);
        checkpoint_save (step);
        dftrace_end (&region);
        result.checkpoints++;
    }
}

static void train (void)
{
    uint64_t batches = global_batch / world / micro_batch; /* of a step */
    dftrace_region_t region;
    int64_t *tokens;

    loader_start (batches * steps);
    mt19937_seed (&model_random, (uint32_t)seed + (uint32_t)rank);
    tokens = allocate (batches * loader.batch_tokens * sizeof (*tokens));
    region = dftrace_begin ("pipeline", "train");
    for (uint64_t step = 1; step <= steps; step++)
        train_step (tokens, batches, step);
    dftrace_end (&region);
    loader_stop ();
    free (tokens);
    (void)printf ("minigpt: steps=%llu samples=%llu parts=%llu bytes=%llu "
                  "checkpoints=%llu digest=%016llx rank=%llu/%llu\n",
                  (unsigned long long)steps, (unsigned long long)result.samples,
                  (unsigned long long)loader.cost.parts,
                  (unsigned long long)loader.cost.bytes,
                  (unsigned long long)result.checkpoints,
                  (unsigned long long)result.digest, (unsigned long long)rank,
                  (unsigned long long)world);
}

static void describe_run (void)
{
    char text[32];

    dftrace_metadata ("workload", "minigpt");
    dftrace_metadata ("access", access_word);
    (void)snprintf (text, sizeof (text), "%llu", (unsigned long long)sequence);
    dftrace_metadata ("sequence_length", text);
    (void)snprintf (text, sizeof (text), "%llu",
                    (unsigned long long)global_batch);
    dftrace_metadata ("global_batch_size", text);
}

int main (int argc, char **argv)
{
    struct dataset_options want;

    parse_options (argc, argv);
    (void)signal (SIGPIPE, SIG_IGN); /* a dead worker is an error of write */
    describe_run ();
    want = (struct dataset_options){
        .prefix = data,
        .cache = cache_dir[0] ? cache_dir : format ("%s.cache", data),
        .access = strcmp (access_word, "mock") == 0     ? ACCESS_MOCK
                  : strcmp (access_word, "direct") == 0 ? ACCESS_DIRECT
                                                        : ACCESS_MMAP,
        .sequence = sequence,
        .samples = steps * global_batch,
        .seed = (uint32_t)seed,
        .rank = (int)rank,
    };
    dataset_open (&loader.data, &want);
    if (!index_only)
        train ();
    dataset_close (&loader.data);
    return fflush (stdout) == 0 ? STATUS_OK : STATUS_FAILED;
}
