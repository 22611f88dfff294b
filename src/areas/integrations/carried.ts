// Integrations in the archive of a workspace: what they are set to is what their type takes, but for secrets.
import { type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { object } from '../../contract/records.ts'
import type { CarriedRow, Carrier } from '../../kit/carrying.ts'
import { once } from '../../kit/once.ts'
import { type IntegrationType, types } from './types/contract.ts'
import { secretNames } from './types/given/contract.ts'

const checks = new Map(Object.keys(types).map(type => [type, once(() => checkOf(type as IntegrationType))]))

/** What it needs may be among its secrets, which stay behind. */
function checkOf(type: IntegrationType) {
  const { properties } = types[type].config as TObject
  const secrets = new Set(secretNames(type))
  const shown = Object.entries(properties).filter(([name]) => !secrets.has(name))
  return Compile(object(Object.fromEntries(shown.map(([name, schema]) => [name, Type.Optional(schema)]))))
}

function configFault({ type, config }: CarriedRow): string | null {
  const check = checks.get(String(type))?.()
  return check?.Check(config) ? null : 'has no good value in "config"'
}

export const carrier: Carrier = { rows: { integrations: configFault } }
