import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { type Entry, page } from './feed.ts'

/** Another system's copy: what its entries told, by resource and id. */
type Mirror = Map<string, NonNullable<Entry['attributes']['record']>>

function apply(mirror: Mirror, { attributes: { resource, record_id, record } }: Entry): void {
  const name = `${resource} ${record_id}`
  if (record) mirror.set(name, record)
  else mirror.delete(name)
}

/** Follows one cursor until there is nothing more to read. */
async function catchUp(workspace: TestWorkspace, mirror: Mirror, cursor: string): Promise<string> {
  for (let next = cursor; ; ) {
    const limit = 1 + Math.floor(Math.random() * 20)
    const { data, meta } = await page(workspace, `cursor=${next}&limit=${limit}`)
    for (const entry of data) apply(mirror, entry)
    next = meta.next_cursor
    if (!meta.has_more) return next
  }
}

/** What the mirror shows of the records of a resource. Deleted records are not referred to, by its own rule. */
function shown(mirror: Mirror, type: ResourceName) {
  const own = [...mirror.values()].filter((record) => record.type === type)
  const isThere = (to: string, id: unknown) => to === 'users' || mirror.has(`${to} ${id}`)
  return own
    .map(({ id, attributes: { external_ids: _, ...attributes } }) => {
      for (const [column, { to }] of Object.entries(registry[type].references)) {
        if (!isThere(to, attributes[column])) attributes[column] = null
      }
      return { id, attributes }
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}

async function stored({ api }: TestWorkspace, type: ResourceName) {
  const all: { id: string; attributes: Record<string, unknown> }[] = []
  for (let cursor: string | null = 'true'; cursor !== null; ) {
    const { body } = await api.get(`/${type}?per_page=100&cursor=${cursor}`)
    all.push(...body.data.map(({ id, attributes }: (typeof all)[number]) => ({ id, attributes })))
    cursor = body.meta.next_cursor
  }
  return all.sort((one, other) => (one.id < other.id ? -1 : 1))
}

const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)]

/** One random write of any kind. */
async function write(workspace: TestWorkspace, ids: Record<ResourceName, string[]>, step: number): Promise<void> {
  const { api } = workspace
  const type = pick(resourceNames) ?? 'people'
  const id = pick(ids[type])
  const { label, references, links } = registry[type]
  const named = {
    ...('company_id' in references ? { company_id: pick(ids.companies) ?? null } : {}),
    ...('company_ids' in links ? { company_ids: ids.companies.slice(0, 2) } : {}),
  }
  const kind = step % 7
  if (kind < 2 || id === undefined) ids[type].push((await made(api, type)).id)
  else if (kind < 4) await api.put(`/${type}/${id}`, { [label]: `Step ${step}`, ...named })
  else if (kind === 4) await api.delete(`/${type}/${id}`)
  else if (kind === 5) await api.put(`/${type}/${id}/restore`)
  else {
    const loser = ids[type].find((one) => one !== id)
    if (!loser) return
    const merged = await api.put(`/${type}/${id}/merge`, { loser_ids: [loser] })
    if (step % 2 === 0 && merged.status === 200) await api.put(`/merges/${merged.body.meta.merge_id}/undo`)
  }
}

it('9. One loop: a mirror that follows one cursor ends up equal to the workspace', async () => {
  const workspace = await newWorkspace()
  const ids: Record<ResourceName, string[]> = { companies: [], people: [], opportunities: [], tasks: [], notes: [] }
  for (let step = 0; step < 20; step++) await write(workspace, ids, 0)
  const mirror: Mirror = new Map()
  let cursor = 'start'
  for (let round = 0; round < 6; round++) {
    // Three writers at once, and the mirror reads meanwhile.
    const writers = [0, 1, 2].map(async (writer) => {
      for (let step = 0; step < 7; step++) await write(workspace, ids, step + writer)
    })
    const reading = catchUp(workspace, mirror, cursor)
    cursor = await reading
    await Promise.all(writers)
  }
  await catchUp(workspace, mirror, cursor)
  for (const type of resourceNames) expect(shown(mirror, type)).toEqual(await stored(workspace, type))
  const fields = (await workspace.api.get('/custom-fields?per_page=100')).body.data
  const mirrored = [...mirror.values()].filter(({ type }) => type === 'custom_fields')
  expect(new Map(mirrored.map((field) => [field.id, field]))).toEqual(
    new Map(fields.map((field: { id: string }) => [field.id, field])),
  )
})

it('numbers have no gaps under concurrent writers, and every write is in the feed when its response is sent', async () => {
  const workspace = await newWorkspace()
  const { meta } = await page(workspace, 'cursor=now')
  const writer = async () => {
    for (let i = 0; i < 10; i++) {
      const { id } = await made(workspace.api, 'people')
      const { data } = await page(workspace, `cursor=${meta.next_cursor}&limit=1000&payload=thin`)
      expect(data.map((entry) => entry.attributes.record_id)).toContain(id)
      expect(data.map((entry) => entry.attributes.sequence)).toEqual(data.map((_, at) => meta.head + 1 + at))
    }
  }
  await Promise.all([writer(), writer(), writer(), writer()])
  const { data } = await page(workspace, `cursor=${meta.next_cursor}&limit=1000&payload=thin`)
  expect(data).toHaveLength(40)
})
