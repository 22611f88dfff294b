// What a step can do: an operation by its id, a shorter word for one, or something that only automations have.
import { type TObject, type TSchema, Type } from 'typebox'
import type { Operation } from '../../../contract/operation.ts'
import { choice, nullable, object } from '../../../contract/records.ts'
import type { Scope } from '../../../contract/scopes.ts'
import { operation as lookUp } from '../../../operations.ts'

export type Shorthand = {
  /** The operation that it stands for; null where it is made of more than one, or of none. */
  operation: string | null
  about: string
  /** What `with` holds, where that is not the input of the operation. */
  input?: TObject
  /** What it gives, where no operation says so. */
  output?: TSchema
  /** Scopes that it needs, where no operation says so. */
  needs?: readonly Scope[]
}

const text = (maxLength: number, example: string) => Type.String({ minLength: 1, maxLength, examples: [example] })
const optional = Type.Optional

const threadInput = {
  instructions: text(32_768, 'Find out why checkout is slow.'),
  name: optional(text(256, 'Nightly review')),
  type: optional(Type.String({ enum: ['automation', 'investigation', 'chat'], default: 'automation' })),
  issueId: optional(Type.String({ maxLength: 64 })),
  skills: optional(
    Type.Array(Type.String({ maxLength: 64 }), { maxItems: 10, description: 'Slugs of skills to follow.' }),
  ),
  runner: optional(Type.String({ enum: ['builtin', 'external', 'script'] })),
  steps: optional(Type.Array(Type.Unknown(), { maxItems: 100, description: 'Of the runner `script`.' })),
}

const started = { threadId: Type.String(), runId: Type.String() }

export const shorthands: Readonly<Record<string, Shorthand>> = {
  create_issue: { operation: 'issues.post', about: 'Opens an issue.' },
  update_issue: { operation: 'issues.patch', about: 'Changes an issue.' },
  add_note: { operation: 'issues.notes.post', about: 'Writes a note on an issue.' },
  investigate: { operation: 'issues.investigate', about: 'Starts an investigation of an issue.' },
  save_memory: { operation: 'memories.post', about: 'Remembers something.' },
  query_dataset: { operation: 'datasets.query', about: 'Asks a dataset.' },
  propose_autofix: { operation: 'autofixes.post', about: 'Proposes a change of code.' },
  publish_page: { operation: 'threads.publish', about: 'Publishes a thread as a page.' },
  call_integration: { operation: 'integrations.call', about: 'Makes the HTTP request of an integration.' },
  http: { operation: 'integrations.call', about: 'Makes the HTTP request of an integration.' },
  run_tool: {
    operation: null,
    about: 'Calls a tool by its name: one of ours (`issues_list`), or one of another MCP server (`int.docs.search`).',
    input: object({ name: text(128, 'issues_list'), args: optional(Type.Record(Type.String(), Type.Unknown())) }),
  },
  send_email: {
    operation: null,
    about: 'Mails members of the workspace, at their verified addresses.',
    input: object({
      to: Type.Array(Type.String({ maxLength: 254, description: 'An id or a verified address of a member.' }), {
        minItems: 1,
        maxItems: 20,
      }),
      subject: text(200, 'A key is unused'),
      text: text(10_000, 'It was not used for 30 days.'),
    }),
    output: object({ sent: Type.Integer({ minimum: 0 }) }),
    needs: ['workspace_members:read'],
  },
  start_thread: {
    operation: null,
    about: 'Starts a thread with an agent in it, and goes on at once.',
    input: object(threadInput),
    output: object(started),
    needs: ['threads:write'],
  },
  thread: {
    operation: null,
    about: 'Starts a thread with an agent in it, and waits for what comes of it.',
    input: object({
      ...threadInput,
      waitSeconds: optional(Type.Integer({ minimum: 10, maximum: 86_400, default: 3_600 })),
    }),
    output: object({ ...started, status: Type.String(), summary: nullable(Type.String()) }),
    needs: ['threads:read', 'threads:write'],
  },
  wait: {
    operation: null,
    about: 'Waits; nothing is held meanwhile.',
    input: object({ seconds: Type.Integer({ minimum: 1, maximum: 86_400, examples: [60] }) }),
    output: Type.Null(),
  },
  branch: {
    operation: null,
    about: 'Goes on with `steps` where `if` is true, else with `else`.',
    input: object({}),
    output: object({ went: choice(['steps', 'else']) }),
  },
  forEach: {
    operation: null,
    about:
      'Does `steps` for each of `items`, which they call `item` and `index`; gives a list of what the last of them gave.',
    input: object({
      items: Type.Array(Type.Unknown(), { maxItems: 100 }),
      parallel: optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })),
    }),
  },
  approve: {
    operation: null,
    about: 'Asks people, and goes on when one of them approves; `else` where it is denied, or nobody decides in time.',
    input: object({
      question: text(2_000, 'Apply the fix?'),
      details: optional(Type.Unknown({ description: 'What they decide on, shown to them.' })),
      expiresSeconds: optional(Type.Integer({ minimum: 60, maximum: 86_400, default: 3_600 })),
    }),
    output: object({
      went: choice(['on', 'else']),
      decision: choice(['approved', 'denied', 'expired']),
      decidedBy: nullable(Type.String()),
      note: nullable(Type.String()),
    }),
  },
}

export type Deed =
  | { kind: 'operation'; id: string; operation: Operation }
  | { kind: 'own'; word: string; shorthand: Shorthand }

/** Undefined where there is no such thing. */
export function deedOf(word: string): Deed | undefined {
  const shorthand = Object.hasOwn(shorthands, word) ? shorthands[word] : undefined
  if (shorthand && shorthand.operation === null) return { kind: 'own', word, shorthand }
  const id = shorthand?.operation ?? word
  const operation = lookUp(id)
  return operation && isStep(operation) ? { kind: 'operation', id, operation } : undefined
}

/**
 * What takes a file, answers with one, or is for people or protocols alone is no step; nor is what takes or gives a secret,
 * which would stand in the definition or in the history.
 */
export function isStep(operation: Operation): boolean {
  if (operation.access === 'public' || operation.access === 'user' || operation.access === 'credential') return false
  if (operation.produces || operation.consumes || operation.signal || operation.tool === false) return false
  if (operation.credentials && !operation.credentials.includes('run')) return false
  if (holdsSecret(operation)) return false
  return operation.restricted?.includes('automation') !== true
}

/** Asked twice for each step that is done: without this, 0.4 of the 9 ms that an execution of three steps costs. */
const secretive = new WeakMap<Operation, boolean>()

function holdsSecret(operation: Operation): boolean {
  const known = secretive.get(operation)
  if (known !== undefined) return known
  const { path, query, body, result } = operation
  const holds = JSON.stringify([path, query, body, result]).includes('"x-secret":true')
  secretive.set(operation, holds)
  return holds
}

/** All of its input but the workspace, which is always the automation's own. */
export function inputOf({ path, query, body }: Operation): TObject {
  const properties = { ...path?.properties, ...query?.properties, ...body?.properties }
  const { workspaceId: _, ...rest } = properties
  const required = [path, query, body].flatMap(part => (part?.required as string[] | undefined) ?? [])
  return {
    ...Type.Object(rest, { additionalProperties: false }),
    required: required.filter(name => name !== 'workspaceId'),
  } as unknown as TObject
}
