// Checks an exported audit log on this machine, without asking the service.
import { createReadStream } from 'node:fs'
import { checkExport } from '../contract/ledger_verifier.ts'
import { CliError, usage } from './failures.ts'
import { linesOf } from './lines.ts'
import { type OutputOptions, print } from './output.ts'
import type { Session } from './session.ts'

type AuditOptions = OutputOptions & { earlier?: string }

/** Fails where an entry was changed, removed or reordered, or the file was cut off. */
export async function verifyAudit({ terminal }: Session, file: string, options: AuditOptions): Promise<void> {
  const known = options.earlier ? await hashesIn(options.earlier) : new Map<number, string>()
  const result = await checkExport(linesIn(file), undefined, known)
  if (!result.ok)
    throw new CliError('failed', `${file} is not sound: ${result.problem}.`, 'Export it again, and compare.')
  await print(terminal, result, options)
}

async function* linesIn(file: string): AsyncGenerator<string> {
  try {
    yield* linesOf(createReadStream(file, 'utf8'))
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ENOENT'
    throw usage(isMissing ? `There is no file ${file}.` : `Cannot read ${file}.`, 'Give the path of an export.')
  }
}

async function hashesIn(file: string): Promise<Map<number, string>> {
  const hashes = new Map<number, string>()
  for await (const line of linesIn(file)) {
    const { seq, hash } = JSON.parse(line) as { seq?: number; hash?: string }
    if (seq !== undefined && hash !== undefined) hashes.set(seq, hash)
  }
  return hashes
}
