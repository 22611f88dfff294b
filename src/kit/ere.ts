// POSIX extended regular expressions that strangers write: where they are wrong, and whether they would cost too much.

export type EreFault = { position: number; fault: string }

const mostRepeated = 255
const mostNested = 1_000
const classNames = 'alnum alpha blank cntrl digit graph lower print punct space upper xdigit'.split(' ')

type Group = { at: number; cost: number }

/** The first fault with its place, counted from 0 in characters; null where there is none that is found here. */
export function faultOfEre(text: string): EreFault | null {
  const signs = [...text]
  const open: Group[] = [{ at: -1, cost: 1 }]
  /** What a repeat would stand behind: how much it would be repeated already, or null at a beginning. */
  let last: number | null = null
  const wrong = (position: number, fault: string): EreFault => ({ position, fault })
  for (let at = 0; at < signs.length; at++) {
    const sign = signs[at] as string
    if (sign === '\\') {
      const next = signs[at + 1]
      if (next === undefined) return wrong(at, 'a backslash has nothing behind it')
      if (/[1-9]/.test(next)) return wrong(at, 'references back to a group are not taken')
      at++
      last = 1
    } else if (sign === '[') {
      const end = endOfBracket(signs, at)
      if (typeof end !== 'number') return end
      at = end
      last = 1
    } else if (sign === '(') {
      open.push({ at, cost: 1 })
      last = null
    } else if (sign === ')') {
      const group = open.length > 1 ? open.pop() : undefined
      if (!group) return wrong(at, 'this bracket was not opened')
      last = group.cost
    } else if (sign === '|' || sign === '^') last = null
    else if (sign === '*' || sign === '+' || sign === '?') {
      if (last === null) return wrong(at, 'there is nothing to repeat before it')
    } else if (sign === '{') {
      const [whole, least = '', comma, most = ''] = /^\{(\d*)(,?)(\d*)\}/.exec(signs.slice(at, at + 16).join('')) ?? []
      if (whole === undefined || (least === '' && most === '')) return wrong(at, 'a repeat is {2}, {2,} or {2,5}')
      if (last === null) return wrong(at, 'there is nothing to repeat before it')
      const times = Math.max(Number(least), Number(most))
      if (times > mostRepeated) return wrong(at, `a repeat is at most ${mostRepeated}`)
      if (comma && most !== '' && Number(most) < Number(least)) return wrong(at, 'the repeat ends before it begins')
      last *= Math.max(times, 1)
      if (last > mostNested) return wrong(at, 'repeats in repeats are too many together')
      const group = open.at(-1)
      if (group) group.cost = Math.max(group.cost, last)
      at += whole.length - 1
    } else last = 1
  }
  const [unclosed] = open.slice(1).reverse()
  return unclosed ? wrong(unclosed.at, 'this bracket is not closed') : null
}

function endOfBracket(signs: readonly string[], from: number): number | EreFault {
  let at = from + 1
  if (signs[at] === '^') at++
  // The first one means itself.
  if (signs[at] === ']') at++
  for (; at < signs.length; at++) {
    const [sign, next = ''] = [signs[at], signs[at + 1]]
    if (sign === ']') return at
    if (sign !== '[' || !':.='.includes(next) || next === '') continue
    const rest = signs.slice(at + 2).join('')
    const end = rest.indexOf(`${next}]`)
    if (end < 0) return { position: at, fault: 'this class is not closed' }
    const name = rest.slice(0, end)
    if (next === ':' && !classNames.includes(name)) return { position: at, fault: 'there is no such class' }
    at += 3 + [...name].length
  }
  return { position: from, fault: 'this bracket is not closed' }
}
