// Templates of custom integrations: values go in, and stay values wherever they go.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkUrlTemplate, renderHeader, renderUrl } from '../../src/areas/integrations/messages/template_places.ts'
import { checkTemplate, render, renderJson } from '../../src/kit/template.ts'
import { hostileText, view } from './views.ts'

const roots = ['event', 'workspace']
const values = {
  event: { ...view(), changes: [{ path: 'status', after: 'open' }], isTest: true, count: 3, none: null },
  workspace: { id: 'ws_1', name: 'Acme' },
}
const of = (text: string) => ({ event: { text } })

describe('checkTemplate', () => {
  it.each([
    '',
    'no placeholder',
    '{{event}}',
    '{{ event.target.title }}',
    '{{event.changes.0.path}} }} {',
    '{ {event} }',
  ])('accepts %j', text => expect(checkTemplate(text, roots)).toBeNull())

  it.each([
    ['{{ events.x }}', 0, /nothing called events here; a path begins with event, workspace/],
    ['ok {{ __proto__.x }}', 3, /nothing called __proto__/],
    ['{{ event.x', 0, /no }} after it/],
    ['{{}}', 0, /stands a path/],
    ['{{ event..x }}', 0, /stands a path/],
    ['{{ event.x | upper }}', 0, /stands a path/],
    ['{{#if event.x}}', 0, /stands a path/],
    ['{{ event["x"] }}', 0, /stands a path/],
    ['{{{ event.x }}}', 0, /stands a path/],
    ['{{ 1event }}', 0, /stands a path/],
    ['{{ event.{{ event.x }} }}', 0, /stands a path/],
  ])('refuses %j', (text, offset, message) => {
    expect(checkTemplate(text, roots)).toMatchObject({ offset, message: expect.stringMatching(message) })
  })

  it('says where', () => {
    expect(checkTemplate('{{ event.x }}\n  {{ oops', roots)).toMatchObject({ offset: 16, line: 2, column: 3 })
  })
})

describe('render', () => {
  it('puts values in, JSON for what is no text, and nothing for what is not there', () => {
    expect(render('{{event.target.title}} by {{ event.actor.name }}!', values)).toBe('Checkout answers 502 by Ada!')
    expect(render('{{event.count}} {{event.isTest}} [{{event.none}}{{event.nope.x}}]', values)).toBe('3 true []')
    expect(render('{{event.changes}}', values)).toBe('[{"path":"status","after":"open"}]')
    expect(render('{{event.changes.0.after}}', values)).toBe('open')
  })

  it('reads no more than it is given', () => {
    for (const path of ['constructor', '__proto__', 'toString', 'target.title.length', 'actor.constructor.name']) {
      expect(render(`[{{event.${path}}}]`, values), path).toBe('[]')
    }
  })

  it('reads no placeholder in a value', () => {
    expect(render('{{event.text}}', of('{{workspace.name}}'))).toBe('{{workspace.name}}')
  })

  it('ends where one value would fill the memory', () => {
    expect(() => render('{{event.text}}'.repeat(200), of('x'.repeat(10_000)))).toThrow(/1 MiB/)
    const many = Array.from({ length: 200 }, () => '{{event.text}}')
    expect(() => renderJson(many, of('x'.repeat(10_000)))).toThrow(/1 MiB/)
  })
})

describe('renderJson', () => {
  it('keeps the type of a value that stands alone', () => {
    const template = {
      title: '{{ event.target.title }}',
      text: 'No. {{event.seq}} of {{workspace.name}}',
      count: '{{event.count}}',
      isTest: '{{event.isTest}}',
      changes: '{{event.changes}}',
      none: ['{{event.none}}', '{{event.nope}}', 1, true, null],
      '{{event.seq}}': ' {{event.seq}}',
    }
    expect(renderJson(template, values)).toEqual({
      title: 'Checkout answers 502',
      text: 'No. 7 of Acme',
      count: 3,
      isTest: true,
      changes: [{ path: 'status', after: 'open' }],
      none: [null, null, 1, true, null],
      '{{event.seq}}': ' 7',
    })
  })

  it('keeps its form whatever the values are', () => {
    fc.assert(
      fc.property(hostileText, text => {
        const body = JSON.parse(JSON.stringify(renderJson({ a: '{{event.text}}', b: ['x {{event.text}}'] }, of(text))))
        expect(body).toEqual({ a: text, b: [`x ${text}`] })
      }),
    )
  })

  it('makes no prototype of a name', () => {
    const body = renderJson(JSON.parse('{"__proto__":{"x":"{{event.seq}}"}}'), values) as object
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
    expect(JSON.stringify(body)).toBe('{"__proto__":{"x":7}}')
  })
})

describe('renderUrl', () => {
  const template = 'https://api.example.com:8443/v1/{{event.text}}/items?title={{event.text}}&fixed=1'

  it('takes scheme and host as they are written', () => {
    expect(checkUrlTemplate(template, roots)).toBeNull()
    expect(checkUrlTemplate('https://example.com', roots)).toBeNull()
    expect(checkUrlTemplate('https://example.com?x={{event.seq}}', roots)).toBeNull()
  })

  it.each([
    ['{{event.text}}', 0],
    ['{{event.text}}://example.com/', 0],
    ['https://{{event.text}}/', 8],
    ['https://{{event.text}}.example.com/', 8],
    ['https://example.com{{event.text}}', 19],
    ['https://example.com:{{event.text}}/', 20],
    ['https://user:{{event.text}}@example.com/', 13],
    ['https://example.com\\{{event.text}}', 20],
    ['ftp://example.com/{{event.text}}', 18],
    ['//example.com/', 0],
    ['https://example.com/#{{event.text}}', 20],
    ['https://example.com/{{nope}}', 20],
    ['https://example.com/{{ event', 20],
  ])('refuses %j', (text, offset) => {
    expect(checkUrlTemplate(text, roots)).toMatchObject({ offset })
    if (!text.includes('nope') && !text.endsWith('event')) expect(() => renderUrl(text, of('x'))).toThrow()
  })

  it('encodes values', () => {
    expect(renderUrl(template, of('a/b?c=d&e#f g'))).toBe(
      'https://api.example.com:8443/v1/a%2Fb%3Fc%3Dd%26e%23f%20g/items?title=a%2Fb%3Fc%3Dd%26e%23f%20g&fixed=1',
    )
    expect(renderUrl('https://example.com/{{event.count}}', values)).toBe('https://example.com/3')
  })

  it.each(['.', '..'])('does not climb out of the path by %j', dots => {
    expect(() => renderUrl('https://example.com/v1/{{event.text}}/items', of(dots))).toThrow(/dots/)
    expect(() => renderUrl('https://example.com/v1/{{event.text}}', of(dots))).toThrow(/dots/)
    expect(renderUrl('https://example.com/v1?x={{event.text}}', of(dots))).toBe(`https://example.com/v1?x=${dots}`)
  })

  it('does not climb out by halves either', () => {
    expect(() => renderUrl('https://example.com/v1/.{{event.text}}', of('.'))).toThrow(/dots/)
    expect(() => renderUrl('https://example.com/v1/%2e{{event.text}}', of('.'))).toThrow(/dots/)
    expect(() => renderUrl('https://example.com/v1\\{{event.text}}', of('..'))).toThrow()
  })

  it('stays at its host and in its place whatever the values are', () => {
    fc.assert(
      fc.property(hostileText, text => {
        fc.pre(!/^\.{1,2}$/.test(text))
        const whole = new URL(renderUrl(template, of(text)))
        expect(whole.origin).toBe('https://api.example.com:8443')
        expect(whole.pathname.split('/')).toHaveLength(4)
        expect([...whole.searchParams.keys()]).toEqual(['title', 'fixed'])
        expect(whole.searchParams.get('title')).toBe(text.toWellFormed())
        expect(whole.hash).toBe('')
      }),
    )
  })
})

describe('renderHeader', () => {
  it('is one line', () => {
    expect(renderHeader('Bearer {{event.text}}', of('abc'))).toBe('Bearer abc')
    expect(renderHeader('{{event.text}}', of('a\r\nX-Evil: 1\0'))).toBe('a X-Evil: 1')
    expect(renderHeader('{{event.text}}', of('Café “x”'))).toBe('Caf%C3%A9 %E2%80%9Cx%E2%80%9D')
  })

  it('is what fetch takes as the value of a header, whatever the values are', () => {
    fc.assert(
      fc.property(hostileText, text => {
        const value = renderHeader('x {{event.text}}', of(text))
        expect(value).toMatch(/^[ -~]*$/)
        expect(new Headers({ 'x-title': value }).get('x-title')).toBe(value)
      }),
    )
  })
})
