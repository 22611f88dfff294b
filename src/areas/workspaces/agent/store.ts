// SQL of what a workspace says of its agents, the key of its model endpoint included.

import type { SealedColumn } from '../../../contract/sealed.ts'
import { type Db, first } from '../../../kit/db.ts'
import type { SealedValues } from '../../../kit/sealed.ts'
import { sql } from '../../../kit/sql.ts'
import { findSettings } from '../store.ts'
import type { AgentSettings } from './contract.ts'

/** As long as nobody has said otherwise. */
export const defaultAgent: AgentSettings = {
  runner: null,
  wire: 'openai',
  baseUrl: null,
  model: null,
  priceIn: null,
  priceOut: null,
  maxOutputTokens: 4_096,
  maxStepsPerRun: 50,
  maxTokensPerRun: 1_000_000,
  maxMinutesPerRun: 30,
  maxCostPerRun: null,
  maxRunsPerDay: null,
  maxTokensPerDay: null,
  maxCostPerDay: null,
}

export const secretsColumn: SealedColumn = 'workspaces.secrets'

/** By this name the key of the model endpoint is kept. */
export const keyName = 'agent.key'

export async function findAgent(db: Db, workspaceId: string): Promise<AgentSettings> {
  return { ...defaultAgent, ...(await findSettings(db, workspaceId)).agent }
}

export async function findSecrets(db: Db, workspaceId: string): Promise<SealedValues> {
  const row = await first<{ secrets: SealedValues }>(db, sql`select secrets from workspaces where id = ${workspaceId}`)
  return row?.secrets ?? {}
}

export async function putSecrets(db: Db, workspaceId: string, secrets: SealedValues): Promise<void> {
  await db.query(sql`update workspaces set secrets = ${JSON.stringify(secrets)}::jsonb where id = ${workspaceId}`)
}
