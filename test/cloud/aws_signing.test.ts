// Signatures against AWS's published examples, and the reader of XML against what nobody should send.
import { describe, expect, it } from 'vitest'
import { placeOf } from '../../src/areas/cloud_accounts/sources/aws/hosts.ts'
import { signed } from '../../src/areas/cloud_accounts/sources/aws/signing.ts'
import { MalformedXml, readXml } from '../../src/areas/cloud_accounts/sources/aws/xml.ts'
import { verified } from './aws_signature.ts'

const suite = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const suiteScope = { service: 'service', region: 'us-east-1', at: new Date('2015-08-30T12:36:00Z') }
const ofS3 = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const s3Scope = { service: 's3', region: 'us-east-1', at: new Date('2013-05-24T00:00:00Z') }
const letters = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Of the test suite of Signature Version 4: name, method, target, headers, body, signed headers, signature. */
const vectors: readonly [string, string, string, Record<string, string>, string, string, string][] = [
  ['get-vanilla', 'GET', '/', {}, '', '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST', '/', {}, '', '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-unreserved',
    'GET',
    `/${letters}`,
    {},
    '',
    '',
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-vanilla-query',
    'GET',
    '/?Param1=value1',
    {},
    '',
    '',
    'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  ],
  [
    'query-order-key',
    'GET',
    '/?Param1=value2&Param1=Value1',
    {},
    '',
    '',
    'eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1',
  ],
  [
    'query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    {},
    '',
    '',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'query-order-value',
    'GET',
    '/?Param1=value2&Param1=value1',
    {},
    '',
    '',
    '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
  ],
  [
    'query-unreserved',
    'GET',
    `/?${letters}=${letters}`,
    {},
    '',
    '',
    '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  ],
  ['utf8-query', 'GET', '/?ሴ=bar', {}, '', '', '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04'],
  [
    'header-value-trim',
    'GET',
    '/',
    { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' },
    '',
    'my-header1;my-header2;',
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
  [
    'post-header-key-sort',
    'POST',
    '/',
    { 'My-Header1': 'value1' },
    '',
    'my-header1;',
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
  [
    'post-header-value-case',
    'POST',
    '/',
    { 'My-Header1': 'VALUE1' },
    '',
    'my-header1;',
    'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  ],
  [
    'get-relative',
    'GET',
    '/example/..',
    {},
    '',
    '',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
]

describe('a signature', () => {
  it.each(vectors)('is that of the test suite: %s', (_, method, target, headers, body, names, signature) => {
    const url = new URL(`https://example.amazonaws.com${target}`)
    const { authorization } = signed({ method, url, headers, body }, suiteScope, suite)
    expect(authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;${names}x-amz-date, Signature=${signature}`,
    )
  })

  it('of a form covers what it is sent as', () => {
    const url = new URL('https://example.amazonaws.com/')
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const { authorization } = signed({ method: 'POST', url, headers, body: 'Param1=value1' }, suiteScope, suite)
    expect(authorization).toContain('SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d72')
  })

  it.each([
    [
      'GET',
      '/test.txt',
      { range: 'bytes=0-9' },
      '',
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    ['GET', '/?lifecycle', {}, '', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['GET', '/?max-keys=2&prefix=J', {}, '', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
    [
      'PUT',
      '/test%24file.text',
      { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      'Welcome to Amazon S3.',
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
  ])('of S3 is that of its documentation: %s %s', (method, target, headers, body, signature) => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com${target}`)
    const sent = signed({ method, url, headers: headers as Record<string, string>, body }, s3Scope, ofS3)
    expect(sent.authorization).toMatch(new RegExp(`Signature=${signature}$`))
    expect(sent['x-amz-content-sha256']).toMatch(/^[0-9a-f]{64}$/)
  })

  it('of a path that is encoded already, with a session token and a port, is what others compute', () => {
    for (const service of ['lambda', 's3']) {
      const url = new URL("http://127.0.0.1:4566/a%3Ab%20c/d!'()*%2F?b=%2B%20&a-b=1&a=&A=%E1%88%B4")
      const keys = { ...suite, sessionToken: 'to/ken+==' }
      const path = service === 's3' ? '/a%3Ab%20c/d%21%27%28%29%2A%2F' : url.pathname
      const target = `${path}${url.search}`
      const at = new Date('2026-11-18T23:59:59.999Z')
      const request = { method: 'GET', url: new URL(target, url), headers: { accept: 'x' }, body: '' }
      const headers = { ...signed(request, { service, region: 'eu-west-1', at }, keys), host: url.host }
      const holders = new Map([[suite.accessKeyId, { secret: suite.secretAccessKey, token: keys.sessionToken }]])
      const raw = { method: 'GET', target, headers, body: Buffer.alloc(0) }
      expect(verified(raw, holders, at)).toEqual({ accessKeyId: 'AKIDEXAMPLE', service, region: 'eu-west-1' })
      expect(() => verified({ ...raw, target: `${target}x` }, holders, at)).toThrow('SignatureDoesNotMatch')
    }
  })
})

describe('a place', () => {
  it.each([
    ['ec2', 'eu-west-1', 'https://ec2.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['ec2', 'cn-north-1', 'https://ec2.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['iam', 'eu-west-1', 'https://iam.amazonaws.com', 'us-east-1'],
    ['iam', 'us-gov-east-1', 'https://iam.us-gov.amazonaws.com', 'us-gov-west-1'],
    ['iam', 'cn-northwest-1', 'https://iam.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['route53', 'ap-south-1', 'https://route53.amazonaws.com', 'us-east-1'],
    ['tag', 'eu-west-1', 'https://tagging.eu-west-1.amazonaws.com', 'eu-west-1'],
  ] as const)('of %s in %s is %s', (service, region, base, signedFor) => {
    expect(placeOf(service, region, null)).toMatchObject({ base, region: signedFor })
    expect(placeOf(service, region, 'http://127.0.0.1:1').base).toBe('http://127.0.0.1:1')
  })
})

describe('XML', () => {
  it('becomes fields, lists and texts', () => {
    const text = `<?xml version="1.0"?>\n<!-- made by hand --><a:R xmlns:a="x>y">
      <item b='<'>1</item><item><c> &lt;&amp;&#x41;&#10;</c></item><none/><blank> </blank></a:R>\n`.replace(
      "b='<'",
      "b='>'",
    )
    expect(readXml(text)).toEqual({
      root: 'R',
      value: { item: ['1', { c: ' <&A\n' }], none: '', blank: ' ' },
    })
  })

  it.each([
    ['a document type', '<!DOCTYPE a><a/>'],
    ['an entity of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an unknown entity', '<a>&nbsp;</a>'],
    ['a bare ampersand', '<a>b & c</a>'],
    ['NUL', '<a>&#0;</a>'],
    ['half of a pair', '<a>&#xD800;</a>'],
    ['CDATA', '<a><![CDATA[b]]></a>'],
    ['an instruction', '<a><?php 1 ?></a>'],
    ['overlapping elements', '<a><b></a></b>'],
    ['two roots', '<a/><b/>'],
    ['text around it', 'x<a/>'],
    ['an open end', '<a><b></b>'],
    ['an open tag', '<a'],
    ['an end alone', '</a>'],
    ['another prototype', '<a><__proto__>1</__proto__></a>'],
    ['nothing', ''],
    ['depth', '<a>'.repeat(40) + '</a>'.repeat(40)],
    ['an endless comment', `<a><!-- ${'-'.repeat(99)}`],
  ])('is refused with %s', (_, text) => {
    expect(() => readXml(text)).toThrow(MalformedXml)
  })

  it('is refused in time, however long', () => {
    const started = performance.now()
    for (const text of ['<a>'.repeat(2_000_000), `<a${' '.repeat(4_000_000)}`, `<a>${'&'.repeat(4_000_000)}</a>`]) {
      expect(() => readXml(text)).toThrow(MalformedXml)
    }
    expect(() => readXml(`<r>${'<a/>'.repeat(600_000)}</r>`)).toThrow(MalformedXml)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
