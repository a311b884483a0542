import { parseTarget, type TargetContext } from '@kith/contract/import/target'
import type { ResourceName } from '@kith/contract/resource'
import { call } from '../../api/call.ts'
import type { RecordPage } from '../../api/records.ts'
import { appearances } from '../../resources.ts'
import { withEarlierChoices } from './columns/earlier-choices.ts'
import { type Draft, startDraft } from './draft.ts'
import type { OpenFile } from './reading/open-file.ts'

type Read = { slug: string; file: OpenFile; sheet: number }

/** Reads a sheet and recognises its columns. */
export async function recognise({ slug, file, sheet }: Read, context: TargetContext): Promise<Draft> {
  const draft = startDraft(file, { sheet, scanned: await file.scan(sheet) }, context)
  return withEarlierChoices(await withoutUnknown(draft, slug, context), slug, context)
}

const EXTERNAL = 'external_ids.'

/**
 * Leaves out references by ids of another program that no record has: every row would fail. The companies of a program
 * are often imported after its people, or not at all.
 */
async function withoutUnknown(draft: Draft, slug: string, context: TargetContext): Promise<Draft> {
  let { targets, notes } = draft
  for (const [index, name] of draft.targets.entries()) {
    const target = name === null ? undefined : parseTarget(name, context)
    if (!target || !('by' in target) || target.to === 'users' || !target.by?.startsWith(EXTERNAL)) continue
    const namespace = target.by.slice(EXTERNAL.length)
    if (await hasAny(slug, target.to, namespace)) continue
    const { many } = appearances[target.to]
    const column = draft.scanned.header[index] ?? ''
    targets = targets.with(index, null)
    notes = [
      ...notes,
      `${column} is left out: no ${many.toLowerCase()} from ${namespace} are here yet. Import them first to link them.`,
    ]
  }
  return { ...draft, targets, notes }
}

async function hasAny(slug: string, resource: ResourceName, namespace: string): Promise<boolean> {
  const filter = { external_ids: { [namespace]: { $is_empty: false } } }
  const body = { filter, per_page: 1 }
  const { meta } = await call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body })
  return meta.total > 0
}
