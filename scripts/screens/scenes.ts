import type { Page } from 'playwright-core'
import { bulkScenes } from './bulk-scenes.ts'
import { consent } from './consent-scene.ts'
import { importScenes } from './import-scenes.ts'
import { openList, openRecord } from './open-screens.ts'
import { settingsScenes } from './settings-scenes.ts'
import { heldBackScenes, signInScenes } from './sign-in-scenes.ts'
import type { Opened } from './world.ts'

/** One screen: how to open it, and in which pictures it appears. */
export type Scene = {
  name: string
  title: string
  group: string
  /** Shown to users who are signed out. */
  outside?: true
  /** Take a dark narrow picture as well. */
  darkNarrow?: true
  show(page: Page, opened: Opened, narrow: boolean): Promise<void>
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()

const filter = JSON.stringify({ $or: [{ name: { $contains: 'a' } }, { custom_fields: { tier: { $eq: 'Gold' } } }] })

const entrance: Scene[] = [
  scene('sign-in', 'Sign in', async (page, { base }) => {
    await page.goto(`${new URL(base).origin}/sign-in`)
    await heading(page, 'Sign in to Kith')
  }),
  scene('forgot-password', 'Forgotten password', async (page, { base }) => {
    await page.goto(`${new URL(base).origin}/forgot-password`)
    await heading(page, 'Forgot your password?')
  }),
  scene('reset-password', 'New password', async (page, { base }) => {
    await page.goto(`${new URL(base).origin}/reset-password?token=x`)
    await heading(page, 'Choose a new password')
  }),
  scene('invitation', 'Invitation', async (page, { invitation }) => {
    await page.goto(invitation)
    await heading(page, /Harbour/)
  }),
].map((one) => ({ ...one, group: 'Entrance', outside: true as const }))

const newWorkspace: Scene = {
  ...scene('new-workspace', 'New workspace', async (page, { base }) => {
    await page.goto(`${new URL(base).origin}/new-workspace`)
    await heading(page, 'Create a workspace')
  }),
  group: 'Entrance',
}

const lists: Scene[] = [
  scene('home', 'Home', async (page, { base }) => {
    await page.goto(base)
    await page.getByRole('img', { name: /Proposal/ }).waitFor()
  }),
  scene('companies', 'Companies', (page, { base }) => openList(page, `${base}/companies`)),
  scene('filter', 'Filter builder', async (page, { base }) => {
    await openList(page, `${base}/companies?filter=${encodeURIComponent(filter)}`)
    await page.getByRole('button', { name: /^Filter/ }).click()
    await page.getByRole('combobox', { name: 'How the conditions are joined' }).waitFor()
  }),
  scene('selection', 'Several selected', async (page, { base }, narrow) => {
    await openList(page, `${base}/companies`)
    for (const place of [1, 2, 4]) {
      const line = narrow ? page.getByRole('main').getByRole('listitem').nth(place) : page.getByRole('row').nth(place)
      await line.hover()
      await line.getByRole('checkbox').click()
    }
    await page.getByRole('toolbar', { name: 'Selected records' }).waitFor()
  }),
  scene('columns', 'Column chooser', async (page, { base }) => {
    await openList(page, `${base}/companies`)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('switch').first().waitFor()
  }),
  scene('groups', 'Groups and footers', async (page, { base }) => {
    await openList(page, `${base}/opportunities?group_by=custom_fields.stage&footers=custom_fields.amount~sum`)
  }),
  scene('paste', 'A pasted table before its rows are created', async (page, { base }) => {
    await openList(page, `${base}/people`)
    const rows = ['Name\tCompany\tEmails\tJob title', 'Nora Lind\tNorthwind Shipping\tnora@northwind.example\tCaptain']
    const wrong = ['Olav Berg\tNorthwind Shiping\tolav@northwind.example\tMate', 'Siri Dahl\t\tsiri\tBuyer']
    await page.evaluate(
      (text) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', text)
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
      },
      [...rows, ...wrong].join('\n'),
    )
    await page.getByText(/Nothing is called/).waitFor()
  }),
  scene('sort', 'Several sort keys', async (page, { base }) => {
    await openList(page, `${base}/companies?sort=custom_fields.tier,name`)
    await page.getByRole('button', { name: /^Sort/ }).first().click()
    await page.getByRole('button', { name: 'Then by' }).waitFor()
  }),
  scene('period', 'Relative filter', async (page, { base }) => {
    await openList(page, `${base}/companies?filter=${encodeURIComponent('{"created_at":{"$during":"this_year"}}')}`)
    await page.getByRole('button', { name: /^Filter/ }).click()
    await page.getByRole('combobox', { name: 'Period for Created' }).waitFor()
  }),
  scene('peek', 'A record next to its list', async (page, { base, ids }) => {
    await openList(page, `${base}/companies?peek=${ids.company}`)
    await page
      .getByRole('region', { name: /^Peek at/ })
      .getByRole('button', { name: 'Edit Name' })
      .waitFor()
  }),
  scene('saved-view', 'Saved view', async (page, { base }) => {
    await openList(page, `${base}/companies`)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Gold customers' }).click()
    await page.waitForURL('**view=**')
  }),
  scene('use-in-api', 'Use in API', async (page, { base }) => {
    await openList(page, `${base}/companies?filter=${encodeURIComponent(filter)}`)
    await page.getByRole('button', { name: 'Use in API' }).click()
    await page.getByRole('tabpanel').locator('code').first().waitFor()
  }),
  scene('navigation', 'Navigation', async (page, { base }, narrow) => {
    await openList(page, `${base}/people`)
    if (narrow) await page.getByRole('button', { name: 'Open navigation' }).click()
    else await page.getByRole('button', { name: 'Ada Lindqvist' }).click()
    await page
      .getByRole(narrow ? 'navigation' : 'menuitem')
      .first()
      .waitFor()
  }),
  scene('keys', 'Keys', async (page, { base }) => {
    await openList(page, `${base}/companies`)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  }),
  scene('people', 'People', (page, { base }) => openList(page, `${base}/people`)),
  scene('tasks', 'Tasks', (page, { base }) => openList(page, `${base}/tasks`)),
  scene('opportunities-board', 'Board of opportunities', (page, { base }) =>
    openBoard(page, `${base}/opportunities?layout=board`),
  ),
  scene('tasks-board', 'Board of tasks', (page, { base }) => openBoard(page, `${base}/tasks?layout=board`)),
  scene('tasks-calendar', 'Calendar of tasks', async (page, { base }) => {
    await page.goto(`${base}/tasks?layout=calendar`)
    await page.getByRole('region').getByRole('link').first().waitFor()
  }),
  scene('tasks-week', 'Week of tasks', async (page, { base }) => {
    await page.goto(`${base}/tasks?layout=calendar&span=week`)
    await page.locator('[aria-current="date"]').waitFor()
  }),
  scene('search', 'Search everywhere', async (page, { base }) => {
    await openList(page, `${base}/companies`)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('north')
    await page
      .getByRole('option', { name: /Northwind/ })
      .first()
      .waitFor()
  }),
  scene('duplicates', 'Duplicates', async (page, { base }) => {
    await page.goto(`${base}/duplicates`)
    await page
      .getByRole('link', { name: /^Compare and merge/ })
      .first()
      .waitFor()
  }),
  scene('merge', 'Merge side by side', async (page, { base, twins }) => {
    await page.goto(`${base}/duplicates?of=companies&merge=${twins.join(',')}`)
    await page
      .getByRole('region', { name: 'What happens' })
      .getByText(/move|refers/)
      .first()
      .waitFor()
  }),
].map((one) => ({ ...one, group: 'Lists and boards' }))

const pages: Scene[] = [
  scene('company', 'Company', (page, { base, ids }) => openRecord(page, `${base}/companies/${ids.company}`)),
  scene('company-overview', 'Overview of a company', async (page, { base, ids }) => {
    await openRecord(page, `${base}/companies/${ids.company}`)
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByRole('region', { name: 'Involved' }).getByRole('listitem').first().waitFor()
  }),
  scene('opportunity', 'Opportunity', (page, { base, ids }) =>
    openRecord(page, `${base}/opportunities/${ids.opportunity}`),
  ),
  scene('note', 'Note', (page, { base, ids }) => openRecord(page, `${base}/notes/${ids.note}`)),
  scene('task-page', 'Task', (page, { base, ids }) => openRecord(page, `${base}/tasks/${ids.task}`)),
  scene('task-editor', 'Task, description in the editor', async (page, { base, ids }) => {
    await openRecord(page, `${base}/tasks/${ids.task}`)
    await page.getByRole('button', { name: 'Edit Description' }).press('Enter')
    await page.getByRole('textbox', { name: 'Description' }).waitFor()
  }),
  scene('empty-list', 'List with nothing in it', async (page, { empty }) => {
    await page.goto(`${empty}/companies`)
    await heading(page, 'No companies yet')
  }),
  scene('empty-board', 'Board with nothing on it', (page, { empty }) =>
    openBoard(page, `${empty}/opportunities?layout=board`),
  ),
  scene('empty-home', 'Home of a new workspace', async (page, { empty }) => {
    await page.goto(empty)
    await heading(page, /./)
  }),
  scene('no-match', 'Search without a match', async (page, { base }) => {
    await page.goto(`${base}/companies?q=zzzz`)
    await heading(page, /No /)
  }),
  scene('not-found', 'Record not found', async (page, { base }) => {
    await page.goto(`${base}/companies/01900000-0000-7000-8000-000000000000`)
    await heading(page, 'There is no such company')
  }),
  scene('failed', 'Failed request', async (page, { base }) => {
    const failure = { status: 500, contentType: 'application/json', body: '{"message":"Server Error"}' }
    await page.route('**/v1/people/query', (route) => route.fulfill(failure))
    await page.goto(`${base}/people`)
    await page.getByRole('alert').waitFor()
    await page.unroute('**/v1/people/query')
  }),
].map((one) => ({ ...one, group: 'Records and states' }))

export const scenes: readonly Scene[] = [
  ...entrance,
  ...signInScenes,
  ...heldBackScenes.map((one) => ({ ...one, group: 'Entrance' })),
  newWorkspace,
  consent,
  ...lists,
  ...bulkScenes,
  ...importScenes,
  ...pages,
  ...settingsScenes,
]

/** Only in hosted mode. */
export const paused: Scene = {
  ...scene('paused', 'Paused (hosted)', async (page, { base }) => {
    await page.goto(`${base}/companies`)
    await heading(page, 'This workspace is paused')
  }),
  group: 'Settings',
}

export const billing: Scene = {
  ...scene('settings-billing', 'Billing (hosted)', async (page, { base }) => {
    await page.goto(`${base}/settings/billing`)
    await page.getByText('days of the trial are left').waitFor()
  }),
  group: 'Settings',
  darkNarrow: true,
}

function scene(name: string, title: string, show: Scene['show']): Omit<Scene, 'group'> & { group: string } {
  return { name, title, group: '', show }
}

async function openBoard(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('region').nth(1).waitFor()
}
