import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useParams } from '@tanstack/react-router'
import type { PropertyChange } from '../../api/patch-record.ts'
import { useSchema } from '../../api/schema.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { backReferenceInput, backReferencesOf } from '../../properties/back-references.ts'
import { appearanceOf } from '../../resources.ts'
import { recentRecords } from '../../shell/device-settings.ts'
import { labelled } from './typed-name.ts'

/** A record that is begun in the palette: its resource, and the values that it begins with. */
export type NewRecord = { resource: ResourceName; initial?: PropertyChange }

type NewEntry = {
  id: string
  label: string
  /** Whether what was typed is the name of the record. Otherwise it was a search for this entry. */
  isNamed: boolean
  made: NewRecord
}

/** What can be created: a record of each kind, named as was typed, and a note or task about the open record. */
export function useNewEntries(typed: string): NewEntry[] {
  const schema = useSchema()
  const slug = useSlug()
  const { role } = useWorkspace()
  const { resource: type = '', id } = useParams({ strict: false })
  if (!roleMay(role, 'create')) return []
  const resources = [...schema.values()].map((one): NewEntry => {
    const { label, name } = labelled(`New ${appearanceOf(one).one}`, typed)
    const values = { [one.label]: name }
    const initial = name === '' ? {} : { initial: { input: values, shown: values } }
    return { id: `new ${one.type}`, label, isNamed: name !== '', made: { resource: one.type, ...initial } }
  })
  const open = schema.get(type)
  // Its page has noted it.
  const about = recentRecords(slug).find((record) => record.id === id)
  if (!open || !about) return resources
  const linked = backReferencesOf(open).flatMap((kin): NewEntry[] => {
    const one = kin.many && schema.get(kin.resource)
    if (!one) return []
    const { label, name } = labelled(`New ${appearanceOf(one).one}`, typed)
    const shown = name === '' ? {} : { [one.label]: name }
    const initial: PropertyChange = {
      input: { ...shown, ...backReferenceInput(kin, about.id) },
      shown,
      relationships: { [kin.relation]: { data: [{ id: about.id, type }] } },
      included: [{ id: about.id, type, attributes: { name: about.name } }],
    }
    const made = { resource: one.type, initial }
    return [{ id: `about ${one.type}`, label: `${label} about ${about.name}`, isNamed: name !== '', made }]
  })
  return [...linked, ...resources]
}
