// Finds tools by words: in their ids first, then in what they say they do and take.
import type { OperationTool } from './tools.ts'

type Indexed = { tool: OperationTool; fields: readonly (readonly [weight: number, words: readonly string[]])[] }

const indexes = new WeakMap<readonly OperationTool[], Indexed[]>()

/** The best first; ties in the order of ids. Without words: all of them. */
export function searchTools(tools: readonly OperationTool[], text: string): OperationTool[] {
  const asked = wordsOf(text)
  if (asked.length === 0) return [...tools]
  return indexOf(tools)
    .map(({ tool, fields }) => ({ tool, score: scoreOf(asked, fields) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ tool }) => tool)
}

function indexOf(tools: readonly OperationTool[]): Indexed[] {
  let index = indexes.get(tools)
  if (!index) {
    index = tools.map(tool => ({
      tool,
      fields: [
        [4, wordsOf(tool.id)],
        [3, wordsOf(tool.operation.summary)],
        [1, wordsOf(tool.operation.description ?? '')],
        [1, Object.keys(tool.inputSchema.properties).flatMap(wordsOf)],
      ],
    }))
    indexes.set(tools, index)
  }
  return index
}

/** Each word counts in the best field that has it, whole more than begun. */
function scoreOf(asked: readonly string[], fields: Indexed['fields']): number {
  let total = 0
  for (const word of asked) {
    const scores = fields.map(([weight, words]) => {
      if (words.includes(word)) return weight * 2
      return words.some(one => one.startsWith(word)) ? weight : 0
    })
    total += Math.max(...scores)
  }
  return total
}

/** What people say, beside the verb of an id. */
const saidFor: Record<string, string> = {
  create: 'post',
  make: 'post',
  add: 'post',
  remove: 'del',
  delete: 'del',
  update: 'patch',
  change: 'patch',
  edit: 'patch',
  show: 'get',
  read: 'get',
  find: 'list',
}

function wordsOf(text: string): string[] {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return [...new Set((words ?? []).flatMap(word => [singular(word), saidFor[word] ?? []].flat()))]
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
