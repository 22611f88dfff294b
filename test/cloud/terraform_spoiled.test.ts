// States that are too much, broken, or none at all.
import { describe, expect, it } from 'vitest'
import { readTerraformState } from '../../src/areas/cloud_accounts/sources/terraform/reading.ts'
import { UnreadableSource } from '../../src/areas/cloud_accounts/sources/unreadable.ts'
import { expectWellFormed, nodeLines } from './found_lines.ts'
import { oneOf, randomOf, spoiled, spoiledText } from './mutations.ts'
import { files, fileText, stateOf } from './state_files.ts'

const instances = (attributes: Record<string, unknown>[], more: Record<string, unknown> = {}) =>
  attributes.map((one, index) => ({ index_key: index, attributes: one, ...more }))

describe('what is no state that is read', () => {
  const cases: [string, unknown, RegExp][] = [
    ['no JSON', 'resource "aws_instance" "a" {}', /not JSON/],
    ['nothing', '', /not JSON/],
    ['a list', '[]', /no version/],
    ['null', null, /no version/],
    ['another file', '{"name":"atrium"}', /no version/],
    ['version 1', { version: 1, resources: {} }, /older than Terraform 0\.9/],
    ['version 2', { version: 2, modules: [] }, /older than Terraform 0\.9/],
    ['version 5', { version: 5, resources: [] }, /not known; 3 and 4 are read/],
    ['a version of text', { version: '4', resources: [] }, /not known/],
    ['version 4 without resources', { version: 4 }, /list of resources/],
    ['version 3 without modules', { version: 3 }, /list of resources/],
    [
      'a note about a backend',
      { version: 3, backend: { type: 's3', config: { secret_key: 'hunter2' } }, modules: [] },
      /\.terraform/,
    ],
    ['the output of show', { format_version: '1.0', terraform_version: '1.9.8', values: {} }, /show -json/],
    [
      'an encrypted state',
      { meta: {}, encrypted_data: 'hunter2', encryption_version: 'v0', serial: 1 },
      /encrypted by OpenTofu/,
    ],
  ]
  it.each(cases)('%s is refused with what to do', (_, given, message) => {
    const refused = () => readTerraformState(given)
    expect(refused).toThrow(UnreadableSource)
    expect(refused).toThrow(message)
    expect(refused).toThrow(/state pull/)
    expect(refused).not.toThrow(/hunter2/)
  })

  it('is refused when it is too large', () => {
    const text = ' '.repeat(33 * 1024 * 1024)
    expect(() => readTerraformState(text)).toThrow(expect.objectContaining({ code: 'too_large' }))
  })

  it('and strange parts of one are counted, not guessed', () => {
    const strange = [null, { type: 7 }, { type: 'a b', name: 'c', instances: [] }, { type: 'aws_vpc', name: 'v' }]
    const module = { module: 'module.a["', type: 'aws_vpc', name: 'v', instances: [{ attributes: {} }] }
    const good = {
      type: 'aws_vpc',
      name: 'good',
      instances: [{ attributes: { id: 'v' } }, null, { index_key: {}, attributes: {} }],
    }
    const state = stateOf(module, good)
    const found = readTerraformState({ ...state, resources: [...strange, ...state.resources] })
    expect(nodeLines(found)).toEqual(['aws_vpc.good is network "aws_vpc.good"'])
    expect(found.unseen).toMatchObject([{ code: 'malformed', text: expect.stringMatching(/^7 parts of the state/) }])
  })
})

describe('too much', () => {
  it('of resources is cut at 5,000, and said', () => {
    const many = Array.from({ length: 6000 }, (_, index) => ({ id: `i-${index}`, subnet_id: 'subnet-1' }))
    const subnet = { type: 'aws_subnet', name: 's', instances: [{ attributes: { id: 'subnet-1' } }] }
    const found = readTerraformState(stateOf(subnet, { type: 'aws_instance', name: 'i', instances: instances(many) }))
    expect([found.nodes.length, found.edges.length]).toEqual([5000, 4999])
    expect(found.unseen).toMatchObject([
      { code: 'too_large', types: null, text: expect.stringContaining('5000 things') },
    ])
  })

  it('of edges is cut at 20,000, and said; a dependency on very many leads to 100 of them', () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({ id: `i-${index}` }))
    const a = { type: 'aws_instance', name: 'a', instances: instances(many) }
    const b = { type: 'aws_instance', name: 'b', instances: instances(many, { dependencies: ['aws_instance.a'] }) }
    const found = readTerraformState(stateOf(a, b))
    expect(found.edges.length).toBe(20_000)
    expect(found.unseen.map(({ code, text }) => [code, /\d+/.exec(text)?.[0]])).toEqual([
      ['too_large', '100'],
      ['too_large', '20000'],
    ])
    expectWellFormed(found)
  })
})

describe('a spoiled state', () => {
  const states = files.map(fileText)
  it.each([1, 2, 3, 4])('is read or refused, and never anything else (seed %i)', seed => {
    const random = randomOf(seed)
    for (let round = 0; round < 100; round++) {
      const text = oneOf(random, states)
      const given =
        round % 4 === 0
          ? spoiledText(random, text, ['null', '[[', '"__proto__":', '\\u0000', '{}'])
          : spoiled(random, JSON.parse(text))
      try {
        expectWellFormed(readTerraformState(given))
      } catch (error) {
        if (!(error instanceof UnreadableSource)) throw error
      }
    }
  })
})
