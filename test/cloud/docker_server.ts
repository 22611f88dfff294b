// A stand-in for a Docker engine: its API as documented, over a unix socket or TCP, and a proxy in front of it if asked for.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { authority } from '../helpers/certificates.ts'

const ours = authority('engine')
export const { ca, caller } = ours

/** Bytes that an engine tells, and that must be in nothing that is told of it. */
export const planted = [
  'hunter2-in-command',
  'hunter2-in-label',
  'hunter2-in-options',
  'hunter2-in-proxy',
  'hunter2-in-url',
]

const compose = (service: string, more: object = {}) => ({
  'com.docker.compose.project': 'shop',
  'com.docker.compose.service': service,
  'app.password': 'hunter2-in-label',
  ...more,
})

const network = { NetworkID: 'net-shop', IPAddress: '172.18.0.2' }

/** Path without version and query → what is there. */
export function engine(): Record<string, unknown> {
  return {
    '/info': {
      ID: '3f7a-engine',
      Name: 'host-1',
      NCPU: 8,
      MemTotal: 16_000_000_000,
      OperatingSystem: 'Debian GNU/Linux 13',
      Driver: 'overlay2',
      HttpProxy: 'http://user:hunter2-in-proxy@proxy:3128',
    },
    '/containers/json': [
      {
        Id: 'a'.repeat(64),
        Names: ['/shop-web-1'],
        Image: 'ghcr.io/shop/web:1.2',
        ImageID: 'sha256:web',
        Command: 'serve --password hunter2-in-command',
        State: 'running',
        Status: 'Up 3 hours',
        Ports: [{ IP: '0.0.0.0', PrivatePort: 8080, PublicPort: 80, Type: 'tcp' }],
        Labels: compose('web', {
          'com.docker.compose.depends_on': 'db:service_healthy:false,cache:service_started:false',
          dsn: 'postgres://a:hunter2-in-url@db',
        }),
        HostConfig: { NetworkMode: 'shop_default' },
        NetworkSettings: { Networks: { shop_default: network } },
        Mounts: [
          {
            Type: 'volume',
            Name: 'shop_files',
            Source: '/var/lib/docker/volumes/shop_files',
            Destination: '/files',
            RW: false,
          },
          { Type: 'bind', Source: '/var/run/docker.sock', Destination: '/var/run/docker.sock', RW: true },
        ],
      },
      {
        Id: 'b'.repeat(64),
        Names: ['/shop-db-1'],
        Image: 'docker.io/library/postgres:17@sha256:0123',
        ImageID: 'sha256:db',
        State: 'exited',
        Ports: [],
        Labels: compose('db'),
        HostConfig: { NetworkMode: 'shop_default' },
        NetworkSettings: { Networks: { shop_default: network } },
        Mounts: [{ Type: 'volume', Name: 'shop_data', Destination: '/data', RW: true }],
      },
    ],
    '/networks': [
      {
        Name: 'shop_default',
        Id: 'net-shop',
        Scope: 'local',
        Driver: 'bridge',
        Internal: false,
        IPAM: { Config: [{ Subnet: '172.18.0.0/16' }] },
        Labels: compose('x'),
        Options: { secret: 'hunter2-in-options' },
      },
    ],
    '/volumes': {
      Volumes: [
        {
          Name: 'shop_data',
          Driver: 'local',
          Scope: 'local',
          Labels: null,
          Options: { o: 'password=hunter2-in-options' },
        },
        { Name: 'shop_files', Driver: 'local', Scope: 'local', Labels: {}, Options: null },
      ],
      Warnings: null,
    },
    '/images/json': [
      { Id: 'sha256:web', RepoTags: ['ghcr.io/shop/web:1.2'], RepoDigests: [], Size: 9_000_000, Labels: null },
      { Id: 'sha256:db', RepoTags: ['<none>:<none>'], RepoDigests: ['postgres@sha256:0123'], Size: 1, Labels: {} },
    ],
  }
}

export type Engine = {
  address: string
  api: { ApiVersion: string; MinAPIVersion: string }
  answers: Record<string, unknown>
  /** Instead of the answer: a status, a body as it is, or nothing at all. */
  fault: (path: string) => { status?: number; body?: string } | 'stall' | undefined
  /** A proxy passes on these only; null: there is none. */
  passed: RegExp | null
  asked: string[]
  close: () => Promise<void>
}

export async function dockerEngine(where: { path: string } | 'tcp' | 'tls'): Promise<Engine> {
  const state: Engine = {
    address: '',
    api: { ApiVersion: '1.47', MinAPIVersion: '1.24' },
    answers: engine(),
    fault: () => undefined,
    passed: null,
    asked: [],
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  const answering = (request: IncomingMessage, response: ServerResponse) => answer(state, request, response)
  const secure = { ...ours.server, ca, requestCert: true, rejectUnauthorized: true }
  const server = where === 'tls' ? createTlsServer(secure, answering) : createServer(answering)
  if (typeof where === 'object') server.listen(where.path)
  else server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = typeof where === 'object' ? 0 : (server.address() as AddressInfo).port
  state.address =
    typeof where === 'object' ? `unix://${where.path}` : `http${where === 'tls' ? 's' : ''}://127.0.0.1:${port}`
  return state
}

function say(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function answer(state: Engine, request: IncomingMessage, response: ServerResponse): void {
  const asked = `${request.method} ${request.url}`
  state.asked.push(asked)
  if (state.passed && !state.passed.test(asked)) return void say(response, 403, { message: 'Forbidden by the proxy' })
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://engine')
  const [, version, path = pathname] = /^\/v(1\.\d+)(\/.*)$/.exec(pathname) ?? []
  const minor = (text: string) => Number(text.split('.')[1])
  const { ApiVersion, MinAPIVersion } = state.api
  if (version && (minor(version) > minor(ApiVersion) || minor(version) < minor(MinAPIVersion))) {
    return void say(response, 400, { message: `client version ${version} is not one of ours` })
  }
  const fault = state.fault(path)
  if (fault === 'stall') return void response.writeHead(200).write('[')
  if (fault) return void response.writeHead(fault.status ?? 200).end(fault.body ?? '{"message":"hunter2-in-command"}')
  if (path === '/version')
    return void say(response, 200, { Version: '28.1.0', Arch: 'amd64', KernelVersion: '6.12', ...state.api })
  if (/^\/(containers|exec)\/-\//.test(path)) return void say(response, 404, { message: 'No such container: -' })
  if (request.method !== 'GET') return void say(response, 500, { message: 'this would have changed something' })
  const value = state.answers[path]
  if (value === undefined) return void say(response, 404, { message: 'page not found' })
  // Those that do not run are only told of where they are asked for.
  const isAll = path !== '/containers/json' || searchParams.get('all') === '1'
  say(response, 200, isAll ? value : (value as { State?: string }[]).filter(one => one.State === 'running'))
}
