// What a cloud account is to its pages, and what its provider is called.
import type { ItemOf, ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'

export type Account = ItemOf<'cloud_accounts.list'>
export type Sync = ItemOf<'cloud_accounts.syncs.list'>
export type Fault = Sync['errors'][number]
export type Rights = NonNullable<Account['rights']>
export type Catalog = ResultOf<'cloud_accounts.catalog'>
export type Provider = Catalog['providers'][number]

export function useCatalog() {
  return useCall('cloud_accounts.catalog', {})
}

export function providerIn(catalog: Catalog | undefined, provider: unknown): Provider | undefined {
  return catalog?.providers.find(one => one.provider === provider)
}

/** Somebody sends it, and it is never read: it has no interval, and no button to read it now. */
export function isSent({ provider, config }: Pick<Account, 'provider' | 'config'>): boolean {
  return provider === 'push' || takesUpload({ provider, config })
}

export function takesUpload({ provider, config }: Pick<Account, 'provider' | 'config'>): boolean {
  return provider === 'terraform_state' && config.repositoryId === undefined
}

/** Whose rights can be compared with what syncs need. */
export function hasRights({ provider }: Pick<Account, 'provider'>): boolean {
  return provider === 'aws' || provider === 'kubernetes' || provider === 'docker'
}

/** What must be there before it can be read; null where nothing is missing. */
export function missingIn({ provider, config, secretsSet }: Account): string | null {
  const has = (name: string) => secretsSet.includes(name)
  switch (provider) {
    case 'push':
      return 'Nothing was sent yet. Setup has the command to send it with.'
    case 'terraform_state':
      return config.repositoryId === undefined ? 'Nothing was uploaded yet. Upload a state under State.' : null
    case 'kubernetes':
      return has('kubeconfig') || config.server !== undefined
        ? null
        : 'It needs the address of the API, or a kubeconfig.'
    case 'docker':
      return config.address === undefined ? 'It needs the address of the engine.' : null
    case 'manifests':
      return config.repositoryId === undefined ? 'It needs a repository.' : null
    case 'aws':
      return has('accessKeyId') && has('secretAccessKey') ? null : 'It needs an access key. Setup has the policies.'
    case 'telemetry':
      return config.datasetId === undefined ? 'It needs a dataset of traces.' : null
  }
}
