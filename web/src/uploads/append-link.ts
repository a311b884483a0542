import type { FileObject } from '@kith/contract/file'
import { call } from '../api/call.ts'
import { nameOf, type RecordDocument } from '../api/records.ts'
import { appendToNote } from '../drafts/activity-draft.ts'
import { seenIn } from '../drafts/draft-queue.ts'
import { draftAt, putBeneath } from '../drafts/drafts.ts'
import { markdownOf } from '../markdown/file-links.ts'
import type { Upload } from './upload-store.ts'

/** Adds a stored file at the end of the text that it was put into, unless it is there already. */
export async function appendLink({ slug, owner, into }: Upload, file: FileObject): Promise<void> {
  const append = (text: unknown) => {
    const before = typeof text === 'string' ? text : ''
    return before.includes(file.id) ? before : [before, markdownOf(file, slug)].filter(Boolean).join('\n\n')
  }
  if (into === 'note') appendToNote(slug, owner.id, append)
  if (into === undefined || into === 'note') return
  const { code, label } = into
  const place = { slug, resource: owner.type, id: owner.id, property: `custom_fields.${code}` }
  const changed = (text: unknown) => {
    const custom_fields = { [code]: append(text) }
    return { input: { custom_fields }, shown: { custom_fields } }
  }
  const draft = draftAt(place)
  if (draft) return putBeneath({ ...draft, change: changed(draft.change.input.custom_fields?.[code]) })
  const record = (await call<RecordDocument>('GET', `/w/${slug}/v1/${owner.type}/${owner.id}`)).data
  const change = changed(record.attributes.custom_fields[code])
  putBeneath({ ...place, name: nameOf(record), label, change, seen: seenIn({ change }, record), state: 'waiting' })
}
