// Finds tools by words: rare words count more than common ones, and an operation says what else people call it.
import type { OperationTool } from './tools.ts'

type Field = readonly [weight: number, words: ReadonlySet<string>]
type Indexed = { tool: OperationTool; fields: readonly Field[]; name: ReadonlySet<string> }
type Index = { tools: readonly Indexed[]; rarity: (word: string) => number }

const indexes = new WeakMap<readonly OperationTool[], Index>()

/** Whoever wants to find something says it shorter. */
export const longestSearch = 200
export const mostHits = 8

/** The best first, at most eight; ties in the order of ids. Without words: all of them. */
export function searchTools(
  tools: readonly OperationTool[],
  text: string,
  isWanted: (tool: OperationTool) => boolean = () => true,
): OperationTool[] {
  const asked = askedIn(text.slice(0, longestSearch))
  if (asked.length === 0) return tools.filter(isWanted)
  const index = indexOf(tools)
  return index.tools
    .filter(({ tool }) => isWanted(tool))
    .map(indexed => ({ tool: indexed.tool, score: scoreOf(asked, indexed, index.rarity) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, mostHits)
    .map(({ tool }) => tool)
}

function indexOf(tools: readonly OperationTool[]): Index {
  let index = indexes.get(tools)
  if (!index) {
    const indexed = tools.map(tool => ({ tool, fields: fieldsOf(tool), name: new Set(wordsOf(tool.id)) }))
    const holders = new Map<string, number>()
    for (const { fields } of indexed) {
      for (const word of new Set(fields.flatMap(([, words]) => [...words]))) {
        holders.set(word, (holders.get(word) ?? 0) + 1)
      }
    }
    index = { tools: indexed, rarity: word => Math.log(1 + tools.length / (1 + (holders.get(word) ?? 0))) }
    indexes.set(tools, index)
  }
  return index
}

function fieldsOf({ id, operation, inputSchema }: OperationTool): Field[] {
  return [
    [4, new Set([...wordsOf(id), ...wordsOf(operation.words ?? '')])],
    [3, new Set(wordsOf(operation.summary))],
    [1, new Set([...wordsOf(operation.description ?? ''), ...Object.keys(inputSchema.properties).flatMap(wordsOf)])],
  ]
}

/** Each word counts in the best field that has it; what the name says and nobody asked for counts against it. */
function scoreOf(asked: readonly string[], { fields, name }: Indexed, rarity: Index['rarity']): number {
  let total = 0
  for (const word of asked) total += rarity(word) * Math.max(...fields.map(field => matchIn(field, word)))
  if (total === 0) return 0
  const unasked = [...name].filter(word => !asked.includes(word))
  return total - 0.3 * unasked.length
}

function matchIn([weight, words]: Field, word: string): number {
  if (words.has(word)) return weight
  if (word.length < 4) return 0
  for (const one of words) if (one.startsWith(word) || (one.length > 3 && word.startsWith(one))) return weight / 2
  return 0
}

/** Say nothing about what is wanted. */
const empty = new Set(
  (
    'a all am an and any are as at be been by can did do does for from get has have how i in is it its me my of off on ' +
    'one or our please so some that the their them there these this to up was we were what when which with you your'
  ).split(' '),
)

/** What people say for the verb of an id. */
const saidFor: Record<string, string> = {
  create: 'post',
  make: 'post',
  add: 'post',
  new: 'post',
  generate: 'post',
  register: 'post',
  remove: 'del',
  delete: 'del',
  revoke: 'del',
  cancel: 'del',
  update: 'patch',
  change: 'patch',
  edit: 'patch',
  rename: 'patch',
  modify: 'patch',
  set: 'patch',
  show: 'get',
  read: 'get',
  detail: 'get',
  find: 'list',
}

/** A phrase that is nothing but empty words still asks for something. */
function askedIn(text: string): string[] {
  const words = wordsOf(text)
  const telling = words.filter(word => !empty.has(word))
  return (telling.length > 0 ? telling : words).map(word => saidFor[word] ?? word)
}

function wordsOf(text: string): string[] {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return [...new Set((words ?? []).map(singular))]
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
