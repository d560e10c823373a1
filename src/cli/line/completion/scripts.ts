/**
 * What a shell loads to complete command lines. All of them ask the program, `stratum-bridge completion words -- …`, which
 * answers a line for each candidate (word, tab, what it means), or `:files` or `:folders`.
 */

export type Shell = 'bash' | 'zsh' | 'fish';

const BASH = `# Completion of stratum-bridge for bash; in ~/.bashrc: source <(stratum-bridge completion bash)
_stratum_bridge() {
  local line current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == = ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _stratum_bridge stratum-bridge
`;

const ZSH = `#compdef stratum-bridge
# Completion of stratum-bridge for zsh; in ~/.zshrc, below compinit: source <(stratum-bridge completion zsh)
_stratum_bridge() {
  local line
  local -a lines items
  lines=("\${(@f)$("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      *) items+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( $#items )) && _describe 'stratum-bridge' items
}
if [[ $funcstack[1] == _stratum_bridge ]]; then _stratum_bridge; else compdef _stratum_bridge stratum-bridge; fi
`;

const FISH = `# Completion of stratum-bridge for fish; in ~/.config/fish/config.fish: stratum-bridge completion fish | source
function __stratum_bridge_candidates
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  for line in ($before[1] completion words -- $before[2..-1] "$current" 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path "$current"
      case ':folders'
        __fish_complete_directories "$current" ''
      case '*'
        echo $line
    end
  end
end
complete -c stratum-bridge -f -a '(__stratum_bridge_candidates)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
