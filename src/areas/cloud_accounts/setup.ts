// What to paste at a provider, with no more rights than syncs need.
import type { Settings } from '../../kit/settings.ts'
import type { Provider } from './fields/contract.ts'
import { policyDocument, trustPolicy } from './sources/aws/rights.ts'
import { policy as dockerPolicy } from './sources/docker/validate.ts'
import { policyFor } from './sources/kubernetes/policy.ts'
import { extentOf } from './sources/kubernetes/resources.ts'
import type { AccountRow } from './store.ts'

type Document = { name: string; about: string; format: 'json' | 'yaml' | 'shell'; text: string }
type Setup = { about: string; documents: Document[] }

const principal = 'arn:aws:iam::ACCOUNT_OF_THE_KEYS:user/NAME'

const setups: Readonly<Record<Provider, (account: AccountRow, settings: Pick<Settings, 'publicUrl'>) => Setup>> = {
  push: ({ workspaceId, id }, { publicUrl }) => ({
    about: 'Send a snapshot whenever something may have changed, with a key that has cloud_infra:write.',
    documents: [
      {
        name: 'push.sh',
        about: 'From a CI job or an agent.',
        format: 'shell',
        text: snapshot(publicUrl, workspaceId, id),
      },
    ],
  }),
  terraform_state: ({ workspaceId, id, config }, { publicUrl }) =>
    config.repositoryId === undefined
      ? {
          about: 'Upload the state after each apply, with a key that has cloud_accounts:write.',
          documents: [
            {
              name: 'upload.sh',
              about: 'After terraform apply.',
              format: 'shell',
              text: upload(publicUrl, workspaceId, id),
            },
          ],
        }
      : { about: 'Nothing: the state is read from the repository with each sync.', documents: [] },
  kubernetes: account => ({
    about: 'Apply the manifest, make a token as its second line says, and send it as credentials.token.',
    documents: [
      {
        name: 'atrium.yaml',
        about: 'An account that may list what syncs read, and nothing else.',
        format: 'yaml',
        text: policyFor(extentOf(account.config)),
      },
    ],
  }),
  docker: () => ({
    about:
      'Whoever may use the socket of an engine is root on its machine: put a proxy before it that only lets lists through.',
    documents: [{ name: 'proxy.sh', about: 'On the machine of the engine.', format: 'shell', text: dockerPolicy }],
  }),
  manifests: () => ({ about: 'Nothing: the files are read from the repository with each sync.', documents: [] }),
  aws: ({ trustExternalId }) => ({
    about:
      'Make a role with both policies, and send its ARN as config.roleArn with the keys of a user that may assume it. ' +
      'Then cloud_accounts.validate says whether something is missing or too many.',
    documents: [
      {
        name: 'trust-policy.json',
        about: `Who may assume the role: put the principal of the keys in place of ${principal}.`,
        format: 'json',
        text: trustPolicy(principal, trustExternalId ?? ''),
      },
      { name: 'policy.json', about: 'What the role may do.', format: 'json', text: policyDocument() },
    ],
  }),
  telemetry: () => ({
    about: 'Nothing: send traces to the dataset, by a telemetry token that is pointed at it.',
    documents: [],
  }),
}

export function setupOf(account: AccountRow, settings: Pick<Settings, 'publicUrl'>) {
  return { provider: account.provider, ...setups[account.provider](account, settings) }
}

/** What to paste so that it may do what it must; null where rights are none of its provider's. */
export function policyOf(account: AccountRow): string | null {
  if (account.provider === 'aws') return policyDocument()
  if (account.provider === 'kubernetes') return policyFor(extentOf(account.config))
  return account.provider === 'docker' ? dockerPolicy : null
}

function snapshot(publicUrl: string, workspaceId: string, accountId: string): string {
  const body = {
    workspaceId,
    accountId,
    complete: true,
    nodes: [
      { type: 'vm', externalId: 'vm-1', name: 'web', category: 'compute' },
      { type: 'database', externalId: 'db-1', name: 'orders', category: 'database' },
    ],
    edges: [
      {
        from: { type: 'vm', externalId: 'vm-1' },
        to: { type: 'database', externalId: 'db-1' },
        relation: 'connects_to',
      },
    ],
  }
  return `curl -sS -X POST ${publicUrl}/v1/cloud_infra/snapshots \\
  -H "x-api-key: $ATRIUM_KEY" -H 'content-type: application/json' \\
  -d '${JSON.stringify(body, null, 2)}'
`
}

function upload(publicUrl: string, workspaceId: string, id: string): string {
  return `terraform state pull | curl -sS -X PUT ${publicUrl}/v1/cloud_accounts/${workspaceId}/${id}/state \\
  -H "x-api-key: $ATRIUM_KEY" -H 'content-type: application/json' --data-binary @-
`
}
