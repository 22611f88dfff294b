// Reads the items of a call one by one: what is no alert is refused by itself.
import { Compile } from 'typebox/compile'
import { Alert } from './contract.ts'

const schema = Compile(Alert)

/** An alert with what is not said filled in, or why the item is none. */
export type Reading = { alert: Alert & Required<Pick<Alert, 'severity' | 'at'>> } | { reason: string }

export function readAlert(item: unknown, now: Date): Reading {
  if (!schema.Check(item)) return { reason: reasonOf(item) }
  const moment = item.at === undefined ? now : new Date(item.at)
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1970) return { reason: '"at" is not a time.' }
  // Clocks of senders run ahead; nothing has happened later than now.
  const at = new Date(Math.min(moment.getTime(), now.getTime())).toISOString()
  return { alert: { ...item, severity: item.severity ?? 'medium', at } }
}

function reasonOf(item: unknown): string {
  const all = [...schema.Errors(item)]
  const error = all.find(({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf') ?? all[0]
  if (!error) return 'It is not an alert.'
  const { instancePath, params } = error as { instancePath: string; params: Record<string, unknown> }
  const [name] = [params.additionalProperties ?? params.requiredProperties ?? []].flat() as string[]
  const path = [instancePath.slice(1).replaceAll('/', '.'), name].filter(Boolean).join('.').slice(0, 200)
  const words: Record<string, string> = {
    required: 'must be present',
    additionalProperties: 'is not a field of alerts; put it into "fields"',
  }
  const expected = words[error.keyword] ?? error.message
  return path ? `"${path}" ${expected}.` : `It is not an alert: it ${expected}.`
}
