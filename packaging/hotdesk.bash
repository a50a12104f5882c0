# Completion for bash: source this file, or put it in ~/.local/share/bash-completion/completions/hotdesk
_hotdesk() {
    local word=${COMP_WORDS[COMP_CWORD]} names=
    if [ "$COMP_CWORD" -eq 1 ]; then
        names=$(hotdesk --help 2>/dev/null | awk '/^  [a-z]/ {print $1}')
    else
        case ${COMP_WORDS[1]} in
            run | logs | pause | resume) names=$(hotdesk agents 2>/dev/null | awk 'NR > 1 {print $1}') ;;
            evict) names=$(hotdesk models 2>/dev/null | awk 'NR > 1 {print $1}') ;;
            stop) names=$(hotdesk ps 2>/dev/null | awk '$1 ~ /^r-/ {print $1}') ;;
            why) names=$(hotdesk ps 2>/dev/null | awk '{for (i = 1; i <= 3; i++) if ($i ~ /^[rc]-/) print $i}') ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$names --json" -- "$word"))
}
complete -F _hotdesk hotdesk
