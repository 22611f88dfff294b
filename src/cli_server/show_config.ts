// The configuration as it stands: each variable, its value, where that comes from and what it is for.
import { type OutputOptions, print } from '../cli/output.ts'
import type { Session } from '../cli/session.ts'
import { type Config, readConfig, variables } from '../server/config.ts'

export async function showConfig({ terminal }: Session, options: OutputOptions): Promise<number> {
  const { env } = terminal
  const config = readConfig(env)
  const items = Object.entries(variables).map(([name, variable]) => ({
    name,
    value: shown(config[name as keyof Config], 'secret' in variable),
    source: env[name]?.trim() ? 'environment' : 'default',
    help: variable.help,
  }))
  await print(terminal, { items, count: items.length }, options)
  return 0
}

function shown(value: unknown, isSecret: boolean): string | null {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return null
  return isSecret ? '(set)' : String(value)
}
