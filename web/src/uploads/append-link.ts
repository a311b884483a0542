import type { FileObject } from '@kith/contract/file'
import { KithError } from '@kith/sdk'
import { call } from '../api/call.ts'
import type { RecordDocument } from '../api/records.ts'
import { draftAt, editDraft } from '../drafts/drafts.ts'
import { fileAddress, markdownOf } from '../markdown/file-links.ts'
import type { Upload } from './upload-store.ts'

const TRIES = 5

/**
 * Adds a stored file at the end of the text that it was put into. Its editor was closed meanwhile, or the page was
 * loaded again.
 */
export async function appendLink({ slug, owner, text: code }: Upload, file: FileObject): Promise<void> {
  if (code === undefined) return
  const address = fileAddress(window.location.origin, slug, file.id)
  const link = markdownOf(file.attributes, address)
  const append = (text: unknown) => {
    const before = typeof text === 'string' ? text : ''
    return before.includes(address) ? before : [before, link].filter(Boolean).join('\n\n')
  }
  const draft = draftAt({ slug, resource: owner.type, id: owner.id, property: `custom_fields.${code}` })
  if (draft) {
    const custom_fields = { [code]: append(draft.change.input.custom_fields?.[code]) }
    editDraft(draft, { ...draft.change, input: { custom_fields }, shown: { custom_fields } })
    return
  }
  const path = `/w/${slug}/v1/${owner.type}/${owner.id}`
  for (let tries = 1; ; tries++) {
    const { attributes } = (await call<RecordDocument>('GET', path)).data
    const before = attributes.custom_fields[code]
    const after = append(before)
    if (after === before) return
    try {
      const body = { custom_fields: { [code]: after } }
      await call('PATCH', path, { body, version: attributes.updated_at })
      return
    } catch (error) {
      const isChanged = error instanceof KithError && error.kind === 'precondition_failed'
      if (!isChanged || tries === TRIES) throw error
    }
  }
}
