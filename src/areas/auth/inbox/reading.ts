// What an entry says to its reader now: names and titles are looked up, as far as the reader may still see them.
import type { Static } from 'typebox'
import { fill } from '../../../contract/notifications.ts'
import { scopesHeld } from '../../../contract/permissions.ts'
import type { Db } from '../../../kit/db.ts'
import type { Reader } from '../../../kit/record_sql.ts'
import { readable, type TitledReference } from '../../../kit/references.ts'
import { directory, notifications } from '../../../operations.ts'
import type { Membership } from '../../workspaces/store.ts'
import type { InboxEntry } from './contract.ts'
import type { EntryRow } from './store.ts'

export type Shown = Static<typeof InboxEntry>

/** An entry with what its text is filled with, for those who put the words together themselves. */
export type Told = {
  entry: Shown
  text: string
  values: Readonly<Record<string, string>>
  /** What it was about is not there any more, or no longer theirs to see. */
  isGone: boolean
}

const someone = 'Somebody'
const gone = '(no longer there)'
const somewhere = 'a workspace'

/** A signed-in person in a workspace, as the permission function sees them. */
export function readerOf({ userId, workspaceId, role, scopes, workspaceStatus }: Membership): Reader {
  return {
    credential: 'session',
    callerKind: null,
    scopes,
    userId,
    ownerId: userId,
    boundTo: null,
    role,
    workspaceId,
    workspaceStatus,
    unverified: false,
  }
}

/** In the order of the rows; one reading for each workspace among them. */
export async function told(db: Db, rows: readonly EntryRow[], memberships: readonly Membership[]): Promise<Told[]> {
  const byWorkspace = new Map(memberships.map(one => [one.workspaceId, one]))
  const titles = await titlesOf(db, rows, byWorkspace)
  return rows.map(row => {
    const membership = byWorkspace.get(row.workspaceId)
    const title = titles.get(keyOf(row.workspaceId, row.object, row.recordId))
    return toldOf(row, membership, title)
  })
}

export async function shown(db: Db, rows: readonly EntryRow[], memberships: readonly Membership[]): Promise<Shown[]> {
  return (await told(db, rows, memberships)).map(({ entry }) => entry)
}

function toldOf(row: EntryRow, membership: Membership | undefined, target: TitledReference | undefined): Told {
  const { id, type, facts, isRead, created } = row
  const held = new Set(membership ? scopesHeld(membership) : [])
  const name = membership && held.has('workspaces:read') ? membership.workspaceName : undefined
  const mayNameActor = held.has('workspace_members:read') && !row.isOutside
  const actor = mayNameActor && row.actorId && row.actorName ? { id: row.actorId, name: row.actorName } : null
  const values = {
    actor: actor?.name ?? someone,
    workspace: name ?? somewhere,
    target: target?.title ?? gone,
    ...facts,
  }
  const text = notifications[type]?.text ?? type
  const entry = {
    id,
    type,
    text: fill(text, values),
    workspace: membership && name !== undefined ? { id: membership.workspaceId, name } : null,
    target: target ?? null,
    actor,
    isRead,
    created,
    _object: 'inbox_entry' as const,
  }
  return { entry, text, values, isGone: row.object !== null && target === undefined }
}

async function titlesOf(db: Db, rows: readonly EntryRow[], memberships: ReadonlyMap<string, Membership>) {
  const titles = new Map<string, TitledReference>()
  for (const [workspaceId, ofWorkspace] of Map.groupBy(rows, row => row.workspaceId)) {
    const membership = memberships.get(workspaceId)
    const references = ofWorkspace.flatMap(({ object, recordId }) =>
      object !== null && recordId !== null ? [{ object, id: recordId }] : [],
    )
    if (!membership || references.length === 0) continue
    for (const one of await readable(db, directory, readerOf(membership), workspaceId, references)) {
      titles.set(keyOf(workspaceId, one.object, one.id), one)
    }
  }
  return titles
}

function keyOf(workspaceId: string, object: string | null, id: string | null): string {
  return `${workspaceId} ${object} ${id}`
}
