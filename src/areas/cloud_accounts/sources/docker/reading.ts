// Reads a Docker engine over its API: what it runs, on which networks, with which volumes and images.
import type { Found, NodeKey, Unseen } from '../../found/contract.ts'
import { type Asking, malformed, type Refusal } from '../asking.ts'
import { type Gathered, gather, keyOf } from '../gathered.ts'
import { UnreadableSource } from '../unreadable.ts'
import { at, fieldsOf, textOf } from '../values.ts'
import { askEngine, callTo, type DockerAccess, negotiate } from './access.ts'
import { addContainers, addImages, addNetworks, addVolumes, engineNode, types } from './things.ts'

type List = {
  path: string
  type: string
  isOfForm: (value: unknown) => boolean
  add: (gathered: Gathered, engine: NodeKey, value: unknown) => void
}

/** What counts most comes first: where there is too much, the rest is left out. */
export const lists: readonly List[] = [
  { path: '/containers/json?all=1', type: types.container, isOfForm: Array.isArray, add: addContainers },
  { path: '/networks', type: types.network, isOfForm: Array.isArray, add: addNetworks },
  { path: '/volumes', type: types.volume, isOfForm: hasVolumes, add: addVolumes },
  { path: '/images/json', type: types.image, isOfForm: Array.isArray, add: addImages },
]

/** An engine without volumes says null. */
function hasVolumes(value: unknown): boolean {
  const volumes = at(value, 'Volumes')
  return Array.isArray(volumes) || volumes === null
}

export async function readDocker(access: DockerAccess, options: Asking): Promise<Found> {
  const call = callTo(access, options)
  const { value: version, prefix, refusal } = await negotiate(call)
  if (refusal || prefix === undefined) throw whole(refusal ?? malformed)
  const gathered = gather('The engine')
  const info = await askEngine(call, `${prefix}/info`)
  if (info.refusal?.status === 401) throw whole(info.refusal)
  const id = textOf(at(info.value, 'ID'), 128) ?? null
  const wrong = info.refusal ?? (fieldsOf(info.value) && id ? undefined : malformed)
  if (wrong) gathered.unseen(unseenOf('/info', types.engine, wrong))
  const engine = engineNode(id ?? 'engine', version, info.value)
  // Under a name that is not its own it would be a second engine.
  if (id !== null) gathered.node(engine)
  for (const list of lists) {
    const answer = await askEngine(call, prefix + list.path)
    if (answer.refusal?.status === 401) throw whole(answer.refusal)
    const fault = answer.refusal ?? (list.isOfForm(answer.value) ? undefined : malformed)
    if (fault) gathered.unseen(unseenOf(list.path, list.type, fault))
    else list.add(gathered, keyOf(engine), answer.value)
  }
  return gathered.found(id)
}

function whole({ code, status, why }: Refusal): UnreadableSource {
  if (status === 401) return new UnreadableSource('auth', 'The engine refuses the credentials; give others.')
  return new UnreadableSource(code, `The engine cannot be read: ${why}.`)
}

function unseenOf(path: string, type: string, { code, status, why }: Refusal): Unseen {
  const plain = path.split('?', 1)[0]
  const advice = status === 403 ? ' Let the proxy in front of it pass that on.' : ''
  return { region: null, types: [type], code, text: `The engine was asked for ${plain}, and ${why}.${advice}` }
}
