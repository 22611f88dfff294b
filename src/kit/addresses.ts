// Addresses of callers against lists of addresses and ranges.
import ipaddr from 'ipaddr.js'

/** Null lets every address in. */
export function allowsAddress(ranges: readonly string[] | null, address: string): boolean {
  if (ranges === null) return true
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return ranges.some(range => {
    const [base, bits] = parseRange(range)
    return base.kind() === parsed.kind() && parsed.match(base as never, bits)
  })
}

function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (range.includes('/')) return ipaddr.parseCIDR(range)
  const address = ipaddr.process(range)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Old spellings of IPv4 (`010.1`, `0x7f.1`) mean different things to different readers, so they are refused. */
export function isAddressRange(text: string): boolean {
  const [address = ''] = text.split('/')
  const isPlain = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isPlain && (text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text))
}

/** IPv4 address, or the /64 of an IPv6 address: what one source can move about in. */
export function sourceOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}
