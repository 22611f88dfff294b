// A hundred secrets as they turn up in reports, and a hundred ordinary texts that only look a little like them.
import { generateKeyPairSync } from 'node:crypto'
import { PageId } from '../../src/areas/pages/contract.ts'
import { newId } from '../../src/kit/random.ts'
import { newKeySecret, newToken } from '../../src/kit/tokens.ts'

const lower = '0123456789abcdefghijklmnopqrstuvwxyz'
const mixed = `${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
const hex = '0123456789abcdef'
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

let seed = 7
/** The same on each run; nobody's. */
function of(alphabet: string, length: number): string {
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return alphabet[Math.floor((seed / 2_147_483_648) * alphabet.length)]
  }).join('')
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = () => `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'ada', iat: 1 })}.${of(mixed, 43)}`
const pem = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim()

/** What must not be seen: the text in which it stands, around `{}`. */
type Form = () => string

const forms: readonly Form[] = [
  newKeySecret,
  () => newToken('sess'),
  () => newToken('run'),
  () => newToken('oat'),
  () => newToken('ort'),
  () => newToken('occ'),
  () => newToken('ocs'),
  () => newToken('inv'),
  () => newToken('tt'),
  () => newId(PageId),
  jwt,
  () => `AKIA${of(upper, 16)}`,
  () => `ASIA${of(upper, 16)}`,
  () => `AIza${of(mixed, 35)}`,
  () => `GOCSPX-${of(mixed, 28)}`,
  () => `ya29.${of(mixed, 60)}`,
  () => `dop_v1_${of(hex, 64)}`,
  () => `dapi${of(hex, 32)}`,
  () => `hvs.${of(mixed, 40)}`,
  () => `dckr_pat_${of(mixed, 27)}`,
  () => `ghp_${of(mixed, 36)}`,
  () => `gho_${of(mixed, 36)}`,
  () => `ghs_${of(mixed, 36)}`,
  () => `github_pat_${of(mixed, 22)}_${of(mixed, 59)}`,
  () => `glpat-${of(mixed, 20)}`,
  () => `npm_${of(mixed, 36)}`,
  () => `pypi-AgEIcHlwaS5vcmc${of(mixed, 80)}`,
  () => `xoxb-${of('0123456789', 12)}-${of('0123456789', 12)}-${of(mixed, 24)}`,
  () => `xoxp-${of('0123456789', 12)}-${of(mixed, 32)}`,
  () => `SG.${of(mixed, 22)}.${of(mixed, 43)}`,
  () => `key-${of(hex, 32)}`,
  () => `SK${of(hex, 32)}`,
  () => `sk_live_${of(mixed, 24)}`,
  () => `rk_live_${of(mixed, 24)}`,
  () => `sk-proj-${of(mixed, 48)}`,
  () => `sk-ant-api03-${of(mixed, 80)}`,
  () => `hf_${of(mixed, 34)}`,
  () => `glsa_${of(mixed, 32)}_${of(hex, 8)}`,
  () => `NRAK-${of(mixed, 27)}`,
  () => `lin_api_${of(mixed, 40)}`,
  () => `shpat_${of(hex, 32)}`,
  () => `${of('0123456789', 10)}:AA${of(mixed, 33)}`,
  () => `tskey-auth-${of(mixed, 24)}`,
  () => `AGE-SECRET-KEY-1${of(upper, 58)}`,
  () => `ada.${of(lower, 6)}@example.com`,
  () => `${of(lower, 5)}+tag@mail.example.co.uk`,
]

const contexts: readonly ((secret: string) => string)[] = [
  secret => `It was ${secret}, as the log says.`,
  secret => `\`\`\`sh\ncurl -H "x: ${secret}" https://api.example.com\n\`\`\``,
  secret => `| name | value |\n|---|---|\n| token | ${secret} |`,
  secret => `See [the answer](https://api.example.com/v1?token=${secret}&page=2).`,
  secret => `**${secret}** and \`${secret}\``,
]

/** With what is around it, which says what it is. */
const inPlace: readonly (() => { secret: string; text: string })[] = [
  () => {
    const secret = pem()
    return { secret: secret.split('\n')[1] ?? '', text: `The key:\n\n${secret}\n\nwas in the image.` }
  },
  () => {
    const secret = of(mixed, 40)
    return { secret, text: `aws_secret_access_key = ${secret}` }
  },
  () => {
    const secret = of(mixed, 64)
    return { secret, text: `Endpoint=sb://x.servicebus.windows.net/;SharedAccessKey=${secret}=` }
  },
  () => {
    const secret = `pass${of(mixed, 8)}`
    return { secret, text: `postgres://app:${secret}@db.example.com:5432/shop` }
  },
  () => {
    const secret = 'hunter2'
    return { secret, text: `redis://:${secret}@cache.example.com:6379/0 did not answer` }
  },
  () => {
    const secret = of(mixed, 24)
    return { secret, text: `https://${secret}@git.example.com/team/code.git` }
  },
  () => {
    const secret = of(mixed, 40)
    return { secret, text: `curl -H 'Authorization: Bearer ${secret}' https://api.example.com` }
  },
  () => {
    const secret = Buffer.from('ada:lovelace').toString('base64')
    return { secret, text: `authorization: Basic ${secret}` }
  },
  () => {
    const secret = `${of(mixed, 9)}/${of(mixed, 9)}/${of(mixed, 24)}`
    return { secret, text: `It posts to https://hooks.slack.com/services/${secret} each time.` }
  },
  () => {
    const secret = `Tr0ub4dor${of(mixed, 6)}`
    return { secret, text: `DB_PASSWORD="${secret}"` }
  },
  () => {
    const secret = of(mixed, 30)
    return { secret, text: `{ "client_secret": "${secret}" }` }
  },
  () => {
    const secret = of(mixed, 64)
    return { secret, text: `https://x.blob.core.windows.net/a?sv=2022&sig=${secret}%3D` }
  },
]

export function secrets(): { secret: string; text: string }[] {
  const placed = inPlace.map(make => make())
  const rest = Array.from({ length: 100 - placed.length }, (_, index) => {
    const secret = (forms[index % forms.length] as Form)()
    const context = contexts[index % contexts.length] as (secret: string) => string
    return { secret, text: context(secret) }
  })
  return [...placed, ...rest]
}

const plain = `The checkout service answers 502 since 12:04.
Deployment 2026.11.17-3 raised the pool to 20 connections.
Commit 4f2d1c9a8b7e6f5a4c3b2d1e0f9a8b7c6d5e4f3a broke it.
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
The record is issue_0123456789abcdefghijklmn in ws_0123456789abcdefghijklmnopqrstuv.
Key key_0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnop was rotated.
Request req_ab12cd34ef failed with 500.
550e8400-e29b-41d4-a716-446655440000 is the trace.
Clone git@github.com:example/checkout.git first.
Use npm install left-pad@1.3.0 or lodash@4.17.21.
The picture is logo@2x.png, in dark logo-dark@3x.webp.
actions/checkout@v4 and docker/login-action@v3.2.0 are pinned.
registry.example.com/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
See https://example.com/docs/search?q=pool&page=2#limits for more.
The URL https://example.com:8443/status answers 200.
ssh root@db-1.internal and look at the disk.
rsync -a ada@build.example.com:/srv/out ./out
ssh://git@git.example.com/team/code.git is the remote.
The password is in the vault; ask the lead.
Password rules: at least 8 characters, one digit.
password: required
token = await getToken(user)
const apiKey = process.env.API_KEY
secret: \${{ secrets.DEPLOY_KEY }}
API_KEY=<your key here>
api_key: "********"
The token expired after 3600 seconds.
Set client_secret to the value of the console.
access_token is missing from the answer.
Authorization: Bearer <token>
Send the header x-api-key with each request.
Basic authentication was turned off in 2024.
The bearer of the news was wrong.
Error: ECONNREFUSED 10.0.0.12:5432
2026-11-16T12:04:05.123Z WARN pool exhausted (20/20)
at Object.<anonymous> (/app/src/server.ts:120:15)
0x7ffee4c0a8b0 is not mapped.
fe80::1ff:fe23:4567:890a answers pings.
AA:BB:CC:DD:EE:FF is the address of the card.
SELECT id FROM users WHERE created > now() - interval '1 day';
kubectl get pods -n checkout -l app=web
The pod checkout-7d9f8b6c5d-x2x9k was evicted.
arn:aws:iam::123456789012:role/checkout
arn:aws:s3:::example-bucket/path/to/object
projects/example-prod/locations/europe-west1/clusters/main
/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/shop
AKIA is how an access key of Amazon begins.
Keys that begin with ghp_ are personal.
Tokens look like xoxb-… and must be kept safe.
sk_live_ and sk_test_ differ in what they charge.
eyJ is how a token in this form begins.
-----BEGIN CERTIFICATE----- is not a private key.
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0000000000000000000000000000000000000000000
The base64 of "hello world" is aGVsbG8gd29ybGQ=.
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
integrity sha512-9ac4e8f7d6c5b4a3928170f6e5d4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3a2918==
etag: "5d8c72a5edda8d6a5c1f0e3b7a4d2c1e"
The md5 is d41d8cd98f00b204e9800998ecf8427e.
Version 10.4.0-rc.1+build.20261116 is out.
~/.ssh/config names the host.
Ada Lovelace wrote the first program.
Write to support, or call +44 20 7946 0958.
IBAN DE89 3704 0044 0532 0130 00 is an example.
4111 1111 1111 1111 is the number of a test card.
The @mention of @ada reached nobody.
Follow @example on the usual networks.
matrix product: C = A @ B.T
@Override public String toString() { return name; }
email: null
user.email !== undefined
SMTP_URL=smtp://mail.internal:587
postgres://localhost:5432/shop
redis://cache.internal:6379/0
mongodb://db-1.internal,db-2.internal/shop?replicaSet=rs0
amqp://broker.example.com/vhost
jdbc:postgresql://db.example.com:5432/shop
s3://example-bucket/backups/2026-11-16.tar.gz
gs://example-bucket/exports/
file:///var/log/app.log
chrome://flags/#enable-something
time://now is no address.
ratio 3:1@60fps
meet at 10:00@room2
foo@bar is no address of mail.
cron(0 6 * * ? *) runs at six.
GET /v1/issues/ws_1/issue_2?include=timeline HTTP/1.1
Set-Cookie: theme=dark; Path=/; SameSite=Lax
x-request-id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301
traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
The key of the map is the id of the user.
The secret of good soup is time.
A private key must never be in an image.
Rotate all access keys every 90 days.
p95 was 812 ms, p99 1,204 ms.
We saw 12,408 errors in 14 minutes.
She said: "the token ring network is gone".
Höhe über dem Meer: 1.240 m
日本語のテキストもそのまま残ります。
✅ all checks passed
Nothing else happened.`

export const ordinary: readonly string[] = plain.split('\n')
