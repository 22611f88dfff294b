// The bot check on sign-up: asks the configured verifier, and lets nobody in who was not let in by it.
import type { Context } from '../../kit/context.ts'
import { tokenHash } from '../../kit/tokens.ts'
import { countTry } from '../../kit/tries.ts'

/** Short of ten seconds, so that the refusal is there by then. */
const patienceMs = 9_000
const once = { limit: 1, seconds: 86_400 }

export async function passesBotCheck(
  { db, now, settings, origin }: Pick<Context, 'db' | 'now' | 'settings' | 'origin'>,
  token: string | undefined,
): Promise<boolean> {
  const check = settings.turnstile
  if (check === null) return true
  if (!token || !(await isVerified(check, token, origin.address))) return false
  // The verifier should refuse a second use by itself; that it does is not ours to hope.
  return await countTry(db, `bot_check:${tokenHash(token)}`, once, now())
}

async function isVerified(
  { verifyUrl, secretKey }: { verifyUrl: string; secretKey: string },
  token: string,
  address: string,
): Promise<boolean> {
  try {
    const answer = await fetch(verifyUrl, {
      method: 'POST',
      body: new URLSearchParams({ secret: secretKey, response: token, remoteip: address }),
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'error',
    })
    const { success } = (await answer.json()) as { success?: unknown }
    return answer.ok && success === true
  } catch {
    // Unreachable, slow or speaking nonsense: closed.
    return false
  }
}
