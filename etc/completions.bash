# SPDX-License-Identifier: MIT
# bash completion of dftrace(1); what it offers comes from dftrace itself

# The values of an option; in a list with commas those of its last word.
_dftrace_values() { # OPTION VERB WORD
    local option=${1#--} values before=
    case $option in
    -f) option=format ;;
    -v) option=view ;;
    -b) option=by ;;
    -s) option=show ;;
    -w) option=where ;;
    -l) option=layers ;;
    -m) option=metric ;;
    esac
    values=$(dftrace help values "$option" "$2" 2>/dev/null)
    [ -n "$values" ] || return 1
    [[ $3 != *,* ]] || before=${3%,*},
    mapfile -t COMPREPLY < <(
        compgen -P "$before" -W "$values" -- "${3#"$before"}" | sort -u)
}

_dftrace() {
    local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]-} words
    local before=${COMP_WORDS[COMP_CWORD - 1]} ahead=
    COMPREPLY=()
    # bash divides words at =, where COMP_WORDBREAKS has it
    if [ "$cur" = = ]; then
        ahead=$before cur=
    elif [ "$before" = = ]; then
        ahead=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $cur == --*=* ]]; then
        ahead=${cur%%=*} cur=${cur#*=}
    elif [[ $before == -* ]]; then
        ahead=$before
    fi
    if [ -n "$ahead" ] && _dftrace_values "$ahead" "$verb" "$cur"; then
        return
    fi
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
    if [ ${#COMPREPLY[@]} -eq 0 ]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _dftrace dftrace
