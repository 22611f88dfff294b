// Tries what may be asked of a Docker engine: what reading takes, and what nobody should leave open to a reader.
import { type Asking, malformed } from '../asking.ts'
import { UnreadableSource } from '../unreadable.ts'
import { askEngine, callTo, type DockerAccess, type DockerCall, negotiate } from './access.ts'
import { lists } from './reading.ts'

export type DockerRights = { present: string[]; missing: string[]; tooMany: string[]; policy: string }

/**
 * Asked of a container that cannot be: no name begins with a dash, and ids have no other letters than a to f. An engine
 * answers that there is none, a proxy that it may not be asked.
 */
const probes: readonly { method: string; path: string; body?: string; text: string }[] = [
  {
    method: 'POST',
    path: '/containers/-/start',
    text: 'POST /containers: starts and makes containers. Whoever may do that is root on the machine of the engine',
  },
  {
    method: 'POST',
    path: '/exec/-/start',
    body: '{"Detach":true}',
    text: 'POST /exec: runs commands inside of containers',
  },
  {
    method: 'GET',
    path: '/containers/-/archive?path=%2F',
    text: 'GET /containers/…/archive: reads files of containers, and their environment by /containers/…/json',
  },
]

/** Refusals of a proxy, or of an authorization plugin. Whatever else comes back, the engine itself has looked at it. */
const refusals = [401, 403, 405, 501]

export async function validateDocker(access: DockerAccess, options: Asking): Promise<DockerRights> {
  const call = callTo(access, options)
  const { prefix, refusal } = await negotiate(call)
  if (refusal || prefix === undefined) {
    throw new UnreadableSource((refusal ?? malformed).code, `The engine cannot be read: ${(refusal ?? malformed).why}.`)
  }
  const present = ['GET /version']
  const missing: string[] = []
  for (const path of ['/info', ...lists.map(list => list.path)]) {
    const { refusal: fault } = await askEngine(call, prefix + path)
    const list = fault ? missing : present
    list.push(`GET ${path.split('?', 1)[0]}`)
  }
  const tooMany: string[] = []
  for (const probe of probes) if (await reaches(call, prefix, probe)) tooMany.push(probe.text)
  return { present, missing, tooMany, policy }
}

async function reaches(call: DockerCall, prefix: string, { method, path, body }: (typeof probes)[number]) {
  const { refusal } = await askEngine(call, prefix + path, {
    method,
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
  return refusal === undefined || (refusal.status !== null && !refusals.includes(refusal.status))
}

export const policy = `# A proxy that passes on what Atrium reads and nothing else: to an engine's own socket everybody is root.
# Then the operator of Atrium sets DOCKER_SOCKETS=/run/atrium-docker/docker.sock,
# and the account has the address unix:///run/atrium-docker/docker.sock.
docker run -d --name atrium-docker-proxy --restart unless-stopped \\
  --user "0:$(id -g atrium)" --read-only --cap-drop ALL --security-opt no-new-privileges --network none \\
  -v /var/run/docker.sock:/var/run/docker.sock:ro -v /run/atrium-docker:/run/atrium-docker \\
  wollomatic/socket-proxy:1 \\
  '-allowGET=(/version|/v1\\.[0-9]+/(info|containers/json|networks|volumes|images/json))' \\
  '-proxysocketendpoint=/run/atrium-docker/docker.sock' '-proxysocketendpointfilemode=0660'

# Or over the network, then with http://127.0.0.1:2375 as address and OUTBOUND_ALLOW=127.0.0.1, with a proxy that also lets files and the environment of containers be read:
docker run -d --name atrium-docker-reader --restart unless-stopped -p 127.0.0.1:2375:2375 \\
  -v /var/run/docker.sock:/var/run/docker.sock:ro \\
  -e CONTAINERS=1 -e IMAGES=1 -e INFO=1 -e NETWORKS=1 -e VOLUMES=1 -e VERSION=1 -e POST=0 \\
  tecnativa/docker-socket-proxy
`
