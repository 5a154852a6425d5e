# SPDX-License-Identifier: MIT
"""Write a log in the format of Darshan 3, from numbers: darshanlog.write (path, ...).

Counters are dicts by number; what is not named is 0. Segments of DXT are (file, rank,
write, offset, length, start, end, thread), heat maps (interface, rank, s of a slice,
bytes read in each, written).
"""
import bz2
import struct
import zlib

POSIX, MPIIO, H5F, H5D, PNETCDF_FILE, PNETCDF_VAR = 1, 2, 3, 4, 5, 6
LUSTRE, STDIO, DXT_POSIX, DXT_MPIIO, HEATMAP = 8, 9, 10, 11, 15
SHAPE = {POSIX: (69, 17), MPIIO: (51, 17), STDIO: (14, 15), H5F: (3, 5), H5D: (94, 17),
         PNETCDF_FILE: (9, 8), PNETCDF_VAR: (120, 17)}


def ident (name):
    return zlib.crc32 (name.encode ()) * 0x100000001


def record (order, module, name, rank, ints, floats, version):
    n, f = SHAPE[module]
    lacks, lacks_f = set (), set ()
    if module == POSIX and version < 4:
        lacks |= {1, 2, 10, 11, 12}
    if module in (POSIX, MPIIO) and version < 3:
        lacks_f = {3, 4}
    if module == H5F and version < 3:
        lacks |= {1, 2}
        lacks_f |= {4} if version == 2 else {1, 2, 4}
    if module == PNETCDF_FILE and version < 3:
        lacks |= set (range (2, 9))
        lacks_f |= {2, 5, 6, 7} if version == 2 else {1, 2, 3, 5, 6, 7}
    out = struct.pack (order + "Qq", ident (name), rank)
    if module == PNETCDF_VAR or (module == H5D and version > 1):
        out += struct.pack (order + "Q", ident (name.rpartition (":")[0]))
    for i in range (n):
        if module == POSIX and version == 1 and i == 8:
            out += struct.pack (order + "4q", 0, 0, 0, 0)
        if i not in lacks:
            out += struct.pack (order + "q", ints.get (i, 0))
    for i in range (f):
        if i not in lacks_f:
            out += struct.pack (order + "d", floats.get (i, 0.0))
    return out


def dxt (order, segments, threads):
    out = b""
    for key in sorted ({(s[0], s[1]) for s in segments}):
        own = [s for s in segments if (s[0], s[1]) == key]
        own.sort (key=lambda s: not s[2])
        writes = sum (1 for s in own if s[2])
        out += struct.pack (order + "Qqq64sqq", ident (key[0]), key[1], 0,
                            b"node%d" % (key[1] % 2), writes, len (own) - writes)
        for s in own:
            out += struct.pack (order + "qqdd", *s[3:7])
            if threads:
                out += struct.pack (order + "Q", s[7])
    return out


def write (path, records=(), segments=(), mpi_segments=(), stripes=(), nprocs=4,
           version="3.41", order="<", packing="zlib", posix=4, mpiio=3,
           start=1600000000, end=1600000010, mounts=(("ext4", "/"),),
           command="/bin/solver --steps 3", streams=1, partial=0, h5f=3, h5d=2,
           pnetcdf=3, heats=()):
    """records: (module, file, rank, ints, floats)"""
    versions = {POSIX: posix, MPIIO: mpiio, STDIO: 2, LUSTRE: 2, DXT_POSIX: 2,
                DXT_MPIIO: 3, H5F: h5f, H5D: h5d, PNETCDF_FILE: pnetcdf,
                PNETCDF_VAR: 1, HEATMAP: 1}
    wide = version == "3.41"
    names = sorted ({r[1] for r in records} | {s[0] for s in segments} |
                    {s[0] for s in mpi_segments} | {s[0] for s in stripes} |
                    {"heatmap:" + h[0] for h in heats})
    region = {}
    for r in records:
        region.setdefault (r[0], b"")
        region[r[0]] += record (order, *r, versions[r[0]])
    if segments:
        region[DXT_POSIX] = dxt (order, segments, True)
    if mpi_segments:
        region[DXT_MPIIO] = dxt (order, mpi_segments, True)
    for name, rank, width, read, written in heats:
        region[HEATMAP] = region.get (HEATMAP, b"") + struct.pack (
            order + "Qqdq16x%dq" % (2 * len (read)), ident ("heatmap:" + name), rank,
            width, len (read), *written, *read)
    for name, size, count in stripes:
        region[LUSTRE] = region.get (LUSTRE, b"") + struct.pack (
            order + "Qqqq", ident (name), -1, 1, count) + struct.pack (
            order + "7q16s", size, count, 0, 0, 0, -1, 0, b"") + bytes (8 * count)
    table = b""
    for n in names:
        if version == "3.00":
            table += struct.pack (order + "QI", ident (n), len (n)) + n.encode ()
        else:
            table += struct.pack (order + "Q", ident (n)) + n.encode () + b"\0"
    times = (start, 0, end, 0) if wide else (start, end)
    job = struct.pack (order + "q%dqqq" % len (times), 1000, *times, nprocs, 77)
    job += b"lib_ver=test\n".ljust (1024, b"\0") + command.encode ()
    job += b"".join (b"\n%s\t%s" % (t.encode (), p.encode ()) for t, p in mounts) + b"\0"

    def pack (data):
        if packing == "none":
            return data
        size = -(-len (data) // streams) or 1
        f = bz2.compress if packing == "bzip2" else zlib.compress
        return b"".join (f (data[i:i + size]) for i in range (0, len (data), size))

    modules = 64 if wide else 16
    head = 1328 if wide else 360
    job, table = pack (job), pack (table)
    at = head + len (job)
    maps = struct.pack (order + "QQ", at, len (table))
    at += len (table)
    body = job + table
    number = {m: m - (m > 4 and version < "3.20") - (m > 6 and not wide)
              for m in versions}
    region = {number[m]: data for m, data in region.items ()}
    versions = {number[m]: v for m, v in versions.items ()}
    for m in range (modules):
        data = pack (region[m]) if m in region else b""
        maps += struct.pack (order + "QQ", at if data else 0, len (data))
        body += data
        at += len (data)
    first = version.encode ().ljust (8, b"\0") + struct.pack (order + "q", 6567223)
    kind = {"zlib": 0, "bzip2": 1, "none": 2}[packing]
    if wide:
        first += struct.pack (order + "B7xQ", kind, partial)
    else:
        first += struct.pack (order + "B3xI", kind, partial)
    first += maps + struct.pack (order + "%dI" % modules,
                                 *(versions.get (m, 0) for m in range (modules)))
    with open (path, "wb") as out:
        out.write (first + body)
