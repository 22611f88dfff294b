// Archives of other versions: what this one does not know is left out and said, and what it alone knows is as it is everywhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestPlatform } from '../helpers/platform.ts'
import { type Homes, type Manifest, packed, twoHomes } from './homes.ts'
import { linesOf } from './zips.ts'

let homes: Homes
let files: Map<string, Buffer>
let here: TestPlatform
beforeAll(async () => {
  homes = await twoHomes()
  ;({ files, here } = homes)
}, 600_000)
afterAll(() => here.close())

type Values = Record<string, unknown>

const labels = 'areas/labels/labels.ndjson'
const workspace = () => linesOf(files, 'workspace.json')[0] as Values & { settings: Record<string, Values> }
const withSettings = (settings: object) => `${JSON.stringify({ ...workspace(), settings })}\n`
/** Lines of labels with other columns. */
const labelsWith = (change: (label: Values) => Values) =>
  linesOf(files, labels)
    .map(label => `${JSON.stringify(change(label as Values))}\n`)
    .join('')
const columnsOf = (change: (columns: string[]) => string[]) => (manifest: Manifest) => ({
  ...manifest,
  tables: manifest.tables.map(one => (one.table === 'labels' ? { ...one, columns: change(one.columns) } : one)),
})

async function taken(bytes: Buffer, query: object = { dryRun: true }, by = homes.stranger()) {
  const { status, error, result } = await homes.send(bytes, await by, { ...query })
  expect(error?.detail).toBeUndefined()
  expect([200, 201]).toContain(status)
  return result
}

describe('an archive of another version', () => {
  it('is taken with settings, columns, tables and files that are not known here, and each is named', async () => {
    const { settings } = workspace()
    const later = { ...settings, orbit: 'low', agent: { ...settings.agent, mood: 'good' } }
    const bytes = await packed(
      files,
      {
        'workspace.json': withSettings(later),
        [labels]: labelsWith(label => ({ ...label, shade: 'dark' })),
        'areas/moons/moons.ndjson': '{"id":"moon_1"}\n',
      },
      true,
      manifest => {
        const altered = columnsOf(columns => [...columns, 'shade'])(manifest)
        return { ...altered, tables: [...altered.tables, { area: 'moons', table: 'moons', columns: ['id'] }] }
      },
    )
    const { warnings } = await taken(bytes)
    expect(warnings).toHaveLength(4)
    for (const name of ['"orbit"', '"agent.mood"', 'labels: shade', 'areas/moons/moons.ndjson']) {
      expect(warnings).toContainEqual(expect.stringContaining(name))
    }
    const owner = homes.stranger()
    const { id: workspaceId } = await taken(bytes, {}, owner)
    const read = (await here.call('workspaces.settings.get', { workspaceId }, await owner)).result
    expect(read).toMatchObject({
      timezone: 'Europe/London',
      agent: { model: 'large-1' },
      embeddings: { threshold: 0.5 },
    })
    expect(read).not.toHaveProperty('orbit')
    expect(read.agent).not.toHaveProperty('mood')
  })

  it('is taken without settings and columns that came later', async () => {
    const { agent, embeddings: _, ...earlier } = workspace().settings
    const { maxStepsPerRun: __, ...less } = agent ?? {}
    const bytes = await packed(
      files,
      {
        'workspace.json': withSettings({ ...earlier, agent: less }),
        [labels]: labelsWith(({ description: _, ...label }) => label),
      },
      true,
      columnsOf(columns => columns.filter(name => name !== 'description')),
    )
    const owner = homes.stranger()
    const { id: workspaceId, warnings } = await taken(bytes, {}, owner)
    expect(warnings).toEqual([])
    const { agent: read } = (await here.call('workspaces.settings.get', { workspaceId }, await owner)).result
    expect(read).toMatchObject({ model: 'large-1', maxStepsPerRun: expect.any(Number) })
    const { items } = (await here.call('labels.list', { workspaceId }, await owner)).result
    expect(items.length).toBeGreaterThan(0)
  })

  it('is refused where it says that it is newer than this installation can know', async () => {
    const bytes = await packed(files, {}, true, manifest => ({ ...manifest, version: 99 }))
    const { status, error } = await homes.send(bytes, await homes.stranger(), { dryRun: true })
    expect([status, error?.detail]).toEqual([400, expect.stringContaining('newer version')])
  })
})
