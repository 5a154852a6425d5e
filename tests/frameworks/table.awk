# SPDX-License-Identifier: MIT
#
# table.awk - TAP of tests named "WHAT: ..." -> a line for each WHAT: right, partly,
#             wrong, or why it was skipped
/^(not )?ok / {
    good = $1 == "ok"
    text = $0
    sub (/^(not )?ok [0-9]+ *-? */, "", text)
    reason = ""
    if (match (text, / # SKIP /)) {
        reason = substr (text, RSTART + 8)
        text = substr (text, 1, RSTART - 1)
    }
    what = text
    sub (/:.*/, "", what)
    if (!(what in seen)) {
        seen[what] = 1
        order[++n] = what
    }
    if (reason != "")
        why[what] = reason
    else if (good)
        right[what]++
    else {
        wrong[what]++
        said[what] = said[what] "; " text
    }
}
END {
    for (i = 1; i <= n; i++) {
        what = order[i]
        verdict = wrong[what] ? (right[what] ? "partly" : "wrong") : right[what] ? "right" : "skipped"
        printf "%-8s %-24s %2d of %2d%s%s\n", verdict, what, right[what], right[what] + wrong[what],
            said[what], why[what] == "" ? "" : "; skipped: " why[what]
    }
}
