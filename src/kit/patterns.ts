// Regular expressions (RE2) that users write: bounded before they are compiled and before they are held against a text.
import { RE2JS } from 're2js'

const longestPattern = 200
const mostRepeats = 4
const mostRepeated = 64
/** RE2 does not backtrack, but takes time in proportion to this and to the text. */
const mostInstructions = 2_000
/** Instructions × characters: some 20 ms. */
const mostWork = 250_000

/** `fault` is what it must be instead. */
export type Pattern = { regex: RE2JS } | { fault: string }

const known = new Map<string, Pattern>()

export function patternOf(text: string, longest = longestPattern): Pattern {
  if (text.length > longest) return { fault: `a regular expression (RE2) of at most ${longest} characters` }
  const before = known.get(text)
  if (before) return before
  const made = compiled(text)
  if (known.size >= 500) known.delete(known.keys().next().value ?? '')
  known.set(text, made)
  return made
}

const tooMuch = {
  fault: `a regular expression (RE2) with at most ${mostRepeats} counted repeats such as {2,5}, none of them above ${mostRepeated} nor above it together where one is in another; make the counts smaller, or use * or +`,
}

function compiled(text: string): Pattern {
  // What is repeated is compiled as often, so that this is looked at first.
  if (isMuchRepeated(text)) return tooMuch
  try {
    const regex = RE2JS.compile(text)
    return regex.programSize() > mostInstructions ? tooMuch : { regex }
  } catch {
    return { fault: 'a regular expression (RE2), without look-arounds and back-references' }
  }
}

/** What has brackets of another meaning: literals, escapes and classes. */
const escapes = /\\Q.*?(?:\\E|$)|\\x\{[\da-f]*\}|\\p\{\w*\}|\\./gis
const classes = /\[\^?\]?[^\]]*\]/g
const repeatOrBracket = /[()]|\{(\d+)(?:,(\d*))?\}/g

function isMuchRepeated(text: string): boolean {
  const plain = text.replace(escapes, 'e').replace(classes, 'e')
  /** For each open bracket, how often something in it is repeated at most. */
  const open = [1]
  let [repeats, closed, closedAt] = [0, 1, -1]
  for (const { 0: sign, 1: least = '', 2: most = '', index } of plain.matchAll(repeatOrBracket)) {
    if (sign === '(') {
      open.push(1)
      continue
    }
    if (sign === ')') {
      closed = open.pop() ?? 1
      closedAt = index + 1
    } else {
      repeats++
      closed = Math.max(Number(least), Number(most)) * (closedAt === index ? closed : 1)
      closedAt = index + sign.length
    }
    if (repeats > mostRepeats || closed > mostRepeated) return true
    open.push(Math.max(open.pop() ?? 1, closed))
  }
  return false
}

/** Of a longer text it is not told whether it matches. */
export function longestText(regex: RE2JS): number {
  return Math.floor(mostWork / regex.programSize())
}
