// A change to the settings of embeddings, and what people are shown of them.
import type { Static } from 'typebox'
import type { Db } from '../../../kit/db.ts'
import type { SealedValues } from '../../../kit/sealed.ts'
import type { Settings } from '../../../kit/settings.ts'
import { originOf, secretsWith } from '../endpoints.ts'
import type { EmbeddingsGiven, EmbeddingsSettings, EmbeddingsShown } from './contract.ts'
import { embeddingsKey, findFault } from './store.ts'

type Kept = { embeddings: EmbeddingsSettings; secrets: SealedValues }

export function changedEmbeddings(
  settings: Pick<Settings, 'seal'>,
  workspaceId: string,
  before: Kept,
  given: Static<typeof EmbeddingsGiven> | undefined,
): Kept {
  const { baseUrl, model, threshold } = before.embeddings
  const kept = { baseUrl, model, threshold }
  if (!given) return { embeddings: kept, secrets: before.secrets }
  const { key, ...fields } = given
  const embeddings = { ...kept, ...fields } as EmbeddingsSettings
  const [from, to] = [kept, embeddings].map(one => originOf('embeddings.baseUrl', one.baseUrl))
  const how = { name: embeddingsKey, key, isMoved: from !== to }
  return { embeddings, secrets: secretsWith(settings, workspaceId, before.secrets, how) }
}

/** With whether they are used: an endpoint that nobody asks must not look like one that works. */
export async function shownEmbeddings(
  db: Db,
  workspaceId: string,
  embeddings: EmbeddingsSettings,
  hasVectors: boolean,
): Promise<EmbeddingsShown> {
  const notUsedBecause = reasonOf(embeddings, hasVectors)
  const fault = embeddings.baseUrl === null ? undefined : await findFault(db, workspaceId)
  const { lastError = null, lastErrorAt = null } = fault ?? {}
  return { ...embeddings, isUsed: notUsedBecause === null, notUsedBecause, lastError, lastErrorAt }
}

function reasonOf({ baseUrl, model }: EmbeddingsSettings, hasVectors: boolean): string | null {
  if (baseUrl === null) return 'No endpoint is named: searches rank by words.'
  if (model === null) return 'No model is named: searches rank by words.'
  if (hasVectors) return null
  return 'The database does not have the extension pgvector: searches rank by words, and nothing is sent to the endpoint.'
}
