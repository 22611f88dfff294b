// Reads values that strangers chose the types of: what is not of the wanted type is as if it were not there.
import type { Json } from './payloads.ts'

export type Fields = Readonly<Record<string, Json>>

const none: Fields = Object.freeze({})

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: Json | undefined): Fields {
  return isFields(value) ? value : none
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** The text, or the number as text, since senders write ids both ways; empty for everything else. */
export function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return clean(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : ''
}

/** The first of these that says something. */
export function firstText(...values: readonly (Json | undefined)[]): string {
  for (const value of values) {
    const text = textOf(value).trim()
    if (text !== '') return text
  }
  return ''
}

/** What a database cannot hold is replaced. */
export function clean(text: string): string {
  return (text.isWellFormed() ? text : text.toWellFormed()).replaceAll('\0', '\uFFFD')
}

/** The first characters, never half of a pair. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

/** On one line, and marked where something is missing. */
export function line(text: string, most: number): string {
  const flat = cut(clean(text), most * 4)
    .replace(/[\u0000-\u0020\u007f\u2028\u2029]+/g, ' ')
    .trim()
  return flat.length > most ? `${cut(flat, most - 1)}…` : flat
}

const addressForm = /^https?:\/\/[^\s]{1,2040}$/

/** The first of these that is one. */
export function firstAddress(...values: readonly (Json | undefined)[]): string | null {
  return values.map(addressOf).find(address => address !== null) ?? null
}

/** Null where it is no address that a person could open. */
export function addressOf(value: Json | undefined): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return text.isWellFormed() && !text.includes('\0') && addressForm.test(text) ? text : null
}
