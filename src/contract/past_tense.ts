// The past tense of the verbs of operations, for sentences about what was done.

const irregular: Readonly<Record<string, string>> = {
  post: 'created',
  patch: 'changed',
  put: 'changed',
  del: 'deleted',
  get: 'read',
  list: 'listed',
  query: 'searched',
  run: 'ran',
  reset: 'reset',
  resend: 'resent',
  split: 'split',
  cancel: 'cancelled',
  transfer: 'transferred',
  explain: 'asked about',
}

/** Of lower-case words with the verb first: `end old secret` → "ended old secret". A past tense stays as it is. */
export function pastTense(words: string): string {
  const [verb = '', ...rest] = words.split(' ')
  return [Object.hasOwn(irregular, verb) ? irregular[verb] : regular(verb), ...rest].join(' ')
}

function regular(verb: string): string {
  if (verb.endsWith('ed')) return verb
  if (verb.endsWith('e')) return `${verb}d`
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`
}
