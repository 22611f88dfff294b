// Who may ask the stand-in of AWS: keys, the role that is taken on, and the simulation of rights.
import { account } from './aws_names.ts'
import type { AwsServer } from './aws_server.ts'
import { type Holder, Refusal } from './aws_signature.ts'

export const operator = { accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'operator/secret+bytes/0123456789abcdef' }
export const owner = { accessKeyId: 'AKIAACCOUNTOWN', secretAccessKey: 'owner+secret/bytes/0123456789abcdef' }
export const issued = { secret: 'issued/secret/bytes+abcdef0123456789', token: 'IQoJ/issued+token/bytes==' }
export const roleArn = `arn:aws:iam::${account}:role/atrium/AtriumReader`

export function identityOf(accessKeyId: string): object {
  if (accessKeyId === operator.accessKeyId)
    return { Account: '999900001111', Arn: 'arn:aws:iam::999900001111:user/atrium', UserId: 'U' }
  const isOwner = accessKeyId === owner.accessKeyId
  const arn = isOwner
    ? `arn:aws:iam::${account}:user/owner`
    : `arn:aws:sts::${account}:assumed-role/AtriumReader/atrium`
  return { Account: account, Arn: arn, UserId: 'U' }
}

export function taken(
  server: AwsServer,
  holders: Map<string, Holder>,
  by: string,
  params: Record<string, unknown>,
): object {
  const { RoleArn, RoleSessionName, DurationSeconds, ExternalId } = params
  const isRight = RoleArn === roleArn && ExternalId === server.externalId && by === operator.accessKeyId
  if (!isRight) throw new Refusal(403, 'AccessDenied')
  if (RoleSessionName !== 'atrium' || DurationSeconds !== '900') throw new Refusal(400, 'ValidationError')
  const expires = server.now().getTime() + Number(DurationSeconds) * 1000
  holders.set('ASIAISSUED', { secret: issued.secret, token: issued.token, expires })
  return {
    Credentials: {
      AccessKeyId: 'ASIAISSUED',
      SecretAccessKey: issued.secret,
      SessionToken: issued.token,
      Expiration: new Date(expires).toISOString(),
    },
  }
}

export function simulated({ deny, extra }: AwsServer, params: Record<string, unknown>): object {
  const sources = [roleArn, `arn:aws:iam::${account}:user/owner`]
  if (!sources.includes(String(params.PolicySourceArn))) throw new Refusal(404, 'NoSuchEntity')
  const asked = Object.entries(params).filter(([name]) => /^ActionNames\.member\.\d+$/.test(name))
  const isRead = (action: string) => /:(Describe|List)|^s3:GetBucket|^sqs:GetQueue|^tag:|Simulate/.test(action)
  const isAllowed = (action: string) => (isRead(action) && !deny.has(action)) || extra.has(action)
  const from = Number(params.Marker ?? 0)
  const here = asked.slice(from, from + 50)
  const isMore = from + 50 < asked.length
  return {
    EvaluationResults: {
      member: here.map(([, action]) => ({
        EvalActionName: action,
        EvalDecision: isAllowed(String(action)) ? 'allowed' : 'implicitDeny',
        MatchedStatements: {},
      })),
    },
    IsTruncated: isMore,
    ...(isMore && { Marker: from + 50 }),
  }
}
