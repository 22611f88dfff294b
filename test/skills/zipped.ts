// Files as a zip, for tests.
import { zipOf } from '../../src/kit/zip.ts'

/** Files by their paths → a zip. */
export async function zipped(files: Readonly<Record<string, string | Uint8Array>>): Promise<Buffer> {
  async function* contents() {
    for (const [path, content] of Object.entries(files)) yield { path, bytes: Buffer.from(content as string) }
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of zipOf(contents())) chunks.push(chunk)
  return Buffer.concat(chunks)
}
