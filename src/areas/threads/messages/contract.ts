// What a message is: parts in order, by somebody, at a place in its thread that no other message ever has.
import { type Static, Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, shown, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { RatingWithMine } from '../../ratings/contract.ts'
import { FileId, MessageId, ThreadId } from '../fields/contract.ts'

const partTypes = ['text', 'tool_call', 'tool_result', 'citation', 'file'] as const

/** One form for all parts: which fields a part has follows from its type, and `parts.ts` holds it to that. */
export const Part = object({
  type: choice(partTypes),
  markdown: Type.Optional(
    shown(
      Type.String({ minLength: 1, maxLength: 200_000, description: 'Of a text.', examples: ['The pool is full.'] }),
      {
        format: 'markdown',
      },
    ),
  ),
  tool: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Of a tool_call: its name.' })),
  args: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Of a tool_call.', examples: [{}] })),
  callId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Of a tool_call, and of the tool_result that answers it.',
    }),
  ),
  ok: Type.Optional(Type.Boolean({ description: 'Of a tool_result.' })),
  output: Type.Optional(Type.Unknown({ description: 'Of a tool_result: anything.' })),
  truncated: Type.Optional(Type.Boolean({ description: 'Of a tool_result: there was more.' })),
  object: Type.Optional(Type.String({ maxLength: 64, description: 'Of a citation: the kind of record.' })),
  id: Type.Optional(Type.String({ maxLength: 128, description: 'Of a citation: the record.' })),
  range: Type.Optional(Type.String({ maxLength: 128, description: 'Of a citation: which piece of it.' })),
  fileId: Type.Optional(Type.String({ maxLength: 64, description: 'Of a file: the id that its upload answered.' })),
  name: Type.Optional(Type.String({ maxLength: 255, description: 'Of a file, as uploaded.' })),
  mimeType: Type.Optional(Type.String({ maxLength: 128, description: 'Of a file, as uploaded.' })),
  size: Type.Optional(Type.Integer({ minimum: 0, description: 'Of a file, in bytes.' })),
})

export type Part = Static<typeof Part>

export const Parts = Type.Array(Part, {
  minItems: 1,
  maxItems: 100,
  examples: [[{ type: 'text', markdown: 'The pool is full.' }]],
})

export const fileName = Type.String({
  minLength: 1,
  maxLength: 255,
  // Nothing that ends a header or a line, turns the direction of reading, or leaves a folder.
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069"/\\\\]+$',
  description: 'Without slashes, quotes and control characters.',
  examples: ['trace.log'],
})
export const mimeType = Type.String({
  maxLength: 128,
  description: 'The media type; application/octet-stream where nothing is said.',
  pattern: '^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*$',
  examples: ['text/plain'],
})

export const MessageFile = record('MessageFile', {
  id: FileId,
  workspaceId: WorkspaceId,
  name: fileName,
  mimeType,
  size: Type.Integer({ minimum: 0, description: 'In bytes.' }),
  sha256: Type.String({ description: 'Of its bytes.', examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c'] }),
  _object: choice(['message_file']),
})

/** Of all parts together, as JSON. */
export const mostBytes = 256 * 1024

export const MessageRole = choice(['user', 'assistant', 'system', 'tool'])
export const MessageStatus = choice(['complete', 'streaming', 'failed', 'redacted'])

export const MessageUsage = object({
  in: Type.Integer({ minimum: 0 }),
  out: Type.Integer({ minimum: 0 }),
  model: nullable(Type.String({ maxLength: 128 })),
})

export const Message = record(
  'Message',
  {
    id: MessageId,
    workspaceId: WorkspaceId,
    threadId: ThreadId,
    seq: Type.Integer({ minimum: 1, description: 'Counts up in the thread, without gaps.' }),
    role: MessageRole,
    parts: Type.Array(Part, {
      description: 'Empty where the message was deleted.',
      examples: [[{ type: 'text', markdown: 'The pool is full.' }]],
    }),
    text: Type.String({ description: 'What the text parts say, together.' }),
    author: object({
      type: choice(['user', 'team', 'client', 'system']),
      id: nullable(Type.String({ description: 'Null where they are gone.' })),
      credentialId: nullable(Type.String({ description: 'The key or run that it was written with.' })),
    }),
    callerKind: nullable(choice(agentCallers)),
    status: MessageStatus,
    usage: nullable(MessageUsage),
    rating: RatingWithMine,
    editedAt: nullable(timestamp),
    created: timestamp,
    updated: timestamp,
    _object: choice(['message']),
  },
  { columns: ['text', 'role', 'seq', 'status', 'created'] },
)
