// The front matter of skills that mean harm or look like numbers: bounded in work and answers, and changed without touching the rest.
import { describe, expect, it } from 'vitest'
import { acceptedText } from '../../src/areas/skills/format/accepting.ts'
import { readSkill } from '../../src/areas/skills/format/reading.ts'
import { changedMarkdown } from '../../src/areas/skills/format/writing.ts'

const skillOf = (rest: string) => `---\nname: a\ndescription: Use when needed, not before.\n${rest}---\nBody\n`
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('')

describe('reading', () => {
  it('refuses front matter over 16 KiB unread, and says where to put the text', async () => {
    const { errors } = await readSkill(skillOf(`metadata:\n${lines(4_000, index => `  k${index}: v\n`)}`))
    expect(errors).toEqual([
      expect.objectContaining({ line: 2, message: expect.stringMatching(/16 KiB; move .*body/) }),
    ])
  })

  it('takes a long row of digits for text without trying every way to split it', async () => {
    const { advice } = await readSkill(skillOf(`license: ${'1'.repeat(15_000)}x\nmetadata:\n  v: 1.0\n  w: .5\n`))
    expect(advice.map(({ field }) => field)).toEqual(['metadata.v', 'metadata.w'])
  })

  it('names names that come twice with their lines, at the top and below', async () => {
    const { errors } = await readSkill(skillOf('metadata:\n  x: 1\n  y: 1\n  x: 2\nname: b\n'))
    expect(errors.map(({ line }) => line)).toEqual([7, 8])
  })

  it('names at most 20 errors and 20 pieces of advice', async () => {
    expect((await readSkill(skillOf(lines(100, index => `k${index}: v\n`)))).errors).toHaveLength(20)
    expect((await readSkill(skillOf(`a: [${','.repeat(500)}]\n`))).errors).toHaveLength(20)
    expect((await readSkill(skillOf(`metadata:\n${lines(30, index => `  k${index}: 1\n`)}`))).advice).toHaveLength(20)
  })

  it('says of what is nested too deeply just that', async () => {
    const { errors } = await readSkill(skillOf(`metadata: ${'['.repeat(7_000)}${']'.repeat(7_000)}\n`))
    expect(errors[0]?.message).toMatch(/nested too deeply/)
  })
})

describe('changing one field', () => {
  const patched = async (markdown: string, fields: Parameters<typeof changedMarkdown>[2]) =>
    await changedMarkdown(markdown, await acceptedText(markdown), fields)

  it('leaves values and names as they are written, whatever they look like', async () => {
    const metadata =
      'metadata:\n  a: 12e4567\n  b: 12345678901234567890\n  c: +1\n  d: .5\n  e: 0x1F\n  01: x\n  1: y\n'
    const markdown = skillOf(metadata)
    expect(await patched(markdown, { license: 'MIT' })).toBe(skillOf(`${metadata}license: MIT\n`))
  })

  it('writes what looks like a number or a truth value in quotes', async () => {
    const changed = await patched(skillOf(''), { license: '1.0', metadata: { on: 'yes', v: '.inf', w: 'text' } })
    expect(changed).toBe(skillOf('license: "1.0"\nmetadata:\n  "on": "yes"\n  v: ".inf"\n  w: text\n'))
    const { metadata } = await acceptedText(changed)
    expect(metadata).toEqual({ on: 'yes', v: '.inf', w: 'text' })
  })

  it('keeps the ends of lines', async () => {
    const markdown = skillOf('# why\ncompatibility: x\n').replaceAll('\n', '\r\n')
    expect(await patched(markdown, { license: 'MIT' })).toBe(
      skillOf('# why\ncompatibility: x\nlicense: MIT\n').replaceAll('\n', '\r\n'),
    )
  })
})
