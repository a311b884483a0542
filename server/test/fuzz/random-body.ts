import { gzipSync } from 'node:zlib'
import { generalSchema } from '@kith/contract/registry'
import { includeNames, type ResourceName, resourceIn } from '@kith/contract/resource'
import { measures, periods } from '@kith/contract/summary'
import type { Chance } from '../../src/sample/chance.ts'
import { codeOf } from '../derived/full-records.ts'
import { samples, valueTypeNames } from '../field-samples.ts'
import type { World } from './fuzzed-world.ts'
import { nastyJson, nastyName, nastyText } from './nasty.ts'
import { randomFilter } from './random-filter.ts'
import type { Part } from './random-part.ts'

/** Nothing, packed small: compressing it for each request would take longer than answering it. */
const packed = [10, 100_000, 10_000_000].map((size) => gzipSync(Buffer.alloc(size)))

/** A body as a part would have it, or something else in its place, or spoilt on its way. */
export function randomBody(chance: Chance, part: Part): Buffer {
  const kind = chance.below(24)
  if (kind === 0) return Buffer.from(Array.from({ length: chance.below(200) }, () => chance.below(256)))
  if (kind === 1) return Buffer.from(nastyJson(chance))
  if (kind === 2) return chance.pick(packed)
  if (kind === 3) return Buffer.alloc(chance.pick([1, 262_145, 1_048_577]), 0x20)
  const bytes = Buffer.from(part.body())
  if (chance.oneIn(10) && bytes.length > 2) bytes.writeUInt8(chance.below(256), chance.below(bytes.length))
  return chance.oneIn(15) ? bytes.subarray(0, chance.below(bytes.length)) : bytes
}

/** What is sent to write records, or to ask for them. */
export function recordBody(chance: Chance, world: World, resource: ResourceName, path: string): string {
  const pairs: [string, string][] = []
  const put = (key: string, good: unknown) =>
    pairs.push([key, chance.oneIn(12) ? nastyJson(chance) : JSON.stringify(good)])
  if (path.endsWith('/query')) {
    put('filter', JSON.parse('{}'))
    pairs.push(['filter', randomFilter(chance, world, resource, 0)])
    if (chance.oneIn(2)) put('sort', chance.pick(['name', '-created_at', codeOf('number')]))
    if (chance.oneIn(3)) put('cursor', 'true')
    if (chance.oneIn(3)) put('include', includeNames(resourceIn(generalSchema, resource)))
  } else if (path.endsWith('/summary')) {
    pairs.push(['filter', randomFilter(chance, world, resource, 0)])
    const some = () => chance.pick(['creator', 'company.creator', 'created_at', ...valueTypeNames.map(codeOf)])
    put('measure', chance.pick(measures))
    if (chance.oneIn(2)) put('field', chance.pick(valueTypeNames.map(codeOf)))
    put('group_by', chance.oneIn(2) ? [some()] : [some(), some()])
    put('period', chance.pick(periods))
    if (chance.oneIn(3)) put('time_zone', chance.pick(['Europe/Berlin', 'Asia/Kolkata', 'Mars']))
    if (chance.oneIn(3)) put('limit', chance.below(210))
    if (chance.oneIn(3)) put('sort', chance.pick(['label', 'value', '-value']))
  } else {
    const { label, references, links } = resourceIn(generalSchema, resource)
    if (!chance.oneIn(8)) put(label, `Fuzz ${chance.below(1000)}`)
    if (path.endsWith('/upsert'))
      put('match', { field: chance.pick(['domains', 'emails', codeOf('text')]), value: nastyText(chance) })
    for (const key of [...Object.keys(references), ...Object.keys(links)]) {
      if (chance.oneIn(3))
        put(
          key,
          chance.oneIn(2)
            ? [chance.pick(Object.values(world.ids))]
            : chance.pick([...world.foreign, ...Object.values(world.ids)]),
        )
    }
    const values = valueTypeNames
      .filter(() => chance.oneIn(5))
      .map((type) => {
        const good = JSON.stringify(samples[type][chance.pick(['one', 'other'] as const)])
        return `${JSON.stringify(chance.oneIn(15) ? nastyName(chance) : codeOf(type))}:${chance.oneIn(6) ? nastyJson(chance) : good}`
      })
    pairs.push(['custom_fields', `{${values.join(',')}}`])
  }
  if (chance.oneIn(10)) pairs.push([nastyName(chance), nastyJson(chance)])
  if (chance.oneIn(12)) pairs.push(...pairs.slice(0, 1))
  return `{${pairs.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
}
