#compdef dftrace
# SPDX-License-Identifier: MIT
# zsh completion of dftrace(1); what it offers comes from dftrace itself

_dftrace() {
    local verb=${words[2]} offered
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
