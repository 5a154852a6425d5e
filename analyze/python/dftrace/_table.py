# SPDX-License-Identifier: MIT
"""A table of the analysis: values, text, HTML, a stream of Arrow."""

import difflib
import html

from . import _arrow


def nearest(word, words):
    """", did you mean read_bandwidth?", or what there is."""
    near = difflib.get_close_matches(str(word), words, 1)
    return "did you mean %s?" % near[0] if near else \
        "there are " + ", ".join(words)


def _shown(value, digits, unit):
    if value is None:
        return "n/a"
    if isinstance(value, float):
        return "%.*f" % (digits if digits >= 0 else 4, value)
    return str(value)


class Table(_arrow.Arrow):
    """Rows of one question.

    columns: their names; titles, units: the same of each of them. table[name]
    is the list of a column's values, iterating gives the rows as tuples; None
    is what was not measured. pandas, polars, duckdb and pyarrow take the table
    itself (__arrow_c_stream__).

        calls = dftrace.read ("job").view ("call")
        dict (zip (calls["name"], calls["count"]))
        pandas.DataFrame (calls.to_dicts ())
    """

    def __init__(self, table, caption=""):
        about = table.columns()
        self._table = table
        self._digits = [a[3] for a in about]
        self._number = [bool(a[4]) for a in about]
        self._values = [None] * len(about)
        self.columns = [a[0] for a in about]
        self.titles = [a[1].replace("\n", " ") for a in about]
        self.units = [a[2] for a in about]
        self.caption = caption

    def _column(self, index):
        if self._values[index] is None:
            self._values[index] = self._table.column(index)
        return self._values[index]

    def __len__(self):
        return self._table.rows()

    def __bool__(self):
        return True             # a question was answered, if with no rows

    def __getitem__(self, name):
        if isinstance(name, int):
            return tuple(self._column(c)[name]
                         for c in range(len(self.columns)))
        try:
            return list(self._column(self.columns.index(name)))
        except ValueError:
            raise KeyError("%s: no such column: %s"
                           % (name, nearest(name, self.columns))) from None

    def __iter__(self):
        return iter(self.rows)

    @property
    def rows(self):
        """list of tuples: all values, row by row."""
        return list(zip(*(self._column(c)
                          for c in range(len(self.columns)))))

    def to_dicts(self):
        """list of dict: one for each row."""
        return [dict(zip(self.columns, row)) for row in self.rows]

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.stream(requested_schema)

    # --- for people -----------------------------------------------------------

    def _words(self, row):
        return [_shown(v, d, u)
                for v, d, u in zip(row, self._digits, self.units)]

    def _heads(self):
        return ["%s (%s)" % (t, u) if u else t
                for t, u in zip(self.titles, self.units)]

    def __repr__(self, most=40):
        rows = [self._heads()] + [self._words(r) for r in self.rows[:most]]
        wide = [max(len(r[c]) for r in rows) for c in range(len(self.columns))]
        lines = ["  ".join(r[c].rjust(wide[c]) if self._number[c]
                           else r[c].ljust(wide[c])
                           for c in range(len(wide))).rstrip() for r in rows]
        if len(self) > most:
            lines.append("… %d more rows" % (len(self) - most))
        return "\n".join(lines)

    def _repr_html_(self, most=200):
        def row(tag, cells):
            return "<tr>%s</tr>" % "".join(
                '<%s style="text-align:%s">%s</%s>'
                % (tag, "right" if number else "left", html.escape(cell), tag)
                for cell, number in zip(cells, self._number))
        text = ["<table>"]
        if self.caption:
            text.append("<caption>%s</caption>" % html.escape(self.caption))
        text.append("<thead>%s</thead><tbody>" % row("th", self._heads()))
        text += [row("td", self._words(r)) for r in self.rows[:most]]
        text.append("</tbody></table>")
        if len(self) > most:
            text.append("<p>%d more rows</p>" % (len(self) - most))
        return "\n".join(text)


class Metrics(Table):
    """The metrics of a job: metrics["read_bytes"] is a number or None.

    Rows say name, value, unit, definition, and why there is no value.

        job.metrics["job_time"]             # 12.7, in s
        job.metrics.get ("stall_time")
    """

    def __init__(self, table):
        super().__init__(table, "metrics")
        self._at = {name: i for i, name in enumerate(super()
                                                     .__getitem__("metric"))}
        self._value = table.column(self.columns.index("value"))

    def __getitem__(self, name):
        if isinstance(name, str) and name in self._at:
            return self._value[self._at[name]]
        if isinstance(name, str) and name not in self.columns:
            raise KeyError("%s: no such metric: %s" % (
                name, nearest(name, [*self._at, *self.columns])))
        return super().__getitem__(name)

    def __contains__(self, name):
        return name in self._at

    def keys(self):
        """list of str: the names."""
        return list(self._at)

    def get(self, name, default=None):
        """float, int or None: the value of a metric; default: no such one."""
        return self[name] if name in self._at else default

    def items(self):
        """list of (str, value)."""
        return [(name, self[name]) for name in self._at]


class Finding:
    """A finding about a job: what costs time, and what to try.

    severity, rule, finding, subject, advice: str; cost_s: float or None, what a
    fix saves at most; cost_percent: of the job; from_s, to_s: float or None, when
    it was, since the start of the job; processes: int or None, that have a part;
    pids: str, those with most; source: str or None, the lines of the
    program that open those files. `dftrace help RULE` says more.

        for f in dftrace.read ("job").findings:
            print (f.rule, f.cost_s, f.subject, f.advice)
    """

    def __init__(self, **columns):
        self.__dict__.update(columns)

    def __str__(self):
        cost = "" if self.cost_s is None else \
            ": at most %.3g s, %.1f %% of the job" % (self.cost_s,
                                                     self.cost_percent or 0)
        return "%s: %s%s%s. Try: %s. (%s)" % (
            self.severity, self.finding, cost,
            ": " + self.subject if self.subject else "", self.advice, self.rule)

    def __repr__(self):
        return "<finding %s>" % self

    def _repr_html_(self):
        return "<p>%s</p>" % html.escape(str(self))


class Findings(list):
    """list of Finding: the most important first.

        job.findings[0].advice
        [f.rule for f in job.findings if f.severity == "critical"]
    """

    def __repr__(self):
        return "\n".join(str(f) for f in self) or "<no findings>"

    def _repr_html_(self):
        return "<ul>%s</ul>" % "".join("<li>%s</li>" % html.escape(str(f))
                                       for f in self)
