// One question to the model: its answer grows in the thread, and what it took is counted, also where it was cut off.
import { askModel, ModelFailure, type ModelRequest } from '../../../../kit/model.ts'
import { randomText } from '../../../../kit/random.ts'
import type { Part } from '../../messages/contract.ts'
import { tokensIn } from './budget.ts'
import { count, type Going, reserve, writeDown } from './going.ts'
import { failed } from './stopping.ts'
import { growingMessage } from './writing.ts'

type Asking = {
  request: ModelRequest
  /** About how many tokens it has. */
  reads: number
  /** Where the budget and not the setting bounds the answer: which one. */
  bounded: string | null
}

const badArguments = 'The arguments are not a JSON object. Nothing was called; call it again with an object.'

/** Returns when the message is complete. Throws `ModelFailure` where it cannot be. */
export async function answer(going: Going, { request, reads, bounded }: Asking): Promise<void> {
  const { work, setup } = going
  const { model } = setup.endpoint
  await reserve(going, reads)
  const message = growingMessage(work)
  const calls: Part[] = []
  let text = ''
  try {
    for await (const event of askModel(work.ctx.fetch, setup.endpoint, request)) {
      if (event.type === 'text') {
        text += event.text
        message.add(event.text)
      } else if (event.type === 'call') {
        calls.push(...callParts(event.tool, event.args))
      } else {
        // An endpoint that does not tell must not be free: then it is about so much.
        const used = { in: event.in ?? reads, out: event.out ?? tokensIn(text + JSON.stringify(calls)) }
        // Before the message is complete: what was used is never forgotten.
        await count(going, used)
        if (event.isCut) {
          await message.fail({ ...used, model })
          throw failed(bounded ?? tooLong(request.mostOutput))
        }
        if (text.trim() === '' && calls.length === 0)
          throw failed('The model answered with nothing; ask in other words.')
        const said: Part[] = text === '' ? [] : [{ type: 'text', markdown: text }]
        await message.complete([...said, ...calls], { ...used, model })
      }
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) {
      await message.abandon()
      throw error
    }
    const isBegun = text !== '' || calls.length > 0
    const used = { in: reads, out: tokensIn(text + JSON.stringify(calls)) }
    if (isBegun) {
      await count(going, used)
      await message.fail({ ...used, model })
    } else await writeDown(going)
    throw error
  }
}

function tooLong(most: number): string {
  return `The answer reached its limit of ${most} tokens (agent.maxOutputTokens); raise it in the settings of the workspace, or ask for less.`
}

/** Ids of our own: those of models come twice. */
function callParts(tool: string, args: Record<string, unknown> | null): Part[] {
  const callId = `call_${randomText('0123456789abcdefghijklmnopqrstuvwxyz', 24)}`
  const call: Part = { type: 'tool_call', tool: tool.slice(0, 128) || 'unknown', args: args ?? {}, callId }
  return args === null ? [call, { type: 'tool_result', callId, ok: false, output: badArguments }] : [call]
}
