// Zips that mean harm: written by hand, since no packer would make them.
import { crc32, deflateRawSync } from 'node:zlib'

type Entry = {
  name: string | Buffer
  content?: Buffer
  /** In place of what is true of the content. */
  says?: {
    size?: number
    packed?: number
    crc?: number
    method?: number
    flags?: number
    localName?: string
    offset?: number
  }
  /** The upper half of the external attributes, of a Unix host. */
  mode?: number
  isStored?: boolean
}

const bytesOf = (name: string | Buffer) => (typeof name === 'string' ? Buffer.from(name) : name)

/** `end` changes the last record. */
export function rawZip(
  entries: readonly Entry[],
  end: { count?: number; offset?: number; disk?: number } = {},
): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let place = 0
  for (const { name, content = Buffer.alloc(0), says = {}, mode = 0o100644, isStored = false } of entries) {
    const data = isStored ? content : deflateRawSync(content)
    const { size = content.length, packed = data.length, crc = crc32(content), flags = 0x0800 } = says
    const { method = isStored ? 0 : 8, offset = place } = says
    const common = (of: Buffer) => {
      const header = Buffer.alloc(26)
      header.writeUInt16LE(20, 0)
      header.writeUInt16LE(flags, 2)
      header.writeUInt16LE(method, 4)
      header.writeUInt32LE(crc, 10)
      header.writeUInt32LE(packed, 14)
      header.writeUInt32LE(size, 18)
      header.writeUInt16LE(of.length, 22)
      return header
    }
    const localName = bytesOf(says.localName ?? name)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common(localName), localName, data])
    const after = Buffer.alloc(14)
    after.writeUInt32LE(mode * 0x10000, 6)
    after.writeUInt32LE(offset, 10)
    const central = bytesOf(name)
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common(central), after, central]))
    locals.push(local)
    place += local.length
  }
  const directory = Buffer.concat(centrals)
  const last = Buffer.alloc(22)
  last.write('PK\x05\x06', 'latin1')
  last.writeUInt16LE(end.disk ?? 0, 4)
  last.writeUInt16LE(end.count ?? entries.length, 8)
  last.writeUInt16LE(end.count ?? entries.length, 10)
  last.writeUInt32LE(directory.length, 12)
  last.writeUInt32LE(end.offset ?? place, 16)
  return Buffer.concat([...locals, directory, last])
}

const main = (slug = 'harm'): Entry => ({
  name: `${slug}/SKILL.md`,
  content: Buffer.from(`---\nname: ${slug}\ndescription: Means harm. Use never.\n---\nNo.\n`),
})
const mebibyte = 1024 * 1024
const text = Buffer.from('harm')

export type Hostile = { what: string; zip: () => Buffer; status: 400 | 413 }

function withNames(what: string, names: readonly (string | Buffer)[]): Hostile[] {
  return names.map(name => ({
    what: `${what} ${String(name)}`,
    status: 400,
    zip: () => rawZip([main(), { name, content: text }]),
  }))
}

const climbs = ['..', 'a/..', 'a/b/../../..', './..', 'harm/..', 'harm/../..', 'harm/a/../../..', '../..']
const files = ['x', 'etc/passwd', '.ssh/authorized_keys', 'SKILL.md']

function climbing(): string[] {
  return climbs.flatMap(way => files.map(file => `${way}/${file}`))
}

const absolutes = ['/x', '/etc/passwd', '//x', 'C:x', 'c:/x', 'Z:\\x', '/harm/x', '\\\\server\\x']
const backslashes = ['harm\\x', 'harm/a\\b', '..\\x', 'harm/..\\..\\x', '\\x', 'harm\\SKILL.md']
const odd = [
  'harm//x',
  'harm/./x',
  'harm/x\u0000',
  'harm/x\n',
  'harm/\u202ex',
  `harm/${'x'.repeat(300)}`,
  Buffer.from([0x68, 0xff, 0xfe]),
]

const collisions: [string, string][] = [
  ['harm/a', 'harm/A'],
  ['harm/x/b', 'harm/X/B'],
  ['harm/ä', 'harm/Ä'],
  ['harm/é', 'harm/e\u0301'],
  ['harm/ﬁ', 'harm/fi'],
  ['harm/a', 'harm/a'],
  ['harm/a', 'harm/a/b'],
  ['harm/A', 'harm/a/b'],
  ['harm/skill.md', 'harm/x'],
  ['Harm/x', 'harm/X'],
]

function bombs(): Hostile[] {
  const zeros = () => Buffer.alloc(24 * mebibyte)
  const named = (index: number) => `harm/f${index}`
  const bomb = (what: string, zip: () => Buffer): Hostile => ({ what, zip, status: 413 })
  return [
    bomb('a file of 24 MiB', () => rawZip([main(), { name: 'harm/x', content: zeros() }])),
    ...[1, 1_000, mebibyte].map(size =>
      bomb(`24 MiB that say they are ${size}`, () =>
        rawZip([main(), { name: 'harm/x', content: zeros(), says: { size } }]),
      ),
    ),
    ...[mebibyte + 1, 2 ** 31, 2 ** 32 - 2].map(size =>
      bomb(`a file that says it has ${size}`, () =>
        rawZip([main(), { name: 'harm/x', content: text, says: { size } }]),
      ),
    ),
    bomb('24 files of 1 MiB', () => {
      const content = Buffer.alloc(mebibyte)
      return rawZip([main(), ...Array.from({ length: 24 }, (_, index) => ({ name: named(index), content }))])
    }),
    bomb('2,500 entries', () =>
      rawZip(Array.from({ length: 2_500 }, (_, index) => ({ name: named(index), content: text, isStored: true }))),
    ),
    ...[2, 10, 50]
      .map(count =>
        bomb(`${count} files that share their bytes`, () => {
          const shared = { name: named(0), content: Buffer.alloc(100_000) }
          const others = Array.from({ length: count - 1 }, () => ({ ...shared, says: { offset: 0 } }))
          // Only the directory tells them apart; the first header serves all.
          return rawZip([
            shared,
            ...others.map((entry, index) => ({
              ...entry,
              name: named(index + 1),
              says: { offset: 0, localName: named(0) },
            })),
          ])
        }),
      )
      .map(one => ({ ...one, status: 400 as const })),
    bomb('two names for the same bytes', () => {
      const inner = rawZip([main()]).subarray(0, 40)
      return rawZip([
        { ...main(), isStored: true },
        { name: 'harm/x', content: inner, isStored: true, says: { packed: 90, size: 90 } },
        main('other'),
      ])
    }),
    ...[11, 12, 15].map(count =>
      bomb(`${count} MiB of one skill`, () => {
        const content = Buffer.alloc(mebibyte)
        return rawZip([main(), ...Array.from({ length: count }, (_, index) => ({ name: named(index), content }))])
      }),
    ),
  ]
}

function links(): Hostile[] {
  const modes = {
    link: 0o120777,
    device: 0o060644,
    character: 0o020644,
    pipe: 0o010644,
    socket: 0o140644,
    folder: 0o040755,
  }
  const targets = ['/etc/passwd', '../x', 'SKILL.md']
  return Object.entries(modes).flatMap(([what, mode]) =>
    targets.map(target => ({
      what: `${what} to ${target}`,
      status: 400 as const,
      zip: () => rawZip([main(), { name: 'harm/x', content: Buffer.from(target), isStored: true, mode }]),
    })),
  )
}

function lies(): Hostile[] {
  const lie = (what: string, entry: Partial<Entry>, status: 400 | 413 = 400): Hostile => ({
    what,
    status,
    zip: () => rawZip([main(), { name: 'harm/x', content: text, ...entry }]),
  })
  return [
    ...[0x0001, 0x0040, 0x2000].map(flags => lie(`encrypted ${flags}`, { says: { flags } })),
    ...[1, 6, 9, 12, 14, 93, 95, 98, 99].map(method => lie(`method ${method}`, { says: { method } })),
    ...[0, 1, 0xdeadbeef].map(crc => lie(`checksum ${crc}`, { says: { crc } })),
    ...[5, 100, 10_000].map(size => lie(`longer than it is: ${size}`, { says: { size } })),
    ...[1, 3].map(size => lie(`shorter than it is: ${size}`, { says: { size } }, 413)),
    ...[0xffffffff].map(size => lie('Zip64 size', { says: { size } })),
    ...['harm/y', 'SKILL.md', '../x'].map(localName => lie(`inside called ${localName}`, { says: { localName } })),
    ...[7, 1_000_000, 0xfffffffe].map(offset => lie(`elsewhere: ${offset}`, { says: { offset } })),
    ...[1_000, 100_000].map(packed => lie(`packed ${packed}`, { says: { packed } })),
    lie('a folder with contents', { name: 'harm/x/', mode: 0o040755 }),
    ...[{ count: 1 }, { count: 3 }, { count: 0xffff }, { offset: 0 }, { offset: 0xffffffff }, { disk: 1 }].map(
      (end): Hostile => ({
        what: `ends with ${JSON.stringify(end)}`,
        status: 400,
        zip: () => rawZip([main(), { name: 'harm/x', content: text }], end),
      }),
    ),
  ]
}

function pieces(): Hostile[] {
  const whole = () => rawZip([main(), { name: 'harm/x', content: text }])
  const { length } = whole()
  const cuts = Array.from({ length: 60 }, (_, index) => Math.floor((index * length) / 60) || 1)
  return [
    ...cuts.map((size): Hostile => ({ what: `cut off at ${size}`, status: 400, zip: () => whole().subarray(0, size) })),
    { what: 'something behind it', status: 400, zip: () => Buffer.concat([whole(), text]) },
    { what: 'no zip', status: 400, zip: () => Buffer.alloc(4_096, 'PK\x05\x06') },
  ]
}

export function hostileZips(): Hostile[] {
  return [
    ...withNames('climbs', climbing()),
    ...withNames('is absolute', absolutes),
    ...withNames('has backslashes', backslashes),
    ...withNames('is odd', odd),
    ...collisions.map(
      ([one, other]): Hostile => ({
        what: `${one} and ${other}`,
        status: 400,
        zip: () => rawZip([main(), { name: one, content: text }, { name: other, content: text }]),
      }),
    ),
    ...withNames(
      'is a folder that climbs',
      climbs.map(way => `${way}/x/`),
    ),
    ...bombs(),
    ...links(),
    ...lies(),
    ...pieces(),
  ]
}
