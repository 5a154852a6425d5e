# SPDX-License-Identifier: MIT
"""Compare an archive of OTF2, as otf2-print shows it, with the events of the job.

checkotf2.py SOURCE EVENTS ARCHIVE: SOURCE is the source tree (calls.def, otfio.c), EVENTS what export -f jsonl wrote, ARCHIVE the directory. Prints what
differs: regions by name, operations and their bytes by paradigm and mode, records of
a location that are out of order or not inside each other, operations that do not end.
The last line is the number of regions and operations that were compared.
"""
import collections
import json
import os
import re
import subprocess
import sys

MODES = {"READ": ["READ"], "WRITE": ["WRITE"], "SYNC": ["FLUSH"], "COPY": ["READ", "WRITE"]}


def rows (path, word):
    with open (path) as text:
        return re.findall (r"^" + word + r" \(([^)]*)\)", text.read (), re.M | re.S)


def wanted (source, events):
    """Counters of regions, of operations and of bytes by (paradigm, mode)."""
    calls = [r.replace ("\n", " ").split (",") for r in rows (source + "/lib/format/calls.def", "CALL")]
    classes = {c[1].strip (): (c[2].strip (), c[3].strip ()) for c in calls}
    room = source + "/analyze/export/"
    with open (room + "otfio.c") as text:
        later = set (re.findall (r"\[CALL_(\w+)\] = OTFACT_LATER", text.read ()))
    with open (room + "otfdefs.c") as text:
        names = {category: name for name, category in re.findall (
            r'"([^"]+)",\s+CALL_CATEGORY_(\w+),\s+OTF2_IO_PARADIGM', text.read ())}
    regions, ops, size = (collections.Counter () for _ in range (3))
    with open (events, errors="surrogateescape") as lines:
        for line in lines:
            e = json.loads (line)
            category, kind = classes.get (e["name"], ("", ""))
            known = category == e["cat"]
            if not (known and e["name"] in later):
                regions[e["name"]] += 1
            if known and category in names:
                for mode in MODES.get (kind, []):
                    ops[names[category], mode] += 1
                    if mode != "FLUSH":
                        size[names[category], mode] += max (e.get ("ret", 0), 0)
    return regions, ops, size


def show (*words):
    run = subprocess.run (["otf2-print", *words], capture_output=True, text=True)
    if run.returncode or run.stderr:
        print ("otf2-print says:", run.returncode, run.stderr)
    return run.stdout.splitlines ()


def main (source, events, archive):
    anchor = os.path.join (archive, "traces.otf2")
    regions, ops, size = wanted (source, events)
    handles = {}
    for line in show ("-G", anchor):
        if line.startswith ("IO_HANDLE "):
            handles[line.split ()[1]] = re.search (
                r', I/O Paradigm: "([^"]*)" <\d+>, Flags', line)[1]
    have, done, moved = (collections.Counter () for _ in range (3))
    stack, time, open_ops = collections.defaultdict (list), {}, {}
    for line in show (anchor):
        f = line.split (None, 3)
        if len (f) < 4 or not f[2].isdigit () or line[0] == " ":
            continue
        where, when = f[1], int (f[2])
        if when < time.get (where, 0):
            print ("out of order:", line)
        time[where] = when
        ref = f[3][f[3].rindex ("<") + 1:-1] if f[3].endswith (">") else None
        if f[0] == "ENTER":
            have[re.match (r'Region: "(.*)" <\d+>$', f[3])[1]] += 1
            stack[where].append (ref)
        elif f[0] == "LEAVE":
            if not stack[where] or stack[where].pop () != ref:
                print ("not inside each other:", line)
        elif f[0] == "IO_OPERATION_BEGIN":
            m = re.search (r"<(\d+)>, Mode: (\w+), .*Matching Id: (\d+)$", f[3])
            key = handles[m[1]], m[2]
            done[key] += 1
            open_ops[m[1], m[3]] = key
        elif f[0] == "IO_OPERATION_COMPLETE":
            m = re.search (r"<(\d+)>, Bytes Result: (\d+), Matching Id: (\d+)$", f[3])
            key = open_ops.pop ((m[1], m[3]), None)
            if key is None:
                print ("ends and has not begun:", line)
            elif key[1] != "FLUSH":
                moved[key] += int (m[2])
    for what, a, b in (("regions", regions, have), ("operations", ops, done),
                       ("bytes", size, moved)):
        for key in sorted (set (a) | set (b), key=str):
            if a[key] != b[key]:
                print (what, key, "want", a[key], "have", b[key])
    if open_ops or any (stack.values ()):
        print ("still open:", len (open_ops), sum (map (len, stack.values ())))
    print (sum (have.values ()), "regions", sum (done.values ()), "operations")


main (*sys.argv[1:])
