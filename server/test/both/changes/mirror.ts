import { registry } from '@kith/contract/registry'
import { type BuiltInName, perResource, resourceNames } from '@kith/contract/resource'
import { expect } from 'vitest'
import { made } from '../../records.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { type Entry, page } from './feed.ts'

/** Another system's copy: what its entries told, by resource and id. */
export type Mirror = Map<string, NonNullable<Entry['attributes']['record']>>

function apply(mirror: Mirror, { attributes: { resource, record_id, record } }: Entry): void {
  const name = `${resource} ${record_id}`
  if (record) mirror.set(name, record)
  else mirror.delete(name)
}

/** Follows one cursor until there is nothing more to read. */
export async function catchUp(workspace: Pick<TestWorkspace, 'api'>, mirror: Mirror, cursor: string): Promise<string> {
  for (let next = cursor; ; ) {
    const limit = 1 + Math.floor(Math.random() * 20)
    const { data, meta } = await page(workspace, `cursor=${next}&limit=${limit}`)
    for (const entry of data) apply(mirror, entry)
    next = meta.next_cursor
    if (!meta.has_more) return next
  }
}

/** What the mirror shows of the records of a resource. Deleted records are not referred to, by its own rule. */
function shown(mirror: Mirror, type: BuiltInName) {
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

async function stored({ api }: Pick<TestWorkspace, 'api'>, type: BuiltInName) {
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
export async function write(workspace: Pick<TestWorkspace, 'api'>, ids: Ids, step: number): Promise<void> {
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

export type Ids = Record<BuiltInName, string[]>

export function noIds(): Ids {
  return perResource(() => [])
}

/** The mirror has every record and every definition as the workspace shows it, and no others. */
export async function expectEqual(mirror: Mirror, workspace: Pick<TestWorkspace, 'api'>): Promise<void> {
  for (const type of resourceNames) expect(shown(mirror, type)).toEqual(await stored(workspace, type))
  const fields = (await workspace.api.get('/custom-fields?per_page=100')).body.data
  const mirrored = [...mirror.values()].filter(({ type }) => type === 'custom_fields')
  expect(new Map(mirrored.map((field) => [field.id, field]))).toEqual(
    new Map(fields.map((field: { id: string }) => [field.id, field])),
  )
}
