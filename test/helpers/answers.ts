// Holds every answer against what its operation declares: status, text, envelope and result.
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { FailureEnvelope, type SuccessStatus, successSchema } from '../../src/contract/envelope.ts'
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
  const expected = operation.status ?? 200
  if (status === expected) {
    demand(id, status, successOf(id, expected), body)
    return
  }
  const kinds = errorsOf(operation).map(kind => errors[kind])
  const transport = Object.values(errors).filter(error => ofTransport.includes(error.status))
  const declared = [...kinds, ...transport].find(error => error.status === status)
  if (!declared) throw new Error(`${id} answers ${status}, which it does not declare: ${JSON.stringify(body)}`)
  demand(id, status, isFailure, body)
  if (body.error.message !== declared.message) throw new Error(`${id} ${status} says ${body.error.message}`)
}

function successOf(id: string, status: SuccessStatus) {
  let validate = successes.get(id)
  const operation = lookUp(id)
  if (!validate && operation) {
    validate = ajv.compile(successSchema(status, operation.result))
    successes.set(id, validate)
  }
  return validate as ReturnType<typeof ajv.compile>
}

function demand(id: string, status: number, validate: ReturnType<typeof ajv.compile>, body: unknown): void {
  if (validate(body)) return
  throw new Error(
    `${id} ${status} is not what it declares: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
  )
}
