// Names of the user's own for commands that are typed often.
import { join } from 'node:path'
import { usage } from './failures.ts'
import { configFolder, readJson, writePrivate } from './files.ts'
import type { Terminal } from './terminal.ts'

type Env = Terminal['env']

function aliasesPath(env: Env): string {
  return join(configFolder(env), 'aliases.json')
}

export function readAliases(env: Env): Record<string, string> {
  return readJson(aliasesPath(env)) ?? {}
}

export function saveAliases(env: Env, aliases: Record<string, string>): void {
  writePrivate(aliasesPath(env), `${JSON.stringify(aliases, null, 2)}\n`)
}

/** The first word that is no flag, if it is an alias, becomes the words that it stands for. */
export function expandAlias(env: Env, argv: readonly string[], valued: readonly string[]): string[] {
  const place = argv.findIndex((word, at) => !word.startsWith('-') && !valued.includes(argv[at - 1] ?? ''))
  const text = place < 0 ? undefined : readAliases(env)[argv[place] ?? '']
  if (text === undefined) return [...argv]
  return [...argv.slice(0, place), ...wordsIn(text), ...argv.slice(place + 1)]
}

/** Words as a shell splits them, with both kinds of quotes. */
export function wordsIn(text: string): string[] {
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []
  if (/['"]/.test(text.replace(/'[^']*'|"[^"]*"/g, ''))) throw usage('A quote in the alias is not closed.')
  return words.map(word => word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double ?? ''))
}
