// Cloud accounts and the infrastructure in the browser: connected, read, compared, drawn, and seen as it was.
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop as clusterShop } from '../../test/cloud/cluster_objects.ts'
import { ca, cluster, token } from '../../test/cloud/kubernetes_server.ts'
import { blocksOf, placesIn } from '../src/areas/cloud_infra/graph/blocks.ts'
import { nextTo } from '../src/areas/cloud_infra/graph/moving.ts'
import { together } from '../src/areas/cloud_infra/graph/together.ts'
import { inBrowser, person, settled, url, useBrowser } from './helpers/browser.ts'
import { nodeCalled, push, pushed, shop } from './helpers/cloud.ts'
import { look } from './helpers/look.ts'
import { button, pick, text } from './helpers/story.ts'

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click()
const thing = (page: Page, name: string) =>
  page.getByRole('group', { name: new RegExp(`^${name}, `) }).and(page.locator('.react-flow__node'))
const shown = (page: Page) => page.locator('.react-flow__node-thing')
const field = (within: Page | Locator, name: string) => within.getByRole('textbox', { name, exact: true })
const state = join(import.meta.dirname, '../../test/cloud/states/terraform-1.9.tfstate')

inBrowser('a cloud account', () => {
  useBrowser()

  it('is made with the fields of its provider, read, and compared with the rights that it needs', async () => {
    const there = await cluster(clusterShop())
    there.rules = [
      { verbs: ['list'], apiGroups: ['', 'apps'], resources: ['*'] },
      { verbs: ['delete'], apiGroups: ['apps'], resources: ['deployments'] },
    ]
    const { page, context, workspaceId, faults } = await person()
    await page.goto(`/w/${workspaceId}/cloud_accounts`)
    await page.getByText('No cloud accounts yet').waitFor()
    await page.getByRole('link', { name: 'New cloud account' }).first().click()
    await page.getByRole('link', { name: 'Amazon Web Services' }).waitFor()
    faults.push(...(await look(page, 'cloud-accounts-catalog')))
    await page.getByRole('link', { name: 'Amazon Web Services' }).click()
    await field(page, 'ARN of the role').waitFor()
    await page.getByRole('combobox', { name: 'Regions' }).waitFor()
    expect(await page.getByLabel('Address of the API').count()).toBe(0)
    faults.push(...(await look(page, 'cloud-accounts-aws')))
    await page.getByRole('link', { name: 'Choose another provider' }).click()

    await page.getByRole('link', { name: 'Kubernetes', exact: true }).click()
    await field(page, 'Name').fill('Cluster of the shop')
    expect(await page.getByLabel('Regions').count()).toBe(0)
    await field(page, 'Address of the API').fill(there.url)
    // One or the other.
    expect(await field(page, 'Kubeconfig').count()).toBe(0)
    await field(page, 'Certificate authority').fill(ca)
    await field(page, 'Token').fill(token)
    faults.push(...(await look(page, 'cloud-accounts-kubernetes')))
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'Cluster of the shop' }).waitFor()

    // Something cannot be seen: that is said, with what to do about it.
    await page.getByText('Not all of it could be read').waitFor({ timeout: 60_000 })
    await page.getByRole('table', { name: 'What could not be seen' }).getByText('Forbidden').first().waitFor()
    await page.getByText('Set, and never shown').waitFor()
    faults.push(...(await look(page, 'cloud-accounts-degraded')))
    await button(page, 'Validate').click()
    const dialog = page.getByRole('dialog')
    await button(dialog, 'Validate').click()
    await dialog
      .getByRole('group', { name: 'Missing' })
      .getByText(/ingresses/)
      .waitFor()
    await dialog
      .getByRole('group', { name: 'Too many' })
      .getByText(/delete/)
      .waitFor()
    await dialog.getByText('kind: ClusterRole', { exact: false }).first().waitFor()
    faults.push(...(await look(page, 'cloud-accounts-validated')))
    await button(dialog, 'Close').first().click()
    await tab(page, 'Rights')
    await page.getByRole('group', { name: 'Too many' }).waitFor()
    await page.getByRole('region', { name: 'Policy' }).waitFor()
    faults.push(...(await look(page, 'cloud-accounts-rights')))
    await tab(page, 'Syncs')
    await page.getByRole('table', { name: 'Syncs' }).getByText('Partial').waitFor()
    await page
      .getByRole('button', { name: /errors?$/ })
      .first()
      .click()
    await dialog.getByText('It was left as it was before.').waitFor()
    await page.keyboard.press('Escape')
    faults.push(...(await look(page, 'cloud-accounts-syncs')))

    // Put right at the other end, it is read whole.
    there.rules = [{ verbs: ['list'], apiGroups: ['*'], resources: ['*'] }]
    await button(page, 'Sync').click()
    await button(dialog, 'Sync').click()
    await text(page, 'A sync begins.').waitFor()
    await page.getByRole('table', { name: 'Syncs' }).getByText('Succeeded').waitFor({ timeout: 60_000 })
    await tab(page, 'About')
    expect(await page.getByText('Not all of it could be read').count()).toBe(0)
    await page.getByRole('link', { name: /^\d+ nodes$/ }).click()
    await page.getByRole('table', { name: 'Infrastructure' }).waitFor()
    await page.getByRole('button', { name: /^Cloud account: Cluster of the shop/ }).waitFor()
    expect(faults).toEqual([])
    await there.close()
    await context.close()
  })

  it('takes a state by upload, is changed, disconnected and connected again', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    await page.goto(`/w/${workspaceId}/cloud_accounts/new?provider=terraform_state`)
    await page.getByLabel('Name').fill('Production by Terraform')
    expect(await field(page, 'Path in the repository').count()).toBe(0)
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'Production by Terraform' }).waitFor()
    await page.getByText(/Nothing was uploaded yet/).waitFor()
    await page.locator('input[type=file]').setInputFiles({
      ...{ name: 'broken.tfstate', mimeType: 'application/json', buffer: Buffer.from('{"version": 1}') },
    })
    await page.getByRole('alert', { name: 'Please check your input' }).waitFor()
    await page.locator('input[type=file]').setInputFiles(state)
    await page.getByText(/terraform-1\.9\.tfstate is taken/).waitFor()
    faults.push(...(await look(page, 'cloud-accounts-state')))
    await tab(page, 'About')
    await page.getByText('Connected', { exact: true }).waitFor({ timeout: 60_000 })
    await tab(page, 'Setup')
    await page.getByText('terraform state pull', { exact: false }).waitFor()
    faults.push(...(await look(page, 'cloud-accounts-setup')))
    await tab(page, 'About')
    await button(page, 'Edit').click()
    await field(page, 'Name').fill('Production')
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'Production', exact: true }).waitFor()
    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Disconnect' }).click()
    await page.getByText('It is disconnected').waitFor()
    await button(page, 'Connect again').click()
    await page.getByText('It is disconnected').waitFor({ state: 'detached' })
    const { items } = await client.call('cloud_accounts.list', { workspaceId })
    expect(items.map(({ name, status }) => [name, status])).toEqual([['Production', 'pending']])
    expect(faults).toEqual([])
    await context.close()
  })
})

inBrowser('the infrastructure', () => {
  useBrowser()

  it('is a list that can be filtered, and a picture that grows by the neighbours of its nodes', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    await pushed(someone)
    await page.goto(`/w/${workspaceId}/infrastructure`)
    const table = page.getByRole('table', { name: 'Infrastructure' })
    await table.getByRole('link', { name: 'checkout' }).waitFor()
    faults.push(...(await look(page, 'infrastructure-list')))
    await page.goto(`/w/${workspaceId}/infrastructure?category=database`)
    await table.getByRole('link', { name: 'orders' }).waitFor()
    expect(await table.getByRole('link', { name: 'checkout' }).count()).toBe(0)

    await page.getByRole('radio', { name: 'Picture' }).locator('..').click()
    await page.getByText('Where shall it begin?').waitFor()
    faults.push(...(await look(page, 'infrastructure-begin')))
    await page.getByRole('combobox', { name: 'Search for a node' }).fill('order')
    await page.getByRole('option', { name: /orders/ }).click()
    await thing(page, 'orders').waitFor()
    expect(await shown(page).count()).toBe(2)
    await page.getByRole('button', { name: 'Show the neighbours of checkout' }).click()
    await thing(page, 'front-door').waitFor()
    expect(await shown(page).count()).toBe(5)
    await thing(page, 'checkout').click()
    await page.getByRole('group', { name: 'Chosen: checkout' }).getByText('eu-central-1').waitFor()
    await page.locator('.react-flow__edge-text').getByText('writes').first().waitFor()
    faults.push(...(await look(page, 'infrastructure-picture')))

    // By keys alone: to the next node, and its neighbours.
    await thing(page, 'checkout').focus()
    await walkTo(page, 'checkout', 'catalogue')
    await page.getByRole('group', { name: 'Chosen: catalogue' }).waitFor()
    await page.keyboard.press('+')
    await thing(page, 'pictures').waitFor()
    await page.getByText(/^The same as text: 7 nodes, 7 edges$/).click()
    await page.getByRole('list', { name: 'Edges of the picture' }).getByText('checkout invokes catalogue').waitFor()
    await page.getByRole('table', { name: 'Nodes of the picture' }).getByRole('link', { name: 'pictures' }).waitFor()
    await page.getByLabel('Group by').selectOption('Region')
    await page.getByRole('group', { name: 'No region' }).waitFor()
    await page.getByLabel('Colour by').selectOption('Recent change')
    await page.getByRole('list', { name: 'What the colours mean' }).getByText('New (7)').waitFor()
    faults.push(...(await look(page, 'infrastructure-groups')))

    // The address is the picture.
    const address = page.url()
    await page.goto(`/w/${workspaceId}/infrastructure`)
    await page.goto(address)
    await page.getByRole('group', { name: 'No region' }).waitFor()
    expect(await shown(page).count()).toBe(7)
    expect(faults).toEqual([])
    await context.close()
  })

  it('draws as many neighbours as can be told apart, and says that there are more', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const { id: account } = await client.call('cloud_accounts.post', { workspaceId, name: 'Fleet', provider: 'push' })
    const names = Array.from({ length: 150 }, (_, index) => `worker-${index + 1}`)
    await push(someone, account, {
      nodes: [
        { type: 'queue', externalId: 'jobs', region: '' },
        ...names.map(externalId => ({ type: 'vm', externalId, category: 'compute', region: '' })),
      ],
      edges: names.map(name => ({ from: `vm ${name}`, to: 'queue jobs', relation: 'reads' as const })),
    })
    const id = await nodeCalled(someone, 'jobs')
    await page.goto(`/w/${workspaceId}/infrastructure?layout=picture&nodes=${id}`)
    await thing(page, 'jobs').waitFor()
    await page.getByText(/Some nodes have more neighbours than are drawn/).waitFor()
    expect(await shown(page).count()).toBe(61)
    faults.push(...(await look(page, 'infrastructure-hub')))
    expect(faults).toEqual([])
    await context.close()
  })

  it('goes back in time', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const account = await pushed(someone)
    const before = new Date().toISOString()
    await push(someone, account, {
      nodes: shop.nodes.filter(({ externalId }) => externalId !== 'receipts'),
      edges: shop.edges.filter(({ to }) => to !== 'queue receipts'),
    })
    const id = await nodeCalled(someone, 'checkout')
    await page.goto(`/w/${workspaceId}/infrastructure?layout=picture&nodes=${id}`)
    await thing(page, 'orders').waitFor()
    expect(await thing(page, 'receipts').count()).toBe(0)
    await page.goto(`/w/${workspaceId}/infrastructure?layout=picture&nodes=${id}&at=${encodeURIComponent(before)}`)
    await thing(page, 'receipts').waitFor()
    const slider = page.getByRole('slider', { name: 'As it was at' })
    await slider.focus()
    await page.keyboard.press('Home')
    await page.getByText('1 node that you opened was not there then.').waitFor()
    faults.push(...(await look(page, 'infrastructure-before')))
    await button(page, 'Back to now').click()
    await thing(page, 'orders').waitFor()
    expect(page.url()).not.toContain('at=')
    expect(faults).toEqual([])
    await context.close()
  })

  it('has a page for each node: tier, neighbours, impact, telemetry and changes', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const account = await pushed(someone)
    await push(someone, account, {
      ...shop,
      nodes: shop.nodes.map(one =>
        one.externalId === 'checkout' ? { ...one, properties: { image: 'checkout:1.5', replicas: 3 } } : one,
      ),
    })
    const team = await client.call('teams.post', { workspaceId, name: 'Payments' })
    const issue = { title: 'Checkout answers 502', severity: 'critical' as const, resources: ['checkout'] }
    await client.call('issues.post', { workspaceId, ...issue })
    await traced(someone)
    const id = await nodeCalled(someone, 'checkout')
    await page.goto(`/w/${workspaceId}/infrastructure/${id}`)
    await page.getByRole('heading', { name: 'checkout' }).waitFor()
    await page.getByRole('button', { name: /^Tier/ }).click()
    await page.getByRole('option', { name: 'Critical' }).click()
    await page.getByText('By hand', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Team/ }).click()
    await page.getByRole('option', { name: /Payments/ }).click()
    await page.getByRole('button', { name: /^Team .*Payments/ }).waitFor()
    faults.push(...(await look(page, 'infrastructure-node')))
    const now = await client.call('cloud_infra.nodes.get', { workspaceId, id })
    expect([now.tier, now.tierSource, now.teamId]).toEqual(['critical', 'manual', team.id])

    await tab(page, 'Neighbours')
    const neighbours = page.getByRole('table', { name: 'Neighbours of checkout' })
    await neighbours.getByRole('link', { name: 'orders' }).waitFor()
    await button(page, 'Add an edge').click()
    await pick(page, 'What it has to do with it', 'checkout depends on')
    await page.getByRole('dialog').getByRole('combobox', { name: 'The other node' }).fill('mailer')
    await page.getByRole('option', { name: 'mailer' }).click()
    await button(page.getByRole('dialog'), 'Add').click()
    await neighbours.getByRole('link', { name: 'mailer' }).waitFor()
    faults.push(...(await look(page, 'infrastructure-neighbours')))
    await button(page, 'Take away: depends on mailer').click()
    await button(page.getByRole('dialog'), 'Take away').click()
    await neighbours.getByRole('link', { name: 'mailer' }).waitFor({ state: 'detached' })

    await tab(page, 'Impact')
    await page.getByRole('link', { name: 'Checkout answers 502' }).waitFor()
    await page.getByRole('table', { name: 'Owners' }).getByText('Payments').waitFor()
    await page.getByRole('table', { name: 'What depends on it' }).getByRole('link', { name: 'front-door' }).waitFor()
    faults.push(...(await look(page, 'infrastructure-impact')))
    await tab(page, 'Telemetry')
    await page.getByRole('figure', { name: 'Requests over time' }).waitFor()
    await page.getByText('Requests of checkout').waitFor()
    faults.push(...(await look(page, 'infrastructure-telemetry')))
    await tab(page, 'Changes')
    const changed = page.getByRole('table', { name: 'Changed: what differs' })
    await changed.getByText('checkout:1.4').waitFor()
    await changed.getByText('checkout:1.5').waitFor()
    faults.push(...(await look(page, 'infrastructure-changes')))
    await page.getByRole('link', { name: 'Show in the picture' }).click()
    await thing(page, 'checkout').waitFor()
    await page.getByLabel('Colour by').selectOption('Health')
    await page.getByRole('group', { name: 'checkout, service, Many errors' }).waitFor()
    await page.getByRole('group', { name: 'Chosen: checkout' }).getByText('10.0 % failed', { exact: false }).waitFor()
    await page.getByLabel('Group by').selectOption('Account')
    await page.getByRole('group', { name: 'Shop', exact: true }).waitFor()
    faults.push(...(await look(page, 'infrastructure-health')))
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows the way from a node to another, step by step', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    await pushed(someone)
    const id = await nodeCalled(someone, 'checkout')
    await page.goto(`/w/${workspaceId}/infrastructure/${id}`)
    await tab(page, 'Path')
    await page.getByText('Where to?').waitFor()
    await page.getByRole('combobox', { name: 'Path to …' }).fill('mail')
    await page.getByRole('option', { name: /mailer/ }).click()
    const way = page.getByRole('table', { name: 'Path to mailer' })
    await way.getByRole('link', { name: 'mailer' }).waitFor()
    await page.getByText('2 steps to mailer').waitFor()
    const rows = await way.locator('tbody tr').allInnerTexts()
    expect(rows.map(row => row.split(/\s*[\t\n]\s*/).slice(0, 2))).toEqual([
      ['It begins at', 'checkout'],
      ['checkout writes', 'receipts'],
      ['receipts is read by', 'mailer'],
    ])
    faults.push(...(await look(page, 'infrastructure-path')))
    await page.getByLabel('Follow').selectOption('What it points at')
    await page.getByText('No path to mailer was found').waitFor()
    faults.push(...(await look(page, 'infrastructure-no-path')))

    // The address is the way.
    await page.goto(page.url().replace('along=out', 'along=both'))
    await way.getByRole('link', { name: 'receipts' }).click()
    await page.getByRole('heading', { name: 'receipts' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('gives nodes their tier by rules, and takes what no source tells of', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    await pushed(someone)
    await page.goto(`/w/${workspaceId}/infrastructure`)
    await page.getByRole('link', { name: 'Tier rules' }).click()
    await button(page, 'Add a rule').click()
    await page.getByRole('textbox', { name: '1. When' }).fill('node.categry == "database"')
    await button(page, 'Save').click()
    await page.getByText(/^Expected /).waitFor()
    await page.getByRole('textbox', { name: '1. When' }).fill('node.category == "database"')
    await page.getByLabel('Then').selectOption('High')
    await button(page, 'Save').click()
    await text(page, 'The rules hold now.').waitFor()
    faults.push(...(await look(page, 'infrastructure-tiers')))
    await page.goto(`/w/${workspaceId}/infrastructure?tier=high`)
    await page.getByRole('table', { name: 'Infrastructure' }).getByRole('link', { name: 'products' }).waitFor()
    await page.getByRole('link', { name: 'New node' }).first().click()
    await page.getByLabel('Name').fill('bank')
    await page.getByLabel('Type').fill('external.service')
    await pick(page, 'Category', 'External')
    faults.push(...(await look(page, 'infrastructure-new')))
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'bank' }).waitFor()
    await button(page, 'Edit').click()
    await field(page, 'Name').fill('the bank')
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'the bank' }).waitFor()
    await button(page, 'Delete').click()
    await button(page.getByRole('dialog'), 'Delete').click()
    await page.getByText('the bank is deleted.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})

/** Sixty requests to the checkout in the last half hour, every tenth of which failed. */
async function traced({ client, workspaceId, token: session }: Awaited<ReturnType<typeof person>>): Promise<void> {
  const { id } = await client.call('datasets.post', { workspaceId, slug: 'traces', kind: 'traces' })
  const rows = Array.from({ length: 60 }, (_, index) => ({
    at: new Date(Date.now() - 20_000 - index * 30_000).toISOString(),
    traceId: index.toString(16).padStart(32, 'a'),
    spanId: index.toString(16).padStart(16, 'b'),
    name: 'POST /pay',
    durationMs: 40 + (index % 7) * 15,
    status: index % 10 === 0 ? 'error' : 'ok',
    kind: 'server',
    resource: { 'service.name': 'checkout' },
  }))
  const answer = await fetch(`${url}/v1/datasets/${workspaceId}/${id}/rows`, {
    method: 'POST',
    headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
    body: JSON.stringify(rows),
  })
  expect(answer.ok).toBe(true)
}

/** By arrow keys, along the longer way first, wherever the layout has put them. */
async function walkTo(page: Page, from: string, to: string): Promise<void> {
  const chosen = page.getByRole('group', { name: /^Chosen: / })
  let here = from
  for (let steps = 0; steps < 8 && here !== to; steps++) {
    const [start, end] = await Promise.all([here, to].map(name => thing(page, name).boundingBox()))
    if (!start || !end) throw new Error('It is not drawn.')
    const [across, down] = [end.x - start.x, end.y - start.y]
    const isAcross = Math.abs(across) > Math.abs(down)
    await page.keyboard.press(isAcross ? (across > 0 ? 'ArrowRight' : 'ArrowLeft') : down > 0 ? 'ArrowDown' : 'ArrowUp')
    await settled(page)
    here = ((await chosen.getAttribute('aria-label')) ?? '').replace('Chosen: ', '')
  }
}

it('puts answers together without doubles, and says what is left out', () => {
  const node = (id: string) => ({ id }) as never
  const edge = (id: string, fromId: string, toId: string) => ({ id, fromId, toId }) as never
  const one = { nodes: [node('a'), node('b')], edges: [edge('ab', 'a', 'b')], truncated: false }
  const other = {
    nodes: [node('b'), node('c')],
    edges: [edge('ab', 'a', 'b'), edge('bc', 'b', 'c')],
    truncated: true,
  }
  const all = together([one, other])
  expect([all.nodes.length, all.edges.length, all.isTruncated, all.left]).toEqual([3, 2, true, 0])
  const few = together([one, other], 2)
  expect([few.nodes.length, few.edges.length, few.left]).toEqual([2, 1, 1])
})

it('puts what hangs on one node alone into a block, and nothing else', () => {
  const leaves = Array.from({ length: 9 }, (_, index) => ({ id: `leaf${index}`, group: null }))
  const items = [{ id: 'hub', group: null }, { id: 'other', group: null }, ...leaves]
  const links = [
    ...leaves.map(({ id }) => ({ id: `${id} hub`, from: id, to: 'hub' })),
    { id: 'hub other', from: 'hub', to: 'other' },
    { id: 'leaf0 other', from: 'leaf0', to: 'other' },
  ]
  const [block, ...more] = blocksOf(items, links)
  expect(more).toEqual([])
  expect(block?.ids).toEqual(leaves.slice(1).map(({ id }) => id))
  const places = placesIn(block as NonNullable<typeof block>)
  expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(8)
  expect(blocksOf(items, links.slice(0, 5))).toEqual([])
})

it('goes to the nearest node in a direction, into groups and out of them', () => {
  const layout = {
    nodes: [
      { id: 'a', x: 0, y: 0, group: null },
      { id: 'b', x: 10, y: 10, group: 'group g' },
      { id: 'c', x: 300, y: 400, group: null },
    ],
    boxes: [{ id: 'group g', x: 200, y: 0, width: 100, height: 100 }],
    direction: 'RIGHT' as const,
  }
  expect(nextTo(layout, 'a', 'right')).toBe('b')
  expect(nextTo(layout, 'b', 'left')).toBe('a')
  expect(nextTo(layout, 'b', 'down')).toBe('c')
  expect(nextTo(layout, 'a', 'left')).toBeNull()
})
