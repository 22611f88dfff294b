// The resources of a state in one form, whichever version wrote it.
import type { Fields } from '../values.ts'

/** `module.a["x"]` is an instance of the module that the configuration calls `module.a`. */
export type ModuleStep = { configured: string; instance: string }

export type Resource = {
  modules: readonly ModuleStep[]
  type: string
  /** `aws_instance.web`, within its module. */
  configured: string
  /** `["x"]`, `[0]` or nothing. */
  index: string
  provider: string | undefined
  isTainted: boolean
  /** As the state has them, secrets and all: only `facts.ts` and `links.ts` may look. */
  attributes: Fields
  /** Attributes, or parts of them, that the configuration calls sensitive. */
  sensitive: Sensitive
  /** What it depends on, as the configuration calls it: resources, and modules as wholes. */
  needs: readonly string[]
}

/** `isAll`: what is marked is not understood, so all may be meant. `parts` are the names below an attribute. */
export type Sensitive = { isAll: boolean; whole: ReadonlySet<string>; parts: ReadonlyMap<string, ReadonlySet<string>> }

export const nothingSensitive: Sensitive = { isAll: false, whole: new Set(), parts: new Map() }

export type StateResources = {
  resources: Resource[]
  /** Parts that are not of the form that Terraform writes. */
  strange: number
}

export function addressOf({ modules, configured, index }: Resource): string {
  return [...modules.map(({ instance }) => instance), configured + index].join('.')
}

export function configuredAddress(modules: readonly ModuleStep[], configured: string): string {
  return [...modules.map(step => step.configured), configured].join('.')
}

/** More than become things, so that there being too many is noticed; the rest of a huge state is not looked at. */
export const mostResources = 10_000
export const mostNeeds = 500
/** Of names in a configuration. Types begin with the name of their provider. */
export const identifier = /^[A-Za-z_][\w-]{0,254}$/
export const typeName = /^[A-Za-z][\w-]{0,127}$/
