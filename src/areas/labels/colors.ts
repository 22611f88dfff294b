// The color of a label that was given none: always the same for the same name, and readable on light and dark.
import { hash } from 'node:crypto'
import { folded } from '../../kit/label_sql.ts'

const palette = [
  '#d73a4a',
  '#c2410c',
  '#b45309',
  '#4d7c0f',
  '#15803d',
  '#0f766e',
  '#0e7490',
  '#2563eb',
  '#4f46e5',
  '#7c3aed',
  '#a21caf',
  '#be185d',
] as const

export function colorOf(name: string): string {
  const number = Number.parseInt(hash('sha256', folded(name)).slice(0, 8), 16)
  return palette[number % palette.length] as string
}
