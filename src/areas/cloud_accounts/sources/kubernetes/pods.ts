// What a description of pods says: images and ports, and what the pods read, write and run as.
import type { Relation } from '../../found/contract.ts'
import { at, entriesOf, type Fields, listOf, looksSecret, numberOf, textOf } from '../values.ts'

export type Reference = { kind: string; name: unknown; relation: Relation }

const mostContainers = 50
const mostVolumes = 200
const mostVariables = 500

function containersOf(spec: Fields): unknown[] {
  const lists = ['containers', 'initContainers', 'ephemeralContainers']
  return lists.flatMap(list => listOf(at(spec, list), mostContainers))
}

/** Of the environment and the arguments nothing is kept: that is where passwords are. */
export function podProperties(spec: Fields): Record<string, unknown> {
  const containers = containersOf(spec)
  const images = containers.flatMap(container => textOf(at(container, 'image')) ?? []).filter(one => !looksSecret(one))
  const ports = containers.flatMap(container => listOf(at(container, 'ports'), 20))
  const numbers = ports.flatMap(port => numberOf(at(port, 'containerPort')) ?? [])
  return { images: [...new Set(images)].slice(0, 50), containerPorts: [...new Set(numbers)].slice(0, 50) }
}

/** Claims: of these each pod of a set has its own, whoever describes the pod. */
export function claimsOf(spec: Fields): Reference[] {
  return listOf(at(spec, 'volumes'), mostVolumes).flatMap(volume => {
    const name = at(volume, 'persistentVolumeClaim', 'claimName')
    return name === undefined ? [] : [{ kind: 'PersistentVolumeClaim', name, relation: 'writes' as const }]
  })
}

export function readsOf(spec: Fields): Reference[] {
  const account = at(spec, 'serviceAccountName') ?? at(spec, 'serviceAccount')
  return [
    { kind: 'ServiceAccount', name: account, relation: 'depends_on' },
    ...listOf(at(spec, 'volumes'), mostVolumes).flatMap(ofVolume),
    ...containersOf(spec).flatMap(ofContainer),
    ...listOf(at(spec, 'imagePullSecrets'), 20).map(one => secret(at(one, 'name'))),
  ]
}

function secret(name: unknown): Reference {
  return { kind: 'Secret', name, relation: 'reads' }
}

function configMap(name: unknown): Reference {
  return { kind: 'ConfigMap', name, relation: 'reads' }
}

/** Volumes of each driver name a secret elsewhere; the last is how CSI says it. */
function ofVolume(volume: unknown): Reference[] {
  const projected = listOf(at(volume, 'projected', 'sources'), 50).flatMap(source => [
    configMap(at(source, 'configMap', 'name')),
    secret(at(source, 'secret', 'name')),
  ])
  return [
    configMap(at(volume, 'configMap', 'name')),
    secret(at(volume, 'secret', 'secretName')),
    ...projected,
    ...entriesOf(volume, 10).map(([, driver]) => secret(at(driver, 'secretRef', 'name'))),
    secret(at(volume, 'csi', 'nodePublishSecretRef', 'name')),
  ].filter(({ name }) => name !== undefined)
}

function ofContainer(container: unknown): Reference[] {
  const single = listOf(at(container, 'env'), mostVariables).flatMap(variable => [
    configMap(at(variable, 'valueFrom', 'configMapKeyRef', 'name')),
    secret(at(variable, 'valueFrom', 'secretKeyRef', 'name')),
  ])
  const whole = listOf(at(container, 'envFrom'), 100).flatMap(from => [
    configMap(at(from, 'configMapRef', 'name')),
    secret(at(from, 'secretRef', 'name')),
  ])
  return [...single, ...whole].filter(({ name }) => name !== undefined)
}
