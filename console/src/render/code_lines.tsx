// A whole file with its words coloured, line by line; the language is known by the file's name.
import c from 'highlight.js/lib/languages/c'
import clojure from 'highlight.js/lib/languages/clojure'
import cmake from 'highlight.js/lib/languages/cmake'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import dart from 'highlight.js/lib/languages/dart'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import erlang from 'highlight.js/lib/languages/erlang'
import fsharp from 'highlight.js/lib/languages/fsharp'
import graphql from 'highlight.js/lib/languages/graphql'
import groovy from 'highlight.js/lib/languages/groovy'
import haskell from 'highlight.js/lib/languages/haskell'
import ini from 'highlight.js/lib/languages/ini'
import julia from 'highlight.js/lib/languages/julia'
import kotlin from 'highlight.js/lib/languages/kotlin'
import less from 'highlight.js/lib/languages/less'
import lua from 'highlight.js/lib/languages/lua'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import nix from 'highlight.js/lib/languages/nix'
import objectivec from 'highlight.js/lib/languages/objectivec'
import ocaml from 'highlight.js/lib/languages/ocaml'
import perl from 'highlight.js/lib/languages/perl'
import php from 'highlight.js/lib/languages/php'
import powershell from 'highlight.js/lib/languages/powershell'
import protobuf from 'highlight.js/lib/languages/protobuf'
import r from 'highlight.js/lib/languages/r'
import ruby from 'highlight.js/lib/languages/ruby'
import scala from 'highlight.js/lib/languages/scala'
import scss from 'highlight.js/lib/languages/scss'
import swift from 'highlight.js/lib/languages/swift'
import type { ReactNode } from 'react'
import { known, namesOf, type Piece } from './highlight.tsx'

known.register({ c, clojure, cmake, cpp, csharp, dart, diff, dockerfile, elixir, erlang, fsharp, graphql, groovy })
known.register({ haskell, ini, julia, kotlin, less, lua, makefile, markdown, nix, objectivec, ocaml, perl, php })
known.register({ powershell, protobuf, r, ruby, scala, scss, swift })

/** Where the end of the name is no name of a language. */
const byEnd: Readonly<Record<string, string>> = {
  clj: 'clojure',
  cljs: 'clojure',
  ex: 'elixir',
  exs: 'elixir',
  gradle: 'groovy',
  htm: 'xml',
  jsonc: 'json',
  proto: 'protobuf',
  ps1: 'powershell',
  pyi: 'python',
  sass: 'scss',
  svelte: 'xml',
  vue: 'xml',
}

const byName: Readonly<Record<string, string>> = {
  'cmakelists.txt': 'cmake',
  containerfile: 'dockerfile',
  dockerfile: 'dockerfile',
  gemfile: 'ruby',
  jenkinsfile: 'groovy',
  makefile: 'makefile',
  rakefile: 'ruby',
}

function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const end = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : ''
  const found = byName[name] ?? byEnd[end] ?? end
  return found !== '' && known.registered(found) ? found : null
}

/** More would hold the page up, and a line that long was written by a program. */
const mostText = 512 * 1024
const longestLine = 2_000

/** Null where it is shown as it is: the language is not known, or it is too long. */
export function colouredLines(text: string, path: string): ReactNode[] | null {
  const language = languageOf(path)
  if (!language || text.length > mostText || text.split('\n').some(line => line.length > longestLine)) return null
  const lines: ReactNode[][] = [[]]
  const walk = (pieces: readonly Piece[], names: string | undefined) => {
    for (const piece of pieces) {
      if (piece.type !== 'text') {
        walk(piece.children ?? [], namesOf(piece) ?? names)
        continue
      }
      const [first = '', ...rest] = (piece.value ?? '').split('\n')
      add(lines, first, names)
      for (const part of rest) {
        lines.push([])
        add(lines, part, names)
      }
    }
  }
  walk(known.highlight(language, text).children as readonly Piece[], undefined)
  return lines
}

function add(lines: ReactNode[][], text: string, names: string | undefined): void {
  const line = lines.at(-1)
  if (text === '' || !line) return
  line.push(
    names ? (
      <span key={line.length} className={names}>
        {text}
      </span>
    ) : (
      text
    ),
  )
}
