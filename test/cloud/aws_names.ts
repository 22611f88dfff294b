// Names of the things in the account that stands in for one of AWS.

export const account = '111122223333'
export const marker = 'SEKRET-9f3a'

export const arn = (service: string, rest: string, region = 'eu-west-1') =>
  `arn:aws:${service}:${region}:${account}:${rest}`
export const role = (name: string) => `arn:aws:iam::${account}:role/${name}`
const elbArn = (rest: string) => arn('elasticloadbalancing', rest)

export const arns = {
  worker: arn('lambda', 'function:worker'),
  mailer: arn('lambda', 'function:mailer'),
  jobs: arn('sqs', 'jobs'),
  dead: arn('sqs', 'jobs-dead'),
  news: arn('sns', 'news'),
  alarms: arn('sns', 'alarms'),
  web: elbArn('loadbalancer/app/web/1'),
  inner: elbArn('loadbalancer/net/inner/2'),
  toWeb: elbArn('targetgroup/web/1'),
  toFunction: elbArn('targetgroup/fn/2'),
  toAddresses: elbArn('targetgroup/ip/3'),
  prod: arn('ecs', 'cluster/prod'),
  empty: arn('ecs', 'cluster/empty'),
  api: arn('ecs', 'service/prod/api'),
  cron: arn('ecs', 'service/prod/cron'),
  apiTask: arn('ecs', 'task-definition/api:3'),
  cronTask: arn('ecs', 'task-definition/cron:1'),
  k8s: arn('eks', 'cluster/k8s'),
  second: arn('eks', 'cluster/second'),
  nodes: arn('eks', 'nodegroup/k8s/ng-1/aa'),
  spare: arn('eks', 'nodegroup/k8s/ng-2/bb'),
  aurora: arn('rds', 'cluster:aurora'),
  reports: arn('rds', 'cluster:reports'),
  aurora1: arn('rds', 'db:aurora-1'),
  plain: arn('rds', 'db:plain'),
}
