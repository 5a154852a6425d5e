# SPDX-License-Identifier: MIT
"""Compare what dftrace reads of logs of Darshan with what darshan-parser prints.

checkdarshan.py DFTRACE DIR: for each DIR/NAME.darshan beside which there is
NAME.parser.txt or NAME.parser-all.txt, the sums of counters by module; with
NAME.dxt.txt the number of segments of POSIX, too; of heat maps the bytes in each slice
of time. TAP on standard output.
"""
import collections
import csv
import glob
import io
import os
import subprocess
import sys

WANT = {
    "read": ("POSIX", ["POSIX_READS"], "POSIX_BYTES_READ"),
    "write": ("POSIX", ["POSIX_WRITES"], "POSIX_BYTES_WRITTEN"),
    "lseek": ("POSIX", ["POSIX_SEEKS"], None),
    "stat": ("POSIX", ["POSIX_STATS"], None),
    "fsync": ("POSIX", ["POSIX_FSYNCS"], None),
    "mmap": ("POSIX", ["POSIX_MMAPS"], None),
    "fread": ("STDIO", ["STDIO_READS"], "STDIO_BYTES_READ"),
    "fwrite": ("STDIO", ["STDIO_WRITES"], "STDIO_BYTES_WRITTEN"),
    "fseek": ("STDIO", ["STDIO_SEEKS"], None),
    "MPI_File_open": ("MPI-IO", ["MPIIO_INDEP_OPENS", "MPIIO_COLL_OPENS"], None),
    "MPI_File_read": ("MPI-IO", ["MPIIO_INDEP_READS"], None),
    "MPI_File_read_all": ("MPI-IO", ["MPIIO_COLL_READS"], None),
    "MPI_File_write": ("MPI-IO", ["MPIIO_INDEP_WRITES"], None),
    "MPI_File_write_all": ("MPI-IO", ["MPIIO_COLL_WRITES"], None),
    "H5Fopen": ("H5F", ["H5F_OPENS"], None),
    "H5Fflush": ("H5F", ["H5F_FLUSHES"], None),
    "H5Dopen": ("H5D", ["H5D_OPENS"], None),
    "H5Dread": ("H5D", ["H5D_READS"], "H5D_BYTES_READ"),
    "H5Dwrite": ("H5D", ["H5D_WRITES"], "H5D_BYTES_WRITTEN"),
    "H5Dflush": ("H5D", ["H5D_FLUSHES"], None),
    "ncmpi_create": ("PNETCDF_FILE", ["PNETCDF_FILE_CREATES"], None),
    "ncmpi_open": ("PNETCDF_FILE", ["PNETCDF_FILE_OPENS"], None),
    "ncmpi_sync": ("PNETCDF_FILE", ["PNETCDF_FILE_SYNCS"], None),
    "ncmpi_wait": ("PNETCDF_FILE", ["PNETCDF_FILE_INDEP_WAITS",
                                    "PNETCDF_FILE_COLL_WAITS"], None),
    "ncmpi_get": ("PNETCDF_VAR", ["PNETCDF_VAR_INDEP_READS",
                                  "PNETCDF_VAR_COLL_READS"], "PNETCDF_VAR_BYTES_READ"),
    "ncmpi_put": ("PNETCDF_VAR", ["PNETCDF_VAR_INDEP_WRITES",
                                  "PNETCDF_VAR_COLL_WRITES"], "PNETCDF_VAR_BYTES_WRITTEN"),
    "ncmpi_iget": ("PNETCDF_VAR", ["PNETCDF_VAR_NB_READS"], None),
    "ncmpi_iput": ("PNETCDF_VAR", ["PNETCDF_VAR_NB_WRITES"], None),
}


def counters (path):
    sums = collections.Counter ()
    with open (path, errors="replace") as text:
        for line in text:
            f = line.rstrip ("\n").split ("\t")
            if line.startswith ("#") or len (f) < 5 or "_F_" in f[3]:
                continue
            try:
                value = int (f[4])
            except ValueError:
                continue
            sums[f[3]] += max (value, 0)
    return sums


def analyze (dftrace, log, view):
    run = subprocess.run ([dftrace, "analyze", "--no-write", "--view", view, "--top", "0",
                           "-f", "csv", log], capture_output=True, text=True)
    return run, list (csv.DictReader (io.StringIO (run.stdout)))


def trimmed (pairs):
    """without what is (0, 0) at both ends"""
    full = [i for i, p in enumerate (pairs) if any (p)]
    return pairs[full[0]:full[-1] + 1] if full else []


def heat_of_parser (path):
    """width and [(read, written), ...] of all ranks, by POSIX and STDIO"""
    maps = collections.defaultdict (dict)
    with open (path, errors="replace") as text:
        for line in text:
            f = line.rstrip ("\n").split ("\t")
            if f[0] == "HEATMAP" and f[5] in ("heatmap:POSIX", "heatmap:STDIO"):
                maps[f[1], f[2]][f[3]] = float (f[4])
    full = [m for m in maps.values () if any (v for k, v in m.items () if "_BIN_" in k and "_F_" not in k)]
    width = max ((m["HEATMAP_F_BIN_WIDTH_SECONDS"] for m in full), default=0)
    rows = [[0, 0] for i in range (257)]
    for m in full:
        for k, v in m.items ():
            if "_F_" not in k:
                at = (int (k.rpartition ("_")[2]) + 0.5) * m["HEATMAP_F_BIN_WIDTH_SECONDS"]
                rows[int (at / width)]["WRITE" in k] += int (v)
    return width, trimmed (rows)


def heat_wrong (dftrace, log, path):
    width, want = heat_of_parser (path)
    _, rows = analyze (dftrace, log, "timemap")
    have = trimmed ([[int (r["read_bytes"]), int (r["write_bytes"])] for r in rows])
    if have != want or (rows and abs (float (rows[0]["seconds"]) - width) > 1e-6):
        return ["heat map: %s %s, not %s %s" % (rows and rows[0]["seconds"], have, width, want)]
    return []


def common_of_parser (path, word):
    """{file: Counter of values} of all its records, POSIX_ACCESS* or POSIX_STRIDE*"""
    pair, files = collections.defaultdict (dict), collections.defaultdict (collections.Counter)
    with open (path, errors="replace") as text:
        for line in text:
            f = line.rstrip ("\n").split ("\t")
            if f[0] == "POSIX" and len (f) > 5 and f[3].startswith ("POSIX_" + word):
                number, kind = f[3][len ("POSIX_" + word):].split ("_")
                pair[f[1], f[2], f[5], number][kind] = int (f[4])
    for (_, _, name, _), p in pair.items ():
        if p["COUNT"] > 0 and p[word] >= 0:
            files[name][p[word]] += p["COUNT"]
    return files


def common_wrong (dftrace, log, path, word, view):
    want = common_of_parser (path, word)
    _, rows = analyze (dftrace, log, view)
    have, wrong = collections.defaultdict (list), []
    for r in rows:
        if r["operation"] == "both" and r["bytes"]:
            have[r["file"]].append ((int (r["bytes"]), int (r["count"])))
    apart = {r["file"] for r in rows if r["operation"] != "both"}
    for name in sorted (set (want) | set (have)):
        first = sorted (want[name].items (), key=lambda v: (-v[1], v[0]))[:4]
        if have[name] != first and not (name in apart and not have[name]):
            wrong.append ("%s: %s: %s, not %s" % (view, name, have[name], first))
    return wrong[:9]


def main (dftrace, directory):
    number = failed = 0
    for log in sorted (glob.glob (os.path.join (directory, "*.darshan"))):
        base = log[:-len (".darshan")]
        texts = [base + e for e in (".parser.txt", ".parser-all.txt")]
        texts = [t for t in texts if os.path.exists (t) and os.path.getsize (t)]
        if not texts:
            continue
        want = counters (texts[0])
        run, rows = analyze (dftrace, log, "call")
        have = {r["name"]: r for r in rows}
        wrong = heat_wrong (dftrace, log, texts[0])
        wrong += common_wrong (dftrace, log, texts[0], "ACCESS", "accesssize")
        wrong += common_wrong (dftrace, log, texts[0], "STRIDE", "accessstride")
        for call, (_, names, moved) in WANT.items ():
            row = have.get (call, {})
            calls = sum (want[n] for n in names)
            if int (row.get ("count") or 0) != calls:
                wrong.append ("%s: %s calls, not %d" % (call, row.get ("count"), calls))
            if moved and int (row.get ("bytes") or 0) != (want[moved] if calls else 0):
                wrong.append ("%s: %s B, not %d" % (call, row.get ("bytes"), want[moved]))
        number += 1
        failed += bool (wrong) or run.returncode not in (0, 5)
        print ("%sok %d - %s" % ("not " if wrong else "", number, os.path.basename (log)))
        for w in wrong:
            print ("# " + w)
        if run.returncode not in (0, 5):
            print ("# exit status %d: %s" % (run.returncode, run.stderr.strip ()))
    print ("1..%d" % number)
    return failed > 0


sys.exit (main (*sys.argv[1:]))
