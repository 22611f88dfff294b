// The suite's own area: nine operations that use what areas share. It is mounted in tests and nowhere else.
import { Type } from 'typebox'
import { LabelIds } from '../../../../src/areas/labels/contract.ts'
import { id, OwnerId, TeamId, WorkspaceId } from '../../../../src/contract/ids.ts'
import { list, page } from '../../../../src/contract/list.ts'
import { area } from '../../../../src/contract/operation.ts'
import {
  choice,
  deleted,
  nullable,
  object,
  Reference,
  record,
  shown,
  timestamp,
  Visibility,
} from '../../../../src/contract/records.ts'

export const ExampleId = id('example', 24)

const name = Type.String({ minLength: 2, maxLength: 64, examples: ['First example'] })
const text = nullable(shown(Type.String({ maxLength: 10_000 }), { format: 'markdown' }))

export const Example = record(
  'Example',
  {
    id: ExampleId,
    workspaceId: WorkspaceId,
    ownerId: OwnerId,
    name,
    text,
    /** A word that SQL keeps for itself. */
    group: nullable(Type.String({ maxLength: 64 })),
    visibility: Visibility,
    teamId: nullable(TeamId),
    labels: LabelIds,
    created: timestamp,
    updated: timestamp,
    _object: choice(['example']),
  },
  { columns: ['name', 'group', 'visibility', 'teamId', 'created'] },
)

export const ExampleLink = record('ExampleLink', {
  exampleId: ExampleId,
  about: Reference,
  created: timestamp,
  _object: choice(['example_link']),
})

const example = { workspaceId: WorkspaceId, id: ExampleId }

export const examples = area(
  'examples',
  {
    'examples.list': {
      summary: 'List examples',
      route: 'GET /v1/examples/{workspaceId}',
      access: ['issues:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({ sort: ['created', 'id', 'name', 'group'], filter: ['id', 'name', 'ownerId', 'group', 'labels'] }),
      result: page(Example),
    },
    'examples.get': {
      summary: 'Show an example',
      route: 'GET /v1/examples/{workspaceId}/{id}',
      access: ['issues:read'],
      path: object(example),
      result: Example,
      errors: ['not_found'],
    },
    'examples.post': {
      summary: 'Create an example',
      route: 'POST /v1/examples',
      access: ['issues:write'],
      body: object({
        workspaceId: WorkspaceId,
        name,
        text: Type.Optional(text),
        visibility: Type.Optional(Visibility),
        teamId: Type.Optional(nullable(TeamId)),
        labels: Type.Optional(LabelIds),
      }),
      result: Example,
      status: 201,
    },
    'examples.patch': {
      summary: 'Change an example',
      route: 'PATCH /v1/examples/{workspaceId}/{id}',
      access: ['issues:write'],
      path: object(example),
      body: object({
        name: Type.Optional(name),
        text: Type.Optional(text),
        group: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
        labels: Type.Optional(LabelIds),
      }),
      result: Example,
      errors: ['not_found', 'conflict'],
    },
    'examples.del': {
      summary: 'Delete an example',
      route: 'DELETE /v1/examples/{workspaceId}/{id}',
      access: ['issues:delete'],
      reach: 'own',
      path: object(example),
      result: deleted('example', example),
      errors: ['not_found'],
    },
    'examples.links.list': {
      summary: 'List what an example is about',
      route: 'GET /v1/examples/{workspaceId}/{id}/links',
      access: ['issues:read'],
      path: object(example),
      query: list({ sort: ['created'] as const, filter: [] as const }),
      result: page(ExampleLink),
      errors: ['not_found'],
    },
    'examples.links.post': {
      summary: 'Say what an example is about',
      route: 'POST /v1/examples/{workspaceId}/{id}/links',
      access: ['issues:write'],
      path: object(example),
      body: object({ about: Reference }),
      result: ExampleLink,
      status: 201,
      errors: ['not_found'],
    },
    'examples.import': {
      summary: 'Create examples from lines',
      description: 'Each line is a JSON object with a name; a text has one name a line. All are created, or none.',
      route: 'POST /v1/examples/{workspaceId}/import',
      access: ['issues:write'],
      path: object({ workspaceId: WorkspaceId }),
      query: object({ group: Type.Optional(Type.String({ maxLength: 64 })) }),
      consumes: ['ndjson', 'text'],
      bodyLimit: 2 * 1024 * 1024,
      gzip: true,
      result: object({ created: Type.Integer() }),
      status: 201,
    },
    'examples.measure': {
      summary: 'Measure a file',
      route: 'POST /v1/examples/{workspaceId}/measure',
      access: ['issues:write'],
      audit: false,
      path: object({ workspaceId: WorkspaceId }),
      consumes: ['zip', 'protobuf', 'json'],
      bodyLimit: 64 * 1024,
      envelope: false,
      result: object({ kind: Type.String(), bytes: Type.Integer() }),
    },
  },
  {
    about: 'What the suite tries everything on.',
    carries: { examples: {}, example_links: {} },
    records: {
      example: {
        id: ExampleId,
        table: 'examples',
        title: 'name',
        search: ['name', 'text'],
        owned: true,
        visibility: true,
        labels: true,
      },
    },
    refers: { 'examples.team_id': 'team' },
    attaches: { example_links: 'any' },
  },
)
