#compdef dftrace
# SPDX-License-Identifier: MIT
# zsh completion of dftrace(1); what it offers comes from dftrace itself

_dftrace() {
    local verb=${words[2]} ahead=${words[CURRENT - 1]} offered
    local -A long=(-f format -v view -b by -s show -w where -l layers -m metric)
    [[ $PREFIX != --*=* ]] || { ahead=${PREFIX%%=*}; compset -P '*=' }
    if [[ $ahead == -* ]]; then
        offered=$(dftrace help values ${${long[$ahead]:-$ahead}#--} $verb 2>/dev/null)
        if [[ -n $offered ]]; then
            compset -P '*,'
            compadd -S '' -- ${=offered}
            return
        fi
    fi
    if (( CURRENT == 2 )); then
        offered=$(dftrace help words 2>/dev/null)
    elif [[ $PREFIX == -* ]]; then
        offered=$(dftrace $verb --help-words 2>/dev/null)
    elif (( CURRENT == 3 )) && [[ $verb == sweep ]]; then
        offered=$(dftrace sweep --help 2>/dev/null | awk '/^  [a-z]/ { print $1 }')
    elif (( CURRENT == 3 )) && [[ $verb == help ]]; then
        offered=$(dftrace help topics 2>/dev/null)
    fi
    [[ -z $offered ]] || compadd -S '' -- ${(f)offered}
    _files
}
_dftrace "$@"
