// CODEOWNERS as GitHub reads it.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ruleFor, rulesIn } from '../../src/areas/repositories/finding/codeowners.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, mirrored, newRepository, repositoriesIn, settled, write } from '../helpers/repositories.ts'

/** The example of GitHub's own documentation. */
const text = `# Comments and empty lines are nothing.

*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/*  docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octologs
/apps/ @octocat
/apps/github
/with\\ space/ @space
\\#hash @hash
!negated @nobody
sect[io]n @nobody
deep/**/leaf @leaf
`

const ownersOf = (path: string, of = text) => ruleFor(rulesIn(of), path)?.owners.map(({ name }) => name)

describe('a line of CODEOWNERS', () => {
  it.each([
    ['README.md', ['@global-owner1', '@global-owner2']],
    ['a/b/c.js', ['@js-owner']],
    ['main.go', ['docs@example.com']],
    ['a/notes.txt', ['@octo-org/octocats']],
    ['build/logs/a', ['@octologs']],
    ['docs/getting-started.md', ['@doctocat']],
    ['lib/docs/a.md', ['@global-owner1', '@global-owner2']],
    ['lib/apps/a.md', ['@octocat']],
    ['scripts/a/b.sh', ['@doctocat', '@octocat']],
    ['deeply/nested/logs/file', ['@octologs']],
    ['logs', ['@octologs']],
    ['apps/web/a', ['@octocat']],
    ['apps/github', []],
    ['apps/github/a', []],
    ['with space/a', ['@space']],
    ['a/#hash', ['@hash']],
    ['!negated', ['@global-owner1', '@global-owner2']],
    ['section', ['@global-owner1', '@global-owner2']],
    ['deep/leaf', ['@leaf']],
    ['deep/a/b/leaf', ['@leaf']],
    ['other/deep/leaf', ['@global-owner1', '@global-owner2']],
  ])('%s belongs to %j', (path, owners) => {
    expect(ownersOf(path)).toEqual(owners)
  })

  it('with a star at its end owns what is directly there, and no more', () => {
    expect(ownersOf('docs/a.md', 'docs/* @a')).toEqual(['@a'])
    expect(ownersOf('docs/build/a.md', 'docs/* @a')).toBeUndefined()
    expect(ownersOf('other/docs/a.md', 'docs/* @a')).toBeUndefined()
    expect(ownersOf('docs/build/a.md', '/docs/** @a')).toEqual(['@a'])
    expect(ownersOf('a/b/c', '* @a')).toEqual(['@a'])
    expect(ownersOf('src/a.test.ts', 'src/*.test.ts @a')).toEqual(['@a'])
    expect(ownersOf('foo', 'foo/ @a')).toBeUndefined()
    expect(ownersOf('fooo', 'fo?o @a')).toEqual(['@a'])
  })

  it('takes no long time, however it is written', () => {
    const nasty = Array.from({ length: 2_000 }, () => `${'**/a*'.repeat(12)}/*b*c*d*e*f @x`).join('\n')
    const since = performance.now()
    expect(ownersOf(`${'aaaaaaaaaaaaaaaa/'.repeat(100)}x`, nasty)).toBeUndefined()
    expect(performance.now() - since).toBeLessThan(5_000)
  })
})

describe('repositories.owners', () => {
  let p: TestPlatform
  let owner: TestCaller

  beforeAll(async () => {
    p = await platform()
    owner = await p.user()
  })
  afterAll(() => p.close())

  it('names owners, with the team of the workspace that has the slug', async () => {
    const { workspaceId } = owner
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Engine', slug: 'engine' }, owner)
    const url = `owners-${process.pid}`
    const path = newRepository(join(repositoriesIn(), url))
    write(path, {
      'docs/CODEOWNERS': '* @docs\n',
      CODEOWNERS: '* @nobody\n/src/ @example/Engine ada@example.com @ada\n',
    })
    const first = commit(path, 'Begin')
    const id = await mirrored(p, owner, url)
    const at = async (input: object) =>
      (await p.call('repositories.owners', { workspaceId, id, ...input }, owner)).result
    expect(await at({ path: 'src/a/b.ts' })).toEqual({
      sha: first,
      path: 'src/a/b.ts',
      pathBytes: null,
      file: 'CODEOWNERS',
      line: 2,
      pattern: '/src/',
      owners: [
        { name: '@example/Engine', type: 'team', teamId: team.id },
        { name: 'ada@example.com', type: 'email', teamId: null },
        { name: '@ada', type: 'user', teamId: null },
      ],
    })
    write(path, { '.github/CODEOWNERS': '*.md @example/other\n' })
    commit(path, 'Before the others')
    await settled(p, owner, id)
    expect(await at({ path: 'README.md' })).toMatchObject({
      file: '.github/CODEOWNERS',
      owners: [{ name: '@example/other', teamId: null }],
    })
    expect(await at({ path: 'src/a.ts' })).toMatchObject({ file: '.github/CODEOWNERS', line: null, owners: [] })
    expect((await p.call('repositories.owners', { workspaceId, id }, owner)).status).toBe(400)
  })
})
