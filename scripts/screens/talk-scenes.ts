import type { Browser, Page } from 'playwright-core'
import { callsOf, openRecord } from './open-screens.ts'
import type { Scene } from './scenes.ts'
import type { Opened } from './world.ts'

/** What three members say about the company: comments, files, a task, a note with a picture, and a change undone. */
export async function furnishTalk(browser: Browser, opened: Opened): Promise<void> {
  const { base, ids, session, colleagues } = opened
  const { origin, pathname } = new URL(base)
  const contexts = await Promise.all([session, ...colleagues].map((one) => browser.newContext({ storageState: one })))
  const [ada, jonas, mei] = contexts.map(({ request }) => {
    const call = callsOf(request)
    const on = (path: string) => `${origin}/api/app/w${pathname}${path}`
    return {
      get: (path: string) => call('get', on(path)),
      put: (path: string) => call('put', on(path)),
      patch: (path: string, data: object) => call('patch', on(`/v1${path}`), { data }),
      post: async (path: string, data: object) => (await call('post', on(`/v1${path}`), { data })).data,
      add: async (owner: string, name: string, type: string, bytes: Buffer) =>
        (await call('post', on(`/v1/${owner}/files?name=${encodeURIComponent(name)}`), { data: bytes, type })).data,
    }
  })
  if (!ada || !jonas || !mei) throw new Error('Two members have joined the owner.')
  const members: { id: string; name: string }[] = (await ada.get('/members')).data
  const idOf = (name: string) => members.find((one) => one.name.startsWith(name))?.id
  const mention = (name: string) => `@[${idOf(name)}]`
  const company = `companies/${ids.company}`
  await jonas.patch(`/${company}`, { custom_fields: { tier: 'Silver' } })
  const query = new URLSearchParams({ resource: 'companies', record_id: ids.company, kinds: 'changes' })
  const [latest] = (await ada.get(`/activity?${query}`)).data
  await ada.put(`/v1/changes/${latest.undo.change}/undo`)
  const comment = (who: typeof ada, body: string, reply_to?: string) =>
    who.post(`/${company}/comments`, { body, ...(reply_to !== undefined && { reply_to }) })
  const { id: asked } = await comment(
    jonas,
    `${mention('Ada')} Ingrid asks for references from the Baltic. Do we have any that we may name?`,
  )
  await comment(ada, `Two. I add them to the offer. ${mention('Mei')}, can you check the figures first?`, asked)
  await comment(
    mei,
    'Checked. The second vessel is **8,400 cheaper** than last year:\n\n- refit 61,000\n- paint 14,600',
    asked,
  )
  await jonas.post('/tasks', {
    title: 'Send the references',
    company_ids: [ids.company],
    assignee_ids: [idOf('Ada')],
  })
  await mei.post(`/opportunities/${ids.opportunity}/comments`, { body: 'The board meets a week later than planned.' })
  const picture = await drawing(browser)
  await jonas.add(company, 'Offer for the refit 2027.pdf', 'application/pdf', Buffer.alloc(184_320, '%PDF-1.7 '))
  await mei.add(company, 'Figures of both vessels.csv', 'text/csv', Buffer.alloc(2_130, 'refit;61000\n'))
  await mei.add(company, 'MV Baltic Star.png', 'image/png', picture)
  const { id: file } = await ada.add(`notes/${ids.note}`, 'MV Baltic Star.png', 'image/png', picture)
  const body = `She is in the water again, and needs **new paint** on the port side.\n\n![MV Baltic Star](${base}/files/${file})`
  await ada.patch(`/notes/${ids.note}`, { custom_fields: { body } })
  for (const context of contexts) await context.close()
}

/** A drawing of our own, which needs no licence. */
async function drawing(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 640, height: 280 } })
  await page.setContent(`<body style="margin:0"><svg width="640" height="280" viewBox="0 0 640 280">
    <rect width="640" height="280" fill="#dbe7f3"/><circle cx="540" cy="70" r="34" fill="#f6d58a"/>
    <path d="M0 200h640v80H0z" fill="#5b86a8"/><path d="M110 160h400l-40 60H150z" fill="#334155"/>
    <path d="M330 100h110v60H330z" fill="#f8fafc"/><path d="M372 62h36v38h-36z" fill="#c2410c"/>
    <path d="M150 132h150v28H150z" fill="#94a3b8"/></svg>`)
  const taken = await page.screenshot()
  await page.close()
  return taken
}

export const talkScenes: readonly Scene[] = [
  scene('inbox', 'Inbox', async (page, { base }) => {
    await page.goto(`${base}/notifications`)
    await page.getByRole('link', { name: /mentioned you/ }).waitFor()
    await page.keyboard.press('j')
  }),
  scene('inbox-empty', 'Inbox with nothing in it', async (page, { empty }) => {
    await page.goto(`${empty}/notifications`)
    await page.getByRole('heading', { name: 'No notifications yet' }).waitFor()
  }),
  scene('thread', 'A thread with mentions and replies', async (page, opened) => {
    await openActivity(page, opened, 'Comments')
    await page.getByRole('listitem', { name: 'Mei Tanaka, replied' }).scrollIntoViewIfNeeded()
  }),
  scene('files', 'Files of a record', async (page, { base, ids }) => {
    await openRecord(page, `${base}/companies/${ids.company}`)
    await page.getByRole('tab', { name: /^Files/ }).click()
    await page.getByRole('link', { name: 'MV Baltic Star.png' }).scrollIntoViewIfNeeded()
  }),
  scene('note-picture', 'A picture in a note', async (page, { base, ids }) => {
    await openRecord(page, `${base}/notes/${ids.note}`)
    await page.getByRole('img', { name: 'MV Baltic Star' }).first().waitFor()
  }),
  scene('undo', 'Undo in the history', async (page, opened) => {
    await openActivity(page, opened, 'Changes')
    await page.getByText('Undone').scrollIntoViewIfNeeded()
  }),
].map((one) => ({ ...one, group: 'Talk, files and history', darkNarrow: true as const }))

async function openActivity(page: Page, { base, ids }: Opened, kind: string): Promise<void> {
  await openRecord(page, `${base}/companies/${ids.company}`)
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: kind }).click()
}

function scene(name: string, title: string, show: Scene['show']): Omit<Scene, 'group'> {
  return { name, title, show }
}
