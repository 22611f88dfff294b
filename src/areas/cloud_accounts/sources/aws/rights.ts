// The rights that reading an account takes, as documents to paste, and those that nobody who only reads should have.
import { type Action, actions, callOf } from './calls.ts'

/** Everything that is asked of the account itself; what it takes to become its reader is another account's right. */
export const neededRights: readonly Action[] = actions.filter(action => !callOf(action).isFree)

/** Reads whose answers would be secrets, and what changes, costs or hands on something. */
export const dangerousRights = [
  'cloudformation:CreateStack',
  'dynamodb:GetItem',
  'dynamodb:Scan',
  'ec2:AuthorizeSecurityGroupIngress',
  'ec2:CreateSnapshot',
  'ec2:GetPasswordData',
  'ec2:RunInstances',
  'ec2:TerminateInstances',
  'ecs:ExecuteCommand',
  'ecs:RunTask',
  'ecs:UpdateService',
  'eks:CreateAccessEntry',
  'iam:AttachRolePolicy',
  'iam:AttachUserPolicy',
  'iam:CreateAccessKey',
  'iam:CreatePolicyVersion',
  'iam:CreateRole',
  'iam:CreateUser',
  'iam:PassRole',
  'iam:PutRolePolicy',
  'iam:PutUserPolicy',
  'iam:UpdateAssumeRolePolicy',
  'kms:CreateGrant',
  'kms:Decrypt',
  'lambda:GetFunction',
  'lambda:InvokeFunction',
  'lambda:UpdateFunctionCode',
  'logs:GetLogEvents',
  'organizations:LeaveOrganization',
  'rds:DeleteDBInstance',
  'rds:ModifyDBInstance',
  'route53:ChangeResourceRecordSets',
  's3:DeleteObject',
  's3:GetObject',
  's3:PutBucketPolicy',
  's3:PutObject',
  'secretsmanager:GetSecretValue',
  'sns:Publish',
  'sqs:DeleteMessage',
  'sqs:ReceiveMessage',
  'sqs:SendMessage',
  'ssm:GetParameter',
  'ssm:SendCommand',
  'sts:AssumeRole',
] as const

/** None of these can be narrowed to single things without losing what was made since. */
export function policyDocument(): string {
  const isCheck = (action: Action) => action === 'iam:SimulatePrincipalPolicy'
  const statement = (Sid: string, Action: readonly Action[]) => ({ Sid, Effect: 'Allow', Action, Resource: '*' })
  return JSON.stringify(
    {
      Version: '2012-10-17',
      Statement: [
        statement(
          'AtriumReads',
          neededRights.filter(action => !isCheck(action)),
        ),
        statement('AtriumChecksItsRights', neededRights.filter(isCheck)),
      ],
    },
    null,
    2,
  )
}

/** Who may take the role on: the operator's account or principal, and only for whoever knows the external id. */
export function trustPolicy(accountOrPrincipal: string, externalId: string): string {
  const isAccount = /^\d{12}$/.test(accountOrPrincipal)
  return JSON.stringify(
    {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: isAccount ? `arn:aws:iam::${accountOrPrincipal}:root` : accountOrPrincipal },
          Action: 'sts:AssumeRole',
          Condition: { StringEquals: { 'sts:ExternalId': externalId } },
        },
      ],
    },
    null,
    2,
  )
}
