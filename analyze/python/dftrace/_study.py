# SPDX-License-Identifier: MIT
"""A sweep with results as an object: what dftrace.study () gives."""

import csv
import os

from ._read import Error, Trace, _figures_of, _reader
from ._table import nearest


def _number(text):
    """A cell of a CSV file: a number, a text, None."""
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Run:
    """A run of a sweep: its point's settings and metrics (a dict), its job."""

    def __init__(self, study, row):
        self.values = row
        self.label = row["label"]
        self.path = os.path.join(
            study.path, "runs", "%s.%s" % (row["label"], row["point"]),
            "r%s" % row["repeat"], "a%s" % row["attempt"], "trace")

    def __repr__(self):
        return "<run %s>" % self.values["run"]

    def __getitem__(self, name):
        return self.values[name]

    def read(self):
        """Its trace, as dftrace.read gives it."""
        return Trace(self.path)


class Study:
    """A sweep directory after `dftrace sweep results`.

    points, long, compare, effects: rows of results/*.csv, as dicts with
    numbers. runs: those that are done. figures: those of the report's page.

        dftrace.study ("sweep").points[0]["job_time_mean"]
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.exists(os.path.join(self.path, "results",
                                           "points.csv")):
            raise Error("%s: no sweep with results: run dftrace sweep results "
                        "--write %s" % (self.path, self.path))
        self._figures = None

    def __repr__(self):
        return "<study %s>" % self.path

    def table(self, name):
        """results/NAME.csv as a list of dicts."""
        path = os.path.join(self.path, "results", name + ".csv")
        try:
            with open(path, newline="", encoding="utf-8",
                      errors="replace") as f:
                return [{k: _number(v) for k, v in row.items()}
                        for row in csv.DictReader(f)]
        except OSError as why:
            raise Error("%s: %s" % (path, why.strerror)) from None

    @property
    def points(self):
        return self.table("points")

    @property
    def runs(self):
        path = os.path.join(self.path, "results", "runs.csv")
        with open(path, newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))      # names stay texts
        return [Run(self, dict({k: _number(v) for k, v in row.items()},
                               label=row["label"], point=row["point"]))
                for row in rows if row["state"] == "done"]

    @property
    def figures(self):
        """The figures of the page, by name; in a notebook they are SVG."""
        if self._figures is None:
            self._figures = _figures_of(_reader.study(self.path))
        return self._figures

    def figure(self, name):
        try:
            return self.figures[name]
        except KeyError:
            raise Error("figure: %s: no such figure: %s"
                        % (name, nearest(name, list(self.figures)))) from None


def study(path):
    """Open a sweep directory that has results: a Study.

        for run in dftrace.study ("sweep").runs:
            print (run.label, run.read ().metrics["job_time"])
    """
    return Study(path)
