import { generalSchema } from '@kith/contract/registry'
import { includeNames, type ResourceName, resourceIn, resourceNames } from '@kith/contract/resource'
import type { Chance } from '../../src/sample/chance.ts'
import { codeOf } from '../derived/full-records.ts'
import type { World } from './fuzzed-world.ts'
import { nastyName, nastyText } from './nasty.ts'
import { filterKeys, OPERATORS } from './random-filter.ts'

const PARAMETERS = [
  'per_page',
  'page',
  'cursor',
  'sort',
  'include',
  'fields',
  'fields[people]',
  'fields[users]',
  'filter',
  'entity_type',
  'include[]',
  'q',
  'resource',
  'record_id',
  'record_id[x]',
  '__proto__',
  'filter[__proto__][x]',
  'filter[constructor]',
  'fields[__proto__]',
]
/** What may follow the question mark. */
export function randomQuery(chance: Chance, world: World, resource: ResourceName | null): string {
  const pairs = Array.from({ length: 1 + chance.below(4) }, () => {
    if (chance.oneIn(2)) return `${filterName(chance, resource)}=${value(chance, world, resource)}`
    const name = chance.pick(PARAMETERS)
    const given = chance.oneIn(3) ? goodValue(chance, name, resource) : value(chance, world, resource)
    return `${chance.oneIn(4) ? encoded(name) : name}=${given}`
  })
  return chance.oneIn(20)
    ? pairs.join('&').replaceAll('=', chance.pick(['', '==', '%3d', '&']))
    : pairs.join(chance.oneIn(20) ? '&&' : '&')
}

export function goodValue(chance: Chance, name: string, resource: ResourceName | null): string {
  if (name === 'per_page' || name === 'page') return chance.pick(['1', '5', '100', '0', '101', '1e2', '9'.repeat(30)])
  if (name === 'resource') return chance.pick(resourceNames)
  if (name === 'cursor') return chance.pick(['true', 'e30', 'eyJhIjoxfQ.x', 'a'.repeat(500)])
  if (name.startsWith('include'))
    return resource ? chance.pick(includeNames(resourceIn(generalSchema, resource))) : 'creator'
  if (name === 'sort')
    return chance.pick([
      'name',
      '-created_at',
      `custom_fields.${codeOf('number')}`,
      `-${codeOf('select')}`,
      'updated_at,name',
      '-',
    ])
  return chance.pick(['name', 'title', `custom_fields.${codeOf('text')}`, 'created_at'])
}

function filterName(chance: Chance, resource: ResourceName | null): string {
  const part = () => `[${chance.oneIn(6) ? encoded(nastyName(chance)) : chance.pick(filterKeys(chance, resource))}]`
  const depth = chance.oneIn(30) ? chance.pick([20, 200, 3000]) : chance.below(4)
  const middle = Array.from({ length: depth }, part).join('')
  const name = `filter${middle}[${chance.pick(OPERATORS)}]${chance.oneIn(5) ? '[]' : ''}${chance.oneIn(8) ? '[0]' : ''}`
  return chance.oneIn(20) ? name.replace(']', '') : name
}

function value(chance: Chance, world: World, resource: ResourceName | null): string {
  const kind = chance.below(8)
  if (kind === 0) return chance.pick(Object.values(world.ids))
  if (kind === 1) return chance.pick(world.foreign)
  if (kind === 2) return chance.pick(['%', '%zz', '%c3%28', '%00', '%ff', '%ed%a0%80', '+', '%2b'])
  if (kind === 3) return goodValue(chance, chance.pick(PARAMETERS), resource)
  return encoded(nastyText(chance))
}

export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2e')
}
