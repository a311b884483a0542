import { type ImportTarget, nameOfTarget, parseTarget, targetNames } from '@kith/contract/import/target'
import { type RelatedType, type Resource, resourceIn } from '@kith/contract/resource'
import type { ComboboxItem } from '../../components/combobox.tsx'
import { propertiesOf } from '../../properties/property.ts'
import { relatedTypeOf } from './columns/column-names.ts'

/** The label of a target. */
export function labelOf(name: string, resource: Resource): string {
  const target = parseTarget(name, resource)
  if (!target) return name
  switch (target.kind) {
    case 'id':
      return 'Kith ID'
    case 'external_ids':
      return `ID in ${target.namespace}`
    case 'field':
      return namedBy(target.field.name, { to: relatedTypeOf(target), by: target.by, resource })
    case 'label':
      return propertyLabel(target.key, resource)
    default:
      return namedBy(propertyLabel(target.key, resource), { ...target, resource })
  }
}

/** What records of other resources are named by; members have their address. */
function namedBy(
  label: string,
  { to, by, resource }: { to: RelatedType | undefined; by?: string | undefined; resource: Resource },
): string {
  if (to === undefined || to === 'users') return label
  return `${label}, by ${by === undefined ? 'Kith ID' : byLabel(by, resourceIn(resource.schema, to))}`
}

function propertyLabel(key: string, resource: Resource): string {
  const property = propertiesOf(resource).find(
    (one) => one.key === key || ('attribute' in one && one.attribute === key),
  )
  return property?.label ?? key
}

function byLabel(by: string, { fields }: Resource): string {
  if (by.startsWith('external_ids.')) return `ID in ${by.slice('external_ids.'.length)}`
  return fields.byCode.get(by)?.name ?? by
}

/** Everything that a column can go to. `used` are the targets of the file, which may be more than the usual ones. */
export function targetItems(resource: Resource, used: readonly (string | null)[]): ComboboxItem[] {
  const usual = targetNames(resource).filter((name) => !name.includes('<'))
  const others = used.filter((name) => name !== null && !usual.includes(name))
  return [...new Set([...usual, ...others])].flatMap((name) => {
    const target = name === null ? undefined : parseTarget(name, resource)
    if (name === null || !target) return []
    return [{ value: nameOfTarget(target), label: labelOf(name, resource), group: groupOf(target) }]
  })
}

function groupOf(target: ImportTarget): string {
  if (relatedTypeOf(target) !== undefined) return 'Related records'
  return target.kind === 'field' || target.kind === 'label' ? 'Fields' : 'IDs'
}
