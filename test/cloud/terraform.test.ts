// States of Terraform and OpenTofu of several versions, written by hand with a secret in every place that can hold one.
import { describe, expect, it } from 'vitest'
import type { Found } from '../../src/areas/cloud_accounts/found/contract.ts'
import { readTerraformState } from '../../src/areas/cloud_accounts/sources/terraform/reading.ts'
import { edgeLines, expectWellFormed, nodeLines } from './found_lines.ts'
import { files, fileText, stateOf } from './state_files.ts'

function node(found: Found, externalId: string) {
  return found.nodes.find(one => one.externalId === externalId)
}

describe('a state', () => {
  it.each(files)('%s gives the resources, modules and edges that are listed beside it, and no others', name => {
    const found = readTerraformState(Buffer.from(fileText(name)))
    const listed = fileText(name.replace('.tfstate', '.txt')).trimEnd().split('\n')
    expect([...nodeLines(found), ...edgeLines(found)].sort()).toEqual(listed.sort())
    expect(found.unseen).toEqual([])
    expect(found.externalId).toBe(JSON.parse(fileText(name)).lineage)
    expectWellFormed(found)
  })

  it.each(files)('%s keeps its secrets', name => {
    const text = fileText(name)
    const secrets = new Set(text.match(/(?:ghp_)?hunter2[\w-]*|AKIA\w+|aHVudGVy\w+/g))
    expect(secrets.size).toBeGreaterThan(name.includes('0.13') ? 1 : 5)
    const told = JSON.stringify(readTerraformState(text))
    expect([...secrets].filter(secret => told.includes(secret))).toEqual([])
    expect(told).not.toMatch(/hunter2|BEGIN/)
  })

  it('is the same as bytes, as text, with a byte order mark, and parsed', () => {
    const text = fileText('terraform-1.9.tfstate')
    const found = readTerraformState(text)
    expect(readTerraformState(Buffer.from(text))).toEqual(found)
    expect(readTerraformState(`\ufeff${text}`)).toEqual(found)
    expect(readTerraformState(JSON.parse(text))).toEqual(found)
  })

  it('keeps ids, sizes, versions and addresses as properties', () => {
    const found = readTerraformState(fileText('terraform-1.9.tfstate'))
    expect(node(found, 'aws_db_instance.main')).toEqual({
      type: 'aws_db_instance',
      externalId: 'aws_db_instance.main',
      region: 'eu-central-1',
      name: 'main',
      category: 'database',
      properties: {
        id: 'db-XYZ',
        identifier: 'main',
        arn: 'arn:aws:rds:eu-central-1:123456789012:db:main',
        engine: 'postgres',
        engine_version: '16.3',
        instance_class: 'db.t4g.medium',
        allocated_storage: 50,
        endpoint: 'main.abc.eu-central-1.rds.amazonaws.com:5432',
        address: 'main.abc.eu-central-1.rds.amazonaws.com',
        port: 5432,
        multi_az: true,
        db_subnet_group_name: 'main',
        storage_encrypted: true,
        provider: 'registry.terraform.io/hashicorp/aws',
      },
      tags: { team: 'core' },
    })
    expect(node(found, 'aws_vpc.main')?.tags).toEqual({ Name: 'main', env: 'prod' })
    const former = readTerraformState(fileText('terraform-0.11.tfstate'))
    expect(node(former, 'aws_vpc.main')?.tags).toEqual({ Name: 'old-vpc', 'kubernetes.io/cluster/old': 'shared' })
    expect(node(former, 'aws_subnet.private[1]')?.properties.isTainted).toBe(true)
  })

  it('without resources is an empty account', () => {
    expect(readTerraformState(stateOf())).toEqual({ externalId: 'l', nodes: [], edges: [], unseen: [] })
  })
})

describe('secrets', () => {
  it('that are marked are not kept under another name either', () => {
    const attributes = {
      name: 'hunter2-abc',
      id: 'hunter2-abc',
      bucket: 'prefix-hunter2-abc',
      arn: 'arn:aws:s3:::hunter2-abc',
    }
    const marks = [[{ type: 'get_attr', value: 'name' }]]
    const other = { type: 'aws_sqs_queue', name: 'q', instances: [{ attributes: { name: 'hunter2-abc', size: 1 } }] }
    const bucket = { type: 'aws_s3_bucket', name: 'b', instances: [{ attributes, sensitive_attributes: marks }] }
    const found = readTerraformState(stateOf(bucket, other))
    expect(JSON.stringify(found)).not.toContain('hunter2')
    expect(node(found, 'aws_sqs_queue.q')?.properties).toEqual({ size: 1 })
  })

  it('are not kept where nobody marked them: passwords, values, tags, addresses with a user in them', () => {
    const attributes = {
      id: 'x',
      master_password: 'hunter2-a',
      name: 'hunter2-a',
      value: 'hunter2-b',
      host: 'postgres://u:hunter2-c@h',
      endpoint: 'https://hooks.example.com/hunter2-d',
      domain: 'https://u:hunter2-e@example.com',
      policy: 'hunter2-f',
      tags: {
        ApiKey: 'hunter2-g',
        DB_PASSWORD: 'hunter2-h',
        'auth-token': 'hunter2-i',
        ok: 'yes',
        url: 'amqp://a:hunter2-j@b',
      },
      name_prefix: ['hunter2-k'],
      version: { hunter2: 'l' },
    }
    const found = readTerraformState(stateOf({ type: 'acme_thing', name: 't', instances: [{ attributes }] }))
    expect(JSON.stringify(found)).not.toContain('hunter2')
    expect(found.nodes[0]).toMatchObject({ properties: { id: 'x' }, tags: { ok: 'yes' } })
  })

  it.each([
    [{}],
    ['password'],
    [[['password']]],
    [[[{ type: 'index', value: 0 }]]],
    [[{ type: 'get_attr', value: 'name' }]],
  ])('marked in a way that is not understood hide all attributes: %j', marks => {
    const instance = { attributes: { id: 'i-1', name: 'hunter2' }, sensitive_attributes: marks }
    const found = readTerraformState(stateOf({ type: 'aws_instance', name: 'a', instances: [instance] }))
    expect(found.nodes).toMatchObject([{ name: 'aws_instance.a', properties: {}, tags: {} }])
  })
})

describe('a dependency', () => {
  it('within a module leads to its own instance of it, and from outside to all', () => {
    const within = (key: string) => [
      { module: `module.m["${key}"]`, type: 'aws_vpc', name: 'v', instances: [{ attributes: { id: key } }] },
      {
        module: `module.m["${key}"]`,
        type: 'aws_subnet',
        name: 's',
        instances: [{ attributes: {}, dependencies: ['module.m.aws_vpc.v'] }],
      },
    ]
    const outside = { type: 'aws_lb', name: 'l', instances: [{ attributes: {}, dependencies: ['module.m.aws_vpc.v'] }] }
    const found = readTerraformState(stateOf(...within('a'), ...within('b'), outside))
    expect(edgeLines(found).filter(line => line.includes('depends_on'))).toEqual([
      'module.m["a"].aws_subnet.s depends_on module.m["a"].aws_vpc.v',
      'module.m["b"].aws_subnet.s depends_on module.m["b"].aws_vpc.v',
      'aws_lb.l depends_on module.m["a"].aws_vpc.v perhaps',
      'aws_lb.l depends_on module.m["b"].aws_vpc.v perhaps',
    ])
  })

  it('by an attribute is left out where two resources have the same id', () => {
    const vpc = (name: string) => ({ type: 'aws_vpc', name, instances: [{ attributes: { id: 'vpc-1' } }] })
    const subnet = { type: 'aws_subnet', name: 's', instances: [{ attributes: { vpc_id: 'vpc-1' } }] }
    expect(readTerraformState(stateOf(vpc('a'), vpc('b'), subnet)).edges).toEqual([])
    expect(edgeLines(readTerraformState(stateOf(vpc('a'), subnet)))).toEqual(['aws_vpc.a contains aws_subnet.s'])
  })
})
