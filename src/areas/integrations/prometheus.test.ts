// Answers that no Prometheus gives: whoever asks is told so.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { saying } from '../../../test/integrations/odd_receivers.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
})
afterAll(() => p.close())

async function asked(answer: string) {
  const length = Buffer.byteLength(answer)
  const { url } = await saying(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${answer}`,
  )
  const { workspaceId } = owner
  const made = { workspaceId, name: 'Metrics', type: 'prometheus', config: { url } }
  const { id } = (await p.call('integrations.post', made, owner)).result
  return await p.call('integrations.prometheus.query', { workspaceId, id, query: 'up' }, owner)
}

const data = (resultType: string, result: unknown) =>
  JSON.stringify({ status: 'success', data: { resultType, result } })

it('shows a value and a vector as Prometheus answers them', async () => {
  const scalar = await asked(data('scalar', [1_700_000_000, '3']))
  expect(scalar.result.series).toEqual([{ metric: {}, points: [{ at: '2023-11-14T22:13:20.000Z', value: '3' }] }])
  const vector = await asked(data('vector', [{ metric: { job: 'api' }, value: [1_700_000_000.5, 'NaN'] }]))
  expect(vector.result.series[0]).toMatchObject({ metric: { job: 'api' }, points: [{ value: 'NaN' }] })
})

it.each([
  ['nothing', ''],
  ['no JSON', 'hello'],
  ['null', 'null'],
  ['a list', '[]'],
  ['no data', '{"status":"success"}'],
  ['data that is a text', '{"status":"success","data":"x"}'],
  ['a result that is a text', data('vector', 'x')],
  ['a series that is null', data('vector', [null])],
  ['a series that is a number', data('vector', [1])],
  ['a metric that is a text', data('vector', [{ metric: 'x', value: [1, '1'] }])],
  ['a value that is a text', data('vector', [{ metric: {}, value: 'x' }])],
  ['values that are an object', data('matrix', [{ metric: {}, values: {} }])],
  ['a time that is none', data('matrix', [{ metric: {}, values: [['yesterday', '1']] }])],
  ['a time beyond all calendars', data('matrix', [{ metric: {}, values: [[1e300, '1']] }])],
  ['a point that is null', data('matrix', [{ metric: {}, values: [null] }])],
])('is 409 where the answer is %s', async (_what, answer) => {
  const { status, error } = await asked(answer)
  expect([status, error?.detail]).toEqual([409, expect.stringMatching(/Prometheus/)])
})
