# SPDX-License-Identifier: MIT
"""Traces as objects: what dftrace.read () gives.

The analysis itself is in C, the same as that of the command dftrace. It is
loaded when this module is, which is when dftrace.read is first used: no
process that is traced loads it because of `import dftrace`.
"""

import html
import os
import re
import warnings

from . import _arrow
from ._table import Finding, Findings, Metrics, Table, nearest

try:
    from . import _reader
except ImportError as why:
    raise ImportError("dftrace.read: the extension _reader is not here (%s): "
                      "build dftrace with Python's headers, or pip install . "
                      "in a checkout" % why) from None

__version__ = _reader.version
Error = _reader.Error
AskError = _reader.AskError
Error.__doc__ = """A job that cannot be read, or a result that cannot be made.

    try:
        job = dftrace.read ("job")
    except dftrace.Error as why:
        print (why)
"""
AskError.__doc__ = """A question that is wrong; an Error and a ValueError.

    try:
        job.view ("flie")
    except dftrace.AskError as why:
        print (why)                 # … did you mean file?
"""


class DamageWarning(UserWarning):
    """Events are missing in a trace.

        warnings.simplefilter ("error", dftrace.DamageWarning)
    """


def _list(words, what, split=False):
    """None, a text or texts -> None or a list."""
    if words is None:
        return None
    if isinstance(words, str):
        return [w.strip() for w in words.split(",")] if split else [words]
    words = list(words)
    for word in words:
        if not isinstance(word, str):
            raise TypeError("%s: str or a list of str is needed" % what)
    return words


def _commas(words, what):
    words = _list(words, what)
    return None if words is None else ",".join(words)


_SECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9,
            "h": 3600 * 10**9}


def _interval(word):
    """Seconds, or a text like 50ms -> ns."""
    if word is None:
        return 0
    if isinstance(word, str):
        found = re.fullmatch(r"\s*([0-9.]+)\s*([a-z]+)\s*", word)
        if not found or found.group(2) not in _SECONDS:
            raise AskError("interval: %s: not a time: say it like 50ms or 1s"
                           % word)
        word = float(found.group(1)) * _SECONDS[found.group(2)] / 1e9
    if not word > 0:
        raise AskError("interval: %s: not a length of time" % word)
    return int(round(word * 1e9))


class Events(_arrow.Arrow):
    """Events that a condition lets through, as a stream of Arrow.

    Nothing is read before a stream is asked for, and each stream reads anew:
    polars.DataFrame (events), pyarrow.table (events), duckdb.from_arrow
    (events.to_arrow ()), or pyarrow.RecordBatchReader.from_stream (events) for
    what does not fit into memory.

        polars.DataFrame (job.events ("class = read"))
    """

    def __init__(self, events, label):
        self._events = events
        self._label = label

    def __arrow_c_stream__(self, requested_schema=None):
        return self._events.stream(requested_schema)

    def __repr__(self):
        return "<events of %s: pass them to polars.DataFrame, pyarrow.table, " \
            "or use to_pandas ()>" % self._label


class Figure:
    """A figure of the report's page: name and title, each a str.

        job.figure ("timeline").save ("timeline.svg")
    """

    def __init__(self, name, title, page):
        self.name = name
        self.title = title
        self._page = page

    def __repr__(self):
        return "<figure %s: %s>" % (self.name, self.title)

    @property
    def svg(self):
        """The drawing as a file of its own."""
        drawn = re.search(r"<svg .*</svg>", self._page, re.S).group()
        return re.sub(
            r"<svg ([^>]*)>",
            lambda found: '<svg xmlns="http://www.w3.org/2000/svg" %s><style>'
            '%s</style>' % (found.group(1), _reader.svg_style
                            .replace("&", "&amp;").replace("<", "&lt;")),
            drawn, count=1)

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Write the drawing as an SVG file."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.svg)


def _figures_of(page):
    """Figures of a page, by name."""
    found = {}
    for name, one in re.findall(
            r'<figure id="(?:fig-)?([^"]*)">(.*?)</figure>', page, re.S):
        title = re.search(r"<h3>(.*?)</h3>", one, re.S)
        if "<svg " in one:
            found[name] = Figure(
                name, html.unescape(title.group(1)) if title else name, one)
    return found


class _Closed:
    """Stands for the job of a trace that was closed."""

    def __getattr__(self, name):
        raise Error("the trace is closed: ask inside of `with`")


class Trace:
    """A job, or one trace file, that is open for questions.

    Thread safe. Conditions, keys and measures are those of dftrace analyze
    (dftrace help where, dftrace help views); a wrong one is an AskError.

        with dftrace.read ("job") as job:
            print (job.metrics["job_time"], job.findings)
    """

    def __init__(self, path, data=None, checkpoint=None, index=None,
                 threads=0):
        self._job = _reader.Job(path, data, checkpoint, index, threads)
        self.path = os.fspath(path)
        self._metrics = None
        self._figures = None
        self.problems = self._job.problems()
        for problem in self.problems:
            warnings.warn(problem, DamageWarning, stacklevel=3)

    @property
    def label(self):
        """str: the name of the job."""
        return self._job.label

    def __repr__(self):
        time = self.metrics.get("job_time")
        return "<trace %s: %s%d findings; .metrics, .findings, .view (), " \
            ".query (), .events (), .figures>" % (
                self.label, "" if time is None else "%.3g s, " % time,
                len(self.findings))

    def __enter__(self):
        return self

    def __exit__(self, *why):
        """Close the trace: further questions are an Error."""
        self._job = _Closed()

    @property
    def findings(self):
        """Findings: a list of Finding, as on the first screen.

            dftrace.read ("job").findings[0].advice
        """
        return Findings(Finding(**row)
                        for row in self.view("insight").to_dicts())

    def events(self, where=None, columns=None, rows=0, strict=False):
        """Events as a stream of Arrow: see Events.

        where: a condition, or several that all have to hold. columns: words
        of dftrace help where, arg.NAME, time_ns (ns since 1970), dur_ns, args
        (JSON); without it those of dftrace export. rows: of a batch, about.
        strict: events that cannot be read are an Error at the end.

            polars.DataFrame (job.events ("dur > 10ms", "name,dur,file"))
        """
        return Events(self._job.events(_list(where, "where"),
                                       _list(columns, "columns", True),
                                       rows, strict), self.label)

    def query(self, by=None, show=None, where=None, sort=None, top=None,
              interval=None):
        """Groups of events, as dftrace analyze --by, --show, … has them.

        interval: of the key interval, seconds or a text like 50ms. The rows
        are all there are, or the first `top`: a Table.

            job.query (by="file", show="count,p99(dur)", where="class = read")
        """
        return Table(self._job.query(_commas(by, "by"), _commas(show, "show"),
                                     _list(where, "where"), sort, top or 0,
                                     _interval(interval)))

    def tree(self, by=None, where=None, top=None):
        """Table of the call tree: regions inside each other, calls below.

            job.tree (by="rank", where="dur > 1ms")
        """
        return Table(self._job.tree(by, _list(where, "where"), top or 0))

    def view(self, name, top=None):
        """A Table of dftrace help views, like call, rank, file, health.

            job.view ("file", top=10)["file"]
        """
        return Table(self._job.view(name, top or 0), name)

    @property
    def metrics(self):
        """Metrics: all of dftrace help metrics.

            job.metrics["read_bandwidth"]
        """
        if self._metrics is None:
            self._metrics = Metrics(self._job.metrics())
        return self._metrics

    @property
    def figures(self):
        """dict of str to Figure: those of the report's page."""
        if self._figures is None:
            self._figures = _figures_of(self._job.figures())
        return self._figures

    def figure(self, name):
        """A Figure, which shows as SVG in a notebook.

            job.figure ("timeline").save ("timeline.svg")
        """
        try:
            return self.figures[name]
        except KeyError:
            raise AskError("figure: %s: no such figure: %s"
                           % (name, nearest(name, list(self.figures)))) \
                from None

    def report(self, path=None):
        """Write the page of dftrace report; its path, a str. Without a path it
        is report.html in the job directory.

            job.report ("/tmp/page.html")
        """
        if path is None:
            if not os.path.isdir(self.path):
                raise AskError("report: a single trace: say where the page "
                               "goes")
            path = os.path.join(self.path, "report.html")
        self._job.report(path)
        return os.fspath(path)


def read(path, *, data=None, checkpoint=None, index=None, threads=0):
    """Open a job directory or a trace, of dftrace or of DFTracer.

    data, checkpoint, index: patterns of such files, as in dftrace analyze.
    threads: to read with; 0: one for each core. What is damaged is read as far
    as it goes, with a DamageWarning. Returns a Trace.

        job = dftrace.read ("dftrace/pretrain-4711")
        job.metrics["job_time"]
    """
    return Trace(path, data, checkpoint, index, threads)
