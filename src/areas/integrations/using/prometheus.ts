// Queries of a Prometheus: its HTTP API, bounded, in our words.
import { badRequest, conflict } from '../../../contract/errors.ts'
import type { Fetch } from '../../../kit/context.ts'
import { call } from '../calling.ts'
import type { Target } from '../kinds.ts'

const mostBytes = 4 * 1024 * 1024
const mostSeries = 200
const mostPoints = 11_000
const timeoutSeconds = 20

type Value = [number, string]
type Found = { metric: Record<string, string>; value?: Value; values?: Value[] }
type Answered = {
  status?: string
  error?: string
  warnings?: string[]
  data?: { resultType?: string; result?: Found[] | Value }
}

export type Queried = {
  type: string
  series: { metric: Record<string, string>; points: { at: string; value: string }[] }[]
  left: number
  warnings: string[]
}

export function headersOf({ config, secrets }: Target): Record<string, string> {
  if (secrets.token) return { authorization: `Bearer ${secrets.token}` }
  if (!config.username) return {}
  const pair = Buffer.from(`${config.username}:${secrets.password ?? ''}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

/** `path` is `query` or `query_range`. */
export async function ask(
  fetch: Fetch,
  target: Target,
  path: string,
  parameters: Record<string, string>,
): Promise<Queried> {
  const base = String(target.config.url).replace(/\/+$/, '')
  const proof = headersOf(target)
  const { code, text, error } = await call(
    fetch,
    {
      url: `${base}/api/v1/${path}`,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...proof },
      body: new URLSearchParams({ ...parameters, timeout: `${timeoutSeconds - 5}s` }).toString(),
      timeoutSeconds,
      secrets: [...Object.values(target.secrets), ...Object.values(proof)],
    },
    mostBytes,
  )
  const answered = read(text)
  // It says what is wrong with a query in an answer of 400 or 422.
  if (answered?.status === 'error') throw badRequest(`Prometheus: ${String(answered.error).slice(0, 500)}`)
  if (error !== null || !answered?.data) {
    throw conflict(
      `Prometheus could not be asked. ${error ?? 'Its answer is too long, or not one of Prometheus; ask for less.'}`,
      {
        ...(code !== null && { code }),
      },
    )
  }
  return told(answered)
}

function read(text: string | null): Answered | null {
  try {
    return JSON.parse(text ?? '') as Answered
  } catch {
    return null
  }
}

/** The server is somebody else's: an answer may hold anything. */
function told({ data, warnings }: Answered): Queried {
  const { resultType = '', result } = data ?? {}
  const isPair = resultType === 'scalar' || resultType === 'string'
  const found = isPair ? [{ metric: {}, value: result as Value }] : result
  const shown = Array.isArray(found) ? found.slice(0, mostSeries) : []
  if (!Array.isArray(found) || !shown.every(isSeries)) throw conflict('The answer is not one of Prometheus.')
  return {
    type: String(resultType),
    series: shown.map(({ metric, value, values }) => ({
      metric: Object.fromEntries(Object.entries(metric ?? {}).map(([name, text]) => [name, String(text)])),
      points: (values ?? (value ? [value] : [])).map(([at, number]) => ({
        at: new Date(Number(at) * 1_000).toISOString(),
        value: String(number),
      })),
    })),
    left: found.length - shown.length,
    warnings: Array.isArray(warnings) ? warnings.map(String).slice(0, 20) : [],
  }
}

function isSeries(one: unknown): one is Found {
  const { metric = {}, value, values } = (one ?? {}) as Partial<Found>
  const points: unknown = values ?? (value ? [value] : [])
  return isObject(one) && isObject(metric) && Array.isArray(points) && points.every(isPoint)
}

function isPoint(point: unknown): point is Value {
  return Array.isArray(point) && !Number.isNaN(new Date(Number(point[0]) * 1_000).getTime())
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

export function rangeOf(from: string, to: string, step: number): Record<string, string> {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  if (!(end > begin)) throw badRequest('"to" must be later than "from".')
  if ((end - begin) / 1_000 / step > mostPoints) {
    throw badRequest(`"step" is too short for this span: at most ${mostPoints} points of a series are asked for.`)
  }
  return { start: String(begin / 1_000), end: String(end / 1_000), step: String(step) }
}
