# SPDX-License-Identifier: MIT
#
# readodd.py - dftrace.read where something is wrong, or odd:
#              readodd.py DIR TRACE PFW

import ctypes
import errno
import os
import random
import resource
import sys
import threading
import warnings
import xml.etree.ElementTree

count = 0


def ok(what, is_so, said=""):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if is_so else "not ok", count, what))
    if not is_so and said != "":
        print("# " + str(said)[:600].replace("\n", "\n# "))


def raises(what, error, text, call, *args, **words):
    try:
        call(*args, **words)
    except error as e:
        ok(what, text in str(e), e)
    except BaseException as e:
        ok(what, False, repr(e))
    else:
        ok(what, False, "nothing was raised")


def lazy():
    import dftrace
    from dftrace import region      # noqa: F401
    everything = {}
    exec("from dftrace import *", everything)
    ok("an import loads no reader", "dftrace._reader" not in sys.modules and
       "read" not in everything)
    raises("no such name", AttributeError, "reed", lambda: dftrace.reed)
    return dftrace


def mistakes(dftrace, t, scratch):
    ask, error = dftrace.AskError, dftrace.Error
    raises("by", ask, "did you mean name", t.query, by="nam")
    raises("show", ask, "did you mean count", t.query, show="conut")
    raises("sort", ask, "what there is to sort by", t.query, sort="name")
    raises("where", ask, "did you mean dur", t.query, show="count",
           where="durr > 3ms")
    raises("where of events", ask, "not a unit", t.events, where="dur > 3xs")
    raises("columns", ask, "did you mean name", t.events, columns="nmae")
    raises("a column twice", ask, "twice", t.events, columns="name,name")
    raises("no columns", ask, "at least one", t.events, columns=[])
    raises("an argument that is nowhere", ask, "no event has",
           lambda: t.events(columns="arg.nowhere").__arrow_c_stream__())
    raises("a category that is nowhere", arrowread.StreamError,
           "did you mean POSIX", arrowread.rows, t.events(where="cat = POSX"))
    raises("the same of a query", error, "did you mean POSIX", t.query,
           show="count", where="cat = POSX")
    raises("view", ask, "no such table", t.view, "calls!")
    raises("tree", ask, "a tree begins with", t.tree, by="name")
    raises("figure", ask, "there are", t.figure, "no")
    raises("interval", ask, "not a time", t.query, by="interval",
           interval="3 fortnights")
    raises("a NUL", ValueError, "NUL", t.events, where="name = a\0b")
    raises("no text", TypeError, "str", t.events, columns=[3])
    raises("an AskError is a ValueError", ValueError, "", t.query, by="nam")
    raises("no such job", error, "No such file", dftrace.read,
           scratch + "/nowhere")
    raises("no trace", error, "", dftrace.read, __file__)
    os.makedirs(scratch + "/empty", exist_ok=True)
    raises("an empty directory", error, "", dftrace.read, scratch + "/empty")
    with open(scratch + "/none.dft", "wb"):
        pass
    raises("an empty file", error, "empty", dftrace.read,
           scratch + "/none.dft")


def fuzz(dftrace, t, rnd):
    words = ["dur", ">", "=", "name", "and", "or", "(", ")", "'", '"', "~",
             "=~", "not", "in", "has(", "1ms", "3", "arg.step", ",", "rank",
             "\u00e9", "\x01", "%s", "step", "log2(", "size)", "p99(", "*"]
    wrong = right = 0
    for _ in range(1500):
        text = rnd.choice(["", " "]).join(
            rnd.choice(words) for _ in range(rnd.randrange(12)))
        for call in (lambda: t.events(where=text),
                     lambda: t.events(columns=text),
                     lambda: t._job.tree(text, [text], 3)):
            try:
                call()
                right += 1
            except (dftrace.Error, TypeError):
                wrong += 1
    for _ in range(40):
        text = "".join(rnd.choice(words) for _ in range(3))
        for name in ("by", "show", "sort", "where"):
            try:
                t.query(**{name: text})
            except dftrace.Error:
                wrong += 1
    ok("mistakes are exceptions", wrong > 100 and right >= 0)


def lives(t, dftrace, trace):
    n = len(arrowread.rows(t.events()))
    capsule = t.events(rows=1).__arrow_c_stream__()
    del capsule
    ok("a capsule that nobody takes", True)
    capsule = t.events(rows=1).__arrow_c_stream__()
    s = arrowread.stream_of(capsule)
    array = arrowread.Array()
    ok("one batch", s.contents.get_next(s, ctypes.byref(array)) == 0)
    s.contents.release(s)
    ok("released early", not s.contents.release)
    del capsule, s
    first = sum(arrowread.c_int64.from_buffer_copy(
        ctypes.string_at(array.children[0].contents.buffers[1], 8)).value
        for _ in range(1))
    array.release(ctypes.byref(array))
    ok("a batch outlives its stream", first > 0)
    capsule = t.events().__arrow_c_stream__()
    ok("read to its end", sum(len(b["pid"])
                              for b in arrowread.batches(capsule)) == n)
    ok("a stream is released once", not arrowread.stream_of(capsule)
       .contents.release)
    del capsule
    events = dftrace.read(trace).events()       # the job is the stream's
    ok("a stream keeps its job", len(arrowread.rows(events)) == n)
    capsule = t.events().__arrow_c_stream__()
    s = arrowread.stream_of(capsule)
    for _ in range(3 + n):
        assert s.contents.get_next(s, ctypes.byref(array)) == 0
        if not array.release:
            break
        array.release(ctypes.byref(array))
    ok("the end stays the end",
       s.contents.get_next(s, ctypes.byref(array)) == 0 and not array.release)


def together(t, n):
    """Several threads, one job."""
    found, failed = [], []

    def work(i):
        try:
            for _ in range(3):
                found.append(len(arrowread.rows(t.events(
                    columns=["name", "step", "kind"][:1 + i % 3]))))
                found.append(sum(t.query(by="name", show="count")["count"]))
        except BaseException as e:
            failed.append(e)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    ok("four threads ask one job", not failed and len(found) == 24 and
       set(found) == {n}, (failed, found))


def forks(t, n):
    """A child must not wait for threads that it does not have."""
    capsule = t.events(rows=1).__arrow_c_stream__()
    s = arrowread.stream_of(capsule)
    array = arrowread.Array()
    s.contents.get_next(s, ctypes.byref(array))
    array.release(ctypes.byref(array))
    pid = os.fork()
    if pid == 0:
        said = ""
        if s.contents.get_next(s, ctypes.byref(array)):
            said = s.contents.get_last_error(s).decode()
        s.contents.release(s)
        good = "after fork" in said and len(
            arrowread.rows(t.events(rows=1))) == n
        os._exit(0 if good else 1)
    ok("a child of fork is told, and reads anew",
       os.waitpid(pid, 0)[1] == 0)


def damaged(dftrace, trace, scratch, rnd):
    with open(trace, "rb") as f:
        whole = f.read()
    n = len(arrowread.rows(dftrace.read(trace).events()))
    read = warned = 0
    path = os.path.join(scratch, "damaged" + os.path.splitext(trace)[1])
    for i in range(40):
        data = bytearray(whole)
        if i % 2:
            del data[rnd.randrange(len(data)):]
        else:
            for _ in range(rnd.randrange(1, 30)):
                data[rnd.randrange(len(data))] = rnd.randrange(256)
        with open(path, "wb") as f:
            f.write(data)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                t = dftrace.read(path)
                found = len(arrowread.rows(t.events()))
                arrowread.rows(t.query(by="name,step", show="count"))
                read += found <= n + 30
            except (dftrace.Error, arrowread.StreamError):
                read += 1
            warned += len(said) > 0
    ok("damaged: " + os.path.basename(trace), read == 40 and warned > 0,
       (read, warned))


def strict(dftrace, trace, scratch):
    with open(trace, "rb") as f:
        data = bytearray(f.read())
    for i in range(len(data) // 2, len(data) // 2 + 2000):
        data[i] ^= 0x55
    path = os.path.join(scratch, "strict.dft")
    with open(path, "wb") as f:
        f.write(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t = dftrace.read(path)
    ok("what is left is read", len(arrowread.rows(t.events())) > 0)
    raises("strict says what is missing", arrowread.StreamError,
           "view (", arrowread.rows, t.events(strict=True))


def shows(dftrace, t, scratch):
    table = t.query(by="name", show="count,sum(dur)")
    page = table._repr_html_()
    xml.etree.ElementTree.fromstring(page)
    ok("a table as HTML", page.count("<tr>") == len(table) + 1 and
       "count" in page)
    ok("and as text", "count" in repr(table).splitlines()[0])
    ok("its columns", table.columns[0] == "name" and
       table["count"] == [r[1] for r in table.rows] and table[0][0])
    raises("no such column", KeyError, "there are name", lambda: table["x"])
    odd = t.query(by="file", show="count")
    ok("names are escaped", "<b>" not in odd._repr_html_())
    for name in ("timeline", "cost"):
        svg = t.figure(name)._repr_svg_()
        root = xml.etree.ElementTree.fromstring(svg)
        ok("figure %s is a drawing" % name, root.tag ==
           "{http://www.w3.org/2000/svg}svg" and "<style>" in svg)
    page = os.path.join(scratch, "page.html")
    ok("the report", t.report(page) == page and
       "</html>" in open(page, encoding="utf-8").read())
    ok("metrics as HTML", "read_bytes" in t.metrics._repr_html_())
    ok("a view", t.view("call")["events"] if "events" in
       t.view("call").columns else t.view("call")["count"])
    tree = t.tree()
    ok("the tree adds up", abs(sum(tree["self_s"]) - tree["total_s"][0]) <
       1e-3 * max(1, tree["total_s"][0]))


def short_of_memory(dftrace, trace):
    """Python goes on where the analysis has no memory, whatever asks for it."""
    asks = {
        "read": lambda t: dftrace.read(trace),
        "query": lambda t: t.query(by="name,file", show="count,p99(dur)").rows,
        "events": lambda t: arrowread.rows(t.events(where="dur > 0ns")),
        "tree": lambda t: t.tree().rows,
        "figures": lambda t: t.figure("timeline")}
    for name, ask in asks.items():
        without = 0
        for extra in [0] + [1 << n for n in range(12, 28)]:
            said, tell = os.pipe()
            pid = os.fork()
            if pid == 0:
                os._exit(in_little_memory(dftrace, trace, ask, extra, tell))
            os.close(tell)
            with os.fdopen(said) as f:
                words = f.read().split()
            status = os.waitpid(pid, 0)[1]
            if status or not words:
                break
            without += words[0] == "MemoryError"
        ok("%s: a MemoryError, and Python goes on" % name,
           status == 0 and without > 0, (extra, status, without, words))


def in_little_memory(dftrace, trace, ask, extra, tell):
    """Ask with so many bytes more than now, and again without a limit."""
    t = dftrace.read(trace)
    malloc = ctypes.CDLL(None).malloc
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    with open("/proc/self/statm") as f:
        size = int(f.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size, before[1]))
    for n in range(20, 8, -1):      # what is free of the memory of now
        while malloc(1 << n):
            pass
    resource.setrlimit(resource.RLIMIT_AS, (size + extra, before[1]))
    word = "answer"
    try:
        ask(t)
    except MemoryError:
        word = "MemoryError"
    except arrowread.StreamError as why:
        # EAGAIN: not even a thread could be started
        memory = [os.strerror(n) for n in (errno.ENOMEM, errno.EAGAIN)]
        word = "MemoryError" if any(m in str(why) for m in memory) else why
    except dftrace.Error as why:
        word = why
    resource.setrlimit(resource.RLIMIT_AS, before)
    ask(t)
    ask(dftrace.read(trace))
    os.write(tell, str(word).encode())
    return 0


def main():
    scratch, native, foreign = sys.argv[1:]
    rnd = random.Random(3)
    dftrace = lazy()
    t = dftrace.read(foreign)
    n = len(arrowread.rows(t.events()))
    mistakes(dftrace, t, scratch)
    fuzz(dftrace, t, rnd)
    lives(t, dftrace, foreign)
    together(dftrace.read(foreign), n)
    forks(dftrace.read(foreign), n)
    for trace in (native, foreign):
        damaged(dftrace, trace, scratch, rnd)
    strict(dftrace, native, scratch)
    shows(dftrace, dftrace.read(foreign), scratch)
    short_of_memory(dftrace, foreign)
    short_of_memory(dftrace, native)
    print("1..%d" % count)


import arrowread    # noqa: E402 (it must not be what loads the reader)
main()
