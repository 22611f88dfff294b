// The bot check on sign-up: asks the configured verifier, and lets nobody in who was not let in by it.
import type { BeforeContext, Context } from '../../kit/context.ts'
import { countTry } from '../../kit/tries.ts'

/** Short of ten seconds, so that the refusal is there by then. */
const patienceMs = 9_000
const once = { limit: 1, seconds: 86_400 }

export async function passesBotCheck(
  ctx: Pick<Context & BeforeContext, 'db' | 'now' | 'settings' | 'origin' | 'fetch'>,
  token: string | undefined,
): Promise<boolean> {
  const check = ctx.settings.turnstile
  if (check === null) return true
  if (!token || !(await isVerified(ctx, check, token, ctx.origin.address))) return false
  // The verifier should refuse a second use by itself; that it does is not ours to hope.
  return await countTry(ctx, ['bot_check', token], once)
}

async function isVerified(
  ctx: Pick<BeforeContext, 'fetch'>,
  { verifyUrl, secretKey }: { verifyUrl: string; secretKey: string },
  token: string,
  address: string,
): Promise<boolean> {
  try {
    const answer = await ctx.fetch(verifyUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ secret: secretKey, response: token, remoteip: address }).toString(),
      timeoutMs: patienceMs,
      maxBytes: 64 * 1024,
    })
    const { success } = (await answer.json()) as { success?: unknown }
    return answer.ok && success === true
  } catch {
    // Unreachable, slow or speaking nonsense: closed.
    return false
  }
}
