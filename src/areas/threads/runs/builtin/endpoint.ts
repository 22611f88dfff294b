// The model that a workspace lets the built-in runner ask.
import type { Db } from '../../../../kit/db.ts'
import type { ModelEndpoint } from '../../../../kit/model.ts'
import { openValues } from '../../../../kit/sealed.ts'
import type { Settings } from '../../../../kit/settings.ts'
import type { AgentSettings } from '../../../workspaces/agent/contract.ts'
import { findAgent, findSecrets, keyName, secretsColumn } from '../../../workspaces/agent/store.ts'

/** The setting without which no model can be asked. */
export function missingOf({ baseUrl, model }: AgentSettings): string | null {
  if (baseUrl === null) return 'agent.baseUrl'
  return model === null ? 'agent.model' : null
}

export function noModel(setting: string): string {
  return `The built-in runner has no model to ask: set ${setting} in the settings of the workspace.`
}

export type Setup = { limits: AgentSettings; endpoint: ModelEndpoint }

/** Or the name of the setting that is missing. */
export async function setupOf(
  { db, settings }: { db: Db; settings: Settings },
  workspaceId: string,
): Promise<Setup | string> {
  const limits = await findAgent(db, workspaceId)
  const { wire, baseUrl, model } = limits
  if (baseUrl === null || model === null) return missingOf(limits) ?? ''
  const values = openValues(settings, secretsColumn, workspaceId, await findSecrets(db, workspaceId))
  return { limits, endpoint: { wire, baseUrl, model, key: values[keyName] ?? null } }
}
