// Addresses of repositories that strangers write: https, ssh and, where the operator allows it, http. Nothing else.
import ipaddr from 'ipaddr.js'

export type GitUrl = {
  protocol: 'https' | 'http' | 'ssh'
  /** Without brackets. */
  host: string
  port: number
  /** As git takes it; two spellings of one address are equal. */
  text: string
}

const usualPorts = { https: 443, http: 80, ssh: 22 }
const hostForm = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i
const userForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/
/** `git@host:path`, as people copy it from their forge. */
const shortForm = /^([^@/:\s]+)@([^@/:\s]+):(?!\/\/)(.+)$/

/** What is wrong with it, in words that go on after "url must be". */
export function readGitUrl(text: string): GitUrl | { fault: string } {
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return { fault: 'an address without spaces, backslashes and line breaks' }
  if (/^[\w+.-]+::/.test(text)) return { fault: 'an address that begins with https:// or ssh://' }
  if (!text.includes('://')) return shortUrl(text)
  if (!URL.canParse(text)) return { fault: 'an address such as https://git.example.com/team/code.git' }
  const url = new URL(text)
  const protocol = url.protocol.slice(0, -1)
  if (protocol !== 'https' && protocol !== 'http' && protocol !== 'ssh') {
    return { fault: 'an address that begins with https:// or ssh://' }
  }
  if (url.password || (protocol !== 'ssh' && url.username)) {
    return { fault: 'an address without a user name and a password; send them as `credentials`' }
  }
  if (url.username && !userForm.test(url.username)) return { fault: 'an address with a plain user name' }
  if (url.search || url.hash) return { fault: 'an address without ? and #' }
  if (!isPath(url.pathname)) return { fault: 'an address with the path of a repository' }
  const host = hostOf(url.hostname.replace(/\.+$/, ''))
  if (host === null) return { fault: 'an address with the name of a host' }
  const port = url.port === '' ? usualPorts[protocol] : Number(url.port)
  const name = url.hostname.toLowerCase().replace(/\.+$/, '')
  const place = port === usualPorts[protocol] ? name : `${name}:${port}`
  const user = url.username ? `${url.username}@` : ''
  return { protocol, host, port, text: `${protocol}://${user}${place}${url.pathname}` }
}

function shortUrl(text: string): GitUrl | { fault: string } {
  const [, user = '', name = '', path = ''] = shortForm.exec(text) ?? []
  const host = hostOf(name.toLowerCase())
  const isGood = host !== null && userForm.test(user) && isPath(`/${path}`)
  if (!isGood) return { fault: 'an address such as https://git.example.com/team/code.git' }
  return { protocol: 'ssh', host, port: 22, text: `${user}@${host}:${path}` }
}

/** Neither the end of the host nor an option for whoever reads it there. */
function isPath(path: string): boolean {
  return path.length > 1 && !/^\/+-/.test(path) && !path.split('/').includes('..')
}

/** Old spellings of IPv4 mean different things to different readers. */
function hostOf(name: string): string | null {
  const bare = name.replace(/^\[|\]$/g, '')
  if (bare.includes('%')) return null
  if (ipaddr.IPv6.isValid(bare) || ipaddr.IPv4.isValidFourPartDecimal(bare)) return bare
  const isNumeric = /^(0x[0-9a-f]*|\d+)$/i.test(bare.split('.').filter(Boolean).at(-1) ?? '')
  return hostForm.test(bare) && !isNumeric ? bare.toLowerCase() : null
}
