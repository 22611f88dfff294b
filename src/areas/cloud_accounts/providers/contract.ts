// The providers: what each is for, what must be there, and which fields it takes. The catalog shows this.
import type { ConfigField, CredentialField, Provider } from '../fields/contract.ts'

export type ProviderTerms = {
  title: string
  about: string
  needs: string
  /** How it comes in: read by syncs, or sent by somebody. */
  by: 'sync' | 'push'
  config: readonly ConfigField[]
  secrets: readonly CredentialField[]
  /** It has regions. */
  hasRegions: boolean
}

const elsewhere =
  'Google Cloud and Azure have no reader of their own yet: their resources come in by a Terraform state or by push.'

export const terms: Readonly<Record<Provider, ProviderTerms>> = {
  push: {
    title: 'Push',
    about: `An agent or a CI job sends snapshots of what is there, from any system. ${elsewhere}`,
    needs: 'A key with cloud_infra:write, and something that sends.',
    by: 'push',
    config: [],
    secrets: [],
    hasRegions: false,
  },
  terraform_state: {
    title: 'Terraform state',
    about: `Resources, modules and dependencies of a Terraform or OpenTofu state: no log-in at a cloud. ${elsewhere}`,
    needs: 'A state of version 3 or 4: a path in a repository, or an upload. Secrets in it are not kept.',
    by: 'sync',
    config: ['repositoryId', 'path', 'ref'],
    secrets: [],
    hasRegions: false,
  },
  kubernetes: {
    title: 'Kubernetes',
    about: 'Workloads, services, ingresses, volumes and nodes of a cluster, over its API.',
    needs: 'The address of the API with a token of a service account, or a kubeconfig; the right to list.',
    by: 'sync',
    config: ['server', 'ca', 'namespaces', 'include'],
    secrets: ['token', 'kubeconfig', 'clientCert', 'clientKey'],
    hasRegions: false,
  },
  docker: {
    title: 'Docker',
    about: 'Containers, images, networks and volumes of a Docker engine, over its API.',
    needs: 'A socket that the operator names in DOCKER_SOCKETS, or an address of the engine with client certificates.',
    by: 'sync',
    config: ['address', 'ca'],
    secrets: ['clientCert', 'clientKey'],
    hasRegions: false,
  },
  manifests: {
    title: 'Manifests in a repository',
    about: 'What Compose files and Kubernetes manifests of a repository describe.',
    needs: 'A repository of the workspace that is synced.',
    by: 'sync',
    config: ['repositoryId', 'path', 'ref'],
    secrets: [],
    hasRegions: false,
  },
  aws: {
    title: 'Amazon Web Services',
    about: 'EC2, RDS, S3, Lambda, ELB, ECS, EKS, IAM roles, Route 53, SQS and SNS of an account, read only.',
    needs: 'Keys of a user that may assume a role, with our external id; or keys that may read by themselves.',
    by: 'sync',
    config: ['roleArn', 'endpoint'],
    secrets: ['accessKeyId', 'secretAccessKey', 'sessionToken'],
    hasRegions: true,
  },
  telemetry: {
    title: 'Telemetry',
    about: 'Services, and who calls whom, as traces show it.',
    needs: 'A dataset of the kind traces.',
    by: 'sync',
    config: ['datasetId'],
    secrets: [],
    hasRegions: false,
  },
}
