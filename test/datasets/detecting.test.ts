// What detection recognises: the same error is one fingerprint whatever changes between two times, and others are others.
import { describe, expect, it } from 'vitest'
import { countsSince } from '../../src/areas/datasets/detecting/deciding.ts'
import { addFindings, type NumberedRow } from '../../src/areas/datasets/detecting/findings.ts'
import { topFrames } from '../../src/areas/datasets/detecting/frames.ts'
import { templateOf } from '../../src/areas/datasets/detecting/masking.ts'
import { recognise, type Watched } from '../../src/areas/datasets/detecting/recognising.ts'
import { usualDetection } from '../../src/areas/datasets/fields/contract.ts'
import type { Attributes, Row, Severity } from '../../src/areas/datasets/rows/row.ts'

const id = `dataset_${'a'.repeat(24)}`
const watched = (kind: 'logs' | 'traces', groupBy: string[] = [], minSeverity: Severity = 'error'): Watched => ({
  id,
  kind,
  detection: { ...usualDetection, enabled: true, groupBy, minSeverity },
})
const log = (body: string, more: Partial<Row> = {}): Row => ({
  at: 1n,
  attributes: {},
  severity: 'error',
  service: 'shop',
  body,
  ...more,
})
const span = (more: Partial<Row> = {}): Row => ({
  at: 1n,
  attributes: {},
  service: 'shop',
  name: 'GET /cart',
  status: 'error',
  ...more,
})
const thrown = (attributes: Attributes): Pick<Row, 'detail'> => ({
  detail: { events: [{ name: 'exception', attributes }] },
})
const exception = (type: string, trace: string, message = 'went wrong') =>
  span(thrown({ 'exception.type': type, 'exception.message': message, 'exception.stacktrace': trace }))
const mark = (row: Row, of: Watched = watched(row.status === undefined ? 'logs' : 'traces')) =>
  recognise(of, row)?.fingerprint

/** Twice the same error, from another build, machine or moment; then another one. */
const traces: Record<string, { frames: string[]; same: [string, string]; other: string }> = {
  'Node.js': {
    frames: ['Cart.add (cart.js)', 'handle (routes.js)'],
    same: [
      `TypeError: Cannot read properties of undefined (reading 'price')
    at Cart.add (/srv/app/src/cart.js:12:19)
    at Layer.handle [as handle_request] (/srv/app/node_modules/express/lib/router/layer.js:95:5)
    at async handle (file:///srv/app/src/routes.js:40:3)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`,
      `TypeError: Cannot read properties of undefined (reading 'price')
    at Cart.add (/home/ci/build-7/src/cart.js:14:21)
    at Layer.handle [as handle_request] (/home/ci/build-7/node_modules/express/lib/router/layer.js:102:9)
    at async handle (file:///home/ci/build-7/src/routes.js:44:3)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)`,
    ],
    other: `TypeError: x
    at Cart.remove (/srv/app/src/cart.js:30:19)
    at async handle (file:///srv/app/src/routes.js:40:3)`,
  },
  'a browser': {
    frames: ['add (main.js)', 'onClick (main.js)'],
    same: [
      'add@https://shop.example/assets/main.3f9a2c71.js:1:2034\nonClick@https://shop.example/assets/main.3f9a2c71.js:1:99',
      'add@https://shop.example/assets/main.b17e04d2.js:1:2101\nonClick@https://shop.example/assets/main.b17e04d2.js:1:120',
    ],
    other: 'pay@https://shop.example/assets/main.3f9a2c71.js:1:2034',
  },
  Python: {
    frames: ['add (cart.py)', 'view (views.py)'],
    same: [
      `Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/django/core/handlers/exception.py", line 55, in inner
    response = get_response(request)
  File "/app/shop/views.py", line 20, in view
    cart.add(item)
  File "/app/shop/cart.py", line 9, in add
    return self.items[item.id]
KeyError: 17`,
      `Traceback (most recent call last):
  File "/opt/venv/lib/python3.12/site-packages/django/core/handlers/exception.py", line 61, in inner
    response = get_response(request)
  File "/opt/shop/views.py", line 22, in view
    cart.add(item)
  File "/opt/shop/cart.py", line 11, in add
    return self.items[item.id]
KeyError: 4711`,
    ],
    other: `Traceback (most recent call last):
  File "/app/shop/views.py", line 20, in view
    cart.add(item)
  File "/app/shop/stock.py", line 9, in reserve
KeyError: 17`,
  },
  Java: {
    frames: ['com.shop.Cart.add (Cart.java)', 'com.shop.CartController.lambda$post$ (CartController.java)'],
    same: [
      `java.lang.NullPointerException: item 17
	at java.base/java.util.Objects.requireNonNull(Objects.java:233)
	at com.shop.Cart.add(Cart.java:41)
	at com.shop.CartController.lambda$post$0(CartController.java:22)
	at com.shop.CartController$$Lambda$871/0x000000080055d440.apply(Unknown Source)
	at org.springframework.web.servlet.FrameworkServlet.service(FrameworkServlet.java:897)
Caused by: java.lang.IllegalStateException
	at com.shop.Stock.find(Stock.java:3)`,
      `java.lang.NullPointerException: item 99
	at java.base/java.util.Objects.requireNonNull(Objects.java:259)
	at app//com.shop.Cart.add(Cart.java:44)
	at com.shop.CartController.lambda$post$3(CartController.java:25)
	at com.shop.CartController$$Lambda$912/0x00007f00013a8c10.apply(Unknown Source)
	at org.springframework.web.servlet.FrameworkServlet.service(FrameworkServlet.java:903)`,
    ],
    other: `java.lang.NullPointerException
	at com.shop.Cart.remove(Cart.java:41)`,
  },
  Go: {
    frames: ['main.(*Cart).Add (cart.go)', 'main.main.func (main.go)'],
    same: [
      `goroutine 18 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:24 +0x5e
panic({0x6b3ac0?, 0x7a5b10?})
	/usr/local/go/src/runtime/panic.go:770 +0x132
main.(*Cart).Add(0xc00011c000, 0x5)
	/src/shop/cart.go:31 +0x1d
main.main.func1({0x7f21, 0xc0001})
	/src/shop/main.go:12 +0x45
net/http.HandlerFunc.ServeHTTP(0x0?, {0x7a8a30?, 0xc0001400e0?}, 0x0?)
	/usr/local/go/src/net/http/server.go:2166 +0x29`,
      `goroutine 4242 [running]:
runtime/debug.Stack()
	/usr/lib/go/src/runtime/debug/stack.go:26 +0x64
main.(*Cart).Add(0xc000500000, 0x9)
	/build/shop/cart.go:33 +0x2a
main.main.func2(...)
	/build/shop/main.go:14`,
    ],
    other: `goroutine 18 [running]:
main.(*Cart).Remove(0xc00011c000, 0x5)
	/src/shop/cart.go:51 +0x1d`,
  },
  '.NET': {
    frames: ['Shop.Cart.AddAsync (Cart.cs)', 'Shop.CartController.Post (CartController.cs)'],
    same: [
      `System.InvalidOperationException: Sequence contains no elements
   at System.Linq.ThrowHelper.ThrowNoElementsException()
   at Shop.Cart.<AddAsync>d__4.MoveNext() in /src/Shop/Cart.cs:line 31
   at System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw()
   at Shop.CartController.Post(Int32 id) in /src/Shop/CartController.cs:line 12`,
      `System.InvalidOperationException: Sequence contains no elements
   at System.Linq.ThrowHelper.ThrowNoElementsException()
   at Shop.Cart.<AddAsync>d__7.MoveNext() in C:\\build\\Shop\\Cart.cs:line 35
   at Shop.CartController.Post(Int32 id) in C:\\build\\Shop\\CartController.cs:line 14`,
    ],
    other: '   at Shop.Cart.Remove(Int32 id) in /src/Shop/Cart.cs:line 60',
  },
  Ruby: {
    frames: ['Cart#add (cart.rb)', 'create (carts_controller.rb)'],
    same: [
      `/usr/lib/ruby/3.2.0/set.rb:501:in 'Set#add'
/app/models/cart.rb:12:in 'Cart#add'
/usr/local/bundle/gems/activerecord-7.1.3/lib/active_record/base.rb:3:in 'transaction'
/app/controllers/carts_controller.rb:8:in \`create'`,
      `/srv/releases/2026/app/models/cart.rb:15:in 'Cart#add'
/usr/local/bundle/gems/activerecord-7.1.9/lib/active_record/base.rb:5:in 'transaction'
/srv/releases/2026/app/controllers/carts_controller.rb:9:in \`create'`,
    ],
    other: "/app/models/cart.rb:40:in 'Cart#remove'",
  },
  PHP: {
    frames: ['Shop\\Cart->add (CartController.php)', 'Shop\\CartController->post (index.php)'],
    same: [
      `#0 /app/src/CartController.php(22): Shop\\Cart->add(17)
#1 /app/vendor/slim/slim/Slim/App.php(41): Slim\\Route->run()
#2 /app/public/index.php(9): Shop\\CartController->post(Object(Request))
#3 {main}`,
      `#0 /var/www/src/CartController.php(25): Shop\\Cart->add(4711)
#1 /var/www/vendor/slim/slim/Slim/App.php(44): Slim\\Route->run()
#2 /var/www/public/index.php(9): Shop\\CartController->post(Object(Request))
#3 {main}`,
    ],
    other: '#0 /app/src/CartController.php(30): Shop\\Cart->remove(17)',
  },
  Rust: {
    frames: ['shop::cart::add', 'cart.rs', 'shop::main'],
    same: [
      `   0: std::panicking::begin_panic_handler
             at /rustc/9b00956e56009bab2aa15d7bff10916599e3d6d6/library/std/src/panicking.rs:645:5
   1: shop::cart::add::h1f2e3d4c5b6a7988
             at ./src/cart.rs:12:9
   2: shop::main
             at ./src/main.rs:4:5`,
      `   0: std::panicking::begin_panic_handler
             at /rustc/aaaa956e56009bab2aa15d7bff10916599e3d6d6/library/std/src/panicking.rs:661:5
   1: shop::cart::add::h00aabbccddeeff11
             at /build/src/cart.rs:14:9
   2: shop::main
             at /build/src/main.rs:4:5`,
    ],
    other: '   1: shop::cart::remove\n             at ./src/cart.rs:12:9',
  },
}

describe.each(Object.entries(traces))('a stack trace of %s', (language, { frames, same, other }) => {
  it('is known by the top functions of the sender', () => {
    expect(same.map(trace => topFrames(trace))).toEqual([frames, frames])
  })

  it('has one fingerprint whatever the build, the machine and the ids are', () => {
    const [one, again] = same.map(trace => mark(exception(`${language}Error`, trace)))
    expect(one).toBe(again)
    expect(one).not.toBe(mark(exception(`${language}Error`, other)))
    expect(one).not.toBe(mark(exception('OtherError', same[0])))
  })
})

describe('a stack trace', () => {
  it('of libraries alone is known by those', () => {
    const trace = `Error
    at Socket.connect (node:net:1:2)
    at open (/app/node_modules/pg/lib/client.js:1:2)`
    expect(topFrames(trace)).toEqual(['Socket.connect (node:net)', 'open (client.js)'])
  })

  it('that is none has no frames', () => {
    expect(topFrames('nothing here\nat all')).toEqual([])
  })
})

describe('a template', () => {
  it.each([
    ['numbers', 'Order 17 of 3 failed', 'Order 99,5 of 12 failed'],
    ['uuids', 'no job 0b5c7d1e-1b2a-4c3d-8e4f-0123456789ab', 'no job ffff7d1e-1b2a-4c3d-8e4f-0123456789cd'],
    ['hexadecimal ids', 'commit 9fceb02 and 0xdeadbeef 5f3e9a1c2b', 'commit 1b34567 and 0x1 aaaa9a1c2b'],
    ['ids with a prefix', 'no user usr_8f3k2m9q1x7z', 'no user usr_1a2b3c4d5e6f'],
    ['addresses', 'refused by 10.0.0.7:5432 and [fe80::1]:80', 'refused by 192.168.1.20:5433 and [2001:db8::7]:443'],
    ['e-mails', 'cannot mail ada@example.com', 'cannot mail grace.hopper+x@mail.example.org'],
    ['addresses of pages', 'GET https://a.example/orders/17?x=1 failed', 'GET https://a.example/orders/8 failed'],
    ['quoted texts', `no column "price" in 'cart' of \`x\``, `no column "cost" in 'order line' of \`y\``],
    ['durations', 'timed out after 30s (120 ms)', 'timed out after 1.5s (7 ms)'],
    ['times', 'late since 2026-11-17T10:00:00.123Z', 'late since 2025-01-02 03:04:05+01:00'],
    ['lists of numbers', 'shards 1, 2, 3 are away', 'shards 4, 7 are away'],
    ['white space', 'a   b\tc', 'a b c'],
  ])('is the same for other %s', (_, one, other) => {
    expect(templateOf(one)).toBe(templateOf(other))
    expect(templateOf(one)).not.toBe(one)
  })

  it.each([
    ['Order 17 failed', 'Order 17 passed'],
    ["can't open the door", "can't open the window"],
    ['{"event":"a","n":1}', '{"evt":"a","n":1}'],
  ])('of "%s" is not that of "%s"', (one, other) => {
    expect(templateOf(one)).not.toBe(templateOf(other))
  })

  it('takes linear time, whatever it is made of', () => {
    const parts = [
      '"',
      "'",
      '1',
      '1,',
      'a1',
      ':',
      '1:',
      '0x',
      'a@',
      'http://',
      '<text> ',
      '-',
      '.',
      '::',
      '\\"',
      'at (',
      '#1 ',
    ]
    const began = performance.now()
    for (const part of parts) {
      const text = part.repeat(100_000)
      templateOf(text)
      topFrames(`at ${text}\n${`at ${text.slice(0, 500)}\n`.repeat(400)}`)
    }
    expect(performance.now() - began).toBeLessThan(4_000)
  })
})

describe('a span', () => {
  it('that failed is known by service, name and why', () => {
    expect(recognise(watched('traces'), span({ statusMessage: 'no stock for 17', service: 'shop' }))).toMatchObject({
      title: 'GET /cart failed: no stock for <number>',
      severity: 'medium',
      fields: { service: 'shop', name: 'GET /cart', kind: 'span' },
    })
    expect(mark(span({ statusMessage: 'no 1' }))).toBe(mark(span({ statusMessage: 'no 2' })))
    expect(mark(span({ service: 'a' }))).not.toBe(mark(span({ service: 'b' })))
    const code = (n: number) => span({ attributes: { 'http.response.status_code': n } })
    expect(mark(code(500))).not.toBe(mark(code(503)))
  })

  it('that carries an exception is that exception, also where it did not fail', () => {
    const told = { 'exception.type': 'KeyError', 'exception.message': '17' }
    expect(mark(span(thrown(told)))).toBe(mark(span({ ...thrown(told), status: 'unset', statusMessage: 'other' })))
    expect(recognise(watched('traces'), span(thrown(told)))?.title).toBe('KeyError: <number>')
  })

  it('that ended well is none', () => {
    expect(mark(span({ status: 'ok', ...thrown({ 'exception.type': 'KeyError' }) }))).toBeUndefined()
    expect(mark(span({ status: 'unset' }))).toBeUndefined()
  })
})

describe('a log', () => {
  it('counts from the least severity on', () => {
    const of = (severity: Severity | null, least: Severity, attributes: Attributes = {}) =>
      recognise(watched('logs', [], least), log('failed', { severity, attributes }))?.severity
    expect([of('warn', 'error'), of('error', 'error'), of('fatal', 'error')]).toEqual([undefined, 'high', 'critical'])
    expect([of('warn', 'warn'), of(null, 'trace')]).toEqual(['medium', undefined])
    expect(of(null, 'error', { 'exception.type': 'KeyError' })).toBe('high')
    expect(of('info', 'error', { 'exception.type': 'KeyError' })).toBeUndefined()
  })

  it('with an exception is the exception of a span', () => {
    const told = { 'exception.type': 'KeyError', 'exception.stacktrace': traces.Python?.same[0] ?? '' }
    expect(mark(log('whatever', { attributes: told }))).toBe(mark(exception('KeyError', traces.Python?.same[1] ?? '')))
  })

  it('of several lines is known by the first, and by the stack below it', () => {
    const body = (place: string) => `Cannot add 17\n    at ${place} (/srv/cart.js:1:2)`
    expect(mark(log(body('add')))).toBe(mark(log(body('add').replaceAll('1', '3'))))
    expect(mark(log(body('add')))).not.toBe(mark(log(body('remove'))))
    expect(recognise(watched('logs'), log(traces.Python?.same[0] ?? ''))?.title).toBe('KeyError: <number>')
  })

  it('in JSON is known by its message', () => {
    expect(recognise(watched('logs'), log('{"level":50,"msg":"no stock for 17"}'))?.title).toBe('no stock for <number>')
    expect(recognise(watched('logs'), log('{"err":{"message":"no stock"}}'))?.title).toBe('no stock')
  })

  it('is told apart by the fields that the dataset groups by', () => {
    const of = (region: string) => log('failed', { attributes: { region }, resource: { host: 'a' } })
    expect(mark(of('eu'))).toBe(mark(of('us')))
    const grouped = watched('logs', ['attributes.region', 'resource.host'])
    expect(mark(of('eu'), grouped)).not.toBe(mark(of('us'), grouped))
    expect(recognise(grouped, of('eu'))?.fields).toMatchObject({ 'attributes.region': 'eu', 'resource.host': 'a' })
  })
})

describe('a fingerprint', () => {
  it('is short and begins with the dataset', () => {
    const all = [log('x'.repeat(5_000)), log('😀'.repeat(2_000)), log('\0\ud800 bad'), span(), exception('', '')]
    for (const row of all) {
      const found = recognise(watched(row.status === undefined ? 'logs' : 'traces'), row)
      expect(found?.fingerprint.length).toBeLessThanOrEqual(128)
      expect(found?.fingerprint.startsWith(`${id}:`)).toBe(true)
      expect(found?.title.length).toBeGreaterThan(0)
      expect(found?.title.length).toBeLessThanOrEqual(256)
      expect(JSON.stringify(found)).not.toMatch(/\\u0000|\\ud8/)
    }
  })
})

describe('findings', () => {
  const at = (seconds: number) => BigInt(Math.round(seconds * 1000)) * 1_000_000n
  it('are counted by fingerprint and second, with the last row as the example', () => {
    const rows = [0.1, 0.9, 0.5, 1.2].map(
      (seconds, n): NumberedRow => ({ ...log(`failed ${n}`), at: at(seconds), id: n }),
    )
    const found = [...addFindings(new Map(), watched('logs'), rows).values()]
    expect(found.map(({ first, last, count, example }) => [first, last, count, example.rowId])).toEqual([
      [at(0.1), at(0.9), 3, 1],
      [at(1.2), at(1.2), 1, 3],
    ])
  })

  it('of more than a hundred different errors at once are one', () => {
    const names = Array.from(
      { length: 150 },
      (_, n) => `failed ${String.fromCharCode(97 + (n % 26)).repeat(1 + n / 26)}`,
    )
    const rows = names.map((body, n): NumberedRow => ({ ...log(body), at: 1n, id: n }))
    const found = [...addFindings(new Map(), watched('logs'), rows).values()]
    expect(found).toHaveLength(101)
    expect(found.at(-1)).toMatchObject({ fingerprint: `${id}:others`, count: 50 })
  })

  it('count from the first span of time on in which there are enough', () => {
    const since = (count: number, times: [number, number][]) =>
      countsSince(
        { count, windowSeconds: 60 },
        times.map(([first, n]) => ({ first: at(first), count: n })),
      )
    expect(since(1, [[5, 1]])).toBe(at(5))
    expect(
      since(3, [
        [0, 1],
        [50, 1],
        [100, 1],
      ]),
    ).toBeNull()
    expect(
      since(3, [
        [100, 1],
        [0, 1],
        [50, 2],
      ]),
    ).toBe(at(0))
    expect(
      since(4, [
        [0, 1],
        [70, 2],
        [130, 2],
        [500, 1],
      ]),
    ).toBe(at(70))
    expect(since(4, [])).toBeNull()
  })
})
