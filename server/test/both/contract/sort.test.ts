import { describe, expect, it } from 'vitest'
import { eachTested, errorsOf, idsOf, pagesFrom, stock } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'

const AT = '2026-05-01T00:00:00.000Z'

/** The places of the listed records among those that were made. */
function placesOf(made: readonly string[], listed: readonly string[]): number[] {
  return listed.map((id) => made.indexOf(id))
}

describe.each(eachTested)('sort of %s', (type, { label }) => {
  it('- prefix means descending; allowed: name (title), created_at, updated_at', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const made = await stock(workspace, type, [
      { [label]: 'Beta', at: '2026-05-02T00:00:00.000Z' },
      { [label]: 'Gamma', at: '2026-05-01T23:59:59.999Z' },
      { [label]: 'Alpha', at: '2026-05-02T00:00:00.001Z' },
    ])
    // The last write moves the second record to the end of updated_at alone.
    const updated = await api.put(`/${type}/${made[1]}`, { [label]: 'Gamma ray' })
    expect(updated.status).toBe(200)
    for (const [sort, places] of [
      [label, [2, 0, 1]],
      [`-${label}`, [1, 0, 2]],
      ['created_at', [1, 0, 2]],
      ['-created_at', [2, 0, 1]],
      ['updated_at', [0, 2, 1]],
      ['-updated_at', [1, 2, 0]],
    ] as const) {
      expect(placesOf(made, idsOf(await api.get(`/${type}?sort=${sort}`))), sort).toEqual(places)
      expect(placesOf(made, (await pagesFrom(api, `/${type}?sort=${sort}&per_page=1`)).flat()), sort).toEqual(places)
      expect(placesOf(made, idsOf(await api.post(`/${type}/query`, { sort }))), sort).toEqual(places)
      expect(placesOf(made, idsOf(await api.get(`/${type}?sort=${sort}&cursor=true`))), sort).toEqual(places)
    }
  })

  it('default -created_at; an empty sort counts as not sent', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const made = await stock(workspace, type, [
      { [label]: 'b', at: '2026-05-02T00:00:00.000Z' },
      { [label]: 'c', at: '2026-05-03T00:00:00.000Z' },
      { [label]: 'a', at: '2026-05-01T00:00:00.000Z' },
    ])
    for (const query of ['', '?sort=', '?sort=-created_at', '?sort=,']) {
      expect(placesOf(made, idsOf(await api.get(`/${type}${query}`))), query).toEqual([1, 0, 2])
    }
    for (const sort of [null, '']) {
      expect(placesOf(made, idsOf(await api.post(`/${type}/query`, { sort })))).toEqual([1, 0, 2])
    }
  })

  it('names sort without regard to case', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const ascending = [
      '_',
      'a',
      'AA',
      'ab',
      'ABC',
      'b',
      'Straße 1',
      'STRASSE 2',
      'Z',
      'zz',
      'ÄB',
      'äc',
      'ÄD',
      'Ωa',
      'ωb',
      '中',
    ]
    const shuffled = ascending.map((name, index) => ({ name, key: (index * 7) % ascending.length }))
    shuffled.sort((a, b) => a.key - b.key)
    await stock(
      workspace,
      type,
      shuffled.map(({ name }) => ({ [label]: name })),
    )
    const named = async (sort: string) => {
      const { body } = await api.get(`/${type}?sort=${sort}&per_page=100`)
      return body.data.map((record: { attributes: Record<string, unknown> }) => record.attributes[label])
    }
    expect(await named(label)).toEqual(ascending)
    expect(await named(`-${label}`)).toEqual([...ascending].reverse())
  })

  it('comma list, applied left to right; id ascending is always the last key', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const later = '2026-05-01T00:00:00.001Z'
    const made = await stock(workspace, type, [
      { [label]: 'b', at: AT },
      { [label]: 'A', at: later },
      { [label]: 'a', at: AT },
      { [label]: 'B', at: later },
      { [label]: 'a', at: later },
      { [label]: 'b', at: AT },
    ])
    const byId = (places: number[]) => [...places].sort((a, b) => ((made[a] ?? '') < (made[b] ?? '') ? -1 : 1))
    const [firstBs, secondAs] = [byId([0, 5]), byId([1, 4])]
    for (const [sort, places] of [
      [label, [...byId([1, 2, 4]), ...byId([0, 3, 5])]],
      [`-${label}`, [...byId([0, 3, 5]), ...byId([1, 2, 4])]],
      ['created_at', [...byId([0, 2, 5]), ...byId([1, 3, 4])]],
      ['-created_at', [...byId([1, 3, 4]), ...byId([0, 2, 5])]],
      ['', [...byId([1, 3, 4]), ...byId([0, 2, 5])]],
      [`${label},created_at`, [2, ...secondAs, ...firstBs, 3]],
      [`${label},-created_at`, [...secondAs, 2, 3, ...firstBs]],
      [`-${label},created_at`, [...firstBs, 3, 2, ...secondAs]],
      [`created_at,-${label}`, [...firstBs, 2, 3, ...secondAs]],
      [`-created_at,${label}`, [...secondAs, 3, 2, ...firstBs]],
      [`-created_at,%20-${label}`, [3, ...secondAs, ...firstBs, 2]],
      [`-created_at,updated_at,${label}`, [...secondAs, 3, 2, ...firstBs]],
    ] as const) {
      expect(placesOf(made, idsOf(await api.get(`/${type}?sort=${sort}`))), sort).toEqual(places)
      expect(placesOf(made, (await pagesFrom(api, `/${type}?sort=${sort}&per_page=2`)).flat()), sort).toEqual(places)
    }
  })

  it('unknown: 422 on sort, naming it, what is accepted and the nearest name', async () => {
    const { api } = await workspaceWithOwn()
    const other = label === 'name' ? 'title' : 'name'
    for (const name of [
      other,
      'nme_of',
      'id',
      'ID',
      'Created_at',
      'creation_source',
      'creator',
      'company_id',
      'custom_fields',
      'custom_fields.nothing',
      '--created_at',
      '+created_at'.replace('+', '%2B'),
      'created_at desc',
      'constructor',
    ]) {
      const errors = await errorsOf(api.get(`/${type}?sort=created_at,${name}`))
      expect(Object.keys(errors)).toEqual(['sort'])
      expect(errors.sort).toHaveLength(1)
      expect(errors.sort?.[0]).toContain(decodeURIComponent(name).replace(/^-/, ''))
      expect(errors.sort?.[0]).toContain(`Accepted: ${label}, created_at, updated_at`)
    }
    const two = await errorsOf(api.get(`/${type}?sort=craeted_at,-updated`))
    expect(two.sort?.[0]).toContain('Did you mean created_at?')
    expect(two.sort?.[1]).toContain('updated')
    for (const sort of [7, true, [7], { created_at: 'asc' }]) {
      expect(Object.keys(await errorsOf(api.post(`/${type}/query`, { sort })))).toEqual(['sort'])
    }
  })
})
