// Carries out the operations on skills themselves; files and versions are spread in.
import { conflict } from '../../contract/errors.ts'
import { toolNameOf } from '../../contract/tools.ts'
import type { Caller, Context } from '../../kit/context.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { implement, staged } from '../../kit/implement.ts'
import { parseJson } from '../../kit/json.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import { refuseArguments } from '../../kit/text_arguments.ts'
import { zipOf } from '../../kit/zip.ts'
import * as labels from '../labels/store.ts'
import { narrowTools } from '../threads/runs/narrowing/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { announce, existing, held, named, noted, refuseDisabled, writeNext } from './changing.ts'
import { ownSkills } from './contract.ts'
import { mainFile, SkillId } from './fields/contract.ts'
import { contentOf } from './files/contents.ts'
import files from './files/handlers.ts'
import { acceptedFields, acceptedText, refuseSchema } from './format/accepting.ts'
import { readSkill } from './format/reading.ts'
import { promptOf, shown, told } from './format/showing.ts'
import { skillsIn } from './importing/folders.ts'
import { type Importing, importAll } from './importing/importing.ts'
import { type Place, skillsFrom } from './importing/repository.ts'
import * as following from './importing/store.ts'
import * as store from './store.ts'
import versions from './versions/handlers.ts'

const own = implement(ownSkills, {
  'skills.list': ({ db }, { workspaceId, ...query }) => store.pageOfSkills(db, query, workspaceId),

  'skills.get': async ({ db, caller, enqueue }, { workspaceId, id }) => {
    const skill = await existing(db, workspaceId, id)
    await used({ caller, enqueue }, skill)
    return shown(skill)
  },

  'skills.post': async (
    ctx,
    { workspaceId, labels: labelIds = [], parametersSchema = null, enabled = true, ...given },
  ) => {
    const { db, caller, now, note } = ctx
    const { source = caller.callerKind === null ? 'manual' : 'generated', ...fields } = given
    refuseSchema(parametersSchema)
    const accepted = await acceptedFields(fields, null)
    await enter(db, caller, workspaceId)
    const id = newId(SkillId)
    const first = { id, ownerId: caller.ownerId, source, enabled, version: 1, parametersSchema, files: [] }
    await named(accepted.text.name, store.write(db, workspaceId, [{ ...first, ...accepted }], caller, now()))
    await labels.changeLabels(db, workspaceId, [{ object: 'skill', id, add: labelIds }])
    const skill = await existing(db, workspaceId, id)
    note({ after: told(skill) })
    if (enabled) announce(ctx, skill)
    return shown(skill)
  },

  'skills.patch': async (
    ctx,
    { workspaceId, id, labels: labelIds, enabled, parametersSchema, repositoryId, ...fields },
  ) => {
    const { db, now, note, origin } = ctx
    const before = await held(ctx, workspaceId, id)
    if (!isUnchanged(origin.ifMatch, shown(before))) {
      throw conflict('The skill has changed since you read it; read it again.', { updated: before.updated })
    }
    const given = [...Object.values(fields), labelIds, enabled, parametersSchema, repositoryId]
    if (given.every(value => value === undefined)) {
      note({ before: told(before), unchanged: true })
      return shown(before)
    }
    refuseSchema(parametersSchema)
    const was = { markdown: before.markdown, text: await acceptedText(before.markdown) }
    const next = await acceptedFields(fields, was)
    const schema = parametersSchema === undefined ? before.parametersSchema : parametersSchema
    const isOther = JSON.stringify(schema) !== JSON.stringify(before.parametersSchema)
    if (next.markdown !== before.markdown || isOther)
      await writeNext(ctx, before, { ...next, parametersSchema: schema })
    if (enabled !== undefined && enabled !== before.enabled) await store.setEnabled(db, id, enabled, now())
    if (repositoryId === null) await following.stop(db, id, now())
    if (labelIds) {
      await labels.changeLabels(db, workspaceId, [{ object: 'skill', id, only: labelIds }])
      await store.touch(db, id, now())
    }
    return shown(await noted(ctx, before))
  },

  'skills.del': async (ctx, { workspaceId, id }) => {
    const { db, caller, access, note } = ctx
    const reach = reachOf(access, caller)
    const before = await held(ctx, workspaceId, id, reach)
    await store.remove(db, workspaceId, id, reach)
    note({ before: told(before) })
    if (before.enabled) announce(ctx, before)
    return { workspaceId, id, _object: 'skill' as const }
  },

  'skills.validate': async (_, { markdown }) => {
    const { errors, advice } = await readSkill(markdown)
    return { valid: errors.length === 0, errors, advice }
  },

  'skills.prompt': async ({ db, caller, enqueue }, { workspaceId, id, arguments: args = {} }) => {
    const skill = await existing(db, workspaceId, id)
    refuseDisabled(caller, skill)
    refuseArguments(skill.parametersSchema, args)
    await used({ caller, enqueue }, skill)
    const { slug, description, markdown, allowedTools } = skill
    if (caller.run && allowedTools.length > 0) await narrowTools(db, caller.run.id, allowedTools.map(toolNameOf))
    const paths = skill.files.map(({ path }) => path)
    return { slug, description, allowedTools, text: promptOf(markdown, args), files: paths }
  },

  'skills.import': staged(
    // Outside any transaction, since inflating and git take time.
    async (ctx, { workspaceId, content }): Promise<Importing[]> => {
      if (content.kind === 'zip') return await skillsIn(content.bytes)
      return await skillsFrom(ctx, workspaceId, parseJson(content.bytes as Buffer) as Place)
    },
    async (ctx, { workspaceId }, skills) => {
      await enter(ctx.db, ctx.caller, workspaceId)
      const items = await importAll(ctx, workspaceId, skills)
      const changed = items.filter(({ action }) => action !== 'unchanged')
      ctx.note({
        target: { object: 'workspace', id: workspaceId },
        after: { items: changed },
        ...(changed.length === 0 && { unchanged: true }),
      })
      for (const { id } of changed.slice(0, 1)) announce(ctx, { workspaceId, id })
      return { items }
    },
  ),

  'skills.export': async ({ db }, { workspaceId, id }) => {
    const { slug, markdown, files: ofSkill } = await existing(db, workspaceId, id)
    async function* contents() {
      yield { path: `${slug}/${mainFile}`, bytes: Buffer.from(markdown, 'utf8') as Uint8Array }
      for (const file of ofSkill) {
        yield { path: `${slug}/${file.path}`, bytes: await contentOf(db, workspaceId, file) }
      }
    }
    return { contentType: 'application/zip', fileName: `${slug}.zip`, chunks: zipOf(contents()) }
  },
})

/** Agents at work are counted after the answer: nobody waits for it. */
async function used({ caller, enqueue }: Pick<Context, 'enqueue'> & { caller: Caller }, skill: store.SkillRow) {
  const { workspaceId, id, version } = skill
  if (caller.callerKind !== null) await enqueue('skills.used', { workspaceId, id, version })
}

export default { ...own, ...files, ...versions }
