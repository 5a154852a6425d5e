# SPDX-License-Identifier: MIT
"""python3 -m dftrace.dfanalyzer [--version VERSION] [--layers PRESET]
                             [--format text|csv] DIR|FILE…

Print the tables of DFAnalyzer for traces of DFTracer (.pfw, .pfw.gz) with
DFAnalyzer's numbers, and below them the same layers with exact unions and
intersections of intervals.

  --version VERSION  2025-07 (default) or 0.0.9: the DFAnalyzer to reproduce
  --layers PRESET    dlio or ai (default: the first that finds layer App)
  --format FORMAT    text (default) or csv

The traces of a directory are its combined.pfw.gz, or else the files in it and
in its shards/. Traces of dftrace are exported first by the command dftrace.
Exit status: 0; 1 no traces; 2 wrong usage; 5 lines were lost or damaged.
"""

# In:  the lines of .pfw files, in their order
# Out: DFAnalyzer's views proc_name and time_range as tables
#
# An event belongs to one second. The time of a layer is the sum of durations
# (process view), or that of the busiest thread of each second (time view). It
# counts as overlapped where compute took longer in the same thread or second.
# All sums are integers in microseconds, so that their order does not matter.

import collections
import csv
import fnmatch
import getopt
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

SECOND = 10**6
MB = 2**20

# Rules of a version:
# longest      process view: the time of a layer is that of the thread with the
#              longest, not of all threads together
# totals       totals count all events, also those that no layer counts;
#              processes are process ids; files and nodes are counted
# middle       calls of a name on a file by a thread are one row for each
#              second (of the clock) that their middle is in; the row belongs
#              to the second, from the first event of the trace, in which its
#              first call begins
# text_hashes  a hash that is a number has no path
# dashes       0 is printed as a dash
# parts        a category that contains posix or stdio gets suffixes by path;
#              only "posix" and "stdio" themselves have bytes
Version = collections.namedtuple(
    "Version", "release bytes no_names longest totals middle text_hashes "
    "dashes parts", defaults=(False,) * 6)

_MOVES = ("fread pread preadv read readv fwrite pwrite pwritev write "
          "writev").split()
_MORE = _MOVES + ("pread64 preadv2 pwrite64 pwritev2 sendfile splice "
                  "copy_file_range").split()

VERSIONS = {
    "2025-07": Version("of July 2025", _MOVES, re.compile(
        r"DLIOBenchmark\.(__init__|initialize)|FileStorage\.__init__|"
        r"IndexedBinaryMMapReader\.(__init__|load_index|next|read_index)|"
        r"(NPZ|TF)Reader\.(__init__|next|read_index)|"
        r"(PyTorch|SCRPyTorch|TF)Checkpointing\.(__init__|finalize|"
        r"get_tensor)|T(orchDataset\.__init__|(F|orch)(DataLoader\.(__init__|"
        r"finalize|next|read)|Framework\.(get_loader|init_loader|"
        r"is_nativeio_available|trace_object)))|"
        r".*(\.save_state|checkpoint_(end|start)_).*")),
    "0.0.9": Version("0.0.9", _MORE, re.compile(
        r"DLIOBenchmark\.(__init__|initialize)|FileStorage\.__init__|"
        r"TorchDataset\.__init__|"
        r".*(Checkpointing.(__init__|finalize|get_tensor)|"
        r"DataLoader.(__init__|finalize|get_tensor|next)|"
        r"Framework.(get_loader|init_loader|is_nativeio_available|"
        r"trace_object)|Reader.(__init__|load_index|next|read_index)|"
        r".save_state|checkpoint_(end|start)_).*"), *(True,) * 6)}

# Layers of each version and preset: title | what is shown | categories |
# names | names that are excluded; patterns of the shell. Lines of one title
# are alternatives. o: show the percentage that layer Compute covers; s: bytes.
_POSIX = """
POSIX - All         |os|*posix*,*stdio*
POSIX - Reader      |os|*posix*_reader*,*stdio*_reader*
POSIX - Checkpoint  |s |*posix*_checkpoint*,*stdio*_checkpoint*"""
PRESETS = {
    ("2025-07", "dlio"): """
App                      |  ||DLIOBenchmark.run
Training                 |  ||DLIOBenchmark._train
Compute                  |  |ai_framework
Fetch Data               |o ||<module>.iter,fetch-data.iter,loop.iter
Data Loader              |o |data_loader||loop.iter,loop.yield
Data Loader Fork         |o |posix|fork
Reader                   |o |reader
Reader POSIX (Lustre)    |os|posix_reader_lustre,stdio_reader_lustre
Checkpoint               |o |checkpoint
Checkpoint POSIX (Lustre)|os|posix_checkpoint_lustre,stdio_checkpoint_lustre
Checkpoint POSIX (SSD)   |os|posix_checkpoint_ssd,stdio_checkpoint_ssd
Other POSIX              |os|posix,stdio""",
    ("2025-07", "ai"): """
App             |  ||ai_root
Training        |  |pipeline|train
Epoch           |  |pipeline|epoch*
Compute         |  |compute
Fetch Data      |o ||fetch.iter
Fetch Data      |o |dataloader|fetch
Checkpoint      |o |checkpoint
Communication   |o |comm
Device          |o |device
Data Loader     |o |data,data_loader,dataloader
Reader          |o |reader
Reader          |o ||preprocess
POSIX           |os|posix*,stdio*
Reader POSIX    |os|posix*_reader*,stdio*_reader*
Checkpoint POSIX|os|posix*_checkpoint*,stdio*_checkpoint*""",
    ("0.0.9", "dlio"): """
App                  |  ||DLIOBenchmark.initialize,DLIOBenchmark.run
Training             |  ||DLIOBenchmark.run
Epoch                |  ||DLIOBenchmark._train
Compute              |  |ai_framework
Fetch Data           |  ||<module>.iter,fetch-data.iter,loop.iter
Checkpoint           |  |checkpoint
DLIO Data Loader     |o |data_loader||loop.iter,loop.yield
DLIO Data Loader Fork|o |posix|fork
Reader               |o |reader""" + _POSIX,
    ("0.0.9", "ai"): """
App                  |  ||ai_root
Training             |  |pipeline|train
Epoch                |  |pipeline|epoch*
Compute              |  |compute
Fetch Data           |  ||fetch.iter
Checkpoint           |  |checkpoint
Communication        |  |comm
Device               |  |device
DLIO Data Loader     |o |data,data_loader,dataloader
DLIO Data Loader Fork|o |posix|fork
Reader               |o |reader
Reader               |o ||preprocess""" + _POSIX}

# Files with these in their path are left out.
NO_PATHS = ("/dev/ /etc/ /gapps/python /lib/python /proc/ /software/ /sys/ "
            "/usr/lib /usr/tce/backend /usr/tce/packages /venv "
            "__pycache__").split()
PARTS = (("/checkpoint", "_checkpoint"), ("/data", "_reader"),
         ("/lustre", "_lustre"), ("/ssd", "_ssd"))


# --- lines ------------------------------------------------------------------

class Damage(Exception):
    """No trace can be read."""


def _export(directory, to):
    dftrace = shutil.which("dftrace")
    if not dftrace:
        raise Damage("%s: traces of dftrace: the command dftrace, which "
                     "exports them, is not in PATH" % directory)
    path = os.path.join(to, "combined.pfw.gz")
    status = subprocess.run([dftrace, "export", "--format", "pfw",
                             "--output", path, directory]).returncode
    if status not in (0, 5):
        raise Damage("%s: dftrace export failed" % directory)
    return [path], status == 5


def trace_files(place, scratch):
    """Paths of the .pfw files of a directory or file, and if some of it is
    damaged."""
    def found(*patterns):
        return sorted(p for folder in (place, os.path.join(place, "shards"))
                      for pattern in patterns
                      for p in glob.glob(os.path.join(glob.escape(folder),
                                                      pattern)))
    if not os.path.isdir(place):
        return (_export(place, scratch) if place.endswith(".dft")
                else ([place], False))
    merged = os.path.join(place, "combined.pfw.gz")
    if os.path.exists(merged):
        return [merged], False
    if found("*.dft"):
        return _export(place, scratch)
    files = found("*.pfw", "*.pfw.gz")
    if not files:
        raise Damage("%s: no traces" % place)
    return files, False


class Trace:
    """The events of some files: calls, and what the hashes stand for."""

    def __init__(self):
        self.paths = {}  # hash -> path; of several the first by name
        self.lost = 0    # lines and files that could not be read whole

    def lines(self, path):
        opens = gzip.open if path.endswith(".gz") else open
        try:
            with opens(path, "rt", encoding="utf-8", errors="replace",
                       newline="\n") as f:
                for line in f:
                    start = line.find("{")
                    if start >= 0:
                        yield from self._parse(line[start:].rstrip(", \r\n"))
        except FileNotFoundError:
            raise Damage("%s: no such file" % path) from None
        except (OSError, EOFError, zlib.error):
            self.lost += 1

    def _parse(self, text):
        for attempt in (text, re.sub(r",+\s*([}\]])", r"\1", text)):
            try:
                line = json.loads(attempt, strict=False)
                yield dict(line, args=line.get("args") or {})
                return
            except (ValueError, AttributeError):
                pass
        self.lost += 1

    def events(self, files):
        """(line, path, hash) of each event. The path is what the same file
        said before, None if it has not; the hash is a text or None."""
        for file in files:
            names = {}
            for line in self.lines(file):
                phase, args = str(line.get("ph")), line["args"]
                if phase in ("M", "4"):
                    if str(line.get("name"))[1:2] == "H" and \
                            len(line["name"]) == 2 and "name" in args:
                        value, path = str(args.get("value")), args["name"]
                        names[value] = path
                        if path < self.paths.get(value, path + "x"):
                            self.paths[value] = path
                elif phase in ("X", "1") and "ts" in line:
                    mark = args.get("fhash")
                    yield line, names.get(str(mark)), mark


def _text(value):
    return value if isinstance(value, str) else ""


# --- rows -------------------------------------------------------------------

class Rows:
    """Sums of (category, name, path or hash) by thread and second."""

    def __init__(self, trace, files, version):
        self.trace, self.version = trace, version
        self.rows = {}   # (operation, thread, second) -> [us, n, bytes, first]
        self.spans = collections.defaultdict(list)  # (operation, thread)
        self.first, self.last, self.events = None, 0, 0
        self.pids, self.hosts, self.hashes = set(), set(), set()
        waiting = []
        for line, path, mark in trace.events(files):
            event = self._event(line, path, mark)
            if version.middle:
                self._count(event, (event[1] + event[2] // 2) // SECOND)
            else:
                waiting.append(event)
        for event in waiting:
            self._count(event, (event[1] - self.first) // SECOND)
        if version.middle:
            self._from_first()

    def _event(self, line, path, mark):
        args, version = line["args"], self.version
        ts, dur = int(float(line["ts"])), int(float(line.get("dur", 0)))
        host = args.get("hhash", "")
        if version.text_hashes:
            host, mark, path = _text(host), _text(mark), None
        moved = args.get("size_sum", args.get("ret", 0))
        moved = int(moved) if isinstance(moved, (int, float)) else 0
        self.first = ts if self.first is None else min(self.first, ts)
        self.last = max(self.last, ts + dur)
        self.events += 1
        self.pids.add(int(line["pid"]))
        self.hosts.add(host)
        if mark and version.text_hashes:
            self.hashes.add(mark)
        operation = (_text(line.get("cat")).lower(), _text(line.get("name")),
                     path, None if path or mark in (None, "") else str(mark))
        thread = (str(host), int(line["pid"]), int(line.get("tid", 0)))
        return (operation, thread), ts, dur, max(0, moved)

    def _moves(self, operation):
        category, name = operation[:2]
        mine = category in ("posix", "stdio") if self.version.parts else \
            category.startswith(("posix", "stdio"))
        return mine and name in self.version.bytes

    def _count(self, event, second):
        who, ts, dur, size = event
        row = self.rows.setdefault(who + (second,), [0, 0, 0, ts])
        row[0] += dur
        row[1] += 1
        row[2] += size if self._moves(who[0]) else 0
        row[3] = min(row[3], ts)
        self.spans[who].append((ts, ts + dur))

    def _from_first(self):
        rows, self.rows = self.rows, {}
        for (operation, thread, _), row in rows.items():
            to = self.rows.setdefault(
                (operation, thread, (row[3] - self.first) // SECOND),
                [0, 0, 0, row[3]])
            for i in range(3):
                to[i] += row[i]

    def meaning(self, operation):
        """Category with what the path adds, and name; None: left out."""
        category, name, path, mark = operation
        path = path or self.trace.paths.get(mark) or ""
        if any(part in path for part in NO_PATHS) or \
                self.version.no_names.fullmatch(name):
            return None
        if (("posix" in category or "stdio" in category) if self.version.parts
                else category in ("posix", "stdio")):
            category += "".join(adds for part, adds in PARTS if part in path)
        return category, name


class Layer:
    def __init__(self, title, shows):
        self.title, self.rules = title, []
        self.overlap, self.size = "o" in shows, "s" in shows

    def has(self, category, name):
        return any(all(not patterns or wanted == any(
            fnmatch.fnmatchcase(text, p) for p in patterns.split(","))
                       for patterns, text, wanted in (
                           (categories, category, True), (names, name, True),
                           (others, name, False)))
                   for categories, names, others in self.rules)


def layers_of(version, preset):
    layers = {}
    for line in PRESETS[version, preset].strip().splitlines():
        title, shows, *rule = (cell.strip() for cell in line.split("|"))
        layers.setdefault(title, Layer(title, shows)).rules.append(
            (rule + ["", ""])[:3])
    return list(layers.values())


# --- views ------------------------------------------------------------------

class Analysis:
    """The sums of each layer, by thread and by second, and exact ones."""

    def __init__(self, rows, layers):
        self.rows, self.layers = rows, layers
        self.compute = [layer.title for layer in layers].index("Compute")
        of = {op: meaning and [i for i, layer in enumerate(layers)
                               if layer.has(*meaning)] for op, meaning in
              ((op, rows.meaning(op)) for op in {k[0] for k in rows.rows})}
        self.threads = {thread for op, thread in rows.spans
                        if of[op] is not None}
        cells = collections.defaultdict(self._cell)
        for (op, thread, second), row in rows.rows.items():
            for layer in of[op] or ():
                for i in range(3):
                    cells[second, thread][layer][i] += row[i]
        self.process = self._view(cells, True)
        self.time = self._view(cells, False)
        spans = collections.defaultdict(lambda: [[] for _ in layers])
        for (op, thread), some in rows.spans.items():
            for layer in of[op] or ():
                spans[thread[:2]][layer] += some
        self.exact = self._exact(spans)

    def _cell(self):
        return [[0, 0, 0] for _ in self.layers]

    def _view(self, cells, by_thread):
        """Of each layer: its time, that of it alone, the sum of all rows, us;
        calls and bytes, and those in rows that compute does not cover."""
        rows = collections.defaultdict(self._cell)
        for (second, thread), cell in cells.items():
            for to, of in zip(rows[thread if by_thread else second], cell):
                to[0] = to[0] + of[0] if by_thread else max(to[0], of[0])
                to[1] += of[1]
                to[2] += of[2]
        join = max if by_thread and self.rows.version.longest else sum
        view = []
        for i in range(len(self.layers)):
            alone = [r for r in rows.values()
                     if r[i][0] > r[self.compute][0]]
            view.append((
                join([r[i][0] for r in rows.values()] or [0]),
                join([r[i][0] - r[self.compute][0] for r in alone] or [0]),
                sum(r[i][0] for r in rows.values()),
                sum(r[i][1] for r in rows.values()),
                sum(r[i][2] for r in rows.values()),
                sum(r[i][1] for r in alone), sum(r[i][2] for r in alone)))
        return view

    def _exact(self, spans):
        """Of each layer: its union over the job and what compute covers of
        it; both summed over the processes."""
        job = [[s for p in spans.values() for s in p[i]]
               for i in range(len(self.layers))]
        exact = [[0, 0, 0, 0] for _ in self.layers]
        for first, groups in ((0, [job]), (2, spans.values())):
            for group in groups:
                compute = union(group[self.compute])
                for i, some in enumerate(group):
                    all_of = union(some)
                    exact[i][first] += length(all_of)
                    exact[i][first + 1] += (
                        length(all_of) + length(compute) -
                        length(union(all_of + compute)))
        return exact

    def fits(self):
        return self.process[0][3] > 0


def union(spans):
    out = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def length(spans):
    return sum(end - start for start, end in spans)


# --- tables -----------------------------------------------------------------

def _per(a, b):
    return a / b if b > 0 else 0


def _digits(value, digits=3):
    return "%.*f" % (digits, value)


def summary(a, view):
    rows, version = a.rows, a.rows.version
    yield ("Job Time", "seconds",
           _digits((rows.last - (rows.first or 0)) / SECOND))
    if version.totals:
        for title, n in (("Trace Count", rows.events), ("Profile Count", 0),
                         ("Total Count", rows.events),
                         ("Total Files", len(rows.hashes)),
                         ("Total Nodes", len(rows.hosts))):
            yield title, "count", str(n)
    else:
        yield "Total Count", "count", str(sum(v[3] for v in view))
    yield ("Total Processes", "count",
           str(len(rows.pids if version.totals else a.threads)))
    for layer, (us, _, _, n, size, _, _) in zip(a.layers, view):
        mb = size / MB
        if n:
            yield layer.title + " Count", "count", str(n)
        if n and size:
            yield layer.title + " Size", "MB", _digits(mb)
            yield (layer.title + " Bandwidth", "MB/s",
                   _digits(_per(mb, us / SECOND)))
            yield layer.title + " Avg Transfer Size", "MB", _digits(mb / n)


def _with_overlap(layer, number, value, alone):
    if number is None:
        return "- (----)"
    if layer.overlap and value > 0:
        return "%s (%3.0f%%)" % (number, 100 * (1 - alone / value))
    return number + " (----)"


def breakdown(a, view):
    dashes = a.rows.version.dashes
    for layer, (us, alone, _, n, size, alone_n, alone_size) in zip(a.layers,
                                                                  view):
        if not n:
            continue
        s, mb, no_time = us / SECOND, size / MB, dashes and us == 0
        yield (layer.title,
               _with_overlap(layer, None if no_time else _digits(s), us,
                             alone),
               _with_overlap(layer, "{:,}".format(n), n, alone_n),
               "n/a" if no_time else _digits(_per(n, s)),
               "-" if not layer.size else _with_overlap(
                   layer, None if dashes and not size else _digits(mb), size,
                   alone_size),
               _digits(_per(mb, s)) if layer.size and (s if dashes else size)
               else "-")


def exactly(a):
    for layer, view, (job, common, ranks, ranks_common) in zip(
            a.layers, a.process, a.exact):
        if view[3]:
            size = view[4]
            yield (layer.title, str(view[3]), _digits(view[2] / SECOND),
                   _digits(job / SECOND), _digits((job - common) / SECOND),
                   _digits(100 * _per(common, job), 1),
                   _digits(100 * _per(ranks_common, ranks), 1),
                   str(size) if size else "n/a",
                   _digits(_per(size / MB, job / SECOND)) if size else "n/a")


def show(title, columns, rows, left, form):
    """Print a table; the first `left` columns are flush left."""
    rows = [columns] + list(rows)
    if form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        print()
        return
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.ljust(w) if i < left else cell.rjust(w)
                       for i, (cell, w) in enumerate(zip(row, widths)))
             .rstrip() for row in rows]
    lines.insert(1, "-" * max(map(len, lines)))
    print(title, *lines, "", sep="\n")


def show_all(a, form):
    for title, view in (("Process Summary", a.process),
                        ("Time Period Summary", a.time)):
        show("%s (as DFAnalyzer %s says)" % (title, a.rows.version.release),
             ("Metric", "Unit", "Value"), summary(a, view), 2, form)
        show("Layer Breakdown (w/ overlap %)",
             ("Layer", "Time (s)", "Ops", "Ops/sec", "Size (MB)",
              "Bandwidth (MB/s)"), breakdown(a, view), 1, form)
    show("Exactly: unions and intersections of intervals",
         ("layer", "count", "sum s", "union s", "without compute s",
          "overlap in job %", "in processes %", "bytes",
          "bytes/union MiB/s"), exactly(a), 1, form)


# --- all of it --------------------------------------------------------------

def analyze(places, word, preset=None):
    """Analysis of the traces in these places, and if some were damaged."""
    trace = Trace()
    with tempfile.TemporaryDirectory() as scratch:
        files, damaged = [], False
        for i, place in enumerate(places):
            where = os.path.join(scratch, str(i))
            os.mkdir(where)
            some, bad = trace_files(place, where)
            files += some
            damaged |= bad
        rows = Rows(trace, files, VERSIONS[word])
    for name in [preset] if preset else ("dlio", "ai"):
        a = Analysis(rows, layers_of(word, name))
        if a.fits():
            break
    if trace.lost:
        print("dftrace: %d lines or files are damaged" % trace.lost,
              file=sys.stderr)
    return a, damaged or trace.lost > 0


def main(argv):
    version, preset, form = "2025-07", None, "text"
    try:
        options, places = getopt.gnu_getopt(
            argv, "h", ["help", "version=", "layers=", "format="])
    except getopt.GetoptError as e:
        print("dftrace.dfanalyzer: %s" % e, file=sys.stderr)
        return 2
    for option, value in options:
        if option in ("-h", "--help"):
            print(__doc__.strip())
            return 0
        if option == "--version":
            version = value
        elif option == "--layers":
            preset = value
        else:
            form = value
    for word, value, known in (("version", version, VERSIONS),
                               ("layers", preset, (None, "dlio", "ai")),
                               ("format", form, ("text", "csv"))):
        if value not in known:
            print("dftrace.dfanalyzer: --%s %s: use one of %s" % (
                word, value, ", ".join(filter(None, known))), file=sys.stderr)
            return 2
    if not places:
        print("dftrace.dfanalyzer: no directory: see --help", file=sys.stderr)
        return 2
    try:
        a, damaged = analyze(places, version, preset)
    except Damage as e:
        print("dftrace: %s" % e, file=sys.stderr)
        return 1
    show_all(a, form)
    return 5 if damaged else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
