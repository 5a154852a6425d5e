# SPDX-License-Identifier: MIT
#
# workers.py - 2000 reads of 100 bytes of "file", by workers of one kind
#
# workers.py threads|inherited|bare|popen|METHOD-KIND
# METHOD: fork spawn forkserver; KIND: process pool terminate executor killed
import concurrent.futures, multiprocessing as mp, os, subprocess, sys, threading, time

N = 500

def reads (fd=None):
    own = os.open ("file", os.O_RDONLY) if fd is None else fd
    n = 0
    for i in range (N):
        n += len (os.pread (own, 100, i * 100))
    return n

def stay (ready):
    reads ()
    ready.put (os.getpid ())
    time.sleep (600)

def main ():
    how = sys.argv[1]
    if how == "threads":
        ts = [threading.Thread (target=reads) for i in range (4)]
        [t.start () for t in ts]
        [t.join () for t in ts]
    elif how == "inherited":
        fd = os.open ("file", os.O_RDONLY)
        ps = [mp.get_context ("fork").Process (target=reads, args=(fd,)) for i in range (4)]
        [p.start () for p in ps]
        [p.join () for p in ps]
    elif how == "bare": # as servers do that know nothing of multiprocessing
        os.register_at_fork (before=reads, after_in_parent=reads, after_in_child=reads)
        if os.fork () == 0:
            reads ()
            os._exit (3)
        print (os.wait ()[1])
    elif how == "popen":
        for i in range (4):
            reads ()
            for program in "/no/such/program", "nosuchprogram", "/etc/passwd":
                try:
                    subprocess.run ([program])
                except OSError as e:
                    print (type (e).__name__)
            subprocess.run (["true"])
    else:
        method, kind = how.split ("-")
        context = mp.get_context (method)
        if kind == "process":
            ps = [context.Process (target=reads) for i in range (4)]
            [p.start () for p in ps]
            [p.join () for p in ps]
        elif kind == "terminate":
            pool = context.Pool (4, maxtasksperchild=1)
            print (pool.map (reads, [None] * 4, 1))
            pool.apply_async (time.sleep, (600,)) # one is at work
            pool.terminate ()
            pool.join ()
        elif kind == "killed":
            ready = context.SimpleQueue ()
            ps = [context.Process (target=stay, args=(ready,)) for i in range (4)]
            [p.start () for p in ps]
            [ready.get () for p in ps]
            [p.kill () for p in ps]
            [p.join () for p in ps]
            print ([p.exitcode for p in ps])
        elif kind == "executor":
            with concurrent.futures.ProcessPoolExecutor (4, mp_context=context) as pool:
                print (list (pool.map (reads, [None] * 4)))
        else:
            with context.Pool (4) as pool: # ends with SIGTERM
                print (pool.map (reads, [None] * 4, 1))
    print ("done")

if __name__ == "__main__":
    main ()
