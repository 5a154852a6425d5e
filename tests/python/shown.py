# SPDX-License-Identifier: MIT
"""shown.py JOB - what a user sees of dftrace.read: names, errors, documents"""

import sys
import xml.etree.ElementTree

import dftrace

number = 0


def ok(fine, name):
    global number
    number += 1
    print("%sok %d - %s" % ("" if fine else "not ", number, name))


def message(ask):
    try:
        ask()
    except (dftrace.Error, KeyError) as why:
        return str(why)
    return ""


names = [n for n in dir(dftrace) if not n.startswith("_")]
for name in ("read", "study", "region", "Trace", "Table", "Findings"):
    ok(name in names, "dir (dftrace) has " + name)
ok("__version__" in dir(dftrace) and dftrace.__version__[0].isdigit(), "__version__")
with dftrace.read(sys.argv[1]) as job:
    ok("%.3g s" % job.metrics["job_time"] in repr(job) and
       "%d findings" % len(job.findings) in repr(job), "repr says what is in it")
    rows = job.view("insight").to_dicts()
    ok(len(rows) > 2 and [f.rule for f in job.findings] == [r["rule"] for r in rows],
       "findings are those of --view insight")
    ok(all(f.advice in str(f) and f.severity for f in job.findings), "as objects")
    ok(job.findings._repr_html_().count("<li>") == len(rows), "as HTML")
    ok("<table>" in job.view("call")._repr_html_(), "tables as HTML")
    ok("did you mean file?" in message(lambda: job.view("flie")), "the nearest view")
    ok("did you mean read_bandwidth?" in
       message(lambda: job.metrics["read_bandwith"]), "the nearest metric")
    ok("did you mean name?" in message(lambda: job.view("call")["nmae"]),
       "the nearest column")
    ok("did you mean timeline?" in message(lambda: job.figure("timelien")),
       "the nearest figure")
    for name, figure in job.figures.items():
        try:
            xml.etree.ElementTree.fromstring(figure.svg)
        except xml.etree.ElementTree.ParseError as why:
            ok(False, "figure %s is a drawing: %s" % (name, why))
    ok(len(job.figures) > 5, "figures are whole drawings")
ok(message(lambda: job.view("call")) != "", "after `with` the trace is closed")
for name in ("AskError", "DamageWarning", "Error", "Events", "Figure", "Finding",
             "Findings", "Metrics", "Study", "Table", "Trace", "read", "study"):
    text = getattr(dftrace, name).__doc__ or ""
    # from Python 3.13 on the common indentation is gone
    ok("\n    " in text or "\n\n" in text, name + " has an example")
print("1..%d" % number)
