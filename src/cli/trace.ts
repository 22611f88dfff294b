// `--verbose`: each request and its answer on stderr, with the time it took and without secrets.
import type { Terminal } from './terminal.ts'

const secretHeaders = ['authorization', 'x-api-key', 'cookie']
const secretFields = /("(?:\w*(?:password|secret|token|code)\w*|key|apiKey)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi

export function isVerbose({ verbose }: { verbose?: boolean }, env: Terminal['env']): boolean {
  return verbose === true || Boolean(env.ATRIUM_DEBUG && env.ATRIUM_DEBUG !== '0')
}

/** Sends in the same way, and logs each request. */
export function traced(send: typeof fetch, { stderr }: Pick<Terminal, 'stderr'>): typeof fetch {
  return (async (address: string, init: RequestInit = {}) => {
    const start = performance.now()
    const headers = Object.entries((init.headers ?? {}) as Record<string, string>)
    stderr.write(`> ${init.method ?? 'GET'} ${address}\n`)
    for (const [name, value] of headers) stderr.write(`> ${name}: ${masked(name, value)}\n`)
    if (typeof init.body === 'string') stderr.write(`> ${init.body.replace(secretFields, '$1"***"')}\n`)
    const took = () => `${(performance.now() - start).toFixed(0)} ms`
    try {
      const answer = await send(address, init)
      const id = answer.headers.get('x-request-id')
      stderr.write(`< ${answer.status} after ${took()}${id ? `, request ${id}` : ''}\n`)
      return answer
    } catch (error) {
      stderr.write(`< no answer after ${took()}: ${(error as Error).message}\n`)
      throw error
    }
  }) as typeof fetch
}

function masked(name: string, value: string): string {
  if (!secretHeaders.includes(name.toLowerCase())) return value
  const [, scheme = ''] = /^(Bearer )/.exec(value) ?? []
  return `${scheme}***`
}
