// Takes secrets out of what others say: as they were set, and in the forms in which a target repeats what it was sent.

/** What is shorter would be found in texts that have nothing to do with it. */
const shortestSecret = 6
/** A piece of an address that is longer than this is no word but what makes the address secret. */
const shortestPiece = 16

export type Hide = (text: string) => string

export function hiding(secrets: readonly (string | null | undefined)[]): Hide {
  const forms = formsOfAll(secrets)
  return text => forms.reduce((left, form) => left.replaceAll(form, '[secret]'), text)
}

/** Of a text that may end in the middle of a secret. */
export function hidingCut(secrets: readonly (string | null | undefined)[]): Hide {
  const forms = formsOfAll(secrets)
  const hide = hiding(secrets)
  return text => {
    const begun = Math.max(0, ...forms.map(form => begunAtEnd(text, form)))
    return begun === 0 ? hide(text) : `${hide(text.slice(0, -begun))}[secret]`
  }
}

/** How many characters at the end of the text are the beginning of this. */
function begunAtEnd(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= shortestSecret; length--) {
    if (text.endsWith(form.slice(0, length))) return length
  }
  return 0
}

/** A form that is part of another goes last, or the rest of the longer one would stay. */
function formsOfAll(secrets: readonly (string | null | undefined)[]): string[] {
  const parts = secrets.flatMap(secret => (secret ? partsOf(secret) : []))
  const forms = parts.filter(part => part.length >= shortestSecret).flatMap(writtenAs)
  return [...new Set(forms)].sort((one, other) => other.length - one.length)
}

/** Of an address its path and what is secret in it; of a header also what stands behind its scheme. */
function partsOf(secret: string): string[] {
  if (/^https?:\/\//i.test(secret) && URL.canParse(secret)) {
    const { pathname, search, searchParams } = new URL(secret)
    const pieces = [...pathname.split('/'), ...searchParams.values()].filter(piece => piece.length >= shortestPiece)
    return [secret, ...(pathname.length + search.length > shortestPiece ? [pathname + search] : []), ...pieces]
  }
  const [, scheme = '', credential] = /^([A-Za-z]+) (\S+)$/.exec(secret) ?? []
  if (credential === undefined) return [secret]
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(credential, 'base64').toString() : ''
  return [secret, credential, ...(pair.includes(':') ? [pair, pair.slice(pair.indexOf(':') + 1)] : [])]
}

function writtenAs(text: string): string[] {
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text.toWellFormed()),
    ...(['base64', 'base64url'] as const).flatMap(encoding => [
      Buffer.from(text).toString(encoding).replace(/=+$/, ''),
      ...[0, 1, 2].map(before => withinBase64(text, encoding, before)),
    ]),
  ]
}

/** What every base64 has in it where the text begins so many bytes, modulo three, after the beginning. */
function withinBase64(text: string, encoding: 'base64' | 'base64url', before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
  return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}
