// Threads in the browser: written in, grown live, long ones by a cursor, runs that ask, stop and fail, hypotheses, ratings.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { faultsOf, inBrowser, type Person, person, picture, settled, url, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button } from './helpers/story.ts'

const patient = { timeout: 20_000 }

type Step = Record<string, unknown>

async function thread({ client, workspaceId }: Person, fields: object = {}): Promise<string> {
  return (await client.call('threads.post', { workspaceId, ...fields })).id
}

/** A script in place of a model, until it stands as wanted. */
async function run({ client, workspaceId }: Person, id: string, steps: readonly Step[], status: string) {
  const { id: runId } = await client.call('threads.runs.post', { workspaceId, id, steps: steps as never })
  const state = async () => (await client.call('threads.runs.get', { workspaceId, id, runId })).status
  await expect.poll(state, patient).toBe(status)
}

const log = (page: Page) => page.getByRole('log', { name: 'Messages' })

inBrowser('threads', () => {
  useBrowser()

  it('are started by a first message, listed by type and found by what was said', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const root = `/w/${workspaceId}/threads`
    await thread(someone, { name: 'Checkout is slow', type: 'investigation' })
    await page.goto(`${root}/new`)
    await page.getByRole('textbox', { name: 'Message' }).fill('Why is the **pool** exhausted?\n\nIt held twenty.')
    faults.push(...(await look(page, 'thread-new')))
    await page.locator('textarea').first().evaluate(drop)
    await page
      .getByRole('list', { name: 'Attached files' })
      .getByRole('button', { name: 'Leave out trace.log' })
      .waitFor()
    await button(page, 'Start').click()
    await page.getByRole('heading', { name: 'Why is the **pool** exhausted?' }).waitFor()
    await log(page).locator('strong', { hasText: 'pool' }).waitFor()
    await button(page, 'Edit').click()
    await page.getByRole('textbox', { name: 'Message' }).first().fill('Why is the pool empty?\n\nIt held twenty.')
    await button(page, 'Save').click()
    await log(page).getByText('Why is the pool empty?').waitFor()
    await page.getByRole('heading', { name: 'Why is the pool empty?' }).waitFor()
    const downloading = page.waitForEvent('download')
    await log(page)
      .getByRole('link', { name: /trace\.log/ })
      .click()
    expect(readFileSync(await (await downloading).path(), 'utf8')).toBe('pool: 20 of 20')
    faults.push(...(await look(page, 'thread-file')))
    await page.goto(root)
    await page.getByRole('tab', { name: 'Investigations' }).click()
    await page.getByRole('link', { name: 'Why is the pool empty?' }).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('[data-row]').allTextContents()).toEqual(['Checkout is slow'])
    await page.goto(`${root}?layout=search`)
    await page.getByLabel('What was said?').fill('twenty')
    await page.getByRole('link', { name: 'Why is the pool empty?' }).click()
    await log(page).locator('[data-wanted]').waitFor()
    expect((await client.call('messages.list', { workspaceId })).items).toHaveLength(1)
    expect(faults).toEqual([])
    await context.close()
  })

  it('show what an agent does: calls folded, sources, hypotheses with verdicts, what it used; answers are rated', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const issue = await client.call('issues.post', { workspaceId, title: 'Checkout answers 502' })
    const id = await thread(someone, {
      type: 'investigation',
      name: 'Why checkout is slow',
      issueId: issue.id,
      context: [{ type: 'issue', id: issue.id }],
    })
    const cited = { type: 'citation' as const, object: 'issue', id: issue.id, range: 'body' }
    const parts = [{ type: 'text' as const, markdown: 'Look at this one first.' }, cited]
    await client.call('messages.post', { workspaceId, threadId: id, parts })
    await run(
      someone,
      id,
      [
        { say: 'The **pool** is too small:\n\n```diff\n@@ -1,2 +1,2 @@\n pool:\n-  size: 20\n+  size: 40\n```' },
        { call: { operation: 'issues.list', input: { severity: 'critical', perPage: 5 } } },
        { hypothesis: { statement: 'The pool is exhausted', steps: [{ say: 'It is full.' }] } },
        { hypothesis: { statement: 'The disk is full' } },
        { say: '| Pool | Used |\n|---|---|\n| checkout | 20 of 20 |\n\nRaise it to `40`.' },
      ],
      'succeeded',
    )
    const { items } = await client.call('threads.list', { workspaceId, parentThreadId: id })
    const pool = items.find(({ name }) => name.includes('exhausted'))?.id ?? ''
    const said = await client.call('messages.list', { workspaceId, threadId: pool })
    const hypothesis = { verdict: 'confirmed' as const, confidence: 0.9, evidence: [said.items[0]?.id ?? ''] }
    await client.call('threads.patch', { workspaceId, id: pool, hypothesis })

    await page.goto(`/w/${workspaceId}/threads/${id}`)
    await page.getByText('Confirmed · 90 %').waitFor()
    const tool = page.getByRole('button', { name: /^issues_list/ })
    await tool.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Arguments').waitFor()
    faults.push(...(await look(page, 'thread-investigation')))
    await log(page)
      .getByRole('link', { name: /Checkout answers 502/ })
      .waitFor()
    await button(page, 'Bad answer').click()
    await button(page, 'Ungrounded').click()
    faults.push(...(await faultsOf(page)))
    await picture(page, 'thread-rating')
    await button(page.getByRole('form', { name: 'What was wrong?' }), 'Send').click()
    await page.getByText('the reason is noted').waitFor()
    const rated = async () =>
      (await client.call('messages.list', { workspaceId, threadId: id, orderBy: 'seq', order: 'asc' })).items[1]?.rating
    expect(await rated()).toEqual({ up: 0, down: 1, mine: -1 })
    await button(page, 'Good answer').click()
    await expect.poll(rated, patient).toEqual({ up: 1, down: 0, mine: 1 })

    await page.getByRole('link', { name: 'The pool is exhausted' }).click()
    await page.getByRole('list', { name: 'Evidence' }).getByRole('link').click()
    await log(page).locator('[data-wanted]').getByText('It is full.').waitFor()

    await page.goto(`/w/${workspaceId}/threads/${id}`)
    await button(page, 'Share').click()
    await button(page.getByRole('dialog'), 'Share').click()
    await page.getByRole('link', { name: 'Open it' }).waitFor()
    const [published] = (await client.call('pages.list', { workspaceId })).items
    await page.goto(`/p/${published?.id}`)
    await picture(page, 'thread-published-light')
    faults.push(...(await faultsOf(page)))
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, 'thread-published-dark')
    faults.push(...(await faultsOf(page, ['color-contrast'])))
    await page.setViewportSize({ width: 320, height: 800 })
    await picture(page, 'thread-published-phone')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    expect(faults).toEqual([])
    await context.close()
  })

  it('ask for an answer or an approval and go on with it, can be stopped, and say why they failed', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const id = await thread(someone, { name: 'Rename the team' })
    const team = await client.call('teams.post', { workspaceId, name: 'Difference Engine', description: 'Builds it' })
    const change = { id: team.id, name: 'Analytical Engine', description: 'Builds it' }
    const steps = [
      { ask: { question: 'Shall I rename it?', options: ['yes', 'no'] } },
      { call: { operation: 'teams.patch', input: change } },
      { say: 'Renamed.' },
    ]
    await run(someone, id, steps, 'parked')
    await page.goto(`/w/${workspaceId}/threads/${id}`)
    await page.getByRole('status').getByText('It asked something and waits for an answer.').waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('yes')
    await page.keyboard.press('Control+Enter')
    const card = page.getByRole('group', { name: 'teams_patch waits for approval' })
    await card.getByText('Stays as it is').waitFor({ timeout: 30_000 })
    await card.locator('del', { hasText: 'Difference Engine' }).waitFor()
    await card.locator('ins', { hasText: 'Analytical Engine' }).waitFor()
    faults.push(...(await look(page, 'thread-approval')))
    await page.goto(`/w/${workspaceId}/agent_tools/approvals`)
    await card.getByLabel('Note').fill('As discussed.')
    faults.push(...(await look(page, 'approvals')))
    await button(card, 'Approve teams_patch').click()
    await page.getByText('Nothing waits').waitFor()
    await page.getByRole('link', { name: 'Open' }).first().click()
    await log(page).getByText('Renamed.').waitFor({ timeout: 30_000 })
    expect((await client.call('teams.get', { workspaceId, id: team.id })).name).toBe('Analytical Engine')

    await run(someone, id, [{ ask: { question: 'And now?' } }], 'parked')
    await button(page, 'Stop').click()
    await page.getByText('The run was stopped').waitFor()
    await run(someone, id, [{ expect: '1 > 2' }], 'failed')
    await page.getByRole('alert').getByText('Not as expected: 1 > 2').waitFor()
    faults.push(...(await look(page, 'thread-failed')))
    expect(faults).toEqual([])
    await context.close()
  })

  it('are answered by a model that an admin has set up', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    await page.goto(`/w/${workspaceId}/settings`)
    await page.getByRole('combobox', { name: 'Agents are run by' }).click()
    await page.getByRole('option', { name: 'The built-in runner' }).click()
    await page.getByLabel('Address of the endpoint').fill('https://models.example.com/v1')
    await page.getByLabel('Model', { exact: true }).fill('large-1')
    await page.getByLabel('Key of the endpoint').fill('sk-of-the-model')
    await page.getByLabel('Steps of a run').fill('20')
    faults.push(...(await look(page, 'settings-agents')))
    await page.getByRole('button', { name: 'Save', exact: true }).nth(2).click()
    await page.getByText('The settings for agents are saved.').waitFor()
    await page.getByText('One is set. It is never shown').waitFor()
    const { agent, secretsSet } = await client.call('workspaces.settings.get', { workspaceId })
    expect(agent).toMatchObject({ runner: 'builtin', baseUrl: 'https://models.example.com/v1', model: 'large-1' })
    expect([agent.maxStepsPerRun, agent.maxMinutesPerRun, secretsSet]).toEqual([20, 30, ['agent.key']])
    expect(faults).toEqual([])
    await context.close()
  })

  it('grow while somebody looks, word by word', async () => {
    const someone = await person()
    const { page, context, workspaceId, client } = someone
    await client.call('workspaces.settings.patch', { workspaceId, agent: { runner: 'external', maxRunsPerDay: null } })
    const id = await thread(someone, { name: 'Tell me a story' })
    await page.goto(`/w/${workspaceId}/threads/${id}`)
    await page.getByRole('textbox', { name: 'Message' }).fill('Go on.')
    await button(page, 'Send').click()
    await page.getByRole('status').getByText('Waits for a runner to take it up.').waitFor()
    const claim = await client.call('threads.runs.claim', { workspaceId, wait: 10 })
    const agent = createClient({ baseUrl: url, token: claim?.token ?? '' })
    const message = await agent.call('messages.post', { workspaceId, threadId: id, text: 'Once', status: 'streaming' })
    await log(page).getByRole('img', { name: 'Being written' }).waitFor()
    // What is told in pieces must arrive without the message being read again.
    let reads = 0
    page.on('request', request => {
      if (request.url().includes(`/v1/messages/${workspaceId}/${message.id}`)) reads++
    })
    for (const append of [' upon', ' a', ' time.'])
      await agent.call('messages.patch', { workspaceId, id: message.id, append })
    await log(page).getByText('Once upon a time.').waitFor()
    expect(reads).toBe(0)
    await picture(page, 'thread-streaming')
    await agent.call('messages.patch', { workspaceId, id: message.id, status: 'complete' })
    const usage = { in: 1200, out: 340, steps: 2, model: 'storyteller' }
    const runId = claim?.run.id ?? ''
    await agent.call('threads.runs.finish', { workspaceId, id, runId, status: 'succeeded', summary: 'Told.', usage })
    await page.getByText('Tokens written').waitFor()
    await log(page).getByRole('img', { name: 'Being written' }).waitFor({ state: 'detached' })
    await context.close()
  })

  it('open at their end however long they are, and read earlier messages when one scrolls up', async () => {
    const someone = await person()
    const { page, context, workspaceId, client } = someone
    const id = await thread(someone, { name: 'A long one' })
    const ids: string[] = []
    for (let seq = 1; seq <= 180; seq++) {
      const text = `Message number ${seq}.\n\nIt has a second paragraph, too.`
      ids.push((await client.call('messages.post', { workspaceId, threadId: id, text })).id)
    }
    const lists: string[] = []
    page.on('request', request => {
      if (/\/v1\/messages\/[^/]+\?/.test(request.url())) lists.push(request.url())
    })
    await page.goto(`/w/${workspaceId}/threads/${id}`)
    await log(page).getByText('Message number 180.').waitFor()
    await settled(page)
    expect(lists).toHaveLength(1)
    await expect.poll(() => log(page).getByText('Message number 180.').evaluate(isInSight), patient).toBe(true)
    expect(await log(page).getByRole('listitem').count()).toBe(50)
    const place = log(page).getByText('Message number 131.')
    await place.scrollIntoViewIfNeeded()
    await log(page).getByText('Message number 81.').waitFor({ state: 'attached' })
    await settled(page)
    expect(await place.evaluate(isInSight)).toBe(true)
    await client.call('messages.post', { workspaceId, threadId: id, text: 'And another.' })
    await button(page, '1 new message').click()
    await expect.poll(() => log(page).getByText('And another.').evaluate(isInSight), patient).toBe(true)

    await page.goto(`/w/${workspaceId}/messages/${ids[9]}`)
    await expect.poll(() => log(page).getByText('Message number 10.').evaluate(isInSight), patient).toBe(true)
    expect(await log(page).getByText('Message number 180.').count()).toBe(0)
    await button(page, 'To the end').click()
    await expect.poll(() => log(page).getByText('And another.').evaluate(isInSight), patient).toBe(true)
    await context.close()
  })
})

function drop(field: Element): void {
  const dataTransfer = new DataTransfer()
  dataTransfer.items.add(new File(['pool: 20 of 20'], 'trace.log', { type: 'text/plain' }))
  field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= window.innerHeight
}
