// The four completion scripts; each hands the words to `atrium __complete` and shows what comes back.
import { usage } from './failures.ts'

const bash = `# atrium completion for bash: eval "$(atrium completion bash)"
_atrium() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  local IFS=$'\\n'
  COMPREPLY=($(atrium __complete -- "\${words[@]}" 2>/dev/null | cut -f1))
}
complete -o default -F _atrium atrium
`

const zsh = `#compdef atrium
# atrium completion for zsh: eval "$(atrium completion zsh)"
_atrium() {
  local -a lines candidates
  lines=("\${(@f)$(atrium __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe 'atrium' candidates || _files
}
compdef _atrium atrium
`

const fish = `# atrium completion for fish: atrium completion fish | source
function __atrium_complete
  set -l words (commandline -opc) (commandline -ct)
  atrium __complete -- $words[2..-1] 2>/dev/null
end
complete -c atrium -f -a '(__atrium_complete)'
`

const pwsh = `# atrium completion for PowerShell: atrium completion pwsh | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName atrium -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if (-not $wordToComplete) { $words += '' }
  atrium __complete -- @words 2>$null | ForEach-Object {
    $word, $note = $_ -split "\`t", 2
    if (-not $note) { $note = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $note)
  }
}
`

const scripts: Record<string, string> = { bash, zsh, fish, pwsh }

export function scriptFor(shell: string): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (!script) throw usage(`There is no completion for ${shell}.`, `Known: ${Object.keys(scripts).join(', ')}.`)
  return script
}
