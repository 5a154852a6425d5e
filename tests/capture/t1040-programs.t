#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1040-programs.t - programs that know nothing of us run unchanged

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

# same NAME COMMAND…: output, errors and status with and without tracing.
same ()
{
    local name=$1 plain=0 with=0
    shift
    (cd "$tmp/w" && "$@") >"$tmp/plain.out" 2>"$tmp/plain.err" </dev/null || plain=$?
    (cd "$tmp/w" && traced "$name" "$@") >"$tmp/with.out" 2>"$tmp/with.err" </dev/null || with=$?
    is "$with" "$plain" "$name: exit status"
    ok "$name: output" cmp "$tmp/plain.out" "$tmp/with.out"
    is "$(cat "$tmp/with.err")" "$(cat "$tmp/plain.err")" "$name: errors"
    [ ! -e "$tmp/$name/shards" ] || is "$(health "$name" lost 2>/dev/null)" 0 "$name: nothing lost"
}

mkdir -p "$tmp/w/tree/a/b"
for i in 1 2 3 4 5 6; do seq $((i * 1000)) >"$tmp/w/tree/a/f$i"; done
printf 'odd' >"$tmp/w/tree/a/b/na me
ü\""
ln -s ../f1 "$tmp/w/tree/a/b/link"

same pipeline bash -c 'cat tree/a/f* | sort -n | uniq -c | awk "{ s += \$1 } END { print s }"; exit 7'
same substitution bash -c 'x=$(< tree/a/f1); echo ${#x}; while read -r l; do echo $l; done < <(head -3 tree/a/f2)'
same redirections bash -c 'exec 5<tree/a/f1 6>&1; read -u 5 x; echo $x >&6; exec 5<&-; ls /proc/self/fd | wc -l'
same background bash -c 'for i in 1 2 3; do (read x <tree/a/f$i; echo $x) & done; wait'
same notfound bash -c 'nosuchprogram_; echo $?; nosuch/dir/prog; echo $?'
same cp bash -c 'rm -rf copy && cp -a tree copy && diff -r tree copy && ls -R copy'
same tar bash -c 'tar cf t.tar tree && tar tf t.tar && rm -rf x && mkdir x && tar xf t.tar -C x && diff -r tree x/tree'
same gzip bash -c 'gzip -nc tree/a/f6 | md5sum'
same find find tree -type f -name 'f*' -newermt 2000-01-01
same signal bash -c 'bash -c "kill -TERM \$\$" 2>/dev/null; echo $?'

if command -v git >/dev/null; then
    same git bash -c 'rm -rf g && git init -q g && cd g && cp -r ../tree . && git add . &&
        git -c user.name=a -c user.email=b commit -qm c && git status --short && git ls-files'
fi
if command -v python3 >/dev/null; then
    cat >"$tmp/w/p.py" <<-'END'
	import multiprocessing, os, subprocess, sys, threading, mmap
	def work (i):
	    with open ("tree/a/f%d" % (i % 6 + 1)) as f:
	        return sum (int (x) for x in f)
	if __name__ == "__main__":
	    for how in ("fork", "spawn"):
	        with multiprocessing.get_context (how).Pool (3) as p:
	            print (how, p.map (work, range (12)))
	            p.close () # terminate (), which hangs now and then, finds none
	            p.join ()
	    try:
	        subprocess.run (["/no/such/hipconfig"])
	    except FileNotFoundError as e:
	        print (e)
	    print (subprocess.run (["wc", "-l"], stdin=open ("tree/a/f3"), capture_output=True).stdout)
	    with open ("tree/a/f6", "r+b") as f:
	        m = mmap.mmap (f.fileno (), 0)
	        print (m[:4], len (m))
	    out = []
	    ts = [threading.Thread (target=lambda i=i: out.append (work (i))) for i in range (4)]
	    [t.start () for t in ts]
	    [t.join () for t in ts]
	    print (sorted (out))
	    if os.fork () == 0:
	        work (1)
	        os._exit (0)
	    os.wait ()
	    sys.exit (4)
	END
    same python "$(python3 -c 'import sys; print (sys.executable)')" p.py
    cmp_num "$(events python | grep -c " read .*file=$tmp/w/tree/a/f")" -ge 28 \
        "python: reads of workers, threads and parent"
fi

# Names with odd bytes are kept.
traced odd cat "$tmp/w/tree/a/b/na me
ü\"" >/dev/null
ok "a name keeps its bytes" \
    grep -qF 'na\x20me\x0a\xc3\xbc"' <<<"$(events odd)"

done_testing
