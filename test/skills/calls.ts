// The rows of inputs of skills.
import type { skills } from '../../src/areas/skills/contract.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'
import { zipped } from './zipped.ts'

let count = 0
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })
const text = () => ({
  slug: `skill-${count++}`,
  description: 'Sorts alerts. Use when many come.',
  body: 'Look first.\n',
})

async function skillIn({ p, workspaceId }: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const { result } = await p.call('skills.post', { workspaceId, ...text() }, caller)
  return { workspaceId, id: result.id }
}

async function fileIn(w: World, caller: TestCaller) {
  const skill = await skillIn(w, caller)
  const { result } = await w.p.call('skills.files.put', { ...skill, ...newFile() }, caller)
  return { ...skill, fileId: result.id }
}

const newFile = () => ({ path: 'notes.md', content: { kind: 'bytes', bytes: Buffer.from(`Note ${count++}\n`) } })

async function newZip() {
  const name = `zipped-${count++}`
  const bytes = await zipped({ [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: From a zip.\n---\nDo.\n` })
  return { kind: 'zip', bytes }
}

export const calls: Readonly<Record<keyof typeof skills.operations, CallRow>> = {
  'skills.list': { input: inWorkspace },
  'skills.get': { input: skillIn },
  'skills.post': { input: w => ({ ...inWorkspace(w), ...text() }) },
  'skills.patch': { input: async (w, caller) => ({ ...(await skillIn(w, caller)), body: `Look again ${count++}.\n` }) },
  'skills.del': { input: skillIn },
  'skills.validate': { input: w => ({ ...inWorkspace(w), markdown: 'No front matter' }) },
  'skills.prompt': { input: skillIn },
  'skills.import': { input: async w => ({ ...inWorkspace(w), content: await newZip() }) },
  'skills.export': { input: skillIn },
  'skills.files.list': { input: fileIn },
  'skills.files.get': { input: fileIn },
  'skills.files.put': { input: async (w, caller) => ({ ...(await skillIn(w, caller)), ...newFile() }) },
  'skills.files.del': { input: fileIn },
  'skills.files.read': { input: async (w, caller) => ({ ...(await skillIn(w, caller)), path: 'SKILL.md' }) },
  'skills.versions.list': { input: skillIn },
  'skills.versions.revert': { input: async (w, caller) => ({ ...(await skillIn(w, caller)), version: '1' }) },
}
