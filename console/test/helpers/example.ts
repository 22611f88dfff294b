// Records of the suite's own area, which the client does not know.
import { type Person, url } from './browser.ts'

export async function example(
  { token, workspaceId }: Pick<Person, 'token' | 'workspaceId'>,
  name = 'First example',
): Promise<void> {
  const answer = await fetch(`${url}/v1/examples`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workspaceId, name, text: 'With **marks**' }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}
