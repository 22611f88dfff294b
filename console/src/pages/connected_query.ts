// What an authorization server sent back, kept for this tab until it is used: codes stand in no history.

const key = 'atrium-connected'
const address = '/connected'

/** Before the router starts: it reads values as JSON, which would make another text of some codes. */
export function takeConnectedFromAddress(): void {
  const { pathname, search } = window.location
  if (pathname !== address || search === '') return
  sessionStorage.setItem(key, search)
  window.history.replaceState(window.history.state, '', pathname)
}

export type Brought = {
  /** Of the state; empty where it names none. */
  workspaceId: string
  state: string
  code: string
  iss: string | undefined
  /** As OAuth names it. */
  error: string | null
}

export function keptConnected(): Brought | null {
  const kept = sessionStorage.getItem(key)
  if (kept === null) return null
  const fields = new URLSearchParams(kept)
  const state = fields.get('state') ?? ''
  return {
    workspaceId: /^(ws_[0-9a-z]+)\./.exec(state)?.[1] ?? '',
    state,
    code: fields.get('code') ?? '',
    iss: fields.get('iss') ?? undefined,
    error: fields.get('error'),
  }
}

export function dropConnected(): void {
  sessionStorage.removeItem(key)
}
