import { nameOfTarget, parseTarget, targetNames } from '@kith/contract/import/target'
import { type Resource, resourceIn } from '@kith/contract/resource'
import type { ComboboxItem } from '../../components/combobox.tsx'
import { propertiesOf } from '../../properties/property.ts'

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
      return target.field.name
    case 'label':
      return propertyLabel(target.key, resource)
    default: {
      const label = propertyLabel(target.key, resource)
      if (target.to === 'users') return label
      return target.by === undefined
        ? `${label}, by Kith ID`
        : `${label}, by ${byLabel(target.by, resourceIn(resource.schema, target.to))}`
    }
  }
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
    const group = target.kind === 'field' || target.kind === 'label' ? 'Fields' : groupOf(target.kind)
    return [{ value: nameOfTarget(target), label: labelOf(name, resource), group }]
  })
}

function groupOf(kind: 'id' | 'reference' | 'links' | 'external_ids'): string {
  return kind === 'reference' || kind === 'links' ? 'Related records' : 'IDs'
}
