// The invite that brought somebody here, kept for this tab while they sign up or log in.

const key = 'atrium-invite'

/** Takes the token out of the address, so that it stands in no history. */
export function takeInviteFromAddress(): string {
  const token = window.location.hash.slice(1)
  if (token) {
    sessionStorage.setItem(key, token)
    window.history.replaceState(window.history.state, '', window.location.pathname)
  }
  return keptInvite()
}

export function keptInvite(): string {
  return sessionStorage.getItem(key) ?? ''
}

export function dropInvite(): void {
  sessionStorage.removeItem(key)
}
