import type { ChangeAttributes, FeedMeta } from '@kith/contract/changes/change-entry'
import type { TestWorkspace } from '../../workspace.ts'

type Shown = { id: string; type: string; attributes: Record<string, unknown> }

export type Entry = { id: string; type: string; attributes: ChangeAttributes<Shown> }

export type Page = { data: Entry[]; meta: FeedMeta }

type Api = Pick<TestWorkspace, 'api'>

/** One response of the feed. */
export async function page({ api }: Api, query: string, path = ''): Promise<Page> {
  const { status, body } = await api.get(`${path}/changes?${query}`)
  if (status !== 200) throw new Error(`${path}/changes?${query}: ${status} ${JSON.stringify(body)}`)
  return body
}

/** The position after everything that has happened. */
export async function now(workspace: Api): Promise<string> {
  return (await page(workspace, 'cursor=now')).meta.next_cursor
}

/** All entries after a position, and the position after them. */
export async function follow(workspace: Api, cursor: string, query = '', path = '') {
  const entries: Entry[] = []
  let next = cursor
  for (;;) {
    const { data, meta } = await page(workspace, `cursor=${next}&${query}`, path)
    entries.push(...data)
    next = meta.next_cursor
    if (!meta.has_more) return { entries, cursor: next }
  }
}

/** An entry in a few words: `updated people name`. */
export function told({ attributes: { kind, resource, changed } }: Entry): string {
  return [kind, resource, ...changed].join(' ')
}
