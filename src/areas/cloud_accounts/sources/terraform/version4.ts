// Reads the resources of a state of version 4: Terraform since 0.12, and OpenTofu.
import { at, type Fields, fieldsOf, listOf, textOf } from '../values.ts'
import { expanded } from './flat_map.ts'
import {
  configuredAddress,
  identifier,
  type ModuleStep,
  mostNeeds,
  mostResources,
  nothingSensitive,
  type Resource,
  type Sensitive,
  type StateResources,
  typeName,
} from './resources.ts'

export function version4(state: unknown): StateResources {
  const resources: Resource[] = []
  let strange = 0
  for (const block of listOf(at(state, 'resources'), Number.POSITIVE_INFINITY)) {
    if (at(block, 'mode') === 'data' || at(block, 'mode') === 'ephemeral') continue
    const head = headOf(block)
    const instances = at(block, 'instances')
    if (!head || !Array.isArray(instances)) {
      strange++
      continue
    }
    for (const instance of instances) {
      if (resources.length >= mostResources) return { resources, strange }
      // What is deposed was replaced already, and only waits to be destroyed.
      if (at(instance, 'deposed') !== undefined) continue
      const resource = resourceOf(head, instance)
      if (resource) resources.push(resource)
      else strange++
    }
  }
  return { resources, strange }
}

type Head = Pick<Resource, 'modules' | 'type' | 'configured' | 'provider'>

function headOf(block: unknown): Head | undefined {
  const [type, name] = [at(block, 'type'), at(block, 'name')]
  const modules = modulesOf(at(block, 'module'))
  if (typeof type !== 'string' || typeof name !== 'string' || !modules) return undefined
  if (at(block, 'mode') !== 'managed' || !typeName.test(type) || !identifier.test(name)) return undefined
  return { modules, type, configured: `${type}.${name}`, provider: providerOf(at(block, 'provider')) }
}

const step = /(module\.[A-Za-z_][\w-]*)(\[(?:\d{1,9}|"(?:[^"\\]|\\.){0,512}")\])?(?:\.(?=module\.)|$)/y
const deepestModule = 32

/** Undefined where it is not understood. */
function modulesOf(value: unknown): ModuleStep[] | undefined {
  if (value === undefined || value === '') return []
  const text = textOf(value, 1024)
  if (text === undefined) return undefined
  const steps: ModuleStep[] = []
  step.lastIndex = 0
  while (step.lastIndex < text.length) {
    const found = step.exec(text)
    if (!found || steps.length === deepestModule) return undefined
    const [, configured = '', index = ''] = found
    steps.push({ configured, instance: configured + index })
  }
  return steps
}

/** `provider["registry.terraform.io/hashicorp/aws"].west`, or `provider.aws` from 0.12. */
export function providerOf(value: unknown): string | undefined {
  const text = textOf(value, 256)
  const form = /(?:^|\.)provider(?:\["([\w./-]+)"\]|\.([\w-]+))/
  const found = text === undefined ? null : form.exec(text)
  return found?.[1] ?? found?.[2]
}

function resourceOf(head: Head, instance: unknown): Resource | undefined {
  const index = indexOf(at(instance, 'index_key'))
  const attributes = attributesOf(instance)
  if (index === undefined || !attributes) return undefined
  const dependencies = listOf(at(instance, 'dependencies'), mostNeeds).flatMap(one => withoutKeys(one) ?? [])
  // Until 0.12 what is named here is within the module.
  const former = listOf(at(instance, 'depends_on'), mostNeeds).flatMap(one => withoutKeys(one) ?? [])
  const needs = [...dependencies, ...former.map(one => configuredAddress(head.modules, one))]
  const isTainted = at(instance, 'status') === 'tainted'
  return { ...head, index, attributes, needs, isTainted, sensitive: sensitiveOf(instance) }
}

function indexOf(key: unknown): string | undefined {
  if (key === undefined || key === null) return ''
  if (typeof key === 'number') return Number.isSafeInteger(key) ? `[${key}]` : undefined
  return textOf(key, 512) === undefined && key !== '' ? undefined : `[${JSON.stringify(key)}]`
}

/** 0.12 leaves what it has not yet touched as 0.11 wrote it. */
function attributesOf(instance: unknown): Fields | undefined {
  const flat = at(instance, 'attributes_flat')
  return fieldsOf(at(instance, 'attributes')) ?? (fieldsOf(flat) ? expanded(flat) : undefined)
}

export function withoutKeys(address: unknown): string | undefined {
  return textOf(address, 1024)?.replace(/\[(?:\d+|\*|"(?:[^"\\]|\\.)*")\]/g, '')
}

const mostMarks = 2_000

/** Paths of steps, of which the first names an attribute: `[{ type: 'get_attr', value: 'password' }]`. */
function sensitiveOf(instance: unknown): Sensitive {
  const marks = at(instance, 'sensitive_attributes')
  if (marks === undefined || marks === null) return nothingSensitive
  const isAll = !Array.isArray(marks) || marks.length > mostMarks
  const whole = new Set<string>()
  const parts = new Map<string, Set<string>>()
  for (const path of listOf(marks, mostMarks)) {
    const [first, second] = listOf(path).map(nameOfStep)
    if (first === undefined) return { isAll: true, whole, parts }
    // Of an element of a list the name says nothing: then all of the attribute is meant.
    if (second === undefined) whole.add(first)
    else parts.set(first, (parts.get(first) ?? new Set()).add(second))
  }
  return { isAll, whole, parts }
}

function nameOfStep(step: unknown): string | undefined {
  const value = at(step, 'value')
  const name = at(step, 'type') === 'index' ? (at(value, 'value') ?? value) : value
  return typeof name === 'string' ? name : undefined
}
