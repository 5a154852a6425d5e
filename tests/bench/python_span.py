#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of one Python span, beside pydftracer where that is installed.

    dftrace run -q -o /tmp/b --layers app -- python3 tests/bench/python_span.py
    PYTHONPATH=build/python python3 tests/bench/python_span.py       (untraced)

Each number: best of REPEATS loops, minus the same loop without a span.
"""

import os
import time
import timeit

LOOPS, REPEATS = 10000, 15


def best(statement, names):
    # Time of the processor: others may use the machine, too.
    return min(timeit.repeat(statement, timer=time.process_time, globals=names,
                             number=LOOPS, repeat=REPEATS)) / LOOPS * 1e9


def point(function):
    """As the import hook wraps it."""
    from dftrace import _backend, _capture, _span, _wrap

    if not _backend.active:
        return function
    return _wrap.wrap(
        function, _span.event_id("data", "point"),
        _capture.Capture([("image_idx", "a"), ("step", "b"), ("size", "c")],
                         function), outermost=True)


def rows(label, ai, region=None, trace=None):
    three = {"image_idx": 3, "image_size": 4096, "step": 7}
    ten = {"k%d" % i: i for i in range(10)}

    def nothing():
        pass

    names = {"ai": ai, "region": region, "f": nothing, "three": three,
             "ten": ten, "decorated": ai.compute.forward(nothing),
             "node": ai.data.item}
    if trace:
        names["captured"] = trace("data", "captured", image_idx="a", step="b",
                                  size="c")(lambda a, b, c: None)
        names["point"] = point(lambda a, b, c: None)
        names["plain"] = lambda a, b, c: None
    call, block = best("f()", names), best("pass", names)
    out = [("@ai.compute.forward", best("decorated()", names) - call),
           ("with ai.data.item", best("with node: pass", names) - block),
           ("with ai.data.item (), 3 args",
            best("with node(image_idx=3, image_size=4096, step=7): pass",
                 names) - block),
           ("with ai.data.item (args=), 3",
            best("with node(args=three): pass", names) - block)]
    ai.update(image_idx=3, image_size=4096, step=7)
    out += [("@ai.compute.forward, 3 args", best("decorated()", names) - call),
            ("with ai.data.item, 3 args",
             best("with node: pass", names) - block)]
    if region:
        out += [("with region (), 3 args",
                 best("with region('data', 'item', image_idx=3, "
                  "image_size=4096, step=7): pass", names)
                 - block),
                ("with region (), 10 args",
                 best("with region('data', 'item', **ten): pass", names)
                 - block)]
    if trace:
        out.append(("a trace point with 3 captures",
                    best("point(1, 2, 3)", names)
                    - best("plain(1, 2, 3)", names)))
        out.append(("@trace with 3 captures", best("captured(1, 2, 3)", names)
                    - best("plain(1, 2, 3)", names)))
    for name, ns in out:
        print("%-12s %-30s %7.0f ns" % (label, name, ns))


def theirs():
    """The ai of a real pydftracer, writing; or None."""
    try:
        import dftracer.python as package
    except ImportError:
        return None
    if not os.environ.get("DFTRACER_LOG_FILE") or \
            "dftrace" in package.ai.__class__.__module__.split("."):
        return None
    package.dftracer.initialize_log(os.environ["DFTRACER_LOG_FILE"], "/", -1)
    return package.ai


def main():
    from dftrace import _backend, ai, region, trace

    rows(_backend.way, ai, region, trace)
    other = theirs()
    if other is None:
        print("pydftracer   not installed, or not recording")
    else:
        rows("pydftracer", other)


if __name__ == "__main__":
    main()
