// Signatures as each sender makes them: right ones are taken, with any of the secrets, and nothing else is.
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Scheme, schemes, verify } from '../../src/areas/integrations/inbound/signatures.ts'
import { now, received } from './sent.ts'

const secret = 'It is a secret to everybody'
const body = '{"title":"Für alle","n":1}'
const key = Buffer.from('0123456789abcdef0123456789abcdef')
const whsec = `whsec_${key.toString('base64')}`
const seconds = now.getTime() / 1_000
const hex = (text: string, by: string | Buffer = secret) => createHmac('sha256', by).update(text).digest('hex')
const base64 = (text: string, by: string | Buffer = key) => createHmac('sha256', by).update(text).digest('base64')

/** The headers of a request that was signed at this time with this secret. */
const signed: Record<Scheme, (text: string, by: string, at: number) => Record<string, string>> = {
  github: (text, by) => ({ 'x-hub-signature-256': `sha256=${hex(text, by)}` }),
  gitea: (text, by) => ({ 'x-gitea-signature': hex(text, by) }),
  gitlab: (_, by) => ({ 'x-gitlab-token': by }),
  sentry: (text, by) => ({ 'sentry-hook-signature': hex(text, by) }),
  pagerduty: (text, by) => ({ 'x-pagerduty-signature': `v1=${'0'.repeat(64)},v1=${hex(text, by)}` }),
  grafana: (text, by) => ({ 'x-grafana-alerting-signature': hex(text, by) }),
  slack: (text, by, at) => ({
    'x-slack-signature': `v0=${hex(`v0:${at}:${text}`, by)}`,
    'x-slack-request-timestamp': String(at),
  }),
  standard: (text, by, at) => ({
    'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${base64('other')} v1,${base64(`msg_2KWPBgLlAfxdpx2AI54pPJ85f4W.${at}.${text}`, by)}`,
  }),
  hmac: (text, by) => ({ 'x-signature': `sha256=${hex(text, by)}` }),
}

const ask = (scheme: Scheme, headers: Record<string, string>, secrets: string[] = [secret], text = body) =>
  verify(scheme, secrets, received(text, headers), now)
const headersOf = (scheme: Scheme, at = seconds, by = secret, text = body) => signed[scheme](text, by, at)

describe.each(schemes)('%s', scheme => {
  it('takes what was signed with the secret', () => {
    expect(ask(scheme, headersOf(scheme))).toEqual({ ok: true })
  })

  it('takes what was signed with another of the secrets, while one is replaced', () => {
    expect(ask(scheme, headersOf(scheme), ['a new one', secret])).toEqual({ ok: true })
    expect(ask(scheme, headersOf(scheme), ['', secret])).toEqual({ ok: true })
  })

  it('refuses what was signed with none of them', () => {
    expect(ask(scheme, headersOf(scheme, seconds, 'guessed'))).toEqual({
      ok: false,
      reason: expect.stringMatching(/does not fit|is not the secret/),
    })
  })

  it('refuses what is not signed', () => {
    expect(ask(scheme, {})).toEqual({ ok: false, reason: expect.stringMatching(/^The header \S+ is missing\.$/) })
    for (const name of Object.keys(headersOf(scheme))) {
      const { [name]: _, ...others } = headersOf(scheme)
      expect(ask(scheme, others)).toMatchObject({ ok: false })
      expect(ask(scheme, { ...others, [name]: '' })).toMatchObject({ ok: false })
    }
  })

  it('refuses a signature that is cut, longer, or of other letters', () => {
    for (const [name, value] of Object.entries(headersOf(scheme))) {
      const wrong = [
        value.slice(0, -1),
        `${value}0`,
        value.replace(/.$/, 'ä'),
        value.replace(/\bv\d(?=[=,])/g, 'v9'),
        'sha256=',
      ]
      for (const one of wrong.filter(one => one !== value)) {
        expect(ask(scheme, { ...headersOf(scheme), [name]: one })).toMatchObject({ ok: false })
      }
    }
  })

  it('refuses everything where there is no secret, even what is signed with an empty one', () => {
    const headers = { ...headersOf(scheme, seconds, ''), ...(scheme === 'gitlab' && { 'x-gitlab-token': '' }) }
    for (const secrets of [[], ['']]) {
      expect(ask(scheme, headers, secrets)).toEqual({
        ok: false,
        reason: 'This integration has no secret to check signatures with.',
      })
    }
  })
})

describe.each(schemes.filter(scheme => scheme !== 'gitlab'))('%s', scheme => {
  it('refuses another body', () => {
    expect(ask(scheme, headersOf(scheme), [secret], `${body} `)).toMatchObject({ ok: false })
  })
})

describe.each(['slack', 'standard'] as const)('%s', scheme => {
  it.each([-301, 301, -86_400])('refuses what is %d seconds off, however it is signed', off => {
    expect(ask(scheme, headersOf(scheme, seconds + off))).toEqual({
      ok: false,
      reason: expect.stringContaining('more than 5 minutes off'),
    })
  })

  it.each([-300, 299])('takes what is %d seconds off', off => {
    expect(ask(scheme, headersOf(scheme, seconds + off))).toEqual({ ok: true })
  })

  it.each(['', 'now', '-1', '1e9', `${seconds}.5`, '9'.repeat(40)])('refuses the time %j', time => {
    const name = scheme === 'slack' ? 'x-slack-request-timestamp' : 'webhook-timestamp'
    expect(ask(scheme, { ...headersOf(scheme), [name]: time })).toMatchObject({ ok: false })
  })
})

describe('what single senders do', () => {
  it('GitHub: the example of its documentation', () => {
    const headers = { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' }
    expect(ask('github', headers, ["It's a Secret to Everybody"], 'Hello, World!')).toEqual({ ok: true })
  })

  it('Standard Webhooks: the example of its documentation', () => {
    const at = 1_614_265_330
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': String(at),
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const one = received('{"test": 2432232314}', headers)
    const known = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']
    expect(verify('standard', known, one, new Date(at * 1_000))).toEqual({ ok: true })
  })

  it('Gitea may sign as GitHub does', () => {
    expect(ask('gitea', headersOf('github'))).toEqual({ ok: true })
    expect(ask('gitea', headersOf('github', seconds, 'guessed'))).toMatchObject({ ok: false })
  })

  it('GitLab may sign as the standard has it', () => {
    expect(ask('gitlab', headersOf('standard'))).toEqual({ ok: true })
    expect(ask('gitlab', headersOf('standard', seconds - 400))).toMatchObject({ ok: false })
    expect(ask('gitlab', headersOf('standard', seconds, 'guessed'))).toMatchObject({ ok: false })
  })

  it('GitLab: a token that is nearly right is wrong', () => {
    for (const token of [secret.slice(1), `${secret} `, secret.toUpperCase()]) {
      expect(ask('gitlab', { 'x-gitlab-token': token })).toEqual({
        ok: false,
        reason: 'The token in X-Gitlab-Token is not the secret.',
      })
    }
  })

  it.each(['x-grafana-alerting-timestamp', 'x-grafana-alerting-signature-timestamp'])(
    'Grafana may sign the time in %s',
    name => {
      const at = (time: number, by = secret) => ({
        'x-grafana-alerting-signature': hex(`${time}:${body}`, by),
        [name]: String(time),
      })
      expect(ask('grafana', at(seconds))).toEqual({ ok: true })
      expect(ask('grafana', at(seconds, 'guessed'))).toMatchObject({ ok: false })
      expect(ask('grafana', at(seconds - 301))).toMatchObject({
        ok: false,
        reason: expect.stringContaining('5 minutes'),
      })
      // The signature of the body alone does not vouch for the time.
      expect(ask('grafana', { ...headersOf('grafana'), [name]: String(seconds) })).toMatchObject({ ok: false })
      // Nor that of time and body for the body alone.
      const { [name]: _, ...without } = at(seconds)
      expect(ask('grafana', without)).toMatchObject({ ok: false })
    },
  )

  it('the standard takes keys in base64, marked or not, and any text that is a secret', () => {
    const by = (with_: string | Buffer) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${base64(`msg_1.${seconds}.${body}`, with_)}`,
    })
    expect(ask('standard', by(key), [whsec])).toEqual({ ok: true })
    expect(ask('standard', by(key), [whsec.slice(6)])).toEqual({ ok: true })
    expect(ask('standard', by(whsec.slice(6)), [whsec.slice(6)])).toEqual({ ok: true })
    expect(ask('standard', by('letmein'), ['letmein'])).toEqual({ ok: true })
    // A password is no key in base64, and nothing is one that everybody knows.
    expect(ask('standard', by(Buffer.from('letmein0', 'base64')), ['letmein0'])).toMatchObject({ ok: false })
    expect(ask('standard', by(Buffer.alloc(0)), ['whsec_'])).toMatchObject({ ok: false })
    expect(ask('standard', by(Buffer.alloc(0)), ['whsec_!!!'])).toMatchObject({ ok: false })
  })

  it('the standard leaves signatures of other versions alone', () => {
    const headers = headersOf('standard')
    const v2 = { ...headers, 'webhook-signature': headers['webhook-signature']!.replaceAll('v1,', 'v1a,') }
    expect(ask('standard', v2)).toMatchObject({ ok: false })
  })
})
