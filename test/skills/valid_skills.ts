// Generated skills that are valid, in all the ways in which YAML can write the same, with files of any bytes.
import fc from 'fast-check'

const word = fc.stringMatching(/^[a-z0-9]{1,8}$/)
/** Letters of many scripts, quotes, signs that mean something in YAML. */
const sentence = fc
  .array(
    fc.constantFrom(
      'Sorts',
      'alerts',
      'über',
      '日本語',
      '😀',
      'e\u0301',
      '"quoted"',
      "it's",
      '#5',
      'a: b',
      '- x',
      '{{y}}',
      '&',
      '%',
      '\\',
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map(words => `Use when ${words.join(' ')}`)

const quoted = (text: string) => JSON.stringify(text)
const single = (text: string) => `'${text.replaceAll("'", "''")}'`
const folded = (text: string) => `>-\n  ${text}`
const literal = (text: string) => `|\n  ${text}\n`
const written = fc.constantFrom(quoted, single, folded, literal)

const path = fc
  .tuple(
    fc.array(word, { maxLength: 3 }),
    word,
    fc.constantFrom('.md', '.py', '.bin', '', '.tar.gz', ' b.txt', 'é.txt'),
  )
  .map(([folders, name, end]) => [...folders.map(folder => `d${folder}`), `${name}${end}`].join('/'))

const generated = fc.record({
  description: sentence,
  way: written,
  license: fc.option(sentence.map(text => text.slice(0, 100))),
  metadata: fc.dictionary(word, sentence, { maxKeys: 4 }),
  tools: fc.array(fc.constantFrom('issues_list', 'Bash(git add:*)', 'Read', 'memories.search'), { maxLength: 3 }),
  comment: fc.boolean(),
  mark: fc.boolean(),
  newline: fc.constantFrom('\n', '\r\n'),
  body: fc.array(fc.constantFrom('# Title', '', '---', '```', '\ttab', 'text  ', '\u2028', '😀', '~'), {
    maxLength: 20,
  }),
  end: fc.constantFrom('', '\n', '\n\n\n'),
  files: fc.dictionary(path, fc.uint8Array({ maxLength: 400 }), { maxKeys: 6, noNullPrototype: true }),
})

/** The same for the same number. */
export function validSkill(number: number): { slug: string; files: Record<string, Buffer> } {
  const [skill] = fc.sample(generated, { numRuns: 1, seed: number + 1 })
  if (!skill) throw new Error('nothing was generated')
  const slug = `generated-${number}`
  const { description, way, license, metadata, tools, comment, mark, newline, body, end } = skill
  const names = Object.entries(metadata)
  const lines = [
    comment && '# A comment',
    `name: ${slug}`,
    `description: ${way(description)}`,
    license !== null && `license: ${quoted(license)}`,
    names.length > 0 && `metadata:${names.map(([name, text]) => `\n  ${quoted(name)}: ${single(text)}`).join('')}`,
    tools.length > 0 && `allowed-tools: ${quoted(tools.join(' '))}`,
  ].filter(line => line !== false)
  const whole = `---\n${lines.join('\n')}\n---\n${body.join('\n')}${end}`
  const markdown = (mark ? '\ufeff' : '') + whole.replaceAll('\n', newline)
  const files = Object.entries(distinct(skill.files)).map(([name, bytes]) => [`${slug}/${name}`, Buffer.from(bytes)])
  return { slug, files: { [`${slug}/SKILL.md`]: Buffer.from(markdown), ...Object.fromEntries(files) } }
}

/** Without those that would be a folder and a file at once. */
function distinct(files: Readonly<Record<string, Uint8Array>>): Record<string, Uint8Array> {
  const names = Object.keys(files)
  return Object.fromEntries(
    Object.entries(files).filter(([name]) => !names.some(other => other.startsWith(`${name}/`))),
  )
}
