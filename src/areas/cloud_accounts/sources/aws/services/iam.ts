// IAM: roles, who may take them on, and which of them instances have.
import { instanceProfile, key, keyOfArn } from '../keys.ts'
import type { Reader, Service } from '../reader.ts'
import { list, needed, number, text, texts, value } from '../shapes.ts'

export const iam: Service = {
  types: ['aws.iam.role'],
  scope: 'global',
  read: async reader => {
    await reader.part(['aws.iam.role'], async () => {
      for await (const role of reader.list('iam:ListRoles')) readRole(reader, role)
    })
    await reader.part(['aws.iam.role'], async () => {
      for await (const profile of reader.list('iam:ListInstanceProfiles')) {
        for (const role of texts(profile, 'Roles.member', 'Arn')) {
          const own = keyOfArn(role)
          if (own) reader.name(instanceProfile(text(profile, 'Arn')), own)
        }
      }
    })
  },
}

/** Those that AWS makes for its own services are the same in every account, and nobody looks after them. */
const ofAws = /^\/aws-service-role\//

function readRole({ node, edge }: Reader, role: unknown): void {
  const path = text(role, 'Path') ?? '/'
  if (ofAws.test(path)) return
  const own = key('aws.iam.role', needed(role, 'Arn'), '')
  const principals = trusted(value(role, 'AssumeRolePolicyDocument'))
  node({
    key: own,
    name: needed(role, 'RoleName'),
    category: 'identity',
    properties: {
      path,
      created: text(role, 'CreateDate'),
      longestSessionSeconds: number(role, 'MaxSessionDuration'),
      trustedBy: principals.map(shortened),
      isTrustedByAll: principals.includes('*'),
    },
  })
  for (const principal of principals) edge(keyOfArn(principal), own, 'connects_to')
}

const longestPolicy = 50_000
const mostPrincipals = 50

/** Principals of the policy that says who may take the role on; the rest of it is not kept. */
function trusted(document: unknown): string[] {
  if (typeof document !== 'string' || document.length > longestPolicy) return []
  try {
    const policy: unknown = JSON.parse(decodeURIComponent(document))
    const allowed = list(policy, 'Statement', 100).filter(one => text(one, 'Effect') === 'Allow')
    const principals = allowed.flatMap(one => [
      ...texts(one, 'Principal.Service'),
      ...texts(one, 'Principal.AWS'),
      ...texts(one, 'Principal.Federated'),
      ...(value(one, 'Principal') === '*' ? ['*'] : []),
    ])
    return [...new Set(principals)].slice(0, mostPrincipals)
  } catch {
    return []
  }
}

/** Of another account its number says enough. */
function shortened(principal: string): string {
  return /^arn:[\w-]+:iam::(\d{12}):root$/.exec(principal)?.[1] ?? principal
}
