// An integration as it is used: with its secrets open, and only where it may be used now.
import { conflict } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { found } from '../../kit/outcomes.ts'
import { openValues } from '../../kit/sealed.ts'
import type { Settings } from '../../kit/settings.ts'
import type { Target } from './kinds.ts'
import * as store from './store.ts'
import { type IntegrationType, secretsColumn } from './types/contract.ts'

type Reading = { db: Db; settings: Settings }

/** 409 where it is of another type than the one that is asked for. */
export async function opened(
  { db, settings }: Reading,
  workspaceId: string,
  id: string,
  type?: IntegrationType,
): Promise<Target> {
  const connection = await found(store.connection(db, workspaceId, id), 'integration')
  if (type !== undefined && connection.type !== type) {
    throw conflict(`This integration is of the type ${connection.type}; use one of the type ${type}.`)
  }
  return { ...connection, secrets: openValues(settings, secretsColumn, connection.id, connection.secrets) }
}

/** The same, and 409 where somebody has paused it. */
export async function openedToUse(
  reading: Reading,
  workspaceId: string,
  id: string,
  type: IntegrationType,
): Promise<Target> {
  const target = await opened(reading, workspaceId, id, type)
  const { status } = target
  if (status === 'paused' || status === 'disabled') {
    throw conflict(`The integration is ${status}; set its status to active first.`, { state: status })
  }
  return target
}
