// Lambda: functions, and what calls them with what it has.
import { groupKey, key, keyOfArn, subnetKey } from '../keys.ts'
import type { Reader, Service } from '../reader.ts'
import { needed, number, text, texts } from '../shapes.ts'

export const lambda: Service = {
  types: ['aws.lambda.function'],
  scope: 'region',
  read: async reader => {
    await reader.part(['aws.lambda.function'], async () => {
      for await (const one of reader.list('lambda:ListFunctions')) readFunction(reader, one)
    })
    await reader.part(['aws.lambda.function'], async () => {
      for await (const mapping of reader.list('lambda:ListEventSourceMappings')) readMapping(reader, mapping)
    })
  },
}

/** Its environment is in the answer, too, and stays there. */
function readFunction({ node, edge, region }: Reader, one: unknown): void {
  const own = key('aws.lambda.function', needed(one, 'FunctionArn'), region)
  node({
    key: own,
    name: needed(one, 'FunctionName'),
    category: 'compute',
    properties: {
      runtime: text(one, 'Runtime'),
      packageType: text(one, 'PackageType'),
      architectures: texts(one, 'Architectures'),
      memoryMb: number(one, 'MemorySize'),
      timeoutSeconds: number(one, 'Timeout'),
      codeBytes: number(one, 'CodeSize'),
      state: text(one, 'State'),
      changed: text(one, 'LastModified'),
    },
  })
  edge(own, keyOfArn(text(one, 'Role')), 'depends_on')
  edge(own, keyOfArn(text(one, 'DeadLetterConfig.TargetArn')), 'writes')
  for (const subnet of texts(one, 'VpcConfig.SubnetIds')) edge(subnetKey(subnet, region), own, 'contains')
  for (const group of texts(one, 'VpcConfig.SecurityGroupIds')) edge(own, groupKey(group, region), 'depends_on')
}

function readMapping({ edge }: Reader, mapping: unknown): void {
  const own = keyOfArn(needed(mapping, 'FunctionArn'))
  const source = keyOfArn(text(mapping, 'EventSourceArn'))
  if (text(mapping, 'State') === 'Disabled') return
  edge(source, own, 'invokes')
  edge(own, source, 'reads')
}
