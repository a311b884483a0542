import type { Browser, Page } from 'playwright-core'
import { callsOf, openList } from './open-screens.ts'
import type { Scene } from './scenes.ts'
import type { Opened } from './world.ts'

const DAY_MS = 86_400_000

/** Makes resources of the workspace, with fields that refer to records and members. */
export async function furnishOwn(browser: Browser, { base, ids, twins, session }: Opened): Promise<void> {
  const context = await browser.newContext({ storageState: session })
  const { origin, pathname } = new URL(base)
  const calls = callsOf(context.request)
  const call = async (method: 'get' | 'post', path: string, data?: object) =>
    (await calls(method, `${origin}/api/app/w${pathname}${path}`, { data })).data
  const idsOf = async (path: string): Promise<string[]> => (await call('get', path)).map(({ id }: { id: string }) => id)
  for (const resource of resources) await call('post', '/v1/schema', resource)
  for (const field of fields) await call('post', '/v1/schema/projects/fields', field)
  const members = await idsOf('/members')
  const companies = [twins[0], twins[0], twins[0], ...(await idsOf('/v1/companies?per_page=5'))]
  const people = [ids.person, ...(await idsOf('/v1/people?per_page=6'))]
  const vessels: string[] = []
  for (const name of ['MS Kristiansund', 'MV Baltic Star', 'Tall Ship Aurora']) {
    vessels.push((await call('post', '/v1/vessels', { name })).id)
  }
  for (const [place, name] of projects.entries()) {
    const custom_fields = {
      stage: place % 5 === 4 ? null : stages[place % 3]?.label,
      customer: companies[place],
      vessel: vessels[place % 3],
      experts: place % 2 === 0 ? [people[place % 6], people[(place % 6) + 1]] : [],
      reviewer: members[(place + 1) % members.length],
      deadline: new Date(Date.now() + place * 5 * DAY_MS).toISOString().slice(0, 10),
      budget: 12_000 + 3500 * place,
    }
    await call('post', '/v1/projects', { name, owner_id: members[place % members.length], custom_fields })
  }
  await context.close()
}

const resources = [
  { name: 'Projects', singular: 'Project', icon: 'rocket', color: 'purple' },
  { name: 'Vessels', singular: 'Vessel', icon: 'package', color: 'teal' },
  { name: 'Berths', singular: 'Berth' },
]

const stages = [
  { label: 'Planned', color: 'gray' },
  { label: 'Running', color: 'blue' },
  { label: 'Done', color: 'green' },
]

const inverse = { name: 'Projects' }
const fields = [
  { name: 'Stage', type: 'select', options: stages },
  { name: 'Customer', type: 'record', target: 'companies', inverse },
  { name: 'Vessel', type: 'record', target: 'vessels', inverse },
  { name: 'Experts', type: 'record', target: 'people', multiple: true, inverse },
  { name: 'Reviewer', type: 'member' },
  { name: 'Deadline', type: 'date' },
  { name: 'Budget', type: 'currency', settings: { currency: 'EUR' } },
]

const projects = [
  'Refit of the bow thruster',
  'New navigation bridge',
  'Hull cleaning and inspection before the winter',
  'Engine swap',
  'Ballast water treatment',
  'Safety drill',
  'Repaint in company colours',
  'Charter to Svalbard',
]

const filter = JSON.stringify({
  custom_fields: { reviewer: { $in: ['me'] }, customer: { custom_fields: { tier: { $eq: 'Gold' } } } },
})
const columns = [
  'name',
  'owner_id',
  ...['stage', 'customer', 'customer.custom_fields.tier', 'experts', 'vessel'].map((code) => `custom_fields.${code}`),
]

export const ownScenes: readonly Scene[] = [
  scene('own-empty', 'List of a new resource', async (page, { base }) => {
    await page.goto(`${base}/berths`)
    await page.getByRole('heading', { name: 'No berths yet' }).waitFor()
  }),
  scene('own-list', 'Projects, with a column of their customers', (page, { base }) =>
    openList(page, `${base}/projects?columns=${columns}`),
  ),
  scene('own-filter', 'Filter by related records and members', async (page, { base }) => {
    await page.goto(`${base}/projects?filter=${encodeURIComponent(filter)}`)
    await page.getByRole('button', { name: /^Filter/ }).click()
    await page.getByRole('button', { name: 'Value for Reviewer: Me' }).click()
    await page.getByRole('option', { name: 'Vera Moss' }).waitFor()
  }),
  scene('own-board', 'Board by customer', async (page, { base }) => {
    await page.goto(`${base}/projects?layout=board&group_by=customer`)
    await page.getByRole('region').nth(1).waitFor()
  }),
  scene('own-record', 'Project', (page, { base }) => openProject(page, base)),
  scene('own-picker', 'Choosing a related record', async (page, { base }) => {
    await openProject(page, base)
    await page.getByRole('button', { name: 'Edit Customer' }).press('Enter')
    await page.getByRole('combobox', { name: 'Choose Customer' }).fill('north')
    await page.getByRole('option', { name: 'Create company “north”' }).waitFor()
  }),
  scene('own-inverse', 'The projects of a company', async (page, { base, ids }) => {
    await page.goto(`${base}/companies/${ids.company}`)
    await page.getByRole('tab', { name: /^Projects/ }).click()
    await page.getByRole('link', { name: projects[0] }).waitFor()
  }),
  scene('own-field', 'A new reference field', async (page, { base }) => {
    await page.goto(`${base}/settings/fields?of=berths`)
    await page.getByRole('button', { name: 'New field' }).first().click()
    await page.getByRole('button', { name: /^Record / }).click()
    await page.getByLabel('Name', { exact: true }).fill('Vessel')
    await page.getByRole('combobox', { name: 'Refers to' }).click()
    await page.getByRole('option', { name: 'Vessels' }).click()
    await page.getByLabel('Name there').waitFor()
  }),
].map((one) => ({ ...one, group: 'Own resources', darkNarrow: true as const }))

function scene(name: string, title: string, show: Scene['show']): Omit<Scene, 'group'> {
  return { name, title, show }
}

async function openProject(page: Page, base: string): Promise<void> {
  await openList(page, `${base}/projects`)
  await page.getByRole('main').getByRole('link', { name: projects[0] }).click()
  await page.getByRole('button', { name: 'Edit Name' }).waitFor()
}
