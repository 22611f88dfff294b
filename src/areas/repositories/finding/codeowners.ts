// CODEOWNERS as GitHub reads it: where it stands, what its patterns mean, and that the last line that matches counts.
import type { Mirror } from '../../../kit/git.ts'
import { foundAt } from '../reading/trees.ts'

export type OwnersFile = { path: string; rules: readonly Rule[] }

export type Rule = { line: number; pattern: string; owners: readonly Owner[]; segments: readonly Segment[] }

/** A part of a pattern, and its signs one by one. */
type Segment = { text: string; signs: readonly string[] }

export type Owner = { name: string; type: 'user' | 'team' | 'email' }

const places = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS']
const mostBytes = 3 * 1024 * 1024
const mostRules = 20_000
const mostSegments = 64

const known = new Map<string, OwnersFile>()

/** The first of the three that there is; null where there is none. */
export async function codeownersOf(mirror: Mirror, repositoryId: string, commit: string): Promise<OwnersFile | null> {
  for (const path of places) {
    const file = await foundAt(mirror, repositoryId, commit, { path }).catch(() => null)
    if (file?.type !== 'file') continue
    const key = `${repositoryId} ${file.sha} ${path}`
    const before = known.get(key)
    if (before) return before
    const head = await mirror.head(file.sha)
    // GitHub does not load one that is larger.
    const object = head && head.size <= mostBytes ? await mirror.read(file.sha, mostBytes) : null
    const made = { path, rules: rulesIn(object?.bytes.toString('utf8') ?? '') }
    if (known.size >= 20) known.delete(known.keys().next().value ?? '')
    known.set(key, made)
    return made
  }
  return null
}

export function rulesIn(text: string): Rule[] {
  const rules = text.split('\n').flatMap((line, index) => ruleOf(line.replace(/\r$/, ''), index + 1))
  return rules.slice(-mostRules)
}

/** A line that GitHub does not understand is left out, as it does. */
function ruleOf(text: string, line: number): Rule[] {
  const words = wordsOf(text)
  const [pattern] = words
  if (pattern === undefined || pattern.startsWith('!') || /(?<!\\)[[\]]/.test(pattern)) return []
  const owners = words.slice(1).flatMap(ownerOf)
  const segments = segmentsOf(pattern)
  return segments.length > mostSegments ? [] : [{ line, pattern, owners, segments }]
}

/** Separated by spaces; a backslash takes the next sign as it is, and `#` begins a comment. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  let word = ''
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string
    if (sign === '\\' && at + 1 < text.length) word += sign + text[++at]
    else if (sign === '#' && word === '') break
    else if (/\s/.test(sign)) {
      if (word !== '') words.push(word)
      word = ''
    } else word += sign
  }
  return word === '' ? words : [...words, word]
}

function ownerOf(word: string): Owner[] {
  if (/^@[\w.-]+\/[\w.-]+$/.test(word)) return [{ name: word, type: 'team' }]
  if (/^@[\w.-]+$/.test(word)) return [{ name: word, type: 'user' }]
  return /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(word) ? [{ name: word, type: 'email' }] : []
}

/** Without a slash before its end, a pattern is looked for in every folder. */
function segmentsOf(pattern: string): Segment[] {
  const parts = pattern.split('/')
  const isAnchored = parts[0] === '' || parts.length > 2 || (parts.length === 2 && parts[1] !== '')
  const bare = parts[0] === '' ? parts.slice(1) : parts
  const ended = bare.length > 1 && bare.at(-1) === '' ? [...bare.slice(0, -1), '**'] : bare
  const all = isAnchored ? ended : ['**', ...ended]
  return all
    .filter((part, index) => part !== '**' || all[index - 1] !== '**')
    .map(text => ({ text, signs: text.match(/\\.|./gsu) ?? [] }))
}

export function ruleFor(rules: readonly Rule[], path: string): Rule | undefined {
  const parts = path.split('/').filter(Boolean)
  /** Of each part of a pattern: the parts of the path that it matches. Most patterns share theirs. */
  const known = new Map<string, readonly boolean[]>()
  const matching = ({ text, signs }: Segment) => {
    const found = known.get(text) ?? parts.map(part => matchesName(signs, part))
    known.set(text, found)
    return found
  }
  return rules.findLast(({ segments }) => matches(segments, parts.length, matching))
}

/** `**` is any number of folders; a plain name also owns what is below it, `*` as a last part does not. */
function matches(
  segments: readonly Segment[],
  count: number,
  matching: (segment: Segment) => readonly boolean[],
): boolean {
  /** For each number of parts: whether the segments so far match exactly these. */
  let reached: boolean[] = Array(count + 1).fill(false)
  reached[0] = true
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    const isAnyDepth = segment.text === '**'
    // Below a folder there must be something.
    if (isAnyDepth && isLast) return reached.indexOf(true) < count
    const next: boolean[] = Array(count + 1).fill(false)
    if (isAnyDepth) next.fill(true, reached.indexOf(true))
    else {
      const isMatch = matching(segment)
      for (let at = 0; at < count; at++) if (reached[at] && isMatch[at]) next[at + 1] = true
    }
    if (!next.includes(true)) return false
    const isDirect = segment.text === '*' && segments.length > 1 && segments[0]?.text !== '**'
    if (isLast) return isDirect ? next[count] === true : true
    reached = next
  }
  return false
}

/** Goes back to the last `*` only, so that no pattern takes long. */
function matchesName(signs: readonly string[], name: string): boolean {
  let [at, from, star, mark] = [0, 0, -1, 0]
  while (from < name.length) {
    const sign = signs[at]
    const isSame = sign === '?' || (sign !== '*' && sign !== undefined && sign.at(-1) === name[from])
    if (isSame) {
      at++
      from++
    } else if (sign === '*') {
      star = at++
      mark = from
    } else if (star >= 0) {
      at = star + 1
      from = ++mark
    } else return false
  }
  while (signs[at] === '*') at++
  return at === signs.length
}
