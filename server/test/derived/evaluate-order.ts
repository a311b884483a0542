import type { BuiltInName } from '@kith/contract/resource'
import type { Sample, World } from './random-world.ts'

type Key = string | number | null

/**
 * Compares two records as a sort asks: its keys from left to right, empty values last in both directions, then the id.
 */
export function inOrder(world: World, type: BuiltInName, sort: string): (a: Sample, b: Sample) => number {
  const keys = sort.split(',').map((key) => ({ name: key.replace(/^-/, ''), descending: key.startsWith('-') }))
  return (a, b) => {
    for (const { name, descending } of keys) {
      const [left, right] = [keyOf(world, type, name, a), keyOf(world, type, name, b)]
      if (left === null || right === null) {
        if (left === right) continue
        return left === null ? 1 : -1
      }
      const compared = compare(left, right)
      if (compared !== 0) return descending ? -compared : compared
    }
    return compare(a.id, b.id)
  }
}

function keyOf(world: World, type: BuiltInName, name: string, record: Sample): Key {
  if (name === 'name' || name === 'title') return record.label.toLowerCase()
  if (name === 'created_at' || name === 'updated_at') return record[name]
  const code = name.replace('custom_fields.', '')
  const value = record.values[code] ?? null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return value
  const place = world.places.get(`${type} ${code} ${value.toLowerCase()}`)
  return place ?? value.toLowerCase()
}

/** Texts by their bytes, which is how both databases order their keys. */
function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}
