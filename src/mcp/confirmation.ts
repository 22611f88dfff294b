// Asks the person at the client before something is deleted, where the client can ask.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { OperationTool } from '../contract/tools.ts'
import type { Arguments } from './run.ts'

export type Asked = { asked: string }

/** Bound to the credential: another credential cannot answer the question. */
export function confirmations(key: string): RequestStateCodec<Asked> {
  return createRequestStateCodec<Asked>({ key, bind: ctx => ctx.http?.authInfo?.clientId ?? '' })
}

/** `asked` where the question goes out, `declined` where the answer was no, null where the call may go on. */
export async function confirm(
  codec: RequestStateCodec<Asked>,
  { id, operation }: OperationTool,
  args: Arguments,
  ctx: ServerContext,
  ofSession: ClientCapabilities | undefined,
  titleOf: () => Promise<string | null>,
): Promise<InputRequiredResult | 'declined' | null> {
  if (!canAsk(declaredIn(ctx) ?? ofSession)) return null
  const asked = await digest(JSON.stringify([id, args]))
  const isAnswer = ctx.mcpReq.requestState<Asked>()?.asked === asked
  const answer = ctx.mcpReq.inputResponses?.confirm
  if (isAnswer && answer !== undefined) {
    const content = acceptedContent<{ confirm?: unknown }>(ctx.mcpReq.inputResponses, 'confirm')
    return content?.confirm === true ? null : 'declined'
  }
  const title = await titleOf()
  const ids = Object.entries(args).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  const about = title === null ? ids : [JSON.stringify(title), ...ids]
  return inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({
        message: `${operation.summary}${about.length > 0 ? ` (${about.join(', ').slice(0, 500)})` : ''}?`,
        requestedSchema: {
          type: 'object',
          properties: { confirm: { type: 'boolean', title: 'Yes, do it', default: false } },
          required: ['confirm'],
        },
      }),
    },
    requestState: await codec.mint({ asked }, ctx),
  })
}

function declaredIn(ctx: ServerContext): ClientCapabilities | undefined {
  const envelope = ctx.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY]
}

/** Form mode is what an empty declaration means. */
function canAsk({ elicitation }: ClientCapabilities = {}): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('')
}
