// Holds every answer against what its operation declares: status, text, envelope and result.
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { declaredAnswers } from '../../src/contract/answers.ts'
import { FailureEnvelope, type SuccessStatus } from '../../src/contract/envelope.ts'
import { errors } from '../../src/contract/errors.ts'
import { errorsOf } from '../../src/contract/operation.ts'
import { operation as lookUp } from '../../src/operations.ts'
import type { Answer } from './platform.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
formats.default(ajv)

const isFailure = ajv.compile(FailureEnvelope)
const successes = new Map<string, ReturnType<typeof ajv.compile>>()

/** 413 and 503 belong to the transport and may come anywhere. */
const ofTransport = [413, 503]

/** Throws where the answer is not one that the operation declares. */
export function checkAnswer(id: string, answer: Pick<Answer, 'status' | 'body'>): void {
  const operation = lookUp(id)
  if (!operation) throw new Error(`no operation ${id}`)
  const { status, body } = answer
  const isGood = successOf(id, status as SuccessStatus)
  if (isGood) {
    demand(id, status, isGood, body)
    return
  }
  const kinds = errorsOf(operation).map(kind => errors[kind])
  const transport = Object.values(errors).filter(error => ofTransport.includes(error.status))
  const declared = [...kinds, ...transport].find(error => error.status === status)
  if (!declared) throw new Error(`${id} answers ${status}, which it does not declare: ${JSON.stringify(body)}`)
  demand(id, status, isFailure, body)
  if (body.error.message !== declared.message) throw new Error(`${id} ${status} says ${body.error.message}`)
}

function successOf(id: string, status: SuccessStatus): ReturnType<typeof ajv.compile> | undefined {
  const key = `${id} ${status}`
  const operation = lookUp(id)
  const schema = operation && declaredAnswers(operation)[status]
  const validate = successes.get(key) ?? (schema && ajv.compile(schema))
  if (validate) successes.set(key, validate)
  return validate
}

function demand(id: string, status: number, validate: ReturnType<typeof ajv.compile>, body: unknown): void {
  if (validate(body)) return
  throw new Error(
    `${id} ${status} is not what it declares: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
  )
}
