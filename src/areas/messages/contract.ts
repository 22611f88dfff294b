// Messages: what people and agents write in threads, each at a place of its own.
import { Type } from 'typebox'
import { mostFileBytes } from '../../contract/content.ts'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, pageWithNext } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record, shown } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { FileId, MessageId, ThreadId } from '../threads/fields/contract.ts'
import {
  fileName,
  Message,
  MessageFile,
  MessageRole,
  MessageUsage,
  mimeType,
  Parts,
} from '../threads/messages/contract.ts'
import { InnerRun } from '../threads/runs/contract.ts'

const message = { workspaceId: WorkspaceId, id: MessageId }

const text = shown(
  Type.String({ minLength: 1, maxLength: 200_000, description: 'In place of `parts`: one text.', examples: ['Why?'] }),
  { format: 'markdown' },
)

const PostedMessage = record('PostedMessage', {
  ...Message.properties,
  run: nullable(InnerRun),
  replies: Type.Array(Message, { description: 'With `run: wait`: what the run has written since.' }),
})

const snippet = Type.Array(object({ text: Type.String(), isMatch: Type.Boolean() }), {
  description: 'Where it matches, in pieces that together are plain text.',
})

export const messages = area(
  'messages',
  {
    'messages.list': {
      summary: 'List messages of the threads that you may see',
      description: 'Of one thread by `threadId`; in the order of the thread with `orderBy=seq&order=asc`.',
      route: 'GET /v1/messages/{workspaceId}',
      words: 'conversation transcript chat history',
      access: ['messages:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['created', 'seq'],
        filter: ['threadId', 'role', 'author', 'status'],
        also: ['after', 'span'],
      }),
      result: pageWithNext(Message),
    },
    'messages.get': {
      summary: 'Show a message',
      route: 'GET /v1/messages/{workspaceId}/{id}',
      words: 'conversation chat',
      access: ['messages:read'],
      path: object(message),
      result: Message,
      errors: ['not_found'],
    },
    'messages.search': {
      summary: 'Search messages by their words',
      description: 'Takes words, "phrases", `or` and `-not`. Best matches first.',
      route: 'GET /v1/messages/{workspaceId}/search',
      words: 'find conversation who said',
      access: ['messages:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: object({
        q: Type.String({ minLength: 1, maxLength: 200, examples: ['connection pool'] }),
        threadId: Type.Optional(ThreadId),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
      }),
      result: object({ items: Type.Array(object({ message: Message, snippet })) }),
    },
    'messages.post': {
      summary: 'Write a message in a thread',
      description:
        'A person writes as `user`, a run as `assistant` or `tool`, in its own thread. `run` lets an agent answer: `queue` ' +
        'starts it and answers 202, `wait` also waits for its end: 201, or 202 where that takes over 55 s. What a run ' +
        'writes piece by piece begins with the status `streaming`. Citations must name records that everybody who sees the thread may read.',
      route: 'POST /v1/messages',
      words: 'say send reply answer ask agent chat comment',
      access: ['messages:write'],
      agents: agentCallers,
      body: object({
        workspaceId: WorkspaceId,
        threadId: ThreadId,
        parts: Type.Optional(Parts),
        text: Type.Optional(text),
        role: Type.Optional(MessageRole),
        status: Type.Optional(choice(['complete', 'streaming'])),
        usage: Type.Optional(MessageUsage),
        run: Type.Optional(choice(['none', 'queue', 'wait'], { default: 'none' })),
      }),
      result: PostedMessage,
      status: 201,
      also: { 202: PostedMessage },
      errors: ['payment_required'],
    },
    'messages.patch': {
      summary: 'Change a message of mine, or go on with a streamed one',
      description:
        'A person changes their own message until somebody answers. A run adds to what it streams with `append`, and ends ' +
        'it with the status `complete` or `failed`.',
      route: 'PATCH /v1/messages/{workspaceId}/{id}',
      words: 'edit correct stream append',
      access: ['messages:write'],
      agents: agentCallers,
      path: object(message),
      body: object({
        parts: Type.Optional(Parts),
        text: Type.Optional(text),
        append: Type.Optional(Type.String({ minLength: 1, maxLength: 100_000, examples: [' and more'] })),
        status: Type.Optional(choice(['complete', 'failed'])),
        usage: Type.Optional(MessageUsage),
      }),
      result: Message,
      errors: ['not_found', 'conflict'],
    },
    'messages.del': {
      summary: 'Delete a message; its place in the thread stays',
      description: 'Its content is erased for good. It is shown as `redacted`.',
      route: 'DELETE /v1/messages/{workspaceId}/{id}',
      words: 'remove erase redact',
      access: ['messages:delete'],
      reach: 'own',
      path: object(message),
      result: deleted('message', message),
      errors: ['not_found'],
    },
    'messages.files.post': {
      summary: 'Upload a file for a message',
      description:
        'Up to 10 MiB. Put the answered id into a message as a part `{"type": "file", "fileId": …}`; who sees the message ' +
        'can then download it. An upload that no message holds is removed after a day.',
      route: 'POST /v1/messages/{workspaceId}/files',
      past: 'uploaded',
      words: 'attach attachment upload image screenshot log',
      access: ['messages:write'],
      agents: agentCallers,
      path: object({ workspaceId: WorkspaceId }),
      query: object({ name: fileName, mimeType: Type.Optional(mimeType) }),
      consumes: ['bytes'],
      bodyLimit: mostFileBytes,
      result: MessageFile,
      status: 201,
    },
    'messages.files.get': {
      summary: 'Download a file of a message',
      route: 'GET /v1/messages/{workspaceId}/files/{id}',
      words: 'attachment download',
      access: ['messages:read'],
      path: object({ workspaceId: WorkspaceId, id: FileId }),
      result: Type.String(),
      produces: ['application/octet-stream'],
      errors: ['not_found'],
    },
    'messages.files.read': {
      summary: 'Read a file of a message as text, a piece at a time',
      description:
        'Up to 64 KiB from `offset` on; go on with `nextOffset`. `text` is null where the file is not text in UTF-8: ' +
        'download it then.',
      route: 'GET /v1/messages/{workspaceId}/files/{id}/text',
      words: 'attachment log content',
      access: ['messages:read'],
      path: object({ workspaceId: WorkspaceId, id: FileId }),
      query: object({ offset: Type.Optional(Type.Integer({ minimum: 0, maximum: mostFileBytes, default: 0 })) }),
      result: record('MessageFileText', {
        ...MessageFile.properties,
        text: nullable(Type.String()),
        nextOffset: nullable(Type.Integer({ description: 'In bytes; null at the end.' })),
      }),
      errors: ['not_found'],
    },
  },
  {
    about: 'What people and agents write in threads, each message at a place of its own.',
    records: {
      message: {
        id: MessageId,
        table: 'messages',
        title: 'title',
        search: ['text'],
        visibility: { table: 'threads', by: 'thread_id' },
        ratings: true,
        ofThread: 'thread_id',
      },
    },
  },
)
