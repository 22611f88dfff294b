// What a commit says of a repository as a whole: its languages, and whether it has a CODEOWNERS file.
import type { Mirror } from '../../../kit/git.ts'
import { codeownersOf } from '../finding/codeowners.ts'

const byExtension: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    Assembly: 'asm s',
    C: 'c h',
    'C#': 'cs',
    'C++': 'cc cpp cxx hh hpp hxx',
    CSS: 'css',
    Clojure: 'clj cljc cljs',
    Dart: 'dart',
    Elixir: 'ex exs',
    Erlang: 'erl hrl',
    'F#': 'fs fsx',
    Fortran: 'f90 f95',
    Go: 'go',
    GraphQL: 'graphql gql',
    Groovy: 'groovy gradle',
    HCL: 'tf hcl',
    HTML: 'html htm',
    Haskell: 'hs',
    Java: 'java',
    JavaScript: 'js jsx cjs mjs',
    Julia: 'jl',
    Kotlin: 'kt kts',
    Less: 'less',
    Lua: 'lua',
    Nix: 'nix',
    'Objective-C': 'm mm',
    OCaml: 'ml mli',
    PHP: 'php',
    Perl: 'pl pm',
    PowerShell: 'ps1',
    'Protocol Buffers': 'proto',
    Python: 'py pyi',
    R: 'r',
    Ruby: 'rb',
    Rust: 'rs',
    SCSS: 'scss sass',
    SQL: 'sql',
    Scala: 'scala',
    Shell: 'sh bash zsh',
    Svelte: 'svelte',
    Swift: 'swift',
    TypeScript: 'ts tsx cts mts',
    Vue: 'vue',
    Zig: 'zig',
  }).flatMap(([language, extensions]) => extensions.split(' ').map(extension => [extension, language])),
)

const byName: Readonly<Record<string, string>> = { dockerfile: 'Dockerfile', makefile: 'Makefile', rakefile: 'Ruby' }
const notOwn = /(^|\/)(node_modules|vendor|third_party|dist|\.yarn)\//
const mostLanguages = 20

export type Facts = { languages: { name: string; bytes: number }[]; codeowners: boolean }

export async function factsOf(mirror: Mirror, id: string, sha: string): Promise<Facts> {
  const [languages, owners] = [await languagesOf(mirror, sha), await codeownersOf(mirror, id, sha)]
  return { languages, codeowners: owners !== null }
}

/** By the names of plain files; of a listing that is too long or takes too long, what was seen of it. */
async function languagesOf(mirror: Mirror, sha: string): Promise<Facts['languages']> {
  const sizes = new Map<string, number>()
  let rest = ''
  let seen = 0
  const take = (piece: Buffer) => {
    const lines = (rest + piece.toString('latin1')).split('\0')
    rest = lines.pop() ?? ''
    for (const line of lines) count(sizes, line)
    seen += piece.length
    return seen < mostListed
  }
  await mirror.pieces(['ls-tree', '-r', '-l', '-z', '--full-tree', sha], { timeoutMs: 120_000 }, take)
  return [...sizes]
    .map(([name, bytes]) => ({ name, bytes }))
    .sort((one, other) => other.bytes - one.bytes || (one.name < other.name ? -1 : 1))
    .slice(0, mostLanguages)
}

const mostListed = 256 * 1024 * 1024

function count(sizes: Map<string, number>, line: string): void {
  const [, size, path = ''] = /^100(?:644|755) blob [0-9a-f]{40} +(\d+)\t(.*)$/s.exec(line) ?? []
  if (size === undefined || notOwn.test(path)) return
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const language = byName[name] ?? byExtension[name.slice(name.lastIndexOf('.') + 1)]
  if (language && name.includes('.') !== name in byName) sizes.set(language, (sizes.get(language) ?? 0) + Number(size))
}
