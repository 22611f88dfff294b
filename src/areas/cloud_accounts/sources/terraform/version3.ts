// Reads the resources of a state of version 3: Terraform until 0.11.
import { at, entriesOf, fieldsOf, listOf, textOf } from '../values.ts'
import { expanded } from './flat_map.ts'
import {
  configuredAddress,
  identifier,
  type ModuleStep,
  mostNeeds,
  mostResources,
  nothingSensitive,
  type Resource,
  type StateResources,
  typeName,
} from './resources.ts'
import { providerOf } from './version4.ts'

export function version3(state: unknown): StateResources {
  const resources: Resource[] = []
  let strange = 0
  for (const module of listOf(at(state, 'modules'))) {
    const modules = modulesOf(at(module, 'path'))
    if (!modules) {
      strange++
      continue
    }
    for (const [name, entry] of entriesOf(at(module, 'resources'), mostResources)) {
      if (resources.length >= mostResources) return { resources, strange }
      // Data, and what was replaced already and only waits to be destroyed.
      if (name.startsWith('data.') || (fieldsOf(entry) && !at(entry, 'primary'))) continue
      const resource = resourceOf(modules, name, entry)
      if (resource) resources.push(resource)
      else strange++
    }
  }
  return { resources, strange }
}

const deepestModule = 32

function modulesOf(path: unknown): ModuleStep[] | undefined {
  const names = listOf(path)
  const isUnderstood = names[0] === 'root' && names.length <= deepestModule
  if (!isUnderstood || !names.every(name => typeof name === 'string' && identifier.test(name))) return undefined
  return names.slice(1).map(name => ({ configured: `module.${name}`, instance: `module.${name}` }))
}

function resourceOf(modules: readonly ModuleStep[], name: string, entry: unknown): Resource | undefined {
  const [type = '', local = '', count, ...more] = name.split('.')
  const attributes = fieldsOf(at(entry, 'primary', 'attributes'))
  const isUnderstood = typeName.test(type) && identifier.test(local) && /^\d{0,9}$/.test(count ?? '')
  if (!isUnderstood || more.length > 0 || !attributes) return undefined
  const id = textOf(at(entry, 'primary', 'id'))
  const needs = listOf(at(entry, 'depends_on'), mostNeeds).flatMap(one => needOf(one) ?? [])
  return {
    modules,
    type,
    configured: `${type}.${local}`,
    index: count === undefined ? '' : `[${count}]`,
    provider: providerOf(at(entry, 'provider')),
    isTainted: at(entry, 'primary', 'tainted') === true,
    attributes: { ...(id !== undefined && { id }), ...expanded(attributes) },
    // This version marks nothing; what is kept is chosen by its name.
    sensitive: nothingSensitive,
    needs: needs.map(one => configuredAddress(modules, one)),
  }
}

/** `aws_subnet.a.0`, `aws_subnet.a.*`, or `module.b.output`, which only says that something of the module is needed. */
function needOf(value: unknown): string | undefined {
  const [first = '', second = ''] = textOf(value, 1024)?.split('.') ?? []
  return identifier.test(first) && identifier.test(second) ? `${first}.${second}` : undefined
}
