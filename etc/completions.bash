# SPDX-License-Identifier: MIT
# bash completion of dftrace(1); what it offers comes from dftrace itself

_dftrace() {
    local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]-} words
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$(dftrace help words 2>/dev/null)
    elif [[ $cur == -* ]]; then
        if [ "$verb" = sweep ] && [ "$COMP_CWORD" -gt 2 ]; then
            words=$(dftrace sweep "${COMP_WORDS[2]}" --help-words 2>/dev/null)
        else
            words=$(dftrace "$verb" --help-words 2>/dev/null)
        fi
    elif [ "$COMP_CWORD" -eq 2 ]; then
        case $verb in
        sweep) words=$(dftrace sweep --help 2>/dev/null | awk '/^  [a-z]/ { print $1 }') ;;
        help) words=$(dftrace help topics 2>/dev/null) ;;
        esac
    fi
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    fi
    [ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
complete -o filenames -F _dftrace dftrace
