// What holds for one kind of caller and one tool, and why.
import { agentCallers, type CallerKind, defaultMode, type ItemOf } from '../../../../src/client/catalogue.ts'
import { wordsOf } from '../../format.ts'

export type Tool = ItemOf<'agent_tools.list'>
export type Mode = Tool['policy']['mode']
/** People and plain keys that call through a tool have no kind. */
export type Column = CallerKind | 'everybody'

export const columns: readonly Column[] = ['everybody', ...agentCallers]

export function titleOf(column: Column): string {
  return column === 'everybody' ? 'People, keys' : wordsOf(column)
}

export function modeOf({ policy }: Tool, column: Column): Mode {
  return column === 'everybody' ? policy.mode : policy.perKind[column]
}

export const modeWords: Readonly<Record<Mode, string>> = { allow: 'Allow', approve: 'Ask', deny: 'Deny' }

/** What a click makes of a cell. */
export const nextMode: Readonly<Record<Mode, Mode>> = { allow: 'deny', deny: 'approve', approve: 'allow' }

const modeSentences: Readonly<Record<Mode, string>> = {
  allow: 'allowed',
  approve: 'approved by a person each time',
  deny: 'denied',
}

export function reasonOf(tool: Tool, column: Column): string {
  const { policy, effect } = tool
  if (policy.mode === 'deny') return 'Denied for everybody in this workspace.'
  if (column === 'everybody' && policy.mode === 'approve') return 'A person approves each call through a tool.'
  if (column === 'everybody') return 'People and plain keys may run it through MCP. Denied here, nobody may.'
  const usual = defaultMode(effect, column)
  const mode = policy.perKind[column]
  if (mode === usual)
    return `The default: tools that ${effects[effect]} are ${modeSentences[usual]} for ${column} agents.`
  // What is an agent's own work is let through without the workspace saying so.
  return policy.inherited ? 'The default: it is the own work of such agents.' : 'Set by this workspace.'
}

const effects: Readonly<Record<Tool['effect'], string>> = {
  read: 'only read',
  write: 'write',
  destructive: 'delete',
}

/** What is sent so that a cell becomes this; `null` is the default. */
export function changeTo(column: Column, mode: Mode | null) {
  return column === 'everybody' ? { mode: mode ?? ('allow' as const) } : { perKind: { [column]: mode } }
}

export function isMatch({ name, summary, operationId }: Tool, text: string): boolean {
  const whole = `${name} ${summary} ${operationId}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(word => whole.includes(word))
}
