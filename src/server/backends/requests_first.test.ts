import { expect, it } from 'vitest'
import { inBackground } from '../../kit/background.ts'
import { requestsFirst } from './requests_first.ts'

function engine(waitMs?: number) {
  const inTurn = requestsFirst(waitMs)
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const ask = (name: string) =>
    inTurn(() => {
      begun.push(name)
      return new Promise<string>((resolve, reject) => ends.set(name, error => (error ? reject(error) : resolve(name))))
    })
  const settled = () => new Promise(resolve => setTimeout(resolve, 5))
  return {
    begun,
    request: ask,
    job: (name: string) => inBackground(() => ask(name)),
    async end(name: string, error?: Error) {
      ends.get(name)?.(error)
      await settled()
    },
  }
}

it('background work begins when no request is unanswered, one thing at a time', async () => {
  const { begun, request, job, end } = engine(60_000)
  const all = [request('r1'), job('b1'), request('r2'), job('b2')]
  expect(begun).toEqual(['r1', 'r2'])
  await end('r1')
  expect(begun).toEqual(['r1', 'r2'])
  await end('r2')
  expect(begun.slice(2)).toEqual(['b1'])
  await end('b1')
  expect(begun.slice(3)).toEqual(['b2'])
  await end('b2')
  expect(await Promise.all(all)).toEqual(['r1', 'b1', 'r2', 'b2'])
})

it('requests do not wait for background work that has not begun', async () => {
  const { begun, request, job, end } = engine(60_000)
  void job('b1')
  void job('b2')
  await end('nothing')
  void request('r1')
  expect(begun).toEqual(['b1', 'r1'])
  await end('b1')
  expect(begun).toEqual(['b1', 'r1'])
  await end('r1')
  expect(begun).toEqual(['b1', 'r1', 'b2'])
})

it('the next question of a request goes before background work', async () => {
  const { begun, request, job, end } = engine(60_000)
  const asking = request('r1').then(() => request('r2'))
  void job('b1')
  await end('r1')
  expect(begun).toEqual(['r1', 'r2'])
  await end('r2')
  await asking
  await end('nothing')
  expect(begun).toEqual(['r1', 'r2', 'b1'])
})

it('background work goes on where requests never pause', async () => {
  const { begun, request, job, end } = engine(1)
  void request('r1')
  const [one, other] = [job('b1'), job('b2')]
  const begins = async (name: string) => {
    while (!begun.includes(name)) await new Promise(resolve => setTimeout(resolve, 1))
  }
  await begins('b1')
  await end('b1')
  await begins('b2')
  await end('b2')
  expect(await Promise.all([one, other])).toEqual(['b1', 'b2'])
})

it('what fails keeps nobody waiting, and is told to who asked', async () => {
  const { begun, request, job, end } = engine(60_000)
  const failing = [request('r1'), job('b1')].map(one => one.catch((error: Error) => error.message))
  void job('b2')
  await end('r1', new Error('no'))
  await end('b1', new Error('never'))
  expect(begun).toEqual(['r1', 'b1', 'b2'])
  expect(await Promise.all(failing)).toEqual(['no', 'never'])
})
