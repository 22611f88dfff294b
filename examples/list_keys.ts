// Prints the API keys of every workspace that the credential can see, and makes one where there is none.
import { createClient, RequestError } from '../src/client/client.ts'

const client = createClient({
  baseUrl: process.env.ATRIUM_BASE_URL ?? 'http://127.0.0.1:3000',
  token: process.env.ATRIUM_TOKEN,
  onWait: ({ seconds, why }) => console.error(`${why}: waiting ${seconds} s`),
})

try {
  for await (const workspace of client.pages('workspaces.list')) {
    let count = 0
    for await (const key of client.pages('api_keys.list', { workspaceId: workspace.id, orderBy: 'name' })) {
      console.log(`${workspace.name}: ${key.name} (${key.scopes.join(', ')})`)
      count += 1
    }
    if (count > 0) continue
    const scopes = ['workspaces:read' as const]
    const key = await client.api_keys.post({ workspaceId: workspace.id, name: 'First key', scopes })
    console.log(`${workspace.name}: made ${key.name} ${key.hint}`)
  }
} catch (error) {
  if (!(error instanceof RequestError)) throw error
  console.error(`${error.status} ${error.title}: ${error.detail}`)
  process.exitCode = 1
}
