// An event as every message is made of it.

/** An event as it is told to another system: what the scopes of the integration let it see. */
export type EventView = {
  /** The operation or event, such as `issues.post`. */
  type: string
  timestamp: string
  /** Its number in the ledger of the workspace. */
  seq: number
  /** The name is null where the message is kept: it may be that of a person. */
  workspace: { id: string; name: string | null }
  target: { object: string; id: string; title: string | null; url: string | null } | null
  actor: { type: string; id: string | null; name: string | null; callerKind: string | null; surface: string }
  changes?: readonly { path: string; before?: unknown; after?: unknown }[]
}
