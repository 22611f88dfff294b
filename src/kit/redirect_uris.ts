// Which addresses an OAuth client may be sent back to: https, this machine, or a scheme that only an installed app answers.

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

export function isLoopbackUri(uri: string): boolean {
  return URL.canParse(uri) && new URL(uri).protocol === 'http:' && loopback.has(new URL(uri).hostname)
}

/** What was expected of an address that cannot be accepted; null for a good one. */
export function redirectUriFault(uri: string, type: 'public' | 'confidential'): string | null {
  if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return 'a complete address in plain ASCII'
  if (/[*#\\]/.test(uri)) return 'an address without wildcard, fragment or backslash'
  const { protocol, hostname, username, password } = new URL(uri)
  if (username || password) return 'an address without a user name'
  if (/\/\.{1,2}([/?]|$)/.test(uri.replace(/%2e/gi, '.'))) return 'an address without dot segments'
  if (protocol === 'https:') return loopback.has(hostname) ? 'http, not https, on the loopback interface' : null
  if (protocol === 'http:') return loopback.has(hostname) ? null : 'https; http is for 127.0.0.1, [::1] and localhost'
  if (!protocol.includes('.')) return 'https, http on loopback, or a private scheme with a dot such as com.example.app:'
  return type === 'public' ? null : 'https, because a private scheme is for public clients'
}
