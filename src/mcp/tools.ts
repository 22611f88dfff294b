// Which tools a credential is offered at an address, and what a call of one comes to, whoever asks.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { Operations } from '../contract/operation.ts'
import { type OperationTool, toolNameOf } from '../contract/tools.ts'
import { operations as allOperations } from '../operations.ts'
import { catalogueOf, isInToolset, isOffered, keyOf, type View } from './catalogue.ts'
import { everydayOperations, everydayTools, wrongArguments } from './everyday.ts'
import { type Arguments, type Running, runOperation } from './run.ts'

const mostLists = 500
const lists = new WeakMap<Operations, Map<string, Tool[]>>()

/** A pure function of its arguments, kept for equal views. */
export function toolList(operations: Operations, view: View): Tool[] {
  const ofRegistry = lists.get(operations) ?? new Map<string, Tool[]>()
  lists.set(operations, ofRegistry)
  const key = keyOf(view)
  let tools = ofRegistry.get(key)
  if (!tools) {
    tools = makeList(operations, view)
    if (ofRegistry.size >= mostLists) ofRegistry.clear()
    ofRegistry.set(key, tools)
  }
  return tools
}

function makeList(operations: Operations, view: View): Tool[] {
  const catalogue = catalogueOf(operations)
  const isEveryday = view.toolset.areas === 'everyday'
  const own = isEveryday ? everydayTools.filter(({ isShown }) => isShown(catalogue, view)).map(({ tool }) => tool) : []
  const mirrored = catalogue.tools.filter(tool => isListed(view, tool) && isOffered(view, tool))
  return [...own, ...mirrored.map(({ name }) => catalogue.listed.get(name) as Tool)]
}

function isListed({ toolset }: View, { id }: OperationTool): boolean {
  return toolset.areas !== 'everyday' || (everydayOperations as readonly string[]).includes(id)
}

export type ToolCall =
  | { unknown: string }
  | { wrong: string }
  | {
      /** What would be carried out; null where nothing would. */
      target: { operation: OperationTool; input: Arguments } | null
      run: (running: Running) => Promise<CallToolResult>
    }

export function toolCall(view: View, name: string, args: Arguments): ToolCall {
  const catalogue = catalogueOf(allOperations)
  const everyday = view.toolset.areas === 'everyday' ? everydayTools.find(({ tool }) => tool.name === name) : undefined
  const operation = catalogue.byName.get(name)
  if (!everyday && !operation) {
    const hidden = Object.keys(allOperations).find(id => toolNameOf(id) === name)
    const why = hidden ? `${hidden} exists but is never offered as a tool` : 'ask for tools/list'
    return { unknown: `Unknown tool: ${name.slice(0, 128)}; ${why}.` }
  }
  const wrong = everyday && wrongArguments(everyday.tool, args)
  if (wrong) return { wrong }
  const target = everyday
    ? (everyday.target?.(catalogue, args) ?? null)
    : { operation: operation as OperationTool, input: args }
  const elsewhere = target && notHere(view, target.operation, everyday !== undefined)
  if (elsewhere) return { wrong: elsewhere }
  if (everyday) return { target, run: running => everyday.run(catalogue, view, args, running) }
  // What the credential may not do is not stopped here: the platform refuses it, says why, and writes it down.
  return { target, run: running => runOperation(operation as OperationTool, args, running) }
}

/** What the address leaves out is left out, whatever the credential may do. */
function notHere(view: View, tool: OperationTool, isByEveryday: boolean): string | null {
  const { toolset } = view
  if (!isInToolset(toolset, tool)) {
    return toolset.isReadonly && tool.effect !== 'read'
      ? `${tool.id} changes something, and this address only reads; it was not called.`
      : `${tool.name} is not at this address; connect to /mcp/x/${tool.area} for it.`
  }
  if (isByEveryday || isListed(view, tool)) return null
  return `${tool.name} has no tool of its own at this address; call "${tool.id}" with the call_…_operation tools.`
}
