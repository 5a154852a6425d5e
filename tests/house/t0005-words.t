#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0005-words.t - words that doc/GLOSSARY.md refuses are in no name, comment,
#     message or page

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$top_srcdir" || exit 99

words=$(sed -n '/^## Words that a test refuses/,$s/^| \([a-z, ]*\) |.*/\1/p' doc/GLOSSARY.md |
    grep -vx word | tr -d ' ' | tr ',\n' '||')
words=${words%|}

# Lines of files in which one of the words is, alone or as a part of a name.
offences() {
    grep -rniE "(^|[^A-Za-z])($words)([^A-Za-z]|\$)" --include='*.c' --include='*.h' --include='*.def' \
        --include='*.py' --include='*.md' --exclude=GLOSSARY.md "$@"
}

like "$words" '^[a-z]+(\|[a-z]+)+$' "the glossary has a list"
mkdir "$tmp/planted"
word=${words%%|*}
printf 'int mm_%s (void);\n/* A name that is %sd. */\n' "$word" "$word" >"$tmp/planted/x.c"
printf '%s\n' "${word^}s" >"$tmp/planted/x.md"
is "$(offences "$tmp/planted" | wc -l)" 3 "a planted word is found in a name, a comment and a page"
is "$(offences analyze cli doc etc kernel lib preload spank sweep README.md CONTRIBUTING.md CHANGES.md)" "" \
    "no refused word in code and pages"

done_testing
