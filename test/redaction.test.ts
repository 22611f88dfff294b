// What pages leave out: secrets in known forms and addresses, in whatever they stand, and nothing else.
import { describe, expect, it } from 'vitest'
import { redact } from '../src/kit/redaction.ts'
import { renderApart } from '../src/kit/rendering.ts'
import { render } from '../src/kit/report.ts'
import { ordinary, secrets } from './pages/corpus.ts'

const setting = { pageId: `page_${'0'.repeat(40)}`, kind: 'issue_report', workspace: 'Engines', at: new Date(0) }
const reportOf = (markdown: string) => ({
  title: 'A title',
  source: 'Issue #1',
  facts: [{ name: 'Resources', value: markdown }],
  sections: [{ title: 'Description', entries: [{ heading: markdown.slice(0, 200), markdown }] }],
})

describe('redaction', () => {
  it('is tried on a hundred of each', () => {
    expect([secrets().length, ordinary.length]).toEqual([100, 100])
    expect(new Set(secrets().map(({ text }) => text)).size).toBe(100)
  })

  it.each(secrets())('leaves no secret in any form of a page: $text', ({ secret, text }) => {
    const { html, markdown, json, redactions } = render({ ...reportOf(text), title: text.slice(0, 256) }, setting)
    for (const form of [html, markdown, json]) expect(form).not.toContain(secret)
    expect(redactions).toBeGreaterThan(0)
    expect(redact(text).text).not.toContain(secret)
  })

  it.each(ordinary)('leaves ordinary text alone: %s', text => {
    expect(redact(text)).toEqual({ text, count: 0 })
    expect(render(reportOf(text), setting).redactions).toBe(0)
  })

  it.each([
    ['escapes', 'ghp\\_0123456789abcdefghij0123456789abcdef'],
    ['entities', 'ada&#64;example.com'],
    ['emphasis', 'AKIA**ABCDEFGH**IJKLMNOP'],
    ['codes in a link', '[x](https://api.example.com/?t=AKIA%41BCDEFGHIJKLMNOP)'],
  ])('sees through %s', (_, text) => {
    const sections = [{ title: 'Description', entries: [{ markdown: `It was ${text} then.` }] }]
    const { html, markdown, json, redactions } = render({ ...reportOf(''), sections }, setting)
    expect(redactions).toBeGreaterThan(0)
    for (const form of [html, markdown, json]) {
      expect(form.replace(/<[^>]*>|\\|\*/g, '')).not.toMatch(/ghp_0|ada@example|ada&#64;|AKIAABCDEFGH|AKIA%41/)
    }
  })

  it('takes no longer than it should for texts made to be slow', () => {
    for (const text of [
      'a@'.repeat(20_000),
      'a.'.repeat(20_000),
      'eyJ'.repeat(20_000),
      'x://'.repeat(15_000),
      'password='.repeat(7_000),
      `${'-----BEGIN PRIVATE KEY-----\n'.repeat(2_000)}`,
      '_'.repeat(60_000),
      '[A-Z]:'.repeat(10_000),
      'M'.repeat(60_000),
    ]) {
      const began = performance.now()
      redact(text)
      expect(performance.now() - began, text.slice(0, 20)).toBeLessThan(2_000)
    }
  })
  it('gives up on Markdown that is made to be slow, and holds up nobody meanwhile', async () => {
    const report = reportOf('')
    const slow = { ...report, sections: [{ title: 'x', entries: [{ markdown: '**a'.repeat(20_000) }] }] }
    let turns = 0
    const turning = setInterval(() => turns++, 10)
    await expect(renderApart(slow, setting, 500)).rejects.toThrow('takes too long')
    clearInterval(turning)
    expect(turns).toBeGreaterThan(10)
    expect((await renderApart(report, setting)).title).toBe('A title')
  })
})
