// Finds how resources hang together by attributes that hold the id of another, beyond what the state calls dependencies.
import type { NodeKey, Relation } from '../../found/contract.ts'
import type { Gathered } from '../gathered.ts'
import { at, type Fields, listOf, textOf } from '../values.ts'
import { openAttributes } from './facts.ts'
import type { Resource } from './resources.ts'

export type Placed = { resource: Resource; key: NodeKey }

/**
 * An attribute that names another resource of one of these types. `back`: the edge leads from the other to this one, as
 * with a network that contains what names it.
 */
type Link = { attribute: string; types: readonly string[]; relation: Relation; back?: true }

function links(relation: Relation, types: string, attributes: string, back?: true): Link[] {
  return attributes.split(' ').map(attribute => ({ attribute, types: types.split(' '), relation, back }))
}

const vpcs = 'aws_vpc aws_default_vpc digitalocean_vpc'
const subnets = 'aws_subnet aws_default_subnet azurerm_subnet google_compute_subnetwork'
const groups = 'aws_security_group aws_default_security_group'
const networks = 'google_compute_network azurerm_virtual_network hcloud_network'
const inNetwork = 'network network_id virtual_network_name network_interface.network'
const roles = 'role role_arn execution_role_arn task_role_arn iam_role_arn node_role_arn service_role service_role_arn'
const encryption = 'kms_key_id kms_key_arn kms_master_key_id encryption_configuration.kms_key'
const functions = 'aws_lambda_function aws_lambda_alias'

const table: readonly Link[] = [
  ...links('contains', vpcs, 'vpc_id vpc_uuid vpc_config.vpc_id', true),
  ...links('contains', subnets, 'subnet_id subnet_ids subnets subnetwork virtual_network_subnet_id', true),
  ...links('contains', subnets, 'vpc_config.subnet_ids network_configuration.subnets vpc_zone_identifier', true),
  ...links('contains', subnets, 'network_interface.subnetwork ip_configuration.subnet_id', true),
  ...links('contains', networks, inNetwork, true),
  ...links('contains', groups, 'security_group_id', true),
  ...links('contains', 'aws_ecs_cluster google_container_cluster', 'cluster', true),
  ...links('contains', 'aws_eks_cluster', 'cluster_name', true),
  ...links('contains', 'digitalocean_kubernetes_cluster digitalocean_database_cluster', 'cluster_id', true),
  ...links('contains', 'azurerm_kubernetes_cluster', 'kubernetes_cluster_id', true),
  ...links('contains', 'aws_rds_cluster aws_docdb_cluster aws_neptune_cluster', 'cluster_identifier', true),
  ...links('contains', 'google_sql_database_instance', 'instance', true),
  ...links('contains', 'azurerm_resource_group', 'resource_group_name', true),
  ...links('contains', 'azurerm_storage_account', 'storage_account_name storage_account_id', true),
  ...links(
    'contains',
    'azurerm_mssql_server azurerm_postgresql_server azurerm_postgresql_flexible_server',
    'server_id',
    true,
  ),
  ...links('contains', 'aws_route53_zone cloudflare_zone', 'zone_id', true),
  ...links('contains', 'google_dns_managed_zone', 'managed_zone', true),
  ...links('contains', 'kubernetes_namespace kubernetes_namespace_v1', 'metadata.namespace namespace', true),
  ...links(
    'contains',
    'aws_api_gateway_rest_api aws_apigatewayv2_api aws_appsync_graphql_api',
    'rest_api_id api_id',
    true,
  ),
  ...links('contains', 'aws_lb aws_alb', 'load_balancer_arn', true),
  ...links('contains', 'aws_lb_listener aws_alb_listener', 'listener_arn', true),
  ...links('contains', 'aws_efs_file_system', 'file_system_id', true),
  ...links('contains', 'github_repository', 'repository', true),
  ...links('connects_to', groups, 'security_groups vpc_security_group_ids security_group_ids'),
  ...links('connects_to', groups, 'vpc_config.security_group_ids network_configuration.security_groups'),
  ...links('connects_to', groups, 'source_security_group_id referenced_security_group_id ingress.security_groups'),
  ...links('connects_to', 'azurerm_network_security_group', 'network_security_group_id'),
  ...links('connects_to', 'aws_internet_gateway aws_nat_gateway', 'gateway_id nat_gateway_id route.gateway_id'),
  ...links('connects_to', 'aws_nat_gateway', 'route.nat_gateway_id'),
  ...links('connects_to', 'aws_lb_target_group aws_alb_target_group', 'default_action.target_group_arn'),
  ...links('connects_to', 'aws_lb_target_group aws_alb_target_group', 'action.target_group_arn'),
  ...links('connects_to', 'aws_lb_target_group aws_alb_target_group', 'target_group_arns', true),
  ...links('connects_to', 'aws_lb_target_group aws_alb_target_group', 'load_balancer.target_group_arn', true),
  ...links('connects_to', 'aws_lb aws_alb aws_elb aws_cloudfront_distribution', 'alias.name records'),
  ...links('connects_to', 'aws_instance aws_network_interface', 'instance network_interface'),
  ...links('connects_to', 'azurerm_network_interface', 'network_interface_ids'),
  ...links('connects_to', 'azurerm_public_ip', 'public_ip_address_id ip_configuration.public_ip_address_id'),
  ...links('depends_on', 'aws_iam_role', roles),
  ...links('depends_on', 'aws_iam_instance_profile', 'iam_instance_profile iam_instance_profile.name'),
  ...links('depends_on', 'aws_iam_policy', 'policy_arn'),
  ...links('depends_on', 'google_service_account', 'service_account service_account_email service_account.email'),
  ...links('depends_on', 'aws_kms_key aws_kms_alias', encryption),
  ...links('depends_on', 'aws_ecs_task_definition', 'task_definition'),
  ...links('depends_on', 'aws_launch_template', 'launch_template.id'),
  ...links('depends_on', 'aws_launch_configuration', 'launch_configuration'),
  ...links('depends_on', 'aws_db_subnet_group aws_elasticache_subnet_group', 'db_subnet_group_name subnet_group_name'),
  ...links('depends_on', 'aws_acm_certificate', 'certificate_arn viewer_certificate.acm_certificate_arn'),
  ...links('depends_on', 'aws_key_pair', 'key_name'),
  ...links('depends_on', 'aws_s3_bucket', 'bucket'),
  ...links('writes', 'aws_cloudwatch_log_group', 'logging_config.log_group access_log_settings.destination_arn'),
  ...links('writes', 'aws_sqs_queue aws_sns_topic', 'dead_letter_config.target_arn'),
]

const byAttribute = Map.groupBy(table, ({ attribute }) => attribute.split('.', 1)[0] ?? '')

/** Resources that only join two others: the edge is between those. */
type Pair = {
  type: string
  from: string
  fromTypes: readonly string[]
  to: string
  toTypes: readonly string[]
  relation: Relation
}

function pair(type: string, from: [string, string], relation: Relation, to: [string, string]): Pair {
  return { type, from: from[0], fromTypes: from[1].split(' '), relation, to: to[0], toTypes: to[1].split(' ') }
}

const sources = 'aws_sqs_queue aws_kinesis_stream aws_dynamodb_table aws_msk_cluster aws_mq_broker'
const callers = 'aws_sns_topic aws_s3_bucket aws_cloudwatch_event_rule aws_scheduler_schedule'
const targets = 'aws_instance aws_lambda_function aws_lb'

const pairs: readonly Pair[] = [
  pair('aws_lambda_event_source_mapping', ['event_source_arn', sources], 'invokes', ['function_arn', functions]),
  pair('aws_lambda_event_source_mapping', ['event_source_arn', sources], 'invokes', ['function_name', functions]),
  pair('aws_lambda_permission', ['source_arn', callers], 'invokes', ['function_name', functions]),
  pair('aws_sns_topic_subscription', ['topic_arn', 'aws_sns_topic'], 'invokes', ['endpoint', functions]),
  pair('aws_sns_topic_subscription', ['topic_arn', 'aws_sns_topic'], 'writes', ['endpoint', 'aws_sqs_queue']),
  pair('aws_cloudwatch_event_target', ['rule', 'aws_cloudwatch_event_rule'], 'invokes', ['arn', functions]),
  pair('aws_cloudwatch_event_target', ['rule', 'aws_cloudwatch_event_rule'], 'writes', [
    'arn',
    'aws_sqs_queue aws_sns_topic',
  ]),
  pair('aws_s3_bucket_notification', ['bucket', 'aws_s3_bucket'], 'invokes', [
    'lambda_function.lambda_function_arn',
    functions,
  ]),
  pair('aws_s3_bucket_notification', ['bucket', 'aws_s3_bucket'], 'writes', ['queue.queue_arn', 'aws_sqs_queue']),
  pair('aws_s3_bucket_notification', ['bucket', 'aws_s3_bucket'], 'writes', ['topic.topic_arn', 'aws_sns_topic']),
  pair('aws_lb_target_group_attachment', ['target_group_arn', 'aws_lb_target_group'], 'connects_to', [
    'target_id',
    targets,
  ]),
  pair('aws_alb_target_group_attachment', ['target_group_arn', 'aws_alb_target_group'], 'connects_to', [
    'target_id',
    targets,
  ]),
  pair('aws_volume_attachment', ['instance_id', 'aws_instance'], 'writes', ['volume_id', 'aws_ebs_volume']),
  pair('aws_eip_association', ['allocation_id', 'aws_eip'], 'connects_to', ['instance_id', 'aws_instance']),
  pair('aws_route_table_association', ['subnet_id', 'aws_subnet'], 'connects_to', [
    'route_table_id',
    'aws_route_table',
  ]),
  pair('google_pubsub_subscription', ['topic', 'google_pubsub_topic'], 'writes', ['id', 'google_pubsub_subscription']),
]

/** Attributes by which others name a resource. */
const identities =
  'id arn self_link name email url dns_name domain_name function_name qualified_arn metadata.name'.split(' ')

export function addLinks(gathered: Gathered, placed: readonly Placed[]): void {
  const open = new Map(placed.map(one => [one, openAttributes(one.resource)]))
  const index = indexOf(open)
  const named = (attributes: Fields, path: string, types: readonly string[]) =>
    textsAt(attributes, path).flatMap(value => types.flatMap(type => only(index.get(`${type}\n${value}`)) ?? []))
  for (const [{ key, resource }, attributes] of open) {
    if (gathered.isFull()) return
    const present = Object.keys(attributes).flatMap(name => byAttribute.get(name) ?? [])
    for (const { attribute, types, relation, back } of present) {
      for (const { key: other } of named(attributes, attribute, types)) {
        if (back) gathered.edge(other, key, relation)
        else gathered.edge(key, other, relation)
      }
    }
    for (const { from, fromTypes, to, toTypes, relation } of pairs.filter(({ type }) => type === resource.type)) {
      const ends = named(attributes, to, toTypes)
      for (const one of named(attributes, from, fromTypes)) {
        for (const other of ends) gathered.edge(one.key, other.key, relation)
      }
    }
  }
}

/** Where two have the same name it is not certain which is meant. */
function only(found: ReadonlySet<Placed> | undefined): Placed | undefined {
  return found?.size === 1 ? [...found][0] : undefined
}

function indexOf(open: ReadonlyMap<Placed, Fields>): ReadonlyMap<string, ReadonlySet<Placed>> {
  const index = new Map<string, Set<Placed>>()
  for (const [placed, attributes] of open) {
    for (const value of identities.flatMap(path => textsAt(attributes, path))) {
      const key = `${placed.resource.type}\n${value}`
      index.set(key, (index.get(key) ?? new Set()).add(placed))
    }
  }
  return index
}

const mostValues = 100

/** All texts at a path; a block is a list in the state, and is passed through. */
function textsAt(attributes: Fields, path: string): string[] {
  let here: unknown[] = [attributes]
  for (const step of path.split('.')) {
    here = here.flatMap(value => through(at(value, step))).slice(0, mostValues)
  }
  return here.flatMap(value => textOf(value, 1024) ?? [])
}

function through(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? listOf(value, mostValues) : [value]
}
