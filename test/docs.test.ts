// What people read first stays short, and the list of packages is whole, each named once.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

type Packages = Partial<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', object>>

it('README, ARCHITECTURE and CONTRIBUTING have less than 330 lines together', () => {
  const lines = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map(path => read(path).trimEnd().split('\n').length)
  expect(Math.min(...lines)).toBeGreaterThan(50)
  expect(lines.reduce((sum, one) => sum + one)).toBeLessThan(330)
})

describe('docs/decisions/dependencies.md', () => {
  const text = read('docs/decisions/dependencies.md')
  const rows = [...text.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, names = '']) => names.split(', ')).slice(1)
  const listed = rows.filter(name => !/^-+$/.test(name))

  it('names each package of the service once, and no other', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Packages
    expect([...listed].sort()).toEqual(Object.keys({ ...dependencies, ...optionalDependencies }).sort())
  })

  it('names what is built into the console', () => {
    const { devDependencies = {} } = JSON.parse(read('console/package.json')) as Packages
    const isTool = (name: string) => /^@types\/|^(axe-core|playwright-core|vite|vitest)$/.test(name)
    const prose = text.slice(text.indexOf("The console's are"))
    const isNamed = (name: string) => new RegExp(`(^|[\\s/])${name.split('/').at(-1)}[\\s,;(]`).test(prose)
    expect(Object.keys(devDependencies).filter(name => !isTool(name) && !isNamed(name))).toEqual([])
  })
})
