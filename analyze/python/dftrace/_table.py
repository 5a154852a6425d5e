# SPDX-License-Identifier: MIT
"""A table of the analysis: values, text, HTML, a stream of Arrow."""

import html

from . import _arrow


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
            raise KeyError("%s: no such column: there are %s"
                           % (name, ", ".join(self.columns))) from None

    def __iter__(self):
        return iter(self.rows)

    @property
    def rows(self):
        return list(zip(*(self._column(c)
                          for c in range(len(self.columns)))))

    def to_dicts(self):
        """A dict for each row."""
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
    """

    def __init__(self, table):
        super().__init__(table, "metrics")
        self._at = {name: i for i, name in enumerate(super()
                                                     .__getitem__("metric"))}
        self._value = table.column(self.columns.index("value"))

    def __getitem__(self, name):
        if isinstance(name, str) and name in self._at:
            return self._value[self._at[name]]
        return super().__getitem__(name)

    def __contains__(self, name):
        return name in self._at

    def keys(self):
        return list(self._at)

    def get(self, name, default=None):
        return self[name] if name in self._at else default

    def items(self):
        return [(name, self[name]) for name in self._at]
