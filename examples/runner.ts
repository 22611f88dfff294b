// A whole runner: takes up runs, keeps their lease, reads the thread, streams an answer and says how it ended.
import { createClient, RequestError } from '../src/client/client.ts'

const baseUrl = process.env.ATRIUM_BASE_URL ?? 'http://127.0.0.1:3000'
const workspaceId = process.env.ATRIUM_WORKSPACE ?? ''
const client = createClient({ baseUrl, token: process.env.ATRIUM_TOKEN, apiKey: process.env.ATRIUM_API_KEY })
/** How many runs it takes up before it ends; without a number, it goes on until it is stopped. */
const most = Number(process.env.RUNS ?? Number.POSITIVE_INFINITY)

type Claim = NonNullable<Awaited<ReturnType<typeof client.threads.runs.claim>>>
type Run = Claim['run']

/** Here a model would be asked; this one counts, piece by piece. */
async function* answer(run: Run, said: readonly string[]): AsyncGenerator<string> {
  yield `You asked: ${run.instructions ?? said.at(-1) ?? 'nothing'}\n\n`
  yield `The thread has ${said.length} messages`
  yield ` and ${said.join(' ').split(/\s+/).filter(Boolean).length} words.`
}

async function work({ run, token, context, leaseSeconds }: Claim): Promise<void> {
  // From here on everything is done by the run's own token, with the run's own rights.
  const agent = createClient({ baseUrl, token })
  const path = { workspaceId, id: run.threadId, runId: run.id }
  const lost = new AbortController()
  const beating = setInterval(() => {
    agent.threads.runs.heartbeat(path).catch(error => {
      // Cancelled, or given to another: there is nobody left to work for.
      if (error instanceof RequestError && error.status === 401) lost.abort(error)
    })
  }, leaseSeconds * 500)
  try {
    await agent.threads.runs.heartbeat(path)
    const said = context.messages.map(({ text }) => text)
    let message: { id: string } | undefined
    for await (const piece of answer(run, said)) {
      lost.signal.throwIfAborted()
      message = message
        ? await agent.messages.patch({ workspaceId, id: message.id, append: piece })
        : await agent.messages.post({ workspaceId, threadId: run.threadId, text: piece, status: 'streaming' })
    }
    if (message) {
      const usage = { in: said.length, out: 1, model: 'counting' }
      await agent.messages.patch({ workspaceId, id: message.id, status: 'complete', usage })
    }
    await agent.threads.runs.finish({ ...path, status: 'succeeded', usage: { steps: 1 } })
  } catch (error) {
    if (lost.signal.aborted || (error instanceof RequestError && error.status === 401)) return
    const reason = error instanceof Error ? error.message : String(error)
    await agent.threads.runs.finish({ ...path, status: 'failed', error: reason.slice(0, 4000) })
  } finally {
    clearInterval(beating)
  }
}

for (let done = 0; done < most; ) {
  const claim = await client.threads.runs.claim({ workspaceId, wait: 30 })
  if (!claim) continue
  console.log(`${claim.run.id} attempt ${claim.run.attempt}`)
  await work(claim)
  done++
}
