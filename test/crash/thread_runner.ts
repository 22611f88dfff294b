// A runner that is killed: it streams a message, asks for an approval, uses it twice at once, and ends the run.
const { BASE_URL = '', WORKSPACE = '', TOKEN = '' } = process.env

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

// biome-ignore lint/suspicious/noExplicitAny: it reads the few fields it needs
type Answer = { status: number; result: any }

/** Throws where nothing answers: then the run is left to the next runner. */
async function send(token: string, method: string, path: string, body?: object, more: object = {}): Promise<Answer> {
  const answer = await fetch(`${BASE_URL}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...more },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await answer.text()
  return { status: answer.status, result: text === '' ? null : JSON.parse(text).result }
}

class Lost extends Error {}

function agentOf(token: string) {
  return async (method: string, path: string, body?: object, more?: object) => {
    const answer = await send(token, method, path, body, more)
    if (answer.status === 401) throw new Lost()
    return answer
  }
}

/** Sent until it is answered, under one key: it is written once all the same. */
async function say(agent: ReturnType<typeof agentOf>, body: object, key: string): Promise<string> {
  for (let tries = 0; ; tries++) {
    const answer = await agent('POST', '/messages', body, { 'idempotency-key': key }).catch(error => {
      if (error instanceof Lost || tries === 20) throw error
    })
    if (answer && answer.status < 300) return answer.result.id
    await pause(200)
  }
}

type Run = { id: string; threadId: string; attempt: number }

async function work({ id, threadId, attempt }: Run, token: string): Promise<void> {
  const agent = agentOf(token)
  const path = `/threads/${WORKSPACE}/${threadId}/runs/${id}`
  await agent('POST', `${path}/heartbeat`)
  const key = `${id}.${attempt}`
  const begun = { workspaceId: WORKSPACE, threadId, text: `${key}:`, status: 'streaming' }
  const messageId = await say(agent, begun, key)
  const message = `/messages/${WORKSPACE}/${messageId}`
  for (const append of [' one', ' two', ' three']) {
    await agent('PATCH', message, { append })
    await pause(30)
  }
  await agent('PATCH', message, { status: 'complete' })
  const issue = { workspaceId: WORKSPACE, title: `Approved ${key}` }
  const asked = await agent('POST', '/issues', issue)
  if (asked.status === 202) {
    const { approvalId } = asked.result
    for (let tries = 0; tries < 100; tries++) {
      const { result } = await agent('GET', `/agent_tools/${WORKSPACE}/approvals/${approvalId}`)
      if (result.status !== 'pending') break
      await pause(100)
    }
    const once = () => agent('POST', '/issues', issue, { 'approval-id': approvalId })
    await Promise.allSettled([once(), once()])
  }
  await agent('POST', `${path}/finish`, { status: 'succeeded', summary: key })
}

for (;;) {
  try {
    const { status, result } = await send(TOKEN, 'POST', `/threads/${WORKSPACE}/runs/claim`, { wait: 2 })
    if (status === 200) await work(result.run, result.token)
  } catch {
    await pause(100)
  }
}
