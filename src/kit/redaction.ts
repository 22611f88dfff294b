// Takes secrets in known forms and e-mail addresses out of texts that others will read, and counts them.

export type Redacted = { text: string; count: number }

/** Not inside a longer word: what only looks like the end of a secret is none. */
const start = '(?<![A-Za-z0-9_])'
const end = '(?![A-Za-z0-9_])'

/** Each is the form of a secret of somebody; where it begins with something that is none, that is captured as `keep`. */
const forms: readonly RegExp[] = [
  // Keys in blocks of lines, also one whose end was cut off.
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?=\n\s*\n(?![A-Za-z0-9+/=\s-]*-----END))|$)/g,
  /PuTTY-User-Key-File-\d[\s\S]*?(?:Private-MAC: *[0-9a-f]+|$)/g,
  /AGE-SECRET-KEY-1[0-9A-Z]{50,}/gi,
  // Our own: API keys, sessions, runs, invites, OAuth, telemetry, and pages, whose id opens them.
  word('atr_[0-9A-Za-z]{40,}'),
  word('(?:sess|run|oat|ort|oac|occ|ocs|odc|inv|tt(?!_id_)|hook|whsec|pst)_[A-Za-z0-9_-]{32,}'),
  word('page_[0-9a-z]{40}'),
  // Three parts, of which the first two are JSON.
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g,
  // Amazon, Google, Microsoft, DigitalOcean, Alibaba and others who rent machines.
  word('(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[A-Z2-7]{16}'),
  /(?<keep>(?:aws_?)?secret_?(?:access_?)?key["']?\s*[:=]\s*["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
  /(?<keep>aws_?session_?token["']?\s*[:=]\s*["']?)[A-Za-z0-9/+=]{64,}/gi,
  word('AIza[0-9A-Za-z_-]{35}'),
  word('GOCSPX-[0-9A-Za-z_-]{28}'),
  word('ya29\\.[0-9A-Za-z_-]{20,}'),
  word('1//0[0-9A-Za-z_-]{40,}'),
  /(?<keep>(?:AccountKey|SharedAccessKey|SharedSecretValue)=)[A-Za-z0-9+/]{43,88}={0,2}/g,
  /(?<keep>[?&]sig=)[A-Za-z0-9%+/]{40,}(?:%3D|=)?/g,
  /(?<keep>[?&](?:X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature)=)[A-Za-z0-9%+/=_-]{32,}/gi,
  /(?<![\w~.-])[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}/g,
  word('(?:dop|doo|dor)_v1_[a-f0-9]{64}'),
  word('LTAI[0-9A-Za-z]{16,24}'),
  word('dapi[a-f0-9]{32}(?:-\\d)?'),
  word('hvs\\.[A-Za-z0-9_-]{24,}'),
  word('hvb\\.[A-Za-z0-9_-]{24,}'),
  word('[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}'),
  word('dckr_pat_[A-Za-z0-9_-]{20,}'),
  word('pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}'),
  word('(?:FlyV1 )?fm[12]_[A-Za-z0-9+/=_-]{60,}'),
  word('HRKU-[A-Za-z0-9_-]{36,}'),
  word('vercel_[A-Za-z0-9]{24,}'),
  word('nfp_[A-Za-z0-9]{36,}'),
  // Where code is kept, built and published.
  word('gh[pousr]_[A-Za-z0-9]{36,}'),
  word('github_pat_[A-Za-z0-9_]{60,}'),
  word('gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{20,}'),
  word('ATATT3[A-Za-z0-9_=-]{60,}'),
  word('ATBB[A-Za-z0-9]{32}'),
  word('npm_[A-Za-z0-9]{36}'),
  word('pypi-AgE[A-Za-z0-9_-]{50,}'),
  word('rubygems_[a-f0-9]{48}'),
  word('CIRCLE_[A-Za-z0-9]{40,}'),
  word('bkua_[a-z0-9]{40}'),
  word('sqp_[a-f0-9]{40}'),
  word('sntrys_[A-Za-z0-9_=+/-]{60,}'),
  word('snyk_[A-Za-z0-9_-]{30,}'),
  // Those who send messages.
  word('xox[abeoprs]-[A-Za-z0-9-]{10,}'),
  word('xapp-\\d-[A-Z0-9]{8,}-\\d+-[a-f0-9]{32,}'),
  /(?<keep>https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{20,}/g,
  /(?<keep>https:\/\/(?:(?:canary|ptb)\.)?discord(?:app)?\.com\/api\/webhooks\/)\d+\/[\w-]{40,}/g,
  /(?<keep>https:\/\/[\w-]+\.webhook\.office\.com\/webhookb2\/)[\w@/-]{40,}/g,
  /(?<![\w-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])/g,
  word('\\d{8,10}:AA[A-Za-z0-9_-]{33}'),
  word('SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{32,}'),
  word('key-[a-f0-9]{32}'),
  word('SK[a-f0-9]{32}'),
  word('[a-f0-9]{32}-us\\d{1,2}'),
  word('xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  // Those who take money, and those who sell.
  word('(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}'),
  word('sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}'),
  word('shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'),
  word('access_token\\$production\\$[a-z0-9]{16}\\$[a-f0-9]{32}'),
  // Models, figures, notes.
  word('sk-(?:ant-|proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{32,}'),
  word('gsk_[A-Za-z0-9]{40,}'),
  word('hf_[A-Za-z0-9]{34}'),
  word('r8_[A-Za-z0-9]{37,}'),
  word('pplx-[A-Za-z0-9]{40,}'),
  word('xai-[A-Za-z0-9]{60,}'),
  word('gl(?:sa|c)_[A-Za-z0-9_=+/-]{32,}'),
  word('NR(?:AK|JS|II|RA)-[A-Za-z0-9]{27,}'),
  word('lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  word('(?:secret|ntn)_[A-Za-z0-9]{40,}'),
  word('pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}'),
  word('figd_[A-Za-z0-9_-]{40,}'),
  word('dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,}'),
  word('tskey-[a-z]+-[A-Za-z0-9-]{20,}'),
  word('PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  word('phc_[A-Za-z0-9]{40,}'),
  word('ops_eyJ[A-Za-z0-9_-]{100,}'),
  word('A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}'),
  // Who one is, in an address or a header.
  /(?<keep>\b[a-z][a-z0-9+.-]{1,30}:\/\/)[^\s/?#@"'<>()[\]]{0,256}:[^\s/?#@"'<>]{1,256}(?=@)/gi,
  /(?<keep>\bhttps?:\/\/)[A-Za-z0-9_-]{20,256}(?=@)/gi,
  /(?<keep>\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest|apikey)\s+)[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<keep>\bx-(?:api-key|auth-token|vault-token|gitlab-token)["']?\s*[:=]\s*["']?)[A-Za-z0-9._~+/=-]{12,}/gi,
  /(?<keep>_authToken=)[A-Za-z0-9._~+/=-]{12,}/g,
  // Named as what it is, with a value that nobody would write as a word.
  /(?<keep>(?:password|passwd|passphrase|secret|api[_-]?key|apikey|access[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret|private[_-]?key)["']?\s*(?:=|:|=>|:=)\s*["']?)(?=[^\s"']{0,256}[0-9])(?=[^\s"']{0,256}[A-Za-z])(?![^\s"']{0,256}(?:\$\{|\{\{|<|\(|\*{3}|x{6}|\.\.\.))[^\s"',;|`<>()[\]]{12,}/gi,
]

function word(form: string): RegExp {
  return new RegExp(start + form + end, 'g')
}

const letter = '[\\p{L}\\p{N}]'
const address = new RegExp(
  `(?<![\\p{L}\\p{N}._%+-])(?<!://)(?<local>${letter}(?:[\\p{L}\\p{N}._%+'-]{0,62}[\\p{L}\\p{N}_%+-])?)` +
    `@(?<domain>(?:${letter}(?:[\\p{L}\\p{N}-]{0,61}${letter})?\\.)+(?<top>\\p{L}{2,24}|xn--[a-z0-9-]{2,59}))` +
    '(?![\\p{L}\\p{N}_-])',
  'giu',
)

/** What stands behind the last dot of files and of machines in a house, and of no address that mail goes to. */
const notMail = new Set(
  (
    'png jpg jpeg gif svg webp avif ico bmp css scss less js mjs cjs ts mts cts tsx jsx json yml yaml toml lock txt html ' +
    'htm xml csv log gz tgz tar jar war class java cpp hpp internal local localdomain lan localhost svc cluster intranet corp'
  ).split(' '),
)
const repositories = new Set(['git', 'hg', 'svn'])

const secretInstead = '[redacted secret]'
export const addressInstead = '[redacted e-mail address]'

export function redact(text: string): Redacted {
  let count = 0
  let rest = text
  for (const form of forms) {
    rest = rest.replace(form, (...found) => {
      count++
      const groups = found.at(-1) as { keep?: string } | string
      return (typeof groups === 'object' ? (groups.keep ?? '') : '') + secretInstead
    })
  }
  rest = rest.replace(address, (whole, ...found) => {
    const { local, domain, top } = found.at(-1) as { local: string; domain: string; top: string }
    const behind = rest.slice((found.at(-3) as number) + whole.length)
    if (isNoMail(local, domain, top, behind)) return whole
    count++
    return addressInstead
  })
  return { text: rest, count }
}

/** `icon@2x.png`, `left-pad@1.3.0-rc.one`, `git@example.com:team/code`, `root@db-1.internal`, `me@host.example.com:/srv`. */
function isNoMail(local: string, domain: string, top: string, behind: string): boolean {
  if (notMail.has(top.toLowerCase()) || /^v?\d+\.\d/.test(domain)) return true
  return /^:[~/]/.test(behind) || (repositories.has(local.toLowerCase()) && behind.startsWith(':'))
}
