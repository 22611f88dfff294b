// A cluster that answers in part, not at all or in bad faith: what it tells is kept, and no secret gets out.
import { describe, expect, it } from 'vitest'
import { readKubernetes } from '../../src/areas/cloud_accounts/sources/kubernetes/reading.ts'
import { UnreadableSource } from '../../src/areas/cloud_accounts/sources/unreadable.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { planted, pod, shop } from './cluster_objects.ts'
import { failureOf, unseenIn } from './graph_words.ts'
import { ca, caller, plurals, token } from './kubernetes_server.ts'
import { fetch, nodeOf, read, there, wait, waits } from './reading_cluster.ts'

describe('a cluster that answers in part', () => {
  it('is told of without that part, and what that is', async () => {
    const faults: Record<string, { status: number }> = {
      secrets: { status: 403 },
      horizontalpodautoscalers: { status: 404 },
      services: { status: 500 },
    }
    there.fault = ({ plural }) => faults[plural]
    const found = await read()
    expect(unseenIn(found)).toEqual([
      'k8s.service failed',
      'k8s.horizontalpodautoscaler failed',
      'k8s.secret forbidden',
    ])
    expect(found.unseen.at(-1)?.text).toContain('list secrets')
    expect(found.nodes.some(({ type }) => type === 'k8s.deployment')).toBe(true)
    expect(JSON.stringify(found)).not.toContain(token)
  })

  it('keeps what came before the fault, and counts nothing that it has seen a part of', async () => {
    there.objects.pods = [...Array.from({ length: 600 }, (_, one) => pod(`p-${one}`, {}))]
    there.fault = ({ plural, from }) => (plural === 'pods' && from !== null ? 'reset' : undefined)
    const found = await read()
    expect(unseenIn(found)).toEqual(['k8s.pod unreachable'])
    expect(found.nodes.filter(({ type }) => type === 'k8s.pod')).toHaveLength(500)
    expect(nodeOf(found, 'deployment', 'shop/web').properties).not.toHaveProperty('pods')
  })

  it('is waited for as long as it says, a few times', async () => {
    let left = 2
    const busy = { status: 429, headers: { 'retry-after': '3' } }
    there.fault = ({ plural }) => (plural === 'nodes' && left-- > 0 ? busy : undefined)
    expect([(await read()).unseen, waits]).toEqual([[], [3000, 3000]])
    there.fault = ({ plural }) => (plural === 'nodes' ? busy : undefined)
    waits.length = 0
    expect([unseenIn(await read()), waits]).toEqual([['k8s.node throttled'], [3000, 3000, 3000]])
    there.fault = ({ plural }) =>
      plural === 'nodes' ? { status: 429, headers: { 'retry-after': '86400' } } : undefined
    waits.length = 0
    expect([unseenIn(await read()), waits]).toEqual([['k8s.node throttled'], []])
  })

  it('is not waited for again and again', async () => {
    there.fault = ({ plural }) => (plural === 'namespaces' ? undefined : 'stall')
    const found = await read({ timeoutMs: 300 })
    expect(unseenIn(found)).toHaveLength(plurals.length - 1)
    expect(new Set(found.unseen.map(({ code }) => code))).toEqual(new Set(['timeout']))
    expect(there.asked).toHaveLength(4)
  })
})

describe('a cluster that cannot be read', () => {
  it('fails as a whole, and says what to do', async () => {
    const of = (access: object, options = {}) =>
      failureOf(readKubernetes({ server: there.url, ca, token, ...access }, { fetch, wait, ...options }))
    const refused = await of({ token: 'another-token' })
    expect([refused instanceof UnreadableSource, refused.code]).toEqual([true, 'auth'])
    expect(await of({ ca: undefined })).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('authority'),
    })
    expect(await of({ server: 'https://127.0.0.1:1' })).toMatchObject({ code: 'unreachable' })
    expect(await of({}, { fetch: outbound() })).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('OUTBOUND_ALLOW'),
    })
    expect(await of({ server: there.url.replace('https', 'http') })).toMatchObject({ code: 'malformed' })
    expect(await of({ server: 'the cluster' })).toMatchObject({ code: 'malformed' })
    expect(await of({ token: 'a\r\nx-admin: yes' })).toMatchObject({ code: 'malformed' })
    expect(await of({ token: undefined, cert: caller.cert, key: 'no key' })).toMatchObject({ code: 'auth' })
    expect(await of({ cert: caller.cert })).toMatchObject({ code: 'malformed' })
  })

  it('also where the credentials end in the middle, and where whoever asked has gone', async () => {
    there.fault = ({ plural }) => (plural === 'services' ? { status: 401 } : undefined)
    expect(await failureOf(read())).toMatchObject({ code: 'auth' })
    const gone = new AbortController()
    there.fault = ({ plural }) => {
      if (plural === 'services') gone.abort(new Error('gone'))
      return undefined
    }
    await expect(read({ signal: gone.signal })).rejects.toThrow('gone')
    const leaving = new AbortController()
    there.fault = () => ({ status: 429 })
    const forever = () => {
      leaving.abort(new Error('left'))
      return new Promise<void>(() => {})
    }
    await expect(read({ signal: leaving.signal, wait: forever })).rejects.toThrow('left')
  })
})

describe('answers that nobody should send', () => {
  const odd = [
    ...['', '{', 'null', '[]', '"text"', '7', '{"items":7}', '{"kind":"PodList","items":{"length":9}}'],
    '{"kind":"PodList","metadata":{"continue":7},"items":[]}',
    `{"kind":"PodList","metadata":{"continue":"${'x'.repeat(9000)}"},"items":[]}`,
    '<html>',
    '['.repeat(100_000),
    `{"kind":"PodList","items":[{"metadata":{"name":"a"},"spec":${'['.repeat(1e6)}${']'.repeat(1e6)}}]}`,
  ]

  it.each(odd.map(body => [body.slice(0, 60), body]))('%s is of another form', async (_, body) => {
    there.fault = ({ plural }) => (plural === 'pods' ? { body } : undefined)
    expect(unseenIn(await read())).toEqual(['k8s.pod malformed'])
  })

  it('are passed over, one by one, where a list holds them', async () => {
    const containers = Array.from({ length: 99 }, (_, one) => ({ image: `${one}${'x'.repeat(500)}` }))
    const items = [
      ...[
        null,
        7,
        'x',
        [],
        {},
        { metadata: null },
        { metadata: { name: 7 } },
        { metadata: { name: 'x'.repeat(1000) } },
      ],
      JSON.parse('{"__proto__":{"polluted":true},"metadata":{"__proto__":{"name":"evil"}}}'),
      JSON.parse(
        '{"metadata":{"name":"odd","namespace":"shop","labels":{"__proto__":"x","constructor":"y"}},"spec":7,"status":[]}',
      ),
      { metadata: { name: 'line\nend', namespace: 'shop' } },
      {
        metadata: {
          name: 'deep',
          namespace: 'shop',
          ownerReferences: [null, 7, { kind: 'ReplicaSet', controller: true }],
        },
      },
      { metadata: { name: 'long', namespace: 'shop' }, spec: { containers, initContainers: containers } },
      { metadata: { name: 'odder', namespace: 'shop' }, spec: { containers: [null, { image: 7 }, { ports: 'x' }] } },
    ]
    there.fault = ({ plural }) => (plural === 'pods' ? { body: JSON.stringify({ kind: 'PodList', items }) } : undefined)
    const found = await read()
    const pods = found.nodes.filter(({ type }) => type === 'k8s.pod').map(({ externalId }) => externalId)
    expect([pods.sort(), found.unseen]).toEqual([['shop/deep', 'shop/long', 'shop/odd', 'shop/odder'], []])
    expect(({} as { polluted?: true }).polluted).toBe(undefined)
  })

  it('with everything, where names were asked for, are not looked at', async () => {
    const body = JSON.stringify({ kind: 'SecretList', items: shop().secrets })
    there.fault = ({ plural }) => (plural === 'secrets' ? { body } : undefined)
    expect(unseenIn(await read())).toEqual(['k8s.secret malformed'])
  })

  it('of secrets leave nothing behind: neither in what is told, nor in what goes wrong', async () => {
    const told = [JSON.stringify(await read())]
    for (const status of [401, 403, 500]) {
      there.fault = ({ plural }) =>
        plural === 'nodes' ? { status, body: `Bearer ${token} ${planted.join()}` } : undefined
      told.push(await read().then(JSON.stringify, cause => `${cause.message} ${cause.stack} ${JSON.stringify(cause)}`))
    }
    for (const bytes of [...planted, token, caller.key.split('\n')[1] as string]) {
      for (const text of told) expect(text.includes(bytes)).toBe(false)
    }
  })
})
