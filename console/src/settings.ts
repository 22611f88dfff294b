// What the service tells its console in the page itself.

type Settings = {
  signups: 'open' | 'invite' | 'closed'
  turnstileSiteKey: string | null
  hasMailbox: boolean
  publicUrl: string
}

const fallback: Settings = {
  signups: 'open',
  turnstileSiteKey: null,
  hasMailbox: false,
  publicUrl: window.location.origin,
}

function read(): Settings {
  const written = document.querySelector<HTMLMetaElement>('meta[name="atrium-settings"]')?.content
  return written ? { ...fallback, ...JSON.parse(written) } : fallback
}

export const settings = read()
