# SPDX-License-Identifier: MIT
#
# typed.zsh LINES FUNCTIONS - what completion makes of lines that are typed in an
#                             interactive zsh
#
# In:  beginnings of lines, one each; FUNCTIONS: a directory with _dftrace
# Out: LINES: each line after a tab

zmodload zsh/zpty || exit 1
: >$1
zpty typed "TERM=dumb zsh -f -i"
zpty -w typed "fpath=($2 \$fpath); autoload -U compinit; compinit -u -D
keep () { print -r -- \"\$BUFFER\" >>$1; BUFFER= }
zle -N keep; bindkey '^G' keep; bindkey '^I' complete-word; print -r ready >>$1"

# wait_for N: until there are N lines
wait_for () {
    local i seen
    for i in {1..400}; do
        while zpty -r -t typed seen; do :; done
        (( $(wc -l <$lines) >= $1 )) && return
        sleep 0.05
    done
}

lines=$1 n=1
wait_for 1
while IFS= read -r typed; do
    zpty -w -n typed "$typed"$'\t\a'
    wait_for $((++n))
done
zpty -d typed
sed -i 1d $1
