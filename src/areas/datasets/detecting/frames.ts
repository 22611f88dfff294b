// A stack trace → the functions on top of it, in the forms of the common languages, without what differs between builds.

type Frame = { name: string; file: string }

const longestTrace = 32_768
const longestLine = 512
const mostLines = 400

/** Each has the groups `name` and `file`. The first that matches a line counts. */
const atForms: readonly RegExp[] = [
  // Java, Kotlin, Scala: at com.shop.Cart.add(Cart.java:12)
  /^\s*at (?:[\w.@-]*\/{1,2})?(?<name>[\w$.<>-]+)\((?<file>[^():]+\.(?:java|kt|scala|groovy|clj)|Native Method|Unknown Source|<generated>)(?::\d+)?\)/,
  // .NET: at Shop.Cart.Add(Int32 id) in /src/Cart.cs:line 12
  /^\s*at (?<name>[\w.<>`$+|,[\]]+)\([^)]*\)(?: in (?<file>.+?):line \d+)?$/,
  // JavaScript: at Cart.add (/app/cart.js:1:2), at async /app/cart.js:1:2
  /^\s*at (?:async )?(?:new )?(?<name>[^()]*?) ?\((?<file>[^()]+?)(?::\d+){1,2}\)$/,
  /^\s*at (?:async )?(?<name>)(?<file>[^()\s]+?)(?::\d+){1,2}$/,
]
const numberedForms: readonly RegExp[] = [
  // PHP: #0 /app/cart.php(12): Cart->add()
  /^#\d+ (?<file>\[internal function\]|[^(]+)(?:\(\d+\))?: (?<name>[\w\\>:{}-]+)/,
  // Dart: #0 Cart.add (package:shop/cart.dart:1:2)
  /^#\d+ +(?<name>[^()]+?) \((?<file>[^()]+?)(?::\d+){1,2}\)$/,
]
const otherForms: readonly RegExp[] = [
  // Firefox and Safari: add@https://shop.example/cart.js:1:2
  /^(?<name>[^@\s]*)@(?<file>\S+?)(?::\d+){1,2}$/,
  // Ruby: /app/cart.rb:12:in 'Cart#add'
  /^\s*(?:from )?(?<file>[^\s:][^:]*\.(?:rb|erb|rake)|<internal:[^>]+>):\d+:in [`'"](?<name>[^'"]+)['"]/,
  // Rust: 4: shop::cart::add
  /^\s*\d+: +(?:0x[\da-f]+ - )?(?<name><?[\w:<>]+::[\w:<>{}#]+)(?<file>)$/,
]

const pythonForm = /^\s*File "(?<file>[^"]+)", line \d+(?:, in (?<name>.+))?$/

/** Go has the function on one line and the place on the next. */
const goPlace = /^\s+(?<file>\S+\.go):\d+/
const goName = /^(?:created by )?(?<name>[\w./*()[\]-]+?)(?:\([^()]*\)|\(\.\.\.\))?(?: in goroutine \d+)?$/

/** Not the sender's own code: of the language, its runtime, or a library. */
const foreignFile =
  /(^|[/\\])(node_modules|site-packages|dist-packages|vendor|gems|rubygems|\.cargo|\.pub-cache|pkg[/\\]mod)[/\\]|^node:|^internal[/\\]|[/\\]lib[/\\]python\d|^<|^\[internal|[/\\]go[/\\]src[/\\]|[/\\]rustc[/\\]|[/\\]ruby[/\\]\d|^(dart|package:flutter|native|webpack[/\\]runtime|Native Method|chrome-extension:|index )/i
const foreignName =
  /^(java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|org\.(springframework|apache|hibernate|junit|eclipse|jboss|postgresql)|io\.(netty|grpc|reactivex|micrometer|vertx|opentelemetry)|reactor|okhttp3|com\.(fasterxml|google\.common|zaxxer|mysql)|System|Microsoft|runtime|runtime\/debug|net\/http|reflect|testing|sync|core|std|alloc|tokio|hyper|backtrace|rust_begin_unwind|<(core|std|alloc)|Illuminate|Symfony)(\.|::|\\|\$|$)|^(panic|__rust|Promise\.|new Promise|process\.)/

/**
 * The first of the sender's own functions, the innermost first; where none is theirs, the first of all. Without
 * addresses, line numbers, folders and generated names.
 */
export function topFrames(trace: string, most = 3): string[] {
  const own: string[] = []
  const foreign: Frame[] = []
  for (const frame of framesOf(trace)) {
    if (foreignFile.test(frame.file) || foreignName.test(frame.name)) {
      if (own.length === 0) foreign.push(frame)
    } else if (add(own, frame) === most) break
  }
  if (own.length === 0) for (const frame of foreign) if (add(own, frame) === most) break
  return own
}

/** Returns how many there are. A function that calls itself is there once. */
function add(list: string[], frame: Frame): number {
  const text = shown(frame)
  if (text !== '' && text !== list.at(-1)) list.push(text)
  return list.length
}

/** Innermost first. Of an exception with a cause those of the exception itself, which Python has last. */
function* framesOf(trace: string): Generator<Frame> {
  if (trace.includes('  File "')) return yield* pythonFrames(trace.slice(-longestTrace).split('\n').slice(-mostLines))
  const lines = trace.slice(0, longestTrace).split('\n', mostLines)
  let hasBegun = false
  for (const [index, whole] of lines.entries()) {
    const line = whole.slice(0, longestLine).trimEnd()
    if (hasBegun && /^\s*(Caused by:|Suppressed:|---> )/.test(line)) return
    const frame = goFrame(line, lines[index - 1] ?? '') ?? frameIn(line)
    if (!frame) continue
    hasBegun = true
    yield frame
  }
}

function* pythonFrames(lines: readonly string[]): Generator<Frame> {
  for (const whole of lines.toReversed()) {
    const line = whole.slice(0, longestLine).trimEnd()
    if (/^(During handling of|The above exception was)/.test(line)) return
    const { name = '', file } = pythonForm.exec(line)?.groups ?? {}
    if (file !== undefined) yield { name, file }
  }
}

function goFrame(line: string, before: string): Frame | null {
  const { file } = goPlace.exec(line)?.groups ?? {}
  if (file === undefined) return null
  const { name } = goName.exec(before.slice(0, longestLine).trim())?.groups ?? {}
  return name === undefined ? null : { name, file }
}

function frameIn(line: string): Frame | null {
  const forms = /^\s*at /.test(line) ? atForms : line.startsWith('#') ? numberedForms : otherForms
  for (const form of forms) {
    const groups = form.exec(line)?.groups
    if (groups) return { name: groups.name ?? '', file: groups.file ?? '' }
  }
  return null
}

function shown({ name, file }: Frame): string {
  const last = fileName(file)
  const what = functionName(name)
  return what === '' ? last : last === '' ? what : `${what} (${last})`
}

/** Without its folders, which differ between machines, and without the hash of a build. */
function fileName(file: string): string {
  const last =
    file
      .replace(/[?#].*$/, '')
      .split(/[/\\]/)
      .at(-1) ?? ''
  return last.replace(/[.-](?=[a-z]*\d)[\da-z]{6,}(?=\.)/i, '').replace(/^<.*>$/, '')
}

function functionName(name: string): string {
  return (
    name
      .replace(/^(async|new) /, '')
      .replace(/^Object\.<anonymous>$|^<anonymous>$|^<module>$|^\{main\}$|^null\./, '')
      // .NET: <Add>d__12.MoveNext, <>c__DisplayClass3_0.<Run>b__0
      .replace(/<>c(__DisplayClass\d+_\d+)?\./, '')
      .replace(/<(\w+)>[a-z]__\d+(_\d+)?(\.MoveNext)?/, '$1')
      .replace(/`\d+/g, '')
      // Java: lambda$add$0, $$Lambda$12/0x0001, Cart$$SpringCGLIB$$0, Cart$1
      .replace(/\$\$Lambda.*?(?=\.|$)/, '$$Lambda')
      .replace(/\$\$(\w*?)(CGLIB|Proxy)\w*(\$\$[\da-f]+)?/i, '')
      .replace(/\$\d+(?=[.$]|$)/g, '$')
      .replace(/GeneratedMethodAccessor\d+/, 'GeneratedMethodAccessor')
      // Go: cart.add.func1.2; Rust: ::h0123456789abcdef
      .replace(/\.func\d+(\.\d+)*/g, '.func')
      .replace(/::h[\da-f]{16}$/, '')
      .replace(/0x[\da-f]+/gi, '')
      .replace(/\[as [^\]]*\]/, '')
      .trim()
      .slice(0, 200)
  )
}
