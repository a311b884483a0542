import { NAME_MAX } from '@kith/contract/limits'
import { CUSTOM_FIELDS, type Resource } from '@kith/contract/resource'
import { useEffect, useRef } from 'react'
import type { PropertyChange } from '../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { useSlug } from '../api/workspace.ts'
import { appearanceOf } from '../resources.ts'
import { NEW } from './draft-store.ts'
import { draftAt, putDraft } from './drafts.ts'
import { useCreated } from './queue.ts'

const ENDING = ' (copy)'

/** The values of a copy: all of the record, except those that no second record may have. */
export function copyOf(record: ApiRecord, { label, references, links, fields }: Resource): PropertyChange {
  const { attributes, relationships = {} } = record
  const unique = new Set(fields.list.filter((field) => field.unique).map(({ code }) => code))
  const shared = Object.entries(attributes.custom_fields).filter(([code]) => !unique.has(code))
  const shown = {
    ...Object.fromEntries(Object.keys(references).map((name) => [name, attributes[name] ?? null])),
    [label]: nameOf(record).slice(0, NAME_MAX - ENDING.length) + ENDING,
    custom_fields: Object.fromEntries(shared),
  }
  const linked = Object.entries(links).map(([attribute, { relation }]) => {
    const data = relationships[relation]?.data ?? []
    return [attribute, Array.isArray(data) ? data.map(({ id }) => id) : []]
  })
  const kept = Object.entries(relationships).filter(([name]) => !unique.has(name.slice(CUSTOM_FIELDS.length)))
  return { input: { ...shown, ...Object.fromEntries(linked) }, shown, relationships: Object.fromEntries(kept) }
}

/** Whether a copy needs something that it cannot have: a value that is required, and of which there is only one. */
export function needsMore({ fields }: Resource): boolean {
  return fields.list.some(({ required, unique }) => required && unique)
}

/** Creates a copy of a record. It waits in the queue like every change, and can be undone once it is stored. */
export function useCopy(record: ApiRecord, resource: Resource, onStored: (id: string) => void): () => void {
  const slug = useSlug()
  const place = { slug, resource: record.type, id: NEW, property: `copy of ${record.id}` }
  const created = useCreated(place)
  // An earlier copy is no reason to leave the page again.
  const known = useRef(created)
  useEffect(() => {
    if (created === undefined || created === known.current) return
    known.current = created
    onStored(created)
  })
  return () => {
    if (draftAt(place)?.state === 'waiting') return
    const change = copyOf(record, resource)
    const name = nameOf({ attributes: change.shown })
    const label = `New ${appearanceOf(resource).one}`
    putDraft({ ...place, label, name, change, told: { message: `Created ${name}` }, state: 'waiting' })
  }
}
